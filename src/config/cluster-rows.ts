import { isRecord } from '../is-record.ts'
import { Expected, oneOf, type RawValue, type Setting, toText, toUrl } from './setting.ts'

/** A cluster in the one name space, as a row of `clusters` says. */
export type Cluster = {
  /** Where it appears: `/` for the default one; absolute, without a slash at the end. */
  readonly path: string
  /** `hdfs://host:port`, of several with a comma between them, or of a name service; `s3://bucket/prefix`; or `file:///directory`. */
  readonly url: string
  /** WebHDFS addresses, tried in order; derived from `url` where absent. Empty for `file:`, and where `hadoopConf` says it. */
  readonly webhdfs: readonly string[]
  /** How it is spoken to: by its own protocol, by WebHDFS, or by the former where that answers. */
  readonly protocol: (typeof protocols)[number]
  /** Directory of Hadoop's own configuration, which knows name services. */
  readonly hadoopConf: string | undefined
  readonly user: string | undefined
  /** Delegation token; a secret. */
  readonly token: string | undefined
  /** The principal of this server in a cluster with Kerberos, and its keytab. */
  readonly kerberos: { readonly principal: string; readonly keytab: string } | undefined
  /** As whom the gateway works there. */
  readonly doas: 'server' | 'caller'
  /** How an object store is spoken to; undefined for any other cluster. */
  readonly s3: S3Row | undefined
}

/** What a row says of an object store; what is undefined follows from the environment. */
export type S3Row = {
  readonly endpoint: string | undefined
  readonly region: string | undefined
  readonly pathStyle: boolean | undefined
  readonly profile: string | undefined
}

/** How a cluster can be spoken to. */
export const protocols = ['auto', 'native', 'webhdfs'] as const

const maxRows = 1_000
const ofHdfs = ['webhdfs', 'protocol', 'hadoop-conf', 'user', 'token', 'kerberos', 'doas']
const ofS3 = ['endpoint', 'region', 'path-style', 'profile']
const keys = ['path', 'url', ...ofHdfs, ...ofS3]
const form = `{${keys.join(', ')}}`

/** A setting that lists clusters: a YAML list of maps, or the same as JSON text. */
export const clusterList = (words: Pick<Setting<unknown>, 'sentence'>): Setting<readonly Cluster[]> => ({
  type: 'list of maps',
  default: [],
  parse: parseClusters,
  ...words,
})

const parseClusters = (raw: RawValue): readonly Cluster[] => {
  const value = typeof raw === 'string' ? parseJson(raw) : raw
  if (!Array.isArray(value)) throw new Expected(`a list of ${form}`)
  if (value.length > maxRows) throw new Expected(`at most ${maxRows} clusters`)
  const rows = value.map(toCluster)
  if (new Set(rows.map(({ path }) => path)).size !== rows.length) throw new Expected('every path once')
  return rows
}

/**
 * WebHDFS addresses of a NameNode when only `hdfs://host:port` is known: port 9870 of Hadoop 3, then 50070 of Hadoop 2.
 * They are tried in order, like the name nodes of a pair, and the one that answers is remembered.
 */
export const toWebHdfsUrls = (url: string): readonly string[] => {
  // By way of the host alone: the part before it has another meaning in URLs of HTTP.
  const hosts = hostsOf(url).map(host => new URL(`http://${new URL(`hdfs://${host}`).host}`).hostname)
  return [9870, 50_070].flatMap(port => hosts.map(host => `http://${host}:${port}`))
}

const hostsOf = (url: string): readonly string[] => url.slice('hdfs://'.length).split(',')

/** `hdfs://host:port`; further ones after commas, with or without `hdfs://`. */
export const toHdfsUrl = (raw: RawValue): string => {
  const [first = '', ...others] = toText(raw).split(',')
  const parse = toUrl('hdfs:')
  if (others.length === 0) return parse(first)
  const urls = [first, ...others]
    .map(text => text.trim())
    .map(text => parse(/^hdfs:/i.test(text) ? text : `hdfs://${text}`))
  if (urls.some(url => /[/@]/.test(url.slice('hdfs://'.length)))) throw new Expected('hdfs://host:port,host:port')
  return `hdfs://${urls.flatMap(hostsOf).join(',')}`
}

const toClusterUrl = (raw: unknown): string => {
  if (typeof raw === 'string' && /^\s*hdfs:/i.test(raw)) return toHdfsUrl(raw)
  return typeof raw === 'string' && /^\s*s3:/i.test(raw) ? toS3Url(raw) : toUrl('hdfs:', 'file:', 's3:')(raw)
}

/** Its names are those of the bucket and of keys: nothing in it is escaped. */
const toS3Url = (raw: string): string => {
  const url = raw.trim().replace(/^s3:/i, 's3:').replace(/\/+$/, '')
  const [, ...names] = /^s3:\/\/([A-Za-z0-9][\w.-]+)((?:\/[^/?#]+)*)$/.exec(url) ?? []
  if (names.length > 0 && !url.split('/').some(name => name === '.' || name === '..')) return url
  throw new Expected('s3://bucket or s3://bucket/prefix in a cluster')
}

const toEndpoint = (text: string): string => {
  const url = toUrl('http:', 'https:')(text)
  if (/^https?:\/\/[^/?#@]+(\/[^?#@]*)?$/.test(url)) return url
  throw new Expected('endpoint as http(s)://host:port in a cluster')
}

const toS3Row = (get: (key: string) => unknown): S3Row => {
  const optional = (key: string): string | undefined => (get(key) == null ? undefined : toText(get(key)))
  const endpoint = optional('endpoint')
  const pathStyle = get('path-style')
  return {
    endpoint: endpoint === undefined ? undefined : toEndpoint(endpoint),
    region: optional('region'),
    pathStyle: pathStyle == null ? undefined : oneOf(['true', 'false'], pathStyle) === 'true',
    profile: optional('profile'),
  }
}

const toCluster = (raw: unknown): Cluster => {
  if (typeof raw !== 'object' || raw === null) throw new Expected(`each cluster as ${form}`)
  const fields = new Map<string, unknown>(Object.entries(raw))
  const unknown = [...fields.keys()].find(key => !keys.includes(key))
  if (unknown !== undefined) throw new Expected(`only ${keys.join(', ')} in a cluster, not ${unknown}`)
  const path = toPath(toText(fields.get('path')))
  if (path === undefined) throw new Expected('an absolute path in each cluster')
  const url = toClusterUrl(fields.get('url'))
  const isS3 = url.startsWith('s3:')
  const foreign = (isS3 ? ofHdfs : ofS3).find(key => fields.get(key) != null)
  if (foreign !== undefined) throw new Expected(`${foreign} only beside a url ${isS3 ? 'hdfs' : 's3'}://… in a cluster`)
  const optional = (key: string): string | undefined => (fields.get(key) == null ? undefined : toText(fields.get(key)))
  const webhdfs = fields.get('webhdfs')
  const addresses = webhdfs == null ? undefined : Array.isArray(webhdfs) ? webhdfs : toText(webhdfs).split(',')
  const hadoopConf = optional('hadoop-conf')
  const isDerived = url.startsWith('hdfs:') && hadoopConf === undefined
  return {
    path,
    url,
    webhdfs: addresses?.map(toUrl('http:', 'https:')) ?? (isDerived ? toWebHdfsUrls(url) : []),
    protocol: fields.get('protocol') == null ? 'auto' : oneOf(protocols, fields.get('protocol')),
    hadoopConf,
    user: optional('user'),
    token: optional('token'),
    kerberos: toKerberos(fields.get('kerberos'), url),
    doas: fields.get('doas') == null ? 'server' : oneOf(['server', 'caller'], fields.get('doas')),
    s3: isS3 ? toS3Row(key => fields.get(key)) : undefined,
  }
}

/** Without slashes at the end; undefined unless it is a path of a cluster. */
const toPath = (text: string): string | undefined => {
  if (text === '/') return text
  const path = text.replace(/\/+$/, '')
  return /^(\/[^/\0]+)+$/.test(path) && !path.split('/').some(part => part === '.' || part === '..') ? path : undefined
}

const toKerberos = (raw: unknown, url: string): Cluster['kerberos'] => {
  if (raw == null) return undefined
  if (!url.startsWith('hdfs:')) throw new Expected('kerberos only beside a url hdfs://… in a cluster')
  if (!isRecord(raw) || Object.keys(raw).some(key => key !== 'principal' && key !== 'keytab')) {
    throw new Expected('kerberos as {principal, keytab} in a cluster')
  }
  return { principal: toText(raw['principal']), keytab: toText(raw['keytab']) }
}

const parseJson = (json: string): unknown => {
  try {
    return JSON.parse(json)
  } catch {
    throw new Expected(`a JSON list of ${form}`)
  }
}

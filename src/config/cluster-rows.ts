import { isRecord } from '../is-record.ts'
import { Expected, oneOf, type RawValue, type Setting, toText, toUrl } from './setting.ts'

/** A cluster in the one name space, as a row of `clusters` says. */
export type Cluster = {
  /** Where it appears: `/` for the default one; absolute, without a slash at the end. */
  readonly path: string
  /** `hdfs://host:port`, or `file:///directory`. */
  readonly url: string
  /** WebHDFS addresses, tried in order; derived from `url` where absent. Empty for `file:`. */
  readonly webhdfs: readonly string[]
  /** How it is spoken to: by its own protocol, by WebHDFS, or by the former where that answers. */
  readonly protocol: (typeof protocols)[number]
  readonly user: string | undefined
  /** Delegation token; a secret. */
  readonly token: string | undefined
  /** Who this server is to a cluster with Kerberos, and the file with its keys. */
  readonly kerberos: { readonly principal: string; readonly keytab: string } | undefined
  /** As whom the gateway works there. */
  readonly doas: 'server' | 'caller'
}

/** How a cluster can be spoken to. */
export const protocols = ['auto', 'native', 'webhdfs'] as const

const maxRows = 1_000
const keys = ['path', 'url', 'webhdfs', 'protocol', 'user', 'token', 'kerberos', 'doas']
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
  // By way of the host alone: what stands before it is read otherwise in URLs of HTTP.
  const host = new URL(`http://${new URL(url).host}`).hostname
  return [9870, 50_070].map(port => `http://${host}:${port}`)
}

const toCluster = (raw: unknown): Cluster => {
  if (typeof raw !== 'object' || raw === null) throw new Expected(`each cluster as ${form}`)
  const fields = new Map<string, unknown>(Object.entries(raw))
  const unknown = [...fields.keys()].find(key => !keys.includes(key))
  if (unknown !== undefined) throw new Expected(`only ${keys.join(', ')} in a cluster, not ${unknown}`)
  const path = toPath(toText(fields.get('path')))
  if (path === undefined) throw new Expected('an absolute path in each cluster')
  const url = toUrl('hdfs:', 'file:')(fields.get('url'))
  const optional = (key: string): string | undefined => (fields.get(key) == null ? undefined : toText(fields.get(key)))
  const webhdfs = fields.get('webhdfs')
  const addresses = webhdfs == null ? undefined : Array.isArray(webhdfs) ? webhdfs : toText(webhdfs).split(',')
  return {
    path,
    url,
    webhdfs: addresses?.map(toUrl('http:', 'https:')) ?? (url.startsWith('hdfs:') ? toWebHdfsUrls(url) : []),
    protocol: fields.get('protocol') == null ? 'webhdfs' : oneOf(protocols, fields.get('protocol')),
    user: optional('user'),
    token: optional('token'),
    kerberos: toKerberos(fields.get('kerberos'), url),
    doas: fields.get('doas') == null ? 'server' : oneOf(['server', 'caller'], fields.get('doas')),
  }
}

/** Without slashes at the end; undefined for what is no path of a cluster. */
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

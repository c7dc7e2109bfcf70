import { fileURLToPath } from 'node:url'
import { createEitherWay } from './either-way.ts'
import type { FileSystem } from './filesystem.ts'
import { type Demand, findDemands, findProtections, inWords } from './hdfs/conf/demands.ts'
import { readHadoopConf } from './hdfs/conf/hadoop-conf.ts'
import { findNameNodes, type Hosts } from './hdfs/conf/name-nodes.ts'
import { bearer, believed, holder } from './hdfs/tokens/identities.ts'
import { findProcessUser } from './hdfs/tokens/process-user.ts'
import { createHdfsFileSystem } from './hdfs.ts'
import { createLocalFileSystem } from './local.ts'
import { createS3FileSystem, type S3Options } from './s3.ts'
import type { WayLog } from './way.ts'
import { type HeldTokens, tokenCredentials } from './webhdfs/credentials.ts'
import { createRefusedWebHdfs } from './webhdfs/refused.ts'
import { createWebHdfsFileSystem, type WebHdfsOptions } from './webhdfs.ts'

/** Which file system. */
export type FileSystemSettings = {
  /** `hdfs://host:port`, of several with a comma between them, or of a name service; `s3://bucket/prefix`; or `file:///directory`. */
  readonly url: string
  /** `http(s)://host:port` of each name node. @default as `hadoopConf` says, or port 9870 */
  readonly webhdfs?: readonly string[] | undefined
  /** How an `hdfs:` is spoken to; `auto` never leaves TLS. @default webhdfs */
  readonly protocol?: 'auto' | 'native' | 'webhdfs' | undefined
  /** Directory of Hadoop's own configuration, for name services. */
  readonly hadoopConf?: string | undefined
  readonly user?: string | undefined
  readonly token?: WebHdfsOptions['token'] | undefined
  /** How an `s3:` is spoken to. @default as the environment says */
  readonly s3?: Pick<S3Options, 'endpoint' | 'region' | 'pathStyle' | 'profile'> | undefined
}

/** What a file system is made with beside its settings. */
export type FileSystemOptions = Omit<Partial<WebHdfsOptions>, 'credentials'> & {
  /** The tokens that this server holds of the cluster. @default it calls as the settings say */
  readonly tokens?: HeldTokens | undefined
  /** Hears which way was chosen. @default nothing is said */
  readonly log?: WayLog | undefined
}

/** Makes the file system of a URL; undefined where it cannot be used. */
type Create = (settings: FileSystemSettings, more: FileSystemOptions) => Promise<FileSystem> | undefined

/** Each kind of file system, by the scheme of its URL. */
const schemes: Readonly<Record<string, Create>> = {
  'file:': ({ url: text }) => {
    const url = URL.parse(text)
    if (url === null) return undefined
    return createLocalFileSystem({ root: url.host === '' ? fileURLToPath(url) : decodeURIComponent(url.pathname) })
  },
  'hdfs:': (settings, more) => {
    const hosts = parseHosts(settings.url)
    return hosts && createHdfs(hosts, settings, more)
  },
  's3:': ({ url, s3 }, { timeoutMs, idleTimeoutMs, maxRetries, maxRetryMs, ask }) =>
    createS3FileSystem({
      url,
      ...s3,
      ...(ask && { ask }),
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(idleTimeoutMs !== undefined && { idleTimeoutMs }),
      ...(maxRetries !== undefined && { maxRetries }),
      ...(maxRetryMs !== undefined && { maxRetryMs }),
    }),
}

/** `host:port` of each name node that a URL names; undefined where it is not such a URL. */
const parseHosts = (url: string): Hosts | undefined => {
  const urls = url
    .slice('hdfs://'.length)
    .split(',')
    .map(host => URL.parse(`hdfs://${host}`))
  const [first, ...others] = urls.map(one => (one === null || one.username || one.password ? '' : one.host))
  return first && others.every(host => host !== '') ? [first, ...others] : undefined
}

/** The same settings with the WebHDFS addresses that Hadoop's own configuration says. Rejects as {@link createFileSystem}. */
export const locateWebHdfs = async <S extends FileSystemSettings & { readonly webhdfs: readonly string[] }>(
  settings: S,
): Promise<S> => {
  const hosts = settings.hadoopConf === undefined ? undefined : parseHosts(settings.url)
  if (hosts === undefined || settings.hadoopConf === undefined) return settings
  const { webhdfs } = findNameNodes(hosts, settings.webhdfs, await readHadoopConf(settings.hadoopConf))
  return { ...settings, webhdfs }
}

const createHdfs = async (
  hosts: Hosts,
  { webhdfs = [], user: named, token, hadoopConf, protocol = 'webhdfs' }: FileSystemSettings,
  { tokens, log = silent, ...more }: FileSystemOptions,
): Promise<FileSystem> => {
  const url = `hdfs://${hosts.join(',')}`
  const conf = hadoopConf === undefined ? undefined : await readHadoopConf(hadoopConf)
  const { addresses, webhdfs: urls } = findNameNodes(hosts, webhdfs, conf)
  // Whichever way is taken, it is the same caller.
  const user = named || (protocol === 'webhdfs' || token || tokens ? undefined : findProcessUser())
  const webHdfs = createWebHdfsFileSystem({
    urls,
    url,
    ...(user ? { user } : {}),
    ...(token ? { token } : {}),
    ...(tokens && { credentials: tokenCredentials(tokens) }),
    ...more,
  })
  if (protocol === 'webhdfs') return webHdfs
  const demands = findDemands(conf, token !== undefined || tokens !== undefined)
  const [protection] = urls.every(isHttps) ? [] : findProtections(demands)
  if (protocol === 'auto' && urls.some(isHttps) && !protection) return sayWhy(webHdfs, log)
  const identitiesOf = tokens ? holder(tokens) : token ? bearer(token) : believed(user)
  let transfers = 0
  const onTransfer = (): void => void transfers++
  const usesHostnames = conf?.get('dfs.client.use.datanode.hostname')?.toLowerCase() === 'true'
  const how = { url, addresses, identitiesOf, demands, usesHostnames, onTransfer }
  const openBeside = (other: FileSystem): FileSystem => createHdfsFileSystem({ ...more, ...how, webHdfs: other })
  if (protection) return sayAlone(openBeside(createRefusedWebHdfs(webHdfs, inWords(protection))), protection, log)
  const native = openBeside(webHdfs)
  return protocol === 'native' ? native : createEitherWay({ native, webHdfs, transfers: () => transfers, log })
}

/** What goes by plain HTTP is not protected. */
const sayAlone = (native: FileSystem, protection: Demand, log: WayLog): FileSystem => {
  const why = `${inWords(protection)}, and an address of WebHDFS is not https`
  log.info({}, `${native.url} is spoken to by its own protocol alone: ${why}`)
  return { ...native, spokenBy: () => `its own protocol alone: ${why}` }
}

const isHttps = (url: string): boolean => new URL(url).protocol === 'https:'

/**
 * A setting for TLS is never weakened silently: what goes by the own protocol is only as protected as the cluster says.
 */
const sayWhy = (webHdfs: FileSystem, log: WayLog): FileSystem => {
  const why = 'its address is https, and its own protocol has no TLS (the protocol native takes it all the same)'
  log.info({}, `${webHdfs.url} is spoken to by WebHDFS: ${why}`)
  return { ...webHdfs, spokenBy: () => `WebHDFS: ${why}` }
}

const silent: WayLog = { info: () => {}, warn: () => {} }

/**
 * The file system of a URL.
 * @throws TypeError for a URL that cannot be used
 * @throws FileSystemError when the directory of a local one can neither be found nor created
 */
export const createFileSystem = async (
  settings: FileSystemSettings,
  more: FileSystemOptions = {},
): Promise<FileSystem> => {
  const [scheme = ''] = /^[a-z][a-z\d]*:/.exec(settings.url) ?? []
  const opening = Object.hasOwn(schemes, scheme) ? schemes[scheme]?.(settings, more) : undefined
  if (opening !== undefined) return await opening
  throw new TypeError(
    'Cannot use the name node URL: expected hdfs://host:port, s3://bucket/prefix or file:///directory, without a password',
  )
}

import { fileURLToPath } from 'node:url'
import { createEitherWay } from './either-way.ts'
import type { FileSystem } from './filesystem.ts'
import type { NodeAddress } from './hdfs/socket/exact-socket.ts'
import { bearer, believed, holder } from './hdfs/tokens/identities.ts'
import { findProcessUser } from './hdfs/tokens/process-user.ts'
import { createHdfsFileSystem } from './hdfs.ts'
import { createLocalFileSystem } from './local.ts'
import type { WayLog } from './way.ts'
import { type HeldTokens, tokenCredentials } from './webhdfs/credentials.ts'
import { createWebHdfsFileSystem, type WebHdfsOptions } from './webhdfs.ts'

/** Which file system. */
export type FileSystemSettings = {
  /** `hdfs://host:port`, or `file:///directory`. */
  readonly url: string
  /** `http(s)://host:port` of each name node. */
  readonly webhdfs?: readonly string[] | undefined
  /** How an `hdfs:` is spoken to. @default webhdfs */
  readonly protocol?: 'auto' | 'native' | 'webhdfs' | undefined
  readonly user?: string | undefined
  readonly token?: WebHdfsOptions['token'] | undefined
}

/** What a file system is made with beside its settings. */
export type FileSystemOptions = Omit<Partial<WebHdfsOptions>, 'credentials'> & {
  /** The tokens that this server holds of the cluster. @default it calls as the settings say */
  readonly tokens?: HeldTokens | undefined
  /** Hears which way was chosen. @default nothing is said */
  readonly log?: WayLog | undefined
}

/** Makes the file system of a URL; undefined where it cannot be used. */
type Create = (
  url: URL,
  settings: FileSystemSettings,
  more: FileSystemOptions,
) => FileSystem | Promise<FileSystem> | undefined

/** Each kind of file system, by the scheme of its URL. */
const schemes: Readonly<Record<string, Create>> = {
  'file:': url =>
    createLocalFileSystem({ root: url.host === '' ? fileURLToPath(url) : decodeURIComponent(url.pathname) }),
  'hdfs:': (url, settings, more) =>
    url.host === '' || url.username || url.password ? undefined : createHdfs(url, settings, more),
}

/** The port of a name node where the URL does not name it (`dfs.namenode.rpc-address`). */
const defaultRpcPort = 8020

const createHdfs = (
  url: URL,
  { webhdfs = [], user: named, token, protocol = 'webhdfs' }: FileSystemSettings,
  { tokens, log = silent, ...more }: FileSystemOptions,
): FileSystem => {
  const name = `hdfs://${url.host}`
  // Whichever way is taken, it is the same caller.
  const user = named || (protocol === 'webhdfs' || token || tokens ? undefined : findProcessUser())
  const webHdfs = createWebHdfsFileSystem({
    urls: webhdfs,
    url: name,
    ...(user ? { user } : {}),
    ...(token ? { token } : {}),
    ...(tokens && { credentials: tokenCredentials(tokens) }),
    ...more,
  })
  if (protocol === 'webhdfs') return webHdfs
  const identitiesOf = tokens ? holder(tokens) : token ? bearer(token) : believed(user)
  const native = createHdfsFileSystem({
    ...more,
    url: name,
    addresses: toAddresses(url, webhdfs),
    identitiesOf,
    webHdfs,
  })
  return protocol === 'native' ? native : createEitherWay({ native, webHdfs, log })
}

/**
 * Where name nodes take calls: at the host of the URL, and at those whose WebHDFS is named, of a pair for example. A logical
 * name of a URL is found nowhere, and the next one is asked.
 */
const toAddresses = ({ hostname, port }: URL, webhdfs: readonly string[]): readonly [NodeAddress, ...NodeAddress[]] => {
  const hosts = new Set([hostname, ...webhdfs.map(one => new URL(one).hostname)])
  const [first = hostname, ...others] = [...hosts].map(host => host.replace(/^\[|\]$/g, ''))
  const toAddress = (host: string): NodeAddress => ({ host, port: Number(port) || defaultRpcPort })
  return [toAddress(first), ...others.map(toAddress)]
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
  const url = URL.canParse(settings.url) ? new URL(settings.url) : undefined
  const fileSystem = url && schemes[url.protocol]?.(url, settings, more)
  if (fileSystem !== undefined) return await fileSystem
  throw new TypeError(
    'Cannot use the name node URL: expected hdfs://host:port or file:///directory, without a password',
  )
}

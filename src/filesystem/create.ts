import { fileURLToPath } from 'node:url'
import type { FileSystem } from './filesystem.ts'
import { createLocalFileSystem } from './local.ts'
import { createWebHdfsFileSystem, type WebHdfsOptions } from './webhdfs.ts'

/** Which file system. */
export type FileSystemSettings = {
  /** `hdfs://host:port`, or `file:///directory`. */
  readonly url: string
  /** `http(s)://host:port` of each name node. */
  readonly webhdfs?: readonly string[] | undefined
  readonly user?: string | undefined
  readonly token?: WebHdfsOptions['token'] | undefined
}

/** Makes the file system of a URL; undefined where it cannot be used. */
type Create = (
  url: URL,
  settings: FileSystemSettings,
  more: Partial<WebHdfsOptions>,
) => FileSystem | Promise<FileSystem> | undefined

/** Each kind of file system, by the scheme of its URL. */
const schemes: Readonly<Record<string, Create>> = {
  'file:': url =>
    createLocalFileSystem({ root: url.host === '' ? fileURLToPath(url) : decodeURIComponent(url.pathname) }),
  'hdfs:': ({ host, username, password }, { webhdfs = [], user, token }, more) =>
    host === '' || username || password
      ? undefined
      : createWebHdfsFileSystem({
          urls: webhdfs,
          url: `hdfs://${host}`,
          ...(user ? { user } : {}),
          ...(token ? { token } : {}),
          ...more,
        }),
}

/**
 * The file system of a URL.
 * @throws TypeError for a URL that cannot be used
 * @throws FileSystemError when the directory of a local one can neither be found nor created
 */
export const createFileSystem = async (
  settings: FileSystemSettings,
  more: Partial<WebHdfsOptions> = {},
): Promise<FileSystem> => {
  const url = URL.canParse(settings.url) ? new URL(settings.url) : undefined
  const fileSystem = url && schemes[url.protocol]?.(url, settings, more)
  if (fileSystem !== undefined) return await fileSystem
  throw new TypeError(
    'Cannot use the name node URL: expected hdfs://host:port or file:///directory, without a password',
  )
}

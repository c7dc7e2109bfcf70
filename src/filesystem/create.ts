import type { FileSystem } from './filesystem.ts'
import { createLocalFileSystem } from './local.ts'
import { createWebHdfsFileSystem, type WebHdfsOptions } from './webhdfs.ts'

/** Which file system, as the settings `namenode.…` and `data.dir`, or one row of `mounts`, say. */
export type FileSystemSettings = {
  /** `hdfs://host:port`; absent: the embedded local file system. `file:…` names another directory for it. */
  readonly namenodeUrl?: string | undefined
  /** `http(s)://host:port` of each name node. */
  readonly webhdfsUrls?: readonly string[] | undefined
  readonly user?: string | undefined
  readonly token?: WebHdfsOptions['token'] | undefined
  /** Directory of the embedded local file system. */
  readonly root: string
}

/**
 * The file system of the settings.
 * @throws TypeError for a URL that cannot be used
 * @throws FileSystemError when the local root can neither be found nor created
 */
export const createFileSystem = async (
  settings: FileSystemSettings,
  more: Partial<WebHdfsOptions> = {},
): Promise<FileSystem> => {
  const { namenodeUrl = '', webhdfsUrls = [], user, token, root } = settings
  if (!namenodeUrl && webhdfsUrls.length === 0) return await createLocalFileSystem({ root })
  const url = namenodeUrl ? parseNameNodeUrl(namenodeUrl) : undefined
  if (url?.protocol === 'file:') return await createLocalFileSystem({ root: decodeURIComponent(url.pathname) })
  return createWebHdfsFileSystem({
    urls: webhdfsUrls,
    ...(url ? { url: `hdfs://${url.host}` } : {}),
    ...(user ? { user } : {}),
    ...(token ? { token } : {}),
    ...more,
  })
}

const parseNameNodeUrl = (text: string): URL => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isHdfs = url?.protocol === 'hdfs:' && url.hostname !== '' && !url.username && !url.password
  if (url && (isHdfs || url.protocol === 'file:')) return url
  throw new TypeError(
    'Cannot use the name node URL: expected hdfs://host:port or file:///directory, without a password',
  )
}

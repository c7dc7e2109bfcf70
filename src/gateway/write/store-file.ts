import { type FileStatus, type FileSystem, FileSystemError } from '../../filesystem/filesystem.ts'

/** How a file is to be stored. */
export type StoreOptions = {
  readonly overwrite: boolean
  readonly replication?: number
  /** Bytes. */
  readonly blockSize?: number
  readonly permission?: number
}

/**
 * Stores a whole file or nothing.
 * @param path as of `parsePath`
 * @throws FileSystemError `exists`, `is-directory` and the other codes of a file system; what `source` throws
 */
export const storeFile = async (
  fileSystem: Pick<FileSystem, 'publish'>,
  path: string,
  source: AsyncIterable<Uint8Array>,
  options: StoreOptions,
): Promise<FileStatus> => {
  const { outcome, status, failure: cause } = await fileSystem.publish(path, source, options)
  if (outcome === 'done') return status
  if (outcome === 'foreign') {
    throw new FileSystemError('exists', path, `Cannot create "${path}": it exists already`, { cause })
  }
  throw new FileSystemError('unavailable', path, `Cannot create "${path}": the temporary file disappeared`, { cause })
}

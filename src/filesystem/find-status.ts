import { type FileStatus, type FileSystem, FileSystemError, type FileSystemErrorCode } from './filesystem.ts'
import { defaultDirectoryPermission } from './options.ts'

/**
 * The status of a path; undefined where there is nothing. Rejects with everything else.
 * @param absent answers that say so @default also that the path leads below a file
 */
export const findStatus = async (
  fileSystem: Pick<FileSystem, 'getFileStatus'>,
  path: string,
  absent: readonly FileSystemErrorCode[] = ['not-found', 'not-directory'],
): Promise<FileStatus | undefined> => {
  try {
    return await fileSystem.getFileStatus(path)
  } catch (error) {
    if (error instanceof FileSystemError && absent.includes(error.code)) return undefined
    throw error
  }
}

/** The status of a directory of which nothing is kept: a mount point, a way to one, what keys of a store have in common. */
export const toDirectoryStatus = (path: string): FileStatus => ({
  path,
  isDirectory: true,
  length: 0,
  modificationTime: 0,
  owner: '',
  group: '',
  permission: defaultDirectoryPermission,
  replication: 0,
  blockSize: 0,
})

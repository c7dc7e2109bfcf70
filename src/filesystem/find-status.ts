import { type FileStatus, type FileSystem, FileSystemError, type FileSystemErrorCode } from './filesystem.ts'

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

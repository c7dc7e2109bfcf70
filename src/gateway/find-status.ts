import { type FileStatus, type FileSystem, FileSystemError } from '../filesystem/filesystem.ts'

/** The status of a path; undefined where there is nothing, below a file too. Rejects with everything else. */
export const findStatus = async (fileSystem: FileSystem, path: string): Promise<FileStatus | undefined> => {
  try {
    return await fileSystem.getFileStatus(path)
  } catch (error) {
    if (error instanceof FileSystemError && (error.code === 'not-found' || error.code === 'not-directory')) return
    throw error
  }
}

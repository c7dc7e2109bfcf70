import { FileSystemError, type FileSystemErrorCode } from '../filesystem.ts'

/** What an `errno` of the operating system means in the words of a file system, and in those of people. */
const meanings: Readonly<Record<string, readonly [code: FileSystemErrorCode, words: string]>> = {
  ENOENT: ['not-found', 'there is no such file or directory'],
  EEXIST: ['exists', 'it exists already'],
  ENOTEMPTY: ['not-empty', 'the directory is not empty'],
  EISDIR: ['is-directory', 'it is a directory'],
  ENOTDIR: ['not-directory', 'a part of the path is not a directory'],
  EACCES: ['denied', 'permission denied'],
  EPERM: ['denied', 'the operation is not permitted'],
  EROFS: ['denied', 'the file system is read-only'],
  EDQUOT: ['quota-exceeded', 'the disk quota is used up'],
  ENAMETOOLONG: ['bad-path', 'a name in it is too long'],
  ELOOP: ['bad-path', 'its symbolic links lead in a circle or out of the root'],
  ENXIO: ['denied', 'it is not a regular file'],
  EINVAL: ['bad-path', 'the name cannot be used'],
  ENOSPC: ['unavailable', 'the disk is full'],
}

/** The `errno` name of an error, such as `ENOENT`; empty for any other value. */
export const errnoOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

/**
 * An error of the operating system as a {@link FileSystemError}. A full disk is `unavailable`: an operator will free
 * space. Everything that is not an `errno` (of the source of an upload, for example) stays as it is.
 */
export const toLocalError = (error: unknown, action: string, path: string): unknown => {
  const errno = errnoOf(error)
  if (error instanceof FileSystemError || !/^E[A-Z0-9]+$/.test(errno)) return error
  const [code, words] = meanings[errno] ?? ['unavailable', `the disk reports ${errno}`]
  return new FileSystemError(code, path, `Cannot ${action} "${path}": ${words}`, { cause: error })
}

/** Runs one call and turns what the operating system answers into the file system's words. */
export const guard = async <T>(action: string, path: string, call: () => Promise<T>): Promise<T> => {
  try {
    return await call()
  } catch (error) {
    throw toLocalError(error, action, path)
  }
}

/** An error as of the operating system. */
export const withErrno = (code: string, cause?: unknown): Error => Object.assign(new Error(code, { cause }), { code })

/** HDFS finds nothing below a file, where a disk says that the file is not a directory. */
export const notFoundBelowFile = (error: unknown): never => {
  throw errnoOf(error) === 'ENOTDIR' ? withErrno('ENOENT', error) : error
}

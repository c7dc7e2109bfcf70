import { FileSystemError, type FileSystemErrorCode } from '../filesystem.ts'

/** What an `errno` of the operating system means in the words of a file system. */
const codes: Readonly<Record<string, FileSystemErrorCode>> = {
  ENOENT: 'not-found',
  EEXIST: 'exists',
  ENOTEMPTY: 'not-empty',
  EISDIR: 'is-directory',
  ENOTDIR: 'not-directory',
  EACCES: 'denied',
  EPERM: 'denied',
  EROFS: 'denied',
  EDQUOT: 'quota-exceeded',
  ENAMETOOLONG: 'bad-path',
  ELOOP: 'bad-path',
  EINVAL: 'bad-path',
}

/** The `errno` name of an error, such as `ENOENT`; empty for any other value. */
export const errnoOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

/**
 * An error of the operating system as a {@link FileSystemError}. A full disk is `unavailable`: somebody will make room.
 * Everything that is not an `errno` (of the source of an upload, for example) stays as it is.
 */
export const toLocalError = (error: unknown, action: string, path: string): unknown => {
  const errno = errnoOf(error)
  if (error instanceof FileSystemError || !/^E[A-Z0-9]+$/.test(errno)) return error
  return new FileSystemError(codes[errno] ?? 'unavailable', path, `Cannot ${action} "${path}": ${errno}`, {
    cause: error,
  })
}

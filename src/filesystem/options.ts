import type { OpenOptions } from './filesystem.ts'

/** Permission of a new file where none is asked for. */
export const defaultFilePermission = 0o644
/** Permission of a new directory where none is asked for, and of missing parents. */
export const defaultDirectoryPermission = 0o755
/** The sticky bit and `rwx` for user, group and others: all that HDFS keeps. */
export const maxPermission = 0o1777

/** @throws RangeError for bits that no file system here can keep */
export const checkPermission = (permission: number | undefined): void => {
  if (permission === undefined) return
  if (Number.isInteger(permission) && permission >= 0 && permission <= maxPermission) return
  throw new RangeError(`Cannot use permission ${permission}: expected an integer from 0 to 0o1777`)
}

/** First byte and end (exclusive) of what to read of a file of `size` bytes; both within the file. */
export const toRange = ({ offset = 0, length }: OpenOptions, size: number): { start: number; end: number } => {
  checkRange({ offset, ...(length === undefined ? {} : { length }) })
  const start = Math.min(offset, size)
  return { start, end: length === undefined ? size : Math.min(start + length, size) }
}

/** @throws RangeError for an offset or length that is not a safe integer from 0 */
export const checkRange = ({ offset, length }: OpenOptions): void => {
  for (const [name, value] of Object.entries({ offset, length })) {
    if (value !== undefined && !(Number.isSafeInteger(value) && value >= 0)) {
      throw new RangeError(`Cannot read from ${name} ${value}: expected an integer from 0`)
    }
  }
}

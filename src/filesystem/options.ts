import type { OpenOptions } from './filesystem.ts'

/** Permission of a new file where none is asked for. */
export const defaultFilePermission = 0o644
/** Block size of a file without blocks, as Hadoop's own local file system reports it. */
export const defaultBlockSize = 32 * 1024 * 1024
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

/** @throws RangeError for a time that is not a safe integer from 0 */
export const checkTimes = (times: { readonly modificationTime?: number; readonly accessTime?: number }): void => {
  for (const [name, value] of Object.entries(times)) {
    if (value === undefined || (Number.isSafeInteger(value) && value >= 0)) continue
    throw new RangeError(`Cannot set ${name} ${value}: expected ms since the epoch`)
  }
}

/** @throws RangeError for what no file can have; the file system may allow less */
export const checkReplication = (replication: number): void => {
  if (Number.isInteger(replication) && replication >= 1 && replication <= maxReplication) return
  throw new RangeError(`Cannot use replication ${replication}: expected an integer from 1 to ${maxReplication}`)
}

/** What Hadoop has bits for. */
const maxReplication = 32_767

/** @throws RangeError for what is not three bits */
export const checkAction = (action: number): void => {
  if (Number.isInteger(action) && action >= 0 && action <= 7) return
  throw new RangeError(`Cannot ask for action ${action}: expected an integer from 0 to 7`)
}

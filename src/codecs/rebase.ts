import { FormatError, LimitError } from '../errors.ts'

/** The same error with the offset in the whole: `base` is the offset of the bytes in which it was found. */
export const rebase = (error: unknown, base: number): Error => {
  if (!(error instanceof FormatError)) return error instanceof Error ? error : new Error('failed', { cause: error })
  if (base === 0 || error instanceof LimitError) return error
  const message = error.message.slice(error.format.length + 2, error.message.lastIndexOf(' at byte '))
  return new FormatError(error.format, base + error.offset, message, { cause: error })
}

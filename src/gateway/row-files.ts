import { FormatError, SluiceError } from '../errors.ts'
import { FileSystemError } from '../filesystem/filesystem.ts'
import type { Mark, Reading } from '../rows/reading.ts'
import type { Rows } from '../rows/row.ts'
import type { ReadContext } from './context.ts'
import type { ReadyEntry } from './open-ahead.ts'
import type { RowWindow } from './range.ts'

/** Some rows of a file, and how it is read. */
export type WantedRows = {
  readonly reading: Reading
  /** What the window lets through; leaves the file as soon as the last wanted row has passed. */
  readonly rows: AsyncIterable<Rows>
}

/** Opens a file for the rows that a window wants next, at the last place before them that is known. */
export const openWanted = async (
  { openRowFile, marks }: Pick<ReadContext, 'openRowFile' | 'marks'>,
  { status, fileSystem }: ReadyEntry,
  window: RowWindow,
  options: { readonly raw: boolean; readonly signal: AbortSignal },
): Promise<WantedRows> => {
  const from = marks.find(status, window.ahead, options.raw)
  const reading = await openRowFile(status, { ...options, from, ...(fileSystem ? { fileSystem } : {}) })
  const add = (mark: Mark): void => marks.add(status, mark, options.raw)
  return { reading, rows: takeWanted(reading, window, from, add) }
}

async function* takeWanted(
  { batches }: Reading,
  window: RowWindow,
  from: Mark | undefined,
  add: (mark: Mark) => void,
): AsyncGenerator<Rows, void, undefined> {
  let isFirst = true
  for await (const { rows, first, mark } of batches) {
    // What was passed over counts; a file that cannot be read from a place begins at the top all the same.
    if (isFirst) window.pass(first)
    isFirst = false
    if (mark) add(mark)
    const wanted = window.take(rows)
    if (wanted.length > 0) yield wanted
    if (window.isDone) return
  }
  if (isFirst && from) window.pass(from.row)
}

/** What a client is told about a file that could not be read; nothing of an unknown error, which may be anything. */
export const toFailureText = (error: unknown): string =>
  error instanceof SluiceError || error instanceof FormatError ? error.message : 'The file cannot be read as rows'

/** Whether an error says that a file's content is at fault, and not the way to it. */
export const isDamage = (error: unknown): boolean => !(error instanceof FileSystemError)

/** Whether a file that was listed is there no longer. */
export const isVanished = (error: unknown): boolean => error instanceof FileSystemError && error.code === 'not-found'

/** How a file was read, for `X-Row-Serializer`: `text`, or `text, gzip`. */
export const describeReading = ({ serializer, codec }: Reading): string =>
  codec === 'none' ? serializer : `${serializer}, ${codec}`

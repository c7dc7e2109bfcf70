import { FormatError, SluiceError } from '../errors.ts'
import { type FileStatus, FileSystemError } from '../filesystem/filesystem.ts'
import type { Reading } from '../rows/reading.ts'
import type { Row } from '../rows/row.ts'
import type { RowWindow } from './range.ts'

/** Opens a file as rows, with everything but the file already chosen. */
export type OpenRowFile = (
  status: FileStatus,
  options: { readonly raw: boolean; readonly signal: AbortSignal },
) => Promise<Reading>

/** The rows of a file that the window lets through; leaves the file as soon as the last wanted row has passed. */
export async function* wantedRows(
  { batches }: Reading,
  window: RowWindow,
): AsyncGenerator<readonly Row[], void, undefined> {
  for await (const { rows } of batches) {
    const wanted = window.take(rows)
    if (wanted.length > 0) yield wanted
    if (window.isDone) return
  }
}

/** What a client is told about a file that could not be read; nothing of an unknown error, which may be anything. */
export const toFailureText = (error: unknown): string =>
  error instanceof SluiceError || error instanceof FormatError ? error.message : 'The file cannot be read as rows'

/** Whether an error says that a file's content is at fault, and not the way to it. */
export const isDamage = (error: unknown): boolean => !(error instanceof FileSystemError)

/** How a file was read, for `X-Row-Serializer`: `text`, or `text, gzip`. */
export const describeReading = ({ serializer, codec }: Reading): string =>
  codec === 'none' ? serializer : `${serializer}, ${codec}`

/** The files whose rows go into others. */
import type { Buffer } from 'node:buffer'
import { FormatError } from '../errors.ts'
import { hasCode } from '../filesystem/cluster/steps.ts'
import type { FileSystem } from '../filesystem/filesystem.ts'
import { type ParquetFile, readFooter, toParquetFile } from '../formats/parquet/file.ts'
import type { FileMetaData } from '../formats/parquet/metadata.ts'
import { readBytesAt } from '../tables/files.ts'
import type { LiveFile } from '../tables/replace/live-files.ts'
import { TableError } from '../tables/table-error.ts'
import { type TablePlace, toTablePath } from '../tables/table-place.ts'

/** A file of this size is read in one go. */
const wholeBytes = 4 * 1024 * 1024

export type SourceFile = { readonly file: ParquetFile; readonly footer: FileMetaData }

/** @throws FormatError; TableError the file has not the rows that the table says. Rejects with `FileSystemError` */
export const openSource = async (
  fileSystem: FileSystem,
  place: TablePlace,
  { uri, bytes, rows }: Pick<LiveFile, 'uri' | 'bytes' | 'rows'>,
): Promise<SourceFile> => {
  const path = toTablePath(place, uri)
  let whole: Promise<Buffer> | undefined
  const file = toParquetFile(bytes, async (offset, length) => {
    if (bytes > wholeBytes) return await readBytesAt(fileSystem, path, offset, length)
    whole ??= readBytesAt(fileSystem, path, 0, bytes)
    return (await whole).subarray(offset, offset + length)
  })
  const footer = await readFooter(file)
  if (footer.rows === rows) return { file, footer }
  throw new TableError(path, `expected the ${rows} rows that the table says, found ${footer.rows}`)
}

/** A file whose rows cannot go into another one: it stays what it is to readers. */
export class UnfitSource extends TypeError {
  override readonly name = 'UnfitSource'
}

/** Does something with a file. @throws UnfitSource for what is wrong with that file, or where it is gone */
export const withSource = async <T>({ uri }: Pick<LiveFile, 'uri'>, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof FormatError) throw new UnfitSource(`${uri}: ${cause.message}`, { cause })
    if (cause instanceof TableError || hasCode(cause, 'not-found')) throw new UnfitSource(cause.message, { cause })
    throw cause
  }
}

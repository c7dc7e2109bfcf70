import { type FileSystem, FileSystemError } from '../filesystem/filesystem.ts'
import { toParquetFile } from '../formats/parquet/file.ts'
import {
  createRecordWriter,
  type RecordWriter,
  type RecordWriterOptions,
} from '../formats/parquet/rewrite/record-writer.ts'
import { isSwapped, type LoadedTable } from '../tables/catalog.ts'
import { type DataFile, describeFile } from '../tables/data-file.ts'
import { readBytesAt } from '../tables/files.ts'
import { toTablePath, toUri } from '../tables/table-place.ts'
import type { NextRow, SortedRow } from './merge-runs.ts'

export type WriteRowsOptions = {
  readonly fileSystem: FileSystem
  readonly table: Pick<LoadedTable, 'place' | 'metadata' | 'version'>
  readonly writer: RecordWriterOptions
  /** A file ends behind the row group with which it reaches this. */
  readonly targetBytes: number
  /** Below the table; of no other file. */
  readonly nameOf: (number: number) => string
  /** The column of which a file has one hour. */
  readonly dateId: number
  /** Called with each file before it is written: it may be there although its writing fails. */
  readonly onFile: (path: string) => void
  readonly onRows: (rows: number) => void
  readonly signal?: AbortSignal | undefined
}

/** Writes sorted rows into files. @returns what the table has to know of them, by their own footers, read back */
export const writeRows = async (next: NextRow, options: WriteRowsOptions): Promise<readonly DataFile[]> => {
  const { fileSystem, table, nameOf, dateId, onFile } = options
  const { place, metadata } = table
  const rows = { row: await next(), next }
  const files: DataFile[] = []
  while (rows.row) {
    const uri = toUri(place, nameOf(files.length))
    const path = toTablePath(place, uri)
    const writer = createRecordWriter(options.writer)
    onFile(path)
    const { outcome } = await fileSystem.publish(path, toPieces(writer, rows, options), { isUnique: isSwapped(table) })
    if (outcome !== 'done') throw new FileSystemError('unavailable', path, `Cannot write "${path}": it is gone`)
    const { length } = await fileSystem.getFileStatus(path)
    const read = (offset: number, size: number) => readBytesAt(fileSystem, path, offset, size)
    files.push(await describeFile(toParquetFile(length, read), { uri, fields: metadata.schema.fields, dateId }))
  }
  return files
}

type Rows = { row: SortedRow | undefined; readonly next: NextRow }

async function* toPieces(
  writer: RecordWriter,
  rows: Rows,
  { targetBytes, onRows, signal }: WriteRowsOptions,
): AsyncGenerator<Uint8Array> {
  let counted = 0
  for (let isOver = false; !isOver; ) {
    for (; rows.row && !writer.isGroupFull; ) {
      writer.add(rows.row.bytes, rows.row.start)
      const following = rows.next()
      rows.row = following instanceof Promise ? await following : following
    }
    signal?.throwIfAborted()
    yield writer.endGroup()
    onRows(writer.rows - counted)
    counted = writer.rows
    isOver = rows.row === undefined || writer.length >= targetBytes
  }
  yield writer.finish()
}

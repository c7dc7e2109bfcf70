/**
 * Parquet files with one schema and the same words in their footers: rows are read and written again, each value as it is, sorted by
 * `eventDate` where that is a timestamp, else in the order of the files.
 */
import { hash } from 'node:crypto'
import { FormatError } from '../../errors.ts'
import type { FileStatus, FileSystem } from '../../filesystem/filesystem.ts'
import { readFooter, toParquetFile } from '../../formats/parquet/file.ts'
import type { FileMetaData } from '../../formats/parquet/metadata.ts'
import { verifyPages } from '../../formats/parquet/pages/verify-pages.ts'
import { createRecordWriter, RecordMemory } from '../../formats/parquet/rewrite/record-writer.ts'
import { layOutSchema, toSameLeaves } from '../../formats/parquet/rewrite/same-schema.ts'
import type { TargetLayout, TargetLeaf } from '../../formats/parquet/rewrite/target.ts'
import { toSchema } from '../../formats/parquet/schema.ts'
import { ByteSink } from '../../formats/parquet/write/byte-sink.ts'
import { readBytesAt } from '../../tables/files.ts'
import { readRowRecords } from '../read-rows.ts'
import { createRowSorter, type RowSorter } from '../row-sorter.ts'
import type { SourceFile } from '../source-files.ts'
import type { FileMerge, MergeContext } from './file-merge.ts'
import { toUnfit } from './unfit-file.ts'

/** Of rows that are held while they are sorted, and of a row group before it is encoded. */
const sortBytes = 64 * 1024 * 1024
const groupBytes = 48 * 1024 * 1024

/**
 * What a file has in common with others that can become one with it, and how that is done.
 * @throws FormatError no Parquet, or types that are not written as they are. Rejects with `FileSystemError`
 */
export const mergeParquet = async (
  fileSystem: Pick<FileSystem, 'open'>,
  status: FileStatus,
): Promise<{ readonly key: string; readonly merge: FileMerge }> => {
  const { footer } = await openParquet({ fileSystem, onBytes: () => {} }, status)
  layOutSchema(footer.schema)
  const key = toKey(footer)
  return { key, merge: createMerge(key) }
}

/** Short, since a plan has one for each file: schemas can be long. */
const toKey = ({ schema, keyValues }: FileMetaData): string =>
  hash('sha256', JSON.stringify([schema.slice(1), [...keyValues]]), 'base64')

/** Holds no footer until it is needed. */
const createMerge = (key: string): FileMerge => ({
  write: (context, files) => {
    const tally = new RowTally()
    return { pieces: writeSorted(context, files, { key, tally }), tally }
  },
  count: async (context, file) => {
    const tally = new RowTally()
    const sink = new ByteSink(1 << 16)
    const addRow = (_: number, start: number): undefined => {
      tally.add(sink.bytes.subarray(start, sink.length))
      sink.length = 0
    }
    const source = await openSame(context, file, key)
    await readSame(source, { sink, addRow })
    return tally
  },
})

type Sorting = { readonly layout: TargetLayout; readonly sortedBy: TargetLeaf | undefined }

const toSorting = (footer: FileMetaData): Sorting => {
  const layout = layOutSchema(footer.schema)
  return { layout, sortedBy: findDate(layout, footer) }
}

/** The column that rows are sorted by. */
const findDate = ({ leaves }: TargetLayout, { schema }: FileMetaData): TargetLeaf | undefined => {
  const date = leaves.find(
    ({ path, maxRepetition }) => path.length === 1 && path[0] === 'eventDate' && maxRepetition === 0,
  )
  const logical = toSchema(schema).leaves[date?.index ?? -1]?.logical
  // Of nanoseconds a double has too few digits.
  return logical?.kind === 'TIMESTAMP' && logical.unit !== 'NANOS' && date?.type.physical === 'INT64' ? date : undefined
}

async function* writeSorted(
  context: MergeContext,
  files: readonly FileStatus[],
  { key, tally }: { readonly key: string; readonly tally: RowTally },
): AsyncGenerator<Uint8Array> {
  let footer: FileMetaData | undefined
  const sorter = createRowSorter({ directory: context.temporaryDirectory, memoryBytes: sortBytes })
  try {
    for (const file of files) {
      context.signal?.throwIfAborted()
      try {
        const source = await openSame(context, file, key)
        footer ??= source.footer
        await readInto(sorter, source, tally)
      } catch (error) {
        throw toUnfit(file, error)
      }
    }
    if (!footer) return
    const { layout, sortedBy } = toSorting(footer)
    const writer = createRecordWriter({
      layout,
      codec: 'zstd',
      facts: [...footer.keyValues],
      sortedBy: sortedBy?.path[0],
      memory: new RecordMemory(layout),
      groupBytes,
    })
    const next = await sorter.rows()
    for (let row = await next(); row; ) {
      for (; row && !writer.isGroupFull; ) {
        writer.add(row.bytes, row.start)
        const following = next()
        row = following instanceof Promise ? await following : following
      }
      context.signal?.throwIfAborted()
      yield writer.endGroup()
    }
    // Also the first bytes of a file without rows.
    if (writer.length === 0) yield writer.endGroup()
    yield writer.finish()
  } finally {
    await sorter.close()
  }
}

const readInto = async (sorter: RowSorter, source: SourceFile, tally: RowTally): Promise<void> => {
  const { sink } = sorter
  const addRow = (key: number, start: number): Promise<void> | undefined => {
    tally.add(sink.bytes.subarray(start, sink.length))
    sorter.end(key)
    return sorter.makeRoom()
  }
  await readSame(source, { sink, addRow })
}

const readSame = async (
  source: SourceFile,
  taker: Pick<Parameters<typeof readRowRecords>[2], 'sink' | 'addRow'>,
): Promise<void> => {
  const { layout, sortedBy } = toSorting(source.footer)
  const { columns, leaves } = toSchema(source.footer.schema)
  const sources = toSameLeaves(leaves, layout)
  const wanted = { leaves: layout.leaves, columns, sources, sortedBy, isNullable: true }
  await readRowRecords(source, wanted, { ...taker, onRows: () => {}, isWanted: () => true })
}

/** @throws FormatError it is another file than the one that was looked at */
const openSame = async (context: MergeContext, status: FileStatus, key: string): Promise<SourceFile> => {
  const source = await openParquet(context, status)
  if (toKey(source.footer) === key) {
    // Damage would have a checksum that is right in the new file.
    await verifyPages(source.file, source.footer)
    return source
  }
  throw new FormatError('parquet', status.length, 'expected the schema and the metadata that the sources have')
}

const openParquet = async (
  { fileSystem, onBytes }: Pick<MergeContext, 'onBytes'> & { readonly fileSystem: Pick<FileSystem, 'open'> },
  { path, length }: FileStatus,
): Promise<SourceFile> => {
  const file = toParquetFile(length, async (offset, size) => {
    onBytes(size)
    return await readBytesAt(fileSystem, path, offset, size)
  })
  return { file, footer: await readFooter(file) }
}

/** Counts rows in any order: the sum of their checksums stays the same. */
class RowTally {
  #sum = 0n
  rows = 0

  add(row: Uint8Array): void {
    this.#sum = BigInt.asUintN(64, this.#sum + hash('sha256', row, 'buffer').readBigUInt64LE())
    this.rows++
  }

  checksum(): string {
    return this.#sum.toString(16)
  }
}

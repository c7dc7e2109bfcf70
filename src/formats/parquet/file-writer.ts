import { Buffer } from 'node:buffer'
import { constants, gzipSync, zstdCompressSync } from 'node:zlib'
import type { StructKind } from './kind.ts'
import { parquetCodecNames } from './words.ts'
import { ByteSink } from './write/byte-sink.ts'
import { type PageCompression, writeChunk } from './write/chunk-writer.ts'
import type { TableFile } from './write/field-ids.ts'
import {
  encodeEventFooter,
  parquetMagic,
  physicalOf,
  toWrittenGroup,
  type WrittenGroup,
  type WrittenLeaf,
} from './write/footer-writer.ts'
import { LeafPool } from './write/leaf-pool.ts'
import { RowColumns } from './write/row-columns.ts'

export type ParquetCodec = 'zstd' | 'gzip'

/** Memory that Parquet files are written in, one row group at a time; it is used again for the next one, of whichever file. */
export class ParquetMemory {
  readonly leaves = new LeafPool()
  /** What is written of a row group, and a page of it. */
  readonly group = new ByteSink(1 << 16)
  readonly page = new ByteSink(1 << 16)
}

/** Writes one Parquet file into memory, row group by row group. */
export type ParquetFileWriter = {
  /** Begins a row group, for rows to be put into. */
  openGroup(): RowColumns
  /** Writes the row group that was begun. */
  writeGroup(group: RowColumns): void
  /** Drops what was begun. */
  dropGroup(group: RowColumns): void
  /** Writes the footer. @returns the file; nothing may be written any more */
  finish(): Uint8Array
}

/** @param columns names and kinds, in order @param table of a file that becomes part of one */
export const createParquetFile = (
  columns: StructKind,
  codec: ParquetCodec,
  memory: ParquetMemory,
  table?: TableFile,
): ParquetFileWriter => {
  const pieces: Uint8Array[] = [Buffer.from(parquetMagic)]
  let length = parquetMagic.length
  const groups: WrittenGroup[] = []
  let leaves: readonly WrittenLeaf[] | undefined

  const openGroup = (): RowColumns => new RowColumns(columns, memory.leaves, table ? 'micros' : 'millis')
  const dropGroup = (group: RowColumns): void => group.release(memory.leaves)
  const writeGroup = (group: RowColumns): void => {
    group.complete()
    leaves ??= toWrittenLeaves(group)
    const { group: sink, page: scratch } = memory
    sink.length = 0
    const place = { sink, base: length, scratch }
    const chunks = group.leaves.map(({ column }) => writeChunk(column, compressions[codec], place))
    groups.push(toWrittenGroup({ rows: group.rows, leaves, chunks, sortedBy: table?.sortedBy }, scratch))
    pieces.push(Buffer.from(sink.view()))
    length += sink.length
    dropGroup(group)
  }
  const finish = (): Uint8Array => {
    if (!leaves) {
      const group = openGroup()
      leaves = toWrittenLeaves(group)
      dropGroup(group)
    }
    return Buffer.concat([...pieces, encodeEventFooter({ columns, leaves, groups, table })])
  }
  return { openGroup, writeGroup, dropGroup, finish }
}

const toWrittenLeaves = ({ leaves }: RowColumns): readonly WrittenLeaf[] =>
  leaves.map(({ path, kind }) => ({ path, physical: physicalOf(kind) }))

const params = { [constants.ZSTD_c_compressionLevel]: 3 }

/** Memory for the output, by default 16 KiB, is garbage afterwards: no more than most pages need. */
const toChunkSize = (bytes: Uint8Array): number => Math.max(64, (bytes.length >> 1) + 64)

/** What compresses pages. */
export const compressions: Readonly<Record<ParquetCodec, PageCompression>> = {
  zstd: {
    codec: parquetCodecNames.indexOf('ZSTD'),
    compress: bytes => zstdCompressSync(bytes, { params, chunkSize: toChunkSize(bytes) }),
  },
  gzip: {
    codec: parquetCodecNames.indexOf('GZIP'),
    compress: bytes => gzipSync(bytes, { chunkSize: toChunkSize(bytes) }),
  },
}

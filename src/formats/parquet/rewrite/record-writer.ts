import { Buffer } from 'node:buffer'
import { compressions, type ParquetCodec } from '../file-writer.ts'
import { ByteSink } from '../write/byte-sink.ts'
import { writeChunk } from '../write/chunk-writer.ts'
import { FixedStore } from '../write/fixed-store.ts'
import { encodeFooter, parquetMagic, toWrittenGroup, type WrittenGroup } from '../write/footer-writer.ts'
import { LeafColumn } from '../write/leaf-column.ts'
import { TextStore } from '../write/text-store.ts'
import { BooleanStore, type ValueStore } from '../write/value-store.ts'
import { readRow } from './row-records.ts'
import type { TargetLayout, TargetType } from './target.ts'

/** Writes one Parquet file of rows that were written as bytes, piece by piece. */
export type RecordWriter = {
  /** Bytes of the file so far. */
  readonly length: number
  readonly rows: number
  add(bytes: Buffer, start: number): void
  /** Whether the row group has as many rows, or bytes, as a reader likes. */
  readonly isGroupFull: boolean
  /** Ends the row group. @returns its bytes; the first ones begin the file */
  endGroup(): Uint8Array
  /** Ends the file. @returns its last bytes */
  finish(): Uint8Array
}

export type RecordWriterOptions = {
  readonly layout: TargetLayout
  readonly codec: ParquetCodec
  /** What the footer says of the file, by keys. */
  readonly facts: readonly (readonly [key: string, value: string])[]
  /** The column by which the rows are sorted, ascending, those that are null first; undefined where there is none. */
  readonly sortedBy: string | undefined
  readonly memory: RecordMemory
  /** Bytes of a row group before they are encoded: what is held of it at once. */
  readonly groupBytes: number
}

/** Most rows of a row group. */
const maxGroupRows = 1_000_000

/** Memory of one row group, for one file after another with the same layout. */
export class RecordMemory {
  readonly columns: readonly LeafColumn[]
  readonly group = new ByteSink(1 << 16)
  readonly page = new ByteSink(1 << 16)

  constructor({ leaves }: TargetLayout) {
    this.columns = leaves.map(({ type }) => new LeafColumn(toStore(type)))
  }
}

export const createRecordWriter = (options: RecordWriterOptions): RecordWriter => {
  const { layout, codec, facts, sortedBy, memory } = options
  const { leaves, elements } = layout
  const { columns, group: sink, page: scratch } = memory
  const groups: WrittenGroup[] = []
  const written = leaves.map(({ path, type }) => ({ path, physical: type.physical }))
  let [length, rows, groupRows, held] = [0, 0, 0, 0]

  const open = (): void => {
    for (const [i, { maxDefinition, maxRepetition }] of leaves.entries())
      columns[i]?.open({ definition: maxDefinition, repetition: maxRepetition })
    groupRows = held = 0
  }
  const endGroup = (): Uint8Array => {
    sink.length = 0
    if (length === 0) sink.append(Buffer.from(parquetMagic))
    if (groupRows > 0) {
      const chunks = columns.map(column => writeChunk(column, compressions[codec], { sink, base: length, scratch }))
      groups.push(toWrittenGroup({ rows: groupRows, leaves: written, chunks, sortedBy }, scratch))
    }
    length += sink.length
    open()
    // The next group is written over it.
    return Uint8Array.from(sink.view())
  }
  open()
  return {
    get length() {
      return length
    },
    get rows() {
      return rows
    },
    get isGroupFull() {
      return groupRows >= maxGroupRows || held >= options.groupBytes
    },
    add: (bytes, start) => {
      held += readRow(bytes, start, leaves, columns) - start
      groupRows++
      rows++
    },
    endGroup,
    finish: () => {
      const footer = encodeFooter({ elements, facts, leaves: written, groups })
      length += footer.length
      return footer
    },
  }
}

const toStore = ({ physical, meaning, width = 0 }: TargetType): ValueStore => {
  const isUnordered = meaning === 'unordered'
  switch (physical) {
    case 'BOOLEAN':
      return new BooleanStore()
    case 'INT32':
      return new FixedStore(4, isUnordered ? 'none' : 'int32')
    case 'INT64':
      return new FixedStore(8, isUnordered ? 'none' : 'int64')
    case 'INT96':
      return new FixedStore(12, 'none')
    case 'FLOAT':
      return new FixedStore(4, 'float')
    case 'DOUBLE':
      return new FixedStore(8, 'double')
    case 'FIXED_LEN_BYTE_ARRAY':
      return new FixedStore(width, meaning === 'decimal' || meaning === 'ordered' ? 'big-endian' : 'none')
    default:
      return new TextStore()
  }
}

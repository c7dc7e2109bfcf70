/**
 * Rows as bytes, which can be sorted and wait on a disk. A row has, for each leaf of the target in order; numbers are little-endian:
 *
 *     definition:1 value                                     of a leaf that is not repeated
 *     count:4 (repetition:1 definition:1 value) × count      of one that is
 *
 *     value   only at the highest definition level: BOOLEAN 1 byte, BYTE_ARRAY length:4 bytes, others as in a plain page
 */
import type { Buffer } from 'node:buffer'
import { FormatError } from '../../../errors.ts'
import type { Value } from '../../number.ts'
import type { LeafReader } from '../leaf-reader.ts'
import type { ByteSink } from '../write/byte-sink.ts'
import { FixedStore } from '../write/fixed-store.ts'
import type { LeafColumn } from '../write/leaf-column.ts'
import { TextStore } from '../write/text-store.ts'
import { type LeafSource, neverNull } from './match-columns.ts'
import type { TargetLeaf } from './target.ts'

/** Puts the next row of some leaves into a sink. @returns what it is sorted by: the value of that leaf */
export type WriteRow = (sink: ByteSink) => number

export type RowRecordsOptions = {
  readonly leaves: readonly TargetLeaf[]
  readonly sources: readonly (LeafSource | undefined)[]
  /** By their number in the file. */
  readonly readers: ReadonlyMap<number, LeafReader>
  /** The leaf that rows are sorted by: an INT64 that is not repeated; undefined for their order. */
  readonly sortedBy: TargetLeaf | undefined
  /** Whether it may be null; such rows are the first. @default false */
  readonly isNullable?: boolean
  /** A leaf that is not repeated, and what it had in the row that was written last. @default none */
  readonly noted?: { readonly leaf: TargetLeaf; value: Value | undefined } | undefined
}

/** @returns what writes rows; to be called as often as all readers have rows at hand */
export const createWriteRow = ({
  leaves,
  sources,
  readers,
  sortedBy,
  isNullable,
  noted,
}: RowRecordsOptions): WriteRow => {
  const all = [...readers.values()]
  const pairs = leaves.map(leaf => {
    const source = sources[leaf.index]
    const reader = source && readers.get(source.index)
    const isNoted = leaf === sortedBy || leaf === noted?.leaf
    return { leaf, isNoted, ...(source && reader ? { source, reader } : {}) }
  })
  return sink => {
    for (const reader of all) reader.nextRow()
    let key = sortedBy && !isNullable ? Number.NaN : Number.NEGATIVE_INFINITY
    if (noted) noted.value = undefined
    for (const { leaf, isNoted, source, reader } of pairs) {
      if (!source || !reader) writeMissing(leaf, sink)
      else if (leaf.maxRepetition > 0) writeRepeated(leaf, source, reader, sink)
      else {
        const value = writeOnce(leaf, source, reader, sink)
        if (!isNoted) continue
        if (leaf === sortedBy) key = Number(value ?? key)
        else if (noted) noted.value = value
      }
    }
    for (const reader of all) passRow(reader)
    if (Number.isNaN(key)) throw new FormatError('parquet', 0, `expected ${sortedBy?.path.join('.')} in each row`)
    return key
  }
}

const writeMissing = (leaf: TargetLeaf, sink: ByteSink): void => {
  if (leaf.maxRepetition > 0) {
    sink.uint32(1)
    sink.byte(0)
  }
  sink.byte(0)
}

/** @returns the value, if it has one */
const writeOnce = (leaf: TargetLeaf, source: LeafSource, reader: LeafReader, sink: ByteSink): Value | undefined => {
  const level = reader.definitions[reader.at] as number
  const definition = source.definitions[level] as number
  sink.byte(definition)
  const hasValue = source.values !== undefined && level === reader.leaf.maxDefinition
  if (definition === neverNull || hasValue !== (definition === leaf.maxDefinition)) throw missing(leaf)
  if (!hasValue) return undefined
  const value = reader.values[reader.valueAt] as Value
  writeValue(value, leaf, sink)
  return value
}

const writeRepeated = (leaf: TargetLeaf, source: LeafSource, reader: LeafReader, sink: ByteSink): void => {
  const countAt = sink.length
  sink.uint32(0)
  let count = 0
  let valueAt = reader.valueAt
  for (let at = reader.at; at < reader.rowEnd; at++) {
    const repetition = reader.leaf.maxRepetition > 0 ? (reader.repetitions[at] as number) : 0
    if (repetition > source.maxRepetition) continue
    const level = reader.definitions[at] as number
    const definition = source.definitions[level] as number
    sink.byte(repetition)
    sink.byte(definition)
    count++
    const hasValue = source.values !== undefined && level === reader.leaf.maxDefinition
    if (definition === neverNull || hasValue !== (definition === leaf.maxDefinition)) throw missing(leaf)
    if (hasValue) writeValue(reader.values[valueAt++] as Value, leaf, sink)
  }
  sink.bytes.writeUInt32LE(count, countAt)
}

const missing = ({ path }: TargetLeaf): FormatError =>
  new FormatError('parquet', 0, `expected a value of ${path.join('.')}, which may not be null, in each row`)

const writeValue = (value: Value, { type }: TargetLeaf, sink: ByteSink): void => {
  sink.reserve(8)
  const { bytes, length } = sink
  switch (type.physical) {
    case 'BOOLEAN':
      sink.byte(value === true ? 1 : 0)
      return
    case 'INT32':
    case 'FLOAT':
      sink.length = bytes.writeInt32LE(Number(value), length)
      return
    case 'INT64':
      sink.length = bytes.writeBigInt64LE(BigInt(value as number | bigint), length)
      return
    case 'DOUBLE':
      if (typeof value === 'bigint') sink.length = bytes.writeBigInt64LE(value, length)
      else sink.length = bytes.writeDoubleLE(value as number, length)
      return
    default: {
      const text = value as string
      if (type.physical === 'BYTE_ARRAY') sink.uint32(text.length)
      sink.reserve(text.length)
      sink.length += sink.bytes.write(text, sink.length, 'latin1')
    }
  }
}

const passRow = (reader: LeafReader): void => {
  const { definitions, leaf, rowEnd } = reader
  for (let at = reader.at; at < rowEnd; at++) if (definitions[at] === leaf.maxDefinition) reader.valueAt++
  reader.at = rowEnd
}

/** Puts a row that was written by {@link WriteRow} into the columns of a row group. @returns where it ends */
export const readRow = (
  bytes: Buffer,
  start: number,
  leaves: readonly TargetLeaf[],
  columns: readonly LeafColumn[],
): number => {
  let at = start
  for (let i = 0; i < leaves.length; i++) {
    const leaf = leaves[i] as TargetLeaf
    const column = columns[i] as LeafColumn
    let left = 1
    if (leaf.maxRepetition > 0) {
      left = bytes.readUInt32LE(at)
      at += 4
    }
    for (; left > 0; left--) {
      const repetition = leaf.maxRepetition > 0 ? (bytes[at++] as number) : 0
      const definition = bytes[at++] as number
      column.level(repetition, definition)
      if (definition === leaf.maxDefinition) at = readValue(bytes, at, column)
    }
  }
  return at
}

const readValue = (bytes: Buffer, at: number, { values }: LeafColumn): number => {
  if (values instanceof FixedStore) {
    values.addBytes(bytes, at)
    return at + values.width
  }
  if (values instanceof TextStore) {
    const start = at + 4
    const end = start + bytes.readUInt32LE(at)
    values.addUtf8(bytes, start, end)
    return end
  }
  values.add(bytes[at] === 1)
  return at + 1
}

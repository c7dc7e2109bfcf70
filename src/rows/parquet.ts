import type { AsyncBuffer, FileMetaData, SchemaElement } from 'hyparquet'
import { FormatError } from '../errors.ts'
import type { BudgetLimits } from '../formats/budget.ts'
import { Decimal, Float32, maxIntegerBytes, toDouble, toInteger, type Value } from '../formats/number.ts'
import { fromTwosComplement } from '../formats/twos-complement.ts'
import type { Format, FormatInput } from './format.ts'
import { createParquetWorkers, type OpenParquet, type ParquetReader } from './parquet-workers.ts'
import type { RowBatch } from './reading.ts'
import { toTextOrBytes } from './text-or-bytes.ts'

/** Largest file that is held in memory because a codec around it forbids to read it here and there. */
const maxWrappedBytes = 64 * 1024 * 1024

/** Most bytes that are read of one column at once. */
const maxSliceBytes = 256 * 1024 * 1024

/** Rows that are read at once of a file with an index of its pages. */
const stepRows = 10_000
/** Values that are read at once of others, where a step begins at the start of the row group again. */
const stepValues = 2_000_000

/**
 * Parquet files: columns as the file names them; 64-bit integers, doubles and decimals exact, times as ISO text. They
 * are read row group by row group, here and there in the file, in a thread of their own; so there are no marks. `raw`
 * has no effect.
 */
export const createParquetFormat = (openParquet: OpenParquet = createParquetWorkers()): Format => ({
  name: 'parquet',
  isResumable: false,
  async open(input) {
    const file = await openFile(input)
    const reader = openParquet(file)
    try {
      const { metadata, columns: elements } = await reader.metadata()
      const columns = elements.map(({ name }) => name)
      const convert = elements.map(toConverter)
      const batches = readGroups(() => openParquet(file), metadata, columns, convert, input.limits)
      return { serializer: 'parquet', columns, batches }
    } finally {
      // Whoever opens a file may never take its rows, and then nobody would give the thread back.
      await reader.close()
    }
  },
})

type Converter = (value: unknown) => Value

async function* readGroups(
  open: () => ParquetReader,
  metadata: FileMetaData,
  names: readonly string[],
  convert: readonly Converter[],
  limits: BudgetLimits,
): AsyncGenerator<RowBatch, void, undefined> {
  const reader = open()
  try {
    let start = 0
    for (const [index, group] of metadata.row_groups.entries()) {
      const end = start + Number(group.num_rows)
      if (!(end >= start && Number.isSafeInteger(end)))
        throw fault(0, `expected a number of rows, found ${group.num_rows}`)
      const hasIndex = group.columns.every(column => column.offset_index_offset !== undefined)
      const step = hasIndex ? stepRows : Math.max(1, Math.floor(stepValues / names.length))
      for (; start < end; start += step) {
        let first = start
        for await (const found of reader.rows(metadata, index, start, Math.min(start + step, end), limits)) {
          yield { rows: found.map(row => ({ names, values: convert.map((toValue, i) => toValue(row[i])) })), first }
          first += found.length
        }
      }
      start = end
    }
  } finally {
    await reader.close()
  }
}

const openFile = async ({ queue, readRange: read, size }: FormatInput): Promise<AsyncBuffer> => {
  if (read) {
    await queue.close()
    return toAsyncBuffer(size, (start, end) => read(start, end - start))
  }
  if (await queue.ensure(maxWrappedBytes + 1)) {
    throw fault(
      0,
      `expected at most ${maxWrappedBytes} bytes in a compressed file: Parquet must be read here and there`,
    )
  }
  const whole = queue.take(queue.available)
  return toAsyncBuffer(whole.length, async (start, end) => whole.subarray(start, end))
}

/** The places come from the file itself, so they may be anywhere. */
const toAsyncBuffer = (byteLength: number, read: (start: number, end: number) => Promise<Uint8Array>): AsyncBuffer => ({
  byteLength,
  async slice(start, end = byteLength) {
    if (!(start >= 0 && start <= end && end <= byteLength)) {
      throw fault(start, `expected bytes within the ${byteLength} of the file, found ${start} to ${end}`)
    }
    if (end - start > maxSliceBytes) {
      throw fault(start, `expected a column of at most ${maxSliceBytes} bytes in a row group, found ${end - start}`)
    }
    const copy = new ArrayBuffer(end - start)
    new Uint8Array(copy).set(await read(start, end))
    return copy
  },
})

/** How a column's values fit the value model; decimals are taken before the library makes doubles of them. */
const toConverter = (element: SchemaElement): Converter => {
  const { type, num_children: children, repetition_type: repetition } = element
  if (children !== undefined || repetition === 'REPEATED') return toValue
  const isDecimal = element.converted_type === 'DECIMAL' || element.logical_type?.type === 'DECIMAL'
  if (isDecimal && type !== 'BYTE_ARRAY') {
    const scale = element.scale ?? 0
    delete element.converted_type
    delete element.logical_type
    return value => toDecimal(value, scale)
  }
  if (type === 'DOUBLE') return value => (typeof value === 'number' ? toDouble(value) : null)
  if (type === 'FLOAT') return value => (typeof value === 'number' ? new Float32(value) : null)
  return toValue
}

const toDecimal = (value: unknown, scale: number): Value => {
  if (typeof value === 'number' || typeof value === 'bigint') return new Decimal(BigInt(value), scale)
  if (!(value instanceof Uint8Array) || value.length === 0 || value.length > maxIntegerBytes) return toValue(value)
  return new Decimal(fromTwosComplement(value), scale)
}

const toValue: Converter = value => {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      return Number.isSafeInteger(value) ? value : toDouble(value)
    case 'bigint':
      return toInteger(value)
    case 'object':
      if (value === null) return null
      if (value instanceof Uint8Array) return toTextOrBytes(value)
      if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString()
      if (Array.isArray(value)) return value.map(toValue)
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, toValue(inner)]))
    default:
      return null
  }
}

const fault = (at: number, message: string): FormatError => new FormatError('parquet', at, message)

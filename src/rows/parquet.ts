import { Buffer } from 'node:buffer'
import zlib from 'node:zlib'
import {
  type AsyncBuffer,
  type Compressors,
  type FileMetaData,
  parquetMetadataAsync,
  parquetRead,
  parquetSchema,
  type SchemaElement,
} from 'hyparquet'
import { decompressHadoopBuffer } from '../codecs/hadoop-blocks.ts'
import { decompressLz4Into } from '../codecs/lz4.ts'
import { decompressSnappy } from '../codecs/snappy.ts'
import { FormatError } from '../errors.ts'
import { FileSystemError } from '../filesystem/filesystem.ts'
import { toDouble, toInteger } from '../formats/exact.ts'
import { Decimal, Float32, maxIntegerBytes, type Value } from '../formats/number.ts'
import { type Format, type FormatInput, maxBatchRows } from './format.ts'
import type { RowBatch } from './reading.ts'
import { toTextOrBytes } from './text-or-bytes.ts'

/** Largest file that is held in memory because a codec around it forbids to read it here and there. */
const maxWrappedBytes = 64 * 1024 * 1024

/** Most bytes that are read of one column at once. */
const maxSliceBytes = 256 * 1024 * 1024

/** Most bytes of one page, unfolded. */
const maxPageBytes = 256 * 1024 * 1024

/** Rows that are read at once of a file with an index of its pages; of others it is a whole row group. */
const stepRows = 10_000

/**
 * Parquet files: columns as the file names them; 64-bit integers, doubles and decimals exact, times as ISO text. They
 * are read row group by row group, here and there in the file; so there are no marks. `raw` has no effect.
 */
export const parquetFormat: Format = {
  name: 'parquet',
  isResumable: false,
  async open(input) {
    const file = await openFile(input)
    const metadata = await guard(() => parquetMetadataAsync(file))
    const elements = parquetSchema(metadata).children.map(({ element }) => element)
    const columns = elements.map(({ name }) => name)
    const convert = elements.map(toConverter)
    return { serializer: 'parquet', columns, batches: readGroups(file, metadata, columns, convert) }
  },
}

type Converter = (value: unknown) => Value

async function* readGroups(
  file: AsyncBuffer,
  metadata: FileMetaData,
  names: readonly string[],
  convert: readonly Converter[],
): AsyncGenerator<RowBatch, void, undefined> {
  let start = 0
  for (const group of metadata.row_groups) {
    const end = start + Number(group.num_rows)
    const hasIndex = group.columns.every(column => column.offset_index_offset !== undefined)
    const step = hasIndex ? stepRows : Math.max(1, end - start)
    for (; start < end; start += step) {
      const rowEnd = Math.min(start + step, end)
      const found = await guard(() => readRange(file, metadata, start, rowEnd))
      for (let first = 0; first < found.length; first += maxBatchRows) {
        const rows = found
          .slice(first, first + maxBatchRows)
          .map(row => ({ names, values: convert.map((toValue, i) => toValue(row[i])) }))
        yield { rows, first: start + first }
      }
    }
    start = end
  }
}

const readRange = async (file: AsyncBuffer, metadata: FileMetaData, rowStart: number, rowEnd: number) => {
  let found: unknown[][] = []
  await parquetRead({
    file,
    metadata,
    rowStart,
    rowEnd,
    utf8: false,
    useOffsetIndex: true,
    compressors,
    parsers,
    onComplete: rows => {
      found = rows
    },
  })
  return found
}

const openFile = async ({ queue, readRange: read, size }: FormatInput): Promise<AsyncBuffer> => {
  if (read) {
    await queue.close()
    return {
      byteLength: size,
      async slice(start, end = size) {
        if (end - start > maxSliceBytes) {
          throw fault(start, `expected a column of at most ${maxSliceBytes} bytes in a row group, found ${end - start}`)
        }
        return toArrayBuffer(await read(start, end - start))
      },
    }
  }
  if (await queue.ensure(maxWrappedBytes + 1)) {
    throw fault(
      0,
      `expected at most ${maxWrappedBytes} bytes in a compressed file: Parquet must be read here and there`,
    )
  }
  const whole = queue.take(queue.available)
  return { byteLength: whole.length, slice: (start, end) => toArrayBuffer(whole.subarray(start, end)) }
}

const unfold =
  (decode: (input: Uint8Array, size: number) => Uint8Array) =>
  (input: Uint8Array, size: number): Uint8Array => {
    if (size <= maxPageBytes) return decode(input, size)
    throw fault(0, `expected a page of at most ${maxPageBytes} bytes, found ${size}`)
  }

const compressors: Compressors = {
  SNAPPY: unfold(decompressSnappy),
  GZIP: unfold((input, maxOutputLength) => zlib.unzipSync(input, { maxOutputLength: maxOutputLength + 1 })),
  ZSTD: unfold((input, maxOutputLength) => zlib.zstdDecompressSync(input, { maxOutputLength: maxOutputLength + 1 })),
  BROTLI: unfold((input, maxOutputLength) =>
    zlib.brotliDecompressSync(input, { maxOutputLength: maxOutputLength + 1 }),
  ),
  LZ4_RAW: unfold(toLz4),
  // Hadoop's framing, or none: writers did not agree.
  LZ4: unfold((input, size) => {
    try {
      return decompressHadoopBuffer(input, 'lz4', size)
    } catch {
      return toLz4(input, size)
    }
  }),
}

function toLz4(input: Uint8Array, size: number): Uint8Array {
  const out = new Uint8Array(Math.min(size, input.length * 256))
  return out.subarray(0, decompressLz4Into(input, out, 0))
}

const toIso = (millis: bigint, rest = ''): string => {
  const time = new Date(Number(millis))
  return Number.isNaN(time.getTime()) ? String(millis) : time.toISOString().replace('Z', `${rest}Z`)
}

const floorDivide = (value: bigint, by: bigint): bigint => (value - (((value % by) + by) % by)) / by

const toFraction = (value: bigint, by: bigint, digits: number): string =>
  (((value % by) + by) % by).toString().padStart(digits, '0')

const parsers = {
  timestampFromMilliseconds: (millis: bigint) => toIso(millis),
  timestampFromMicroseconds: (micros: bigint) => toIso(floorDivide(micros, 1_000n), toFraction(micros, 1_000n, 3)),
  timestampFromNanoseconds: (nanos: bigint) => toIso(floorDivide(nanos, 1_000_000n), toFraction(nanos, 1_000_000n, 6)),
  dateFromDays: (days: number) => toIso(BigInt(days) * 86_400_000n).slice(0, -14),
}

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
  return new Decimal(BigInt.asIntN(8 * value.length, BigInt(`0x${Buffer.from(value).toString('hex')}`)), scale)
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
      if (value instanceof Date) return toIso(BigInt(value.getTime()))
      if (Array.isArray(value)) return value.map(toValue)
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, toValue(inner)]))
    default:
      return null
  }
}

const toArrayBuffer = (bytes: Uint8Array): ArrayBuffer => {
  const copy = new ArrayBuffer(bytes.length)
  new Uint8Array(copy).set(bytes)
  return copy
}

/** The library throws all kinds of errors at damaged bytes. */
const guard = async <T>(call: () => Promise<T>): Promise<T> => {
  try {
    return await call()
  } catch (cause) {
    if (cause instanceof FormatError || cause instanceof FileSystemError) throw cause
    if (cause instanceof Error && cause.name === 'AbortError') throw cause
    throw new FormatError('parquet', 0, cause instanceof Error ? cause.message : 'damaged', { cause })
  }
}

const fault = (at: number, message: string): FormatError => new FormatError('parquet', at, message)

import zlib from 'node:zlib'
import { type AsyncBuffer, type Compressors, type FileMetaData, parquetRead } from 'hyparquet'
import { decompressHadoopBuffer } from '../codecs/hadoop-blocks.ts'
import { decompressLz4Into } from '../codecs/lz4.ts'
import { decompressSnappy } from '../codecs/snappy.ts'

/** Most bytes of one page, unfolded. */
const maxPageBytes = 256 * 1024 * 1024

/** Rows `start` to `end`, counted from the first one of the file, of a row group that begins at `groupStart`. */
export type GroupRows = {
  /** All rows of one row group have the same number. */
  readonly group: number
  readonly groupStart: number
  readonly start: number
  readonly end: number
}

/**
 * Rows of a row group, a list of values for each in the order of the columns, and what they have to go through before
 * they are sent. A dictionary's value is one for all rows until then.
 * @param metadata of this row group alone
 * @throws Error of all kinds at damaged bytes, which may also keep it busy, or take all memory: the library writes runs
 *   as long as they say they are. So it belongs into a thread with limits
 */
export const decodeRows = async (
  file: AsyncBuffer,
  metadata: FileMetaData,
  { groupStart, start, end }: Omit<GroupRows, 'group'>,
  columns: readonly string[],
): Promise<DecodedRows> => {
  let found: unknown[][] = []
  const endOf = new Map<string, number>()
  await parquetRead({
    file,
    metadata,
    columns: [...columns],
    rowStart: start - groupStart,
    rowEnd: end - groupStart,
    utf8: false,
    useOffsetIndex: true,
    compressors,
    parsers,
    onChunk: ({ columnName, rowEnd }) => void endOf.set(columnName, Math.max(rowEnd, endOf.get(columnName) ?? 0)),
    onComplete: rows => {
      found = rows
    },
  })
  for (const name of columns) {
    // The library gives as many rows as a group says it has, whether they are there or not.
    if ((endOf.get(name) ?? 0) < end - groupStart) throw new Error(`column "${name}" has fewer rows than its row group`)
  }
  return { rows: found, toSent: row => row.map(toSent) }
}

export type DecodedRows = {
  readonly rows: readonly (readonly unknown[])[]
  readonly toSent: (row: readonly unknown[]) => readonly unknown[]
}

/** A view of bytes takes the whole page with it when it is sent to another thread. */
const toSent = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  if (value instanceof Uint8Array) return value.slice()
  if (Array.isArray(value)) return value.map(toSent)
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, toSent(inner)]))
}

const unfold =
  (decode: (input: Uint8Array, size: number) => Uint8Array) =>
  (input: Uint8Array, size: number): Uint8Array => {
    if (size <= maxPageBytes) return decode(input, size)
    throw new RangeError(`expected a page of at most ${maxPageBytes} bytes, found ${size}`)
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

/** Times as ISO text; those beyond the years of a `Date` as the number that they are. */
const toIso = (millis: bigint, rest = ''): string => {
  const time = new Date(Number(millis))
  return Number.isNaN(time.getTime()) ? String(millis) : time.toISOString().replace('Z', `${rest}Z`)
}

const floorDivide = (value: bigint, by: bigint): bigint => (value - (((value % by) + by) % by)) / by

const toFraction = (value: bigint, by: bigint, digits: number): string =>
  (((value % by) + by) % by).toString().padStart(digits, '0')

/** How times are read, in rows and in metadata. */
export const parsers = {
  timestampFromMilliseconds: (millis: bigint) => toIso(millis),
  timestampFromMicroseconds: (micros: bigint) => toIso(floorDivide(micros, 1_000n), toFraction(micros, 1_000n, 3)),
  timestampFromNanoseconds: (nanos: bigint) => toIso(floorDivide(nanos, 1_000_000n), toFraction(nanos, 1_000_000n, 6)),
  dateFromDays: (days: number) => toIso(BigInt(days) * 86_400_000n).slice(0, -14),
}

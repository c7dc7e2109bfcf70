/**
 * Avro object container files (specification 1.12):
 *
 *     4f 62 6a 01 metadata sync:16          metadata: a map of bytes; avro.schema, avro.codec
 *     ( long count, long size, bytes, sync:16 )*
 */
import { Buffer } from 'node:buffer'
import zlib from 'node:zlib'
import type { ByteQueue } from '../codecs/byte-queue.ts'
import { decompressBzip2 } from '../codecs/bzip2.ts'
import { rebase } from '../codecs/rebase.ts'
import { decompressSnappy } from '../codecs/snappy.ts'
import { FormatError, LimitError } from '../errors.ts'
import { AvroReader } from '../formats/avro/reader.ts'
import { type AvroSchema, parseAvroSchema } from '../formats/avro/schema.ts'
import { Budget, type BudgetLimits } from '../formats/budget.ts'
import { valueColumn } from './columns.ts'
import type { Format, FormatInput } from './format.ts'
import { BatchSize } from './limits.ts'
import type { RowBatch } from './reading.ts'
import type { Row } from './row.ts'

const magicBytes = 4
const syncBytes = 16
const maxHeaderBytes = 1024 * 1024

/** Most bytes of a block, compressed or not; writers cut them at some kilobytes. */
const maxBlockBytes = 64 * 1024 * 1024

/** Avro files: a record's fields are the columns, any other value is one column, `value`. `raw` has no effect. */
export const avroFormat: Format = {
  name: 'avro',
  isResumable: true,
  async open(input) {
    const { queue, resumedAfter } = input
    const header = resumedAfter ? readHeader(toBuffer(resumedAfter)) : await takeHeader(queue)
    const { schema } = header
    const batches = readBlocks(input, header)
    return schema.type === 'record'
      ? { serializer: 'avro', columns: schema.names, batches }
      : { serializer: 'avro', batches }
  },
}

type Header = { readonly schema: AvroSchema; readonly decode: Decode; readonly sync: Buffer; readonly end: number }
type Decode = (bytes: Buffer) => Uint8Array

async function* readBlocks(
  { queue, row, hasMarks, limits }: FormatInput,
  { schema, decode, sync }: Header,
): AsyncGenerator<RowBatch, void, undefined> {
  let first = row
  const budget = new Budget('avro', limits)
  while (await queue.ensure(1)) {
    const { offset } = queue
    const { count, data } = await takeBlock(queue, sync)
    const reader = new AvroReader(toBuffer(unfold(decode, data, offset)), budget)
    const toRow = createRows(reader, schema)
    for (let taken = 0; taken < count; ) {
      const rows: Row[] = []
      const size = new BatchSize()
      let failure: Error | undefined
      try {
        for (let isFull = false; taken < count && !isFull; isFull = size.add(budget)) {
          budget.refill(first + rows.length, offset)
          rows.push(toRow())
          taken++
        }
      } catch (error) {
        failure =
          error instanceof FormatError && !(error instanceof LimitError)
            ? fault(offset, `in the block there: ${error.message};`, error)
            : rebase(error, 0)
      }
      const mark = taken === count ? { row: first + rows.length, offset: queue.offset } : { row: first, offset }
      const isPlace = hasMarks && (taken === count || taken === rows.length)
      if (rows.length > 0) yield { rows, first, mark: isPlace ? mark : undefined }
      first += rows.length
      if (failure) throw failure
    }
  }
}

const createRows = (reader: AvroReader, schema: AvroSchema): (() => Row) => {
  if (schema.type !== 'record') return () => ({ names: valueColumn, values: [reader.value(schema)] })
  const { names } = schema
  return () => ({ names, values: reader.fields(schema) })
}

const takeHeader = async (queue: ByteQueue): Promise<Header> => {
  for (;;) {
    try {
      const header = readHeader(queue.view())
      queue.skip(header.end)
      return header
    } catch (error) {
      if (queue.available > maxHeaderBytes || !(await queue.more())) throw error
    }
  }
}

const headerLimits: BudgetLimits = { of: 'header', values: { max: 1_000 }, bytes: { max: maxHeaderBytes } }

const readHeader = (bytes: Buffer): Header => {
  const reader = new AvroReader(bytes.subarray(magicBytes), new Budget('avro', headerLimits))
  const metadata = reader.value({ type: 'map', items: { type: 'bytes' } })
  const end = magicBytes + reader.position + syncBytes
  if (end > bytes.length) throw fault(bytes.length, 'expected a header, found the end')
  const schema = parseAvroSchema(toText(metadata, 'avro.schema') ?? '')
  const codec = toText(metadata, 'avro.codec') ?? 'null'
  const decode = codecs.get(codec)
  if (!decode) throw fault(0, `unknown codec "${codec.slice(0, 100)}": only ${[...codecs.keys()].join(', ')}`)
  return { schema, decode, sync: bytes.subarray(end - syncBytes, end), end }
}

const toText = (metadata: unknown, name: string): string | undefined => {
  const value = (metadata as { readonly [key: string]: unknown })[name]
  return value instanceof Uint8Array ? toBuffer(value).toString('utf8') : undefined
}

/** Two longs take at most 20 bytes. */
const maxBlockHeaderBytes = 20

const takeBlock = async (queue: ByteQueue, sync: Buffer) => {
  const { offset } = queue
  await queue.ensure(maxBlockHeaderBytes)
  const reader = new AvroReader(queue.view().subarray(0, maxBlockHeaderBytes), new Budget('avro'))
  const [count, size] = readCounts(reader, offset)
  if (size > maxBlockBytes) throw fault(offset, `expected a block of at most ${maxBlockBytes} bytes, found ${size}`)
  queue.skip(reader.position)
  if (!(await queue.ensure(size + syncBytes))) {
    throw fault(offset, `expected a block of ${size} bytes, found the end after ${queue.available}`)
  }
  const data = queue.take(size)
  if (!queue.take(syncBytes).equals(sync)) throw fault(queue.offset - syncBytes, "expected the file's sync mark")
  return { count, data }
}

const readCounts = (reader: AvroReader, offset: number): readonly [number, number] => {
  try {
    const [count, size] = [Number(reader.long()), Number(reader.long())]
    if (count >= 0 && size >= 0) return [count, size]
  } catch (error) {
    throw rebase(error, offset)
  }
  throw fault(offset, 'expected a count and a size from 0')
}

const limit = { maxOutputLength: maxBlockBytes }

const codecs: ReadonlyMap<string, Decode> = new Map<string, Decode>([
  ['null', bytes => bytes],
  ['deflate', bytes => zlib.inflateRawSync(bytes, limit)],
  // The last four bytes are the CRC-32 of what comes out.
  ['snappy', bytes => checked(decompressSnappy(bytes.subarray(0, -4), maxBlockBytes), bytes)],
  ['bzip2', bytes => decompressBzip2(bytes, maxBlockBytes)],
  ['zstandard', bytes => zlib.zstdDecompressSync(bytes, limit)],
])

const checked = (raw: Uint8Array, stored: Buffer): Uint8Array => {
  if (zlib.crc32(raw) === stored.readUInt32BE(stored.length - 4)) return raw
  throw fault(0, 'expected a block with the checksum that is stored')
}

const unfold = (decode: Decode, data: Buffer, offset: number): Uint8Array => {
  try {
    return decode(data)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'unknown'
    throw fault(offset, `expected a compressed block of at most ${maxBlockBytes} bytes: ${reason};`, cause)
  }
}

const toBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const fault = (at: number, message: string, cause?: unknown): FormatError =>
  new FormatError('avro', at, message, cause === undefined ? {} : { cause })

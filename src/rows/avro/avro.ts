/** Rows of Avro files (`formats/avro/container.ts` has their layout). */
import type { Buffer } from 'node:buffer'
import type { ByteQueue } from '../../codecs/byte-queue.ts'
import { rebase } from '../../codecs/rebase.ts'
import { FormatError, LimitError } from '../../errors.ts'
import { maxAvroHeaderBytes, readAvroHeader } from '../../formats/avro/container.ts'
import { AvroReader } from '../../formats/avro/reader.ts'
import { type AvroSchema, parseAvroSchema } from '../../formats/avro/schema.ts'
import { Budget } from '../../formats/budget.ts'
import { toBuffer } from '../../formats/to-buffer.ts'
import { valueColumn } from '../columns.ts'
import { type Format, type FormatInput, takeHeader } from '../format.ts'
import { BatchSize, tooLong } from '../limits.ts'
import type { RowBatch } from '../reading.ts'
import type { Row } from '../row.ts'
import { findAvroCodec, type UnfoldBlock } from './avro-codecs.ts'

const syncBytes = 16

/** Most bytes of a block as it is stored; writers cut them at some kilobytes. */
const maxBlockBytes = 64 * 1024 * 1024

/** Avro files: a record's fields are the columns, any other value is one column, `value`. `raw` has no effect. */
export const avroFormat: Format = {
  name: 'avro',
  isResumable: true,
  async open(input) {
    const { queue, resumedAfter } = input
    const header = resumedAfter
      ? readHeader(toBuffer(resumedAfter))
      : await takeHeader(queue, readHeader, maxAvroHeaderBytes)
    const { schema } = header
    const batches = readBlocks(input, header)
    return schema.type === 'record'
      ? { serializer: 'avro', columns: schema.names, hasAllColumns: true, batches }
      : { serializer: 'avro', batches }
  },
}

type Header = { readonly schema: AvroSchema; readonly unfold: UnfoldBlock; readonly sync: Buffer; readonly end: number }

async function* readBlocks(
  { queue, row, hasMarks, limits, unfolding }: FormatInput,
  { schema, unfold, sync }: Header,
): AsyncGenerator<RowBatch, void, undefined> {
  let first = row
  const budget = new Budget('avro', limits)
  const toRow = createRows(schema)
  while (await queue.ensure(1)) {
    const { offset } = queue
    const { count, data } = await takeBlock(queue, sync)
    const block = open(() => unfold(data, unfolding), offset)
    try {
      let empty = 0
      for (let taken = 0; taken < count; ) {
        const rows: Row[] = []
        const size = new BatchSize()
        const reader = new AvroReader(block.view(), budget)
        let failure: Error | undefined
        let end = 0
        try {
          for (let isFull = false; taken < count && !isFull; isFull = size.add(budget)) {
            budget.refill(first + rows.length, offset)
            rows.push(toRow(reader))
            taken++
            if (reader.position === end && ++empty > maxEmptyRows) throw tooManyEmpty(offset, count)
            end = reader.position
          }
        } catch (error) {
          failure = error instanceof LimitError ? error : inBlock(error, offset)
        }
        block.skip(end)
        const mark = taken === count ? { row: first + rows.length, offset: queue.offset } : { row: first, offset }
        const isPlace = hasMarks && (taken === count || taken === rows.length)
        if (rows.length > 0) yield { rows, first, mark: isPlace ? mark : undefined }
        first += rows.length
        if (failure === undefined) continue
        if (!reader.isCut || block.isDone) throw failure
        // The row continues in bytes that have not been decompressed yet.
        if (end > 0) continue
        if (block.available >= limits.bytes.max) throw tooLong('avro', first, offset, limits)
        await grow(block, offset)
      }
    } finally {
      await block.close()
    }
  }
}

/** Rows of one block that may take no bytes: a count could claim any number of them. */
const maxEmptyRows = 65_536

const tooManyEmpty = (offset: number, count: number): FormatError =>
  fault(offset, `expected at most ${maxEmptyRows} rows that take no bytes, found a block of ${count} rows`)

const inBlock = (error: unknown, offset: number): Error =>
  error instanceof FormatError ? fault(offset, `in the block there: ${error.message};`, error) : rebase(error, 0)

const createRows = (schema: AvroSchema): ((reader: AvroReader) => Row) => {
  if (schema.type !== 'record') return reader => ({ names: valueColumn, values: [reader.value(schema)] })
  const { names } = schema
  return reader => ({ names, values: reader.fields(schema) })
}

/** Starts unfolding a block. */
const open = (unfold: () => ByteQueue, offset: number): ByteQueue => {
  try {
    return unfold()
  } catch (error) {
    throw notUnfolded(error, offset)
  }
}

/** Waits for twice as many bytes of a block, or for its end. */
const grow = async (block: ByteQueue, offset: number): Promise<void> => {
  try {
    await block.grow()
  } catch (error) {
    throw notUnfolded(error, offset)
  }
}

const notUnfolded = (cause: unknown, offset: number): FormatError => {
  const reason = cause instanceof Error ? cause.message : 'unknown'
  return fault(offset, `expected a block that can be decompressed: ${reason};`, cause)
}

const readHeader = (bytes: Buffer): Header => {
  const { metadata, sync, end } = readAvroHeader(bytes)
  const schema = parseAvroSchema(metadata.get('avro.schema') ?? '')
  const unfold = findAvroCodec(metadata.get('avro.codec') ?? 'null')
  return { schema, unfold, sync, end }
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
    const [count, size] = [Number(reader.zigzag()), Number(reader.zigzag())]
    if (count >= 0 && size >= 0) return [count, size]
  } catch (error) {
    throw rebase(error, offset)
  }
  throw fault(offset, 'expected a count and a size from 0')
}

const fault = (at: number, message: string, cause?: unknown): FormatError =>
  new FormatError('avro', at, message, cause === undefined ? {} : { cause })

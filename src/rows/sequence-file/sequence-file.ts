import { Buffer } from 'node:buffer'
import type { ByteQueue } from '../../codecs/byte-queue.ts'
import type { BufferDecoder, HadoopCodec } from '../../codecs/codec.ts'
import { hadoopCodecs } from '../../codecs/codecs.ts'
import { rebase } from '../../codecs/rebase.ts'
import { FormatError, LimitError } from '../../errors.ts'
import { Budget } from '../../formats/budget.ts'
import { type BlockStart, readBlockStart, readRecordFrame } from '../../formats/sequence-file/frames.ts'
import { maxHeaderBytes, readSequenceFileHeader, type SequenceFileHeader } from '../../formats/sequence-file/header.ts'
import { checkCount, createCutter, isLastMark } from '../../formats/sequence-file/reader.ts'
import { toBuffer } from '../../formats/to-buffer.ts'
import { type Format, type FormatInput, takeHeader } from '../format.ts'
import { enoughEncodedBytes, maxBatchRows } from '../limits.ts'
import type { Mark, RowBatch } from '../reading.ts'
import type { Row } from '../row.ts'
import { TextRows } from '../text/text-rows.ts'
import { createSequenceValueRows, type FindText, type ToRows } from './sequence-value.ts'
import type { SequenceFileSerialization } from './serializations.ts'

/**
 * Hadoop's sequence files: a row for each value; keys are neither shown nor decompressed. Reading can resume at blocks,
 * and at records outside blocks.
 */
export const createSequenceFileFormat = (serializations: readonly SequenceFileSerialization[]): Format => ({
  name: 'sequencefile',
  isResumable: true,
  async open(input) {
    const { queue, resumedAfter } = input
    const header = resumedAfter
      ? readSequenceFileHeader(resumedAfter)
      : await takeHeader(queue, readSequenceFileHeader, maxHeaderBytes)
    if (resumedAfter && queue.offset < header.end) {
      throw new FormatError('sequence file', queue.offset, `expected a place behind the header of ${header.end} bytes`)
    }
    const { name, ...values } = createSequenceValueRows({
      ...input,
      ...header,
      serializations,
      budget: new Budget('sequence file', input.limits),
    })
    const codec = findCodec(header)
    const read = header.compression === 'block' ? readBlocks : readRecords
    return { serializer: name, batches: read(input, { header, ...codec, ...values }) }
  },
})

/** Most bytes that one value, or the values of a block, unfold into; a block of Hadoop has about a million. */
const maxUnfoldedBytes = 32 * 1024 * 1024

type Context = Partial<HadoopCodec> & {
  readonly header: SequenceFileHeader
  readonly toRows: ToRows
  readonly findText?: FindText
}

const findCodec = ({ codecClass, end }: SequenceFileHeader): HadoopCodec | undefined => {
  if (codecClass === undefined) return undefined
  const codec = hadoopCodecs.get(codecClass)
  if (codec) return codec
  const known = [...hadoopCodecs.values()].map(({ name }) => name)
  throw new FormatError('sequence file', end, `unknown codec ${codecClass}: only ${[...new Set(known)].join(', ')}`)
}

async function* readRecords(
  { queue, row, hasMarks }: FormatInput,
  { header, toRows, findText, decode }: Context,
): AsyncGenerator<RowBatch, void, undefined> {
  let first = row
  while (await queue.ensure(1)) {
    let rows: Row[] = []
    const bounds: number[] = []
    const { offset } = queue
    const bytes = queue.view()
    const place: Mark = { row: first, offset }
    let end = 0
    let failure: Error | undefined
    try {
      while (rows.length + bounds.length / 2 < maxBatchRows && end < enoughEncodedBytes) {
        const frame = readRecordFrame(bytes, end, header)
        if (!frame) break
        const start = offset + end
        if (findText && !decode) bounds.push(toTextStart(findText, bytes, frame.value, frame.end, start), frame.end)
        else {
          let value = bytes.subarray(frame.value, frame.end)
          if (decode) {
            const unfolded = unfold(decode, value, maxUnfoldedBytes, start)
            // Waiting costs more than unfolding a small value, which is done at once.
            value = toBuffer(unfolded instanceof Promise ? await unfolded : unfolded)
          }
          const made = makeRows(toRows, value, first + rows.length, start)
          if (Array.isArray(made)) rows.push(...made)
          else
            for await (const row of told(made, start)) {
              if (rows.push(row) < maxBatchRows) continue
              yield { rows, first, mark: hasMarks ? place : undefined }
              first += rows.length
              rows = []
            }
        }
        end = frame.end
      }
    } catch (error) {
      failure = toFailure(error, offset)
    }
    queue.skip(end)
    const made = bounds.length > 0 ? new TextRows(bytes, bounds) : rows
    const mark = hasMarks ? { row: first + made.length, offset: queue.offset } : undefined
    if (made.length > 0) yield { rows: made, first, mark }
    first += made.length
    if (failure !== undefined) throw failure
    if (end === 0 && !(await queue.grow())) {
      if (isLastMark(bytes, 0, header)) return
      throw fault(offset, `expected a record, found the end after ${bytes.length} bytes`)
    }
  }
}

async function* readBlocks(
  { queue, row, hasMarks }: FormatInput,
  context: Context,
): AsyncGenerator<RowBatch, void, undefined> {
  const { header, toRows, findText, decode } = context
  const { sync } = header
  if (!sync || !decode) throw fault(queue.offset, 'expected a version with sync marks')
  let first = row
  // Rows of text are good until the next ones: neither what is read nor what it unfolds into is needed after its block.
  let room: Buffer | undefined
  queue.recycle()
  let isFirst = true
  /** Rows of the block at hand that went ahead of it. */
  let ahead = 0
  while (await queue.ensure(1)) {
    const { offset } = queue
    const start: Mark = { row: first - ahead, offset }
    const frame = readAt(queue, bytes => readBlockStart(bytes, 0, sync))
    if (!frame?.isWhole) {
      if (frame && isFirst && frame.values.length >= aheadBytes) {
        isFirst = false
        const rows = await readAhead(context, frame, offset)
        ahead = rows?.length ?? 0
        if (rows && ahead > 0) yield { rows, first, mark: hasMarks ? start : undefined }
        first += ahead
      }
      if (await queue.grow()) continue
      if (isLastMark(queue.view(), 0, header)) return
      throw fault(offset, `expected a block, found the end after ${queue.available} bytes`)
    }
    isFirst = false
    // A length takes at most five bytes.
    const lengths = await unfoldBlock(decode, frame.valueLengths, Math.min(maxUnfoldedBytes, 5 * frame.count), offset)
    checkCount(frame.count, lengths.length, offset)
    const values = await unfoldBlock(decode, frame.values, maxUnfoldedBytes, offset, room)
    // The next one is about as large.
    if (findText && values.length > (room?.length ?? 0)) room = Buffer.allocUnsafeSlow(Math.ceil(1.25 * values.length))
    const next = createCutter(lengths, values.length, offset)
    let at = 0
    for (let passed = 0; passed < ahead; passed++) at = next()
    for (let taken = ahead; taken < frame.count; ) {
      let rows: Row[] = []
      const cut = cutSome(next, at, Math.min(maxBatchRows, frame.count - taken))
      let failure = cut.failure
      const part = values.subarray(at, cut.ends.at(-1) ?? at)
      try {
        let from = 0
        for (const end of findText ? [] : cut.ends) {
          const to = end - at
          const made = makeRows(toRows, part.subarray(from, to), first + rows.length, offset)
          if (Array.isArray(made)) rows.push(...made)
          else
            for await (const row of told(made, offset)) {
              if (rows.push(row) < maxBatchRows) continue
              yield { rows, first, mark: hasMarks ? start : undefined }
              first += rows.length
              rows = []
            }
          from = to
        }
      } catch (error) {
        failure = toFailure(error, 0)
      }
      const texts = findText && readTexts(findText, values, at, cut.ends, offset)
      failure = texts?.failure ?? failure
      at += part.length
      taken += cut.ends.length
      const isWhole = taken === frame.count
      const made = texts?.rows ?? rows
      const mark = isWhole ? { row: first + made.length, offset: offset + frame.end } : start
      if (made.length > 0) yield { rows: made, first, mark: hasMarks ? mark : undefined }
      first += made.length
      if (failure !== undefined) throw failure
    }
    queue.skip(frame.end)
    ahead = 0
  }
}

/** Bytes of a block that are unfolded before the rest is there: some hundred rows; */
const aheadBytes = 8 * 1024
/** and what they may unfold into. */
const maxAheadBytes = 1024 * 1024

/**
 * The first rows of a block that has not arrived as a whole: a reader that wants no more need not wait. Undefined if
 * the block has to be whole; its errors are reported then.
 */
const readAhead = async (
  { findText, decode, decodeStart }: Context,
  { count, valueLengths, values }: BlockStart,
  offset: number,
): Promise<TextRows | undefined> => {
  if (!findText || !decode || !decodeStart) return undefined
  try {
    const lengths = await decode(valueLengths, Math.min(maxUnfoldedBytes, 5 * count))
    checkCount(count, lengths.length, offset)
    const start = toBuffer(decodeStart(values.subarray(0, aheadBytes), maxAheadBytes))
    const { ends } = cutSome(createCutter(lengths, start.length, offset), 0, Math.min(maxBatchRows, count))
    return readTexts(findText, start, 0, ends, offset).rows
  } catch (error) {
    if (error instanceof FormatError) return undefined
    throw error
  }
}

/** Rows of texts, the first of which begins at `at`, each after the one before; up to a bad one. */
const readTexts = (
  findText: FindText,
  values: Buffer,
  at: number,
  ends: readonly number[],
  offset: number,
): { readonly rows: TextRows; readonly failure?: Error } => {
  const bounds: number[] = []
  try {
    let start = at
    for (const end of ends) {
      bounds.push(toTextStart(findText, values, start, end, offset), end)
      start = end
    }
    return { rows: new TextRows(values, bounds) }
  } catch (error) {
    return { rows: new TextRows(values, bounds), failure: toFailure(error, 0) }
  }
}

/** @param base where the bytes begin that an error without a place in the file speaks of */
const toFailure = (error: unknown, base: number): Error =>
  error instanceof ValueError ? error.inner : rebase(error, base)

/** The ends of the next values from `at` on, up to a length that cannot be. */
const cutSome = (
  next: () => number,
  at: number,
  most: number,
): { readonly ends: number[]; readonly failure: Error | undefined } => {
  const ends: number[] = []
  try {
    while (ends.length < most && (ends.at(-1) ?? at) - at < enoughEncodedBytes) ends.push(next())
  } catch (error) {
    return { ends, failure: rebase(error, 0) }
  }
  return { ends, failure: undefined }
}

const readAt = <T>(queue: ByteQueue, read: (bytes: Buffer) => T): T => {
  try {
    return read(queue.view())
  } catch (error) {
    throw rebase(error, queue.offset)
  }
}

/** An error that has its place in the file already. */
class ValueError extends Error {
  readonly inner: Error

  constructor(inner: Error) {
    super('value', { cause: inner })
    this.inner = inner
  }
}

const toValueError = (error: unknown, offset: number): ValueError => {
  const isBad = error instanceof FormatError && !(error instanceof LimitError)
  return new ValueError(isBad ? fault(offset, `bad value: ${error.message};`, error) : rebase(error, 0))
}

const makeRows = (toRows: ToRows, value: Buffer, row: number, offset: number): ReturnType<ToRows> => {
  try {
    return toRows(value, row, offset)
  } catch (error) {
    throw toValueError(error, offset)
  }
}

/** Rows of one value, any number of them; errors name the value's offset. */
async function* told(made: Iterable<Row> | AsyncIterable<Row>, offset: number): AsyncGenerator<Row, void, undefined> {
  try {
    yield* made
  } catch (error) {
    throw toValueError(error, offset)
  }
}

const toTextStart = (find: FindText, bytes: Buffer, start: number, end: number, offset: number): number => {
  try {
    return find(bytes, start, end)
  } catch (error) {
    throw toValueError(error, offset)
  }
}

const unfoldBlock = async (
  decode: BufferDecoder,
  bytes: Uint8Array,
  most: number,
  offset: number,
  room?: Buffer,
): Promise<Buffer> => {
  try {
    return toBuffer(await unfold(decode, bytes, most, offset, room))
  } catch (error) {
    throw error instanceof ValueError ? error.inner : error
  }
}

const unfold = (
  decode: BufferDecoder,
  bytes: Uint8Array,
  most: number,
  offset: number,
  room?: Buffer,
): Uint8Array | Promise<Uint8Array> => {
  const fail = (error: unknown): never => {
    throw toValueError(error, offset)
  }
  try {
    const unfolded = decode(bytes, most, room)
    return unfolded instanceof Promise ? unfolded.catch(fail) : unfolded
  } catch (error) {
    return fail(error)
  }
}

const fault = (at: number, message: string, cause?: unknown): FormatError =>
  new FormatError('sequence file', at, message, cause === undefined ? {} : { cause })

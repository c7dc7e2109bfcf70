import type { Buffer } from 'node:buffer'
import { FormatError } from '../../errors.ts'
import { toBuffer } from '../to-buffer.ts'
import { maxSequenceFrameBytes, readBlockFrame, readRecordFrame } from './frames.ts'
import { readSequenceFileHeader, type SequenceFileHeader } from './header.ts'
import { defaultPacking, type Packing, packings } from './packing.ts'
import { readVint } from './vint.ts'

export { readSequenceFileHeader, type SequenceFileHeader } from './header.ts'

/** Most bytes that one buffer of a block, or one value, may unfold into; a block of Hadoop has about a million. */
export const maxBufferBytes = maxSequenceFrameBytes

export type SequenceFileRecord = { readonly key: Uint8Array; readonly value: Uint8Array }

/**
 * Reads all records of a file in memory, not compressed or with a codec of the collector's; those before damage come before it is
 * thrown.
 * @throws FormatError `sequence file`: cut short or damaged, a buffer beyond {@link maxBufferBytes}, or another codec
 */
export function* readSequenceFile(bytes: Uint8Array): Generator<SequenceFileRecord, void, undefined> {
  const header = readSequenceFileHeader(bytes)
  const packing = header.codecClass === undefined ? defaultPacking : packings.get(header.codecClass)
  if (!packing)
    throw fault(header.end, `expected one of ${[...packings.keys()].join(', ')}, found ${header.codecClass}`)
  const whole = toBuffer(bytes)
  for (let at = header.end; at < whole.length; ) {
    const read = header.compression === 'block' ? readBlock : readRecord
    at = yield* read(whole, at, header, packing)
  }
}

/**
 * Cuts a buffer by a buffer of lengths: returns a function that gives the end of the next part, from the end before.
 * @param block offset that errors name
 */
export const createCutter = (lengths: Uint8Array, total: number, block: number): (() => number) => {
  let lengthAt = 0
  let end = 0
  return () => {
    // One byte holds up to 127.
    const byte = lengths[lengthAt]
    let length = byte
    if (byte !== undefined && byte < 0x80) lengthAt++
    else {
      const vint = readLength(lengths, lengthAt, block)
      length = vint.value
      lengthAt = vint.end
    }
    if (length === undefined || length < 0 || length > total - end) {
      throw fault(block, `expected lengths that fit their block, found ${length}`)
    }
    end += length
    return end
  }
}

function* readRecord(bytes: Buffer, at: number, header: SequenceFileHeader, packing: Packing) {
  const frame = readRecordFrame(bytes, at, header)
  if (!frame) {
    if (isLastMark(bytes, at, header)) return bytes.length
    throw fault(at, `expected a record, found the end after ${bytes.length - at} bytes`)
  }
  const value = bytes.subarray(frame.value, frame.end)
  yield {
    key: bytes.subarray(frame.key, frame.value),
    value: header.compression === 'none' ? value : unfold(packing, value, frame.value),
  }
  return frame.end
}

function* readBlock(bytes: Buffer, at: number, header: SequenceFileHeader, packing: Packing) {
  if (!header.sync) throw fault(at, 'expected a version with sync marks')
  const frame = readBlockFrame(bytes, at, header.sync)
  if (!frame) throw fault(at, `expected a block, found the end after ${bytes.length - at} bytes`)
  const keyLengths = unfold(packing, frame.keyLengths, at)
  const valueLengths = unfold(packing, frame.valueLengths, at)
  checkCount(frame.count, Math.min(keyLengths.length, valueLengths.length), at)
  const keys = unfold(packing, frame.keys, at)
  const values = unfold(packing, frame.values, at)
  const nextKey = createCutter(keyLengths, keys.length, at)
  const nextValue = createCutter(valueLengths, values.length, at)
  for (let i = 0, key = 0, value = 0; i < frame.count; i++) {
    const [keyEnd, valueEnd] = [nextKey(), nextValue()]
    yield { key: keys.subarray(key, keyEnd), value: values.subarray(value, valueEnd) }
    key = keyEnd
    value = valueEnd
  }
  return frame.end
}

/** Whether only a sync mark is left: a writer that is closed right after one leaves it. */
export const isLastMark = (bytes: Buffer, at: number, { sync }: SequenceFileHeader): boolean =>
  sync !== undefined &&
  bytes.length - at === 4 + sync.length &&
  bytes.readInt32BE(at) === -1 &&
  bytes.subarray(at + 4).equals(sync)

/** @throws FormatError when there are more records than lengths, each of which takes a byte or more */
export const checkCount = (count: number, most: number, block: number): void => {
  if (count > most) throw fault(block, `expected at most ${most} records, found ${count}`)
}

const readLength = (lengths: Uint8Array, at: number, block: number) => {
  try {
    return readVint(lengths, at)
  } catch (cause) {
    throw new FormatError('sequence file', block, 'expected lengths that fit their block', { cause })
  }
}

const unfold = (packing: Packing, compressed: Uint8Array, at: number): Uint8Array => {
  try {
    return packing.unfold(compressed, maxBufferBytes)
  } catch (cause) {
    const codec = packing.codecClass.slice(packing.codecClass.lastIndexOf('.') + 1)
    throw new FormatError('sequence file', at, `expected data of ${codec}, of at most ${maxBufferBytes} bytes`, {
      cause,
    })
  }
}

const fault = (at: number, message: string): FormatError => new FormatError('sequence file', at, message)

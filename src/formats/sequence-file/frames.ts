import type { Buffer } from 'node:buffer'
import { FormatError } from '../../errors.ts'
import type { SequenceFileHeader } from './header.ts'
import { syncBytes } from './layout.ts'
import { readVint } from './vint.ts'

/** Most bytes of one record, and of each compressed buffer of a block. */
export const maxSequenceFrameBytes = 64 * 1024 * 1024

/** The place of a record in the bytes at hand. */
export type RecordFrame = { readonly key: number; readonly value: number; readonly end: number }

/** A block in the bytes at hand: views, still compressed. */
export type BlockFrame = {
  /** Records in the block, as the file says. */
  readonly count: number
  readonly keyLengths: Uint8Array
  readonly keys: Uint8Array
  readonly valueLengths: Uint8Array
  readonly values: Uint8Array
  readonly end: number
}

/** A block of whose values only the first bytes may be at hand. */
export type BlockStart = BlockFrame & { readonly isWhole: boolean }

/**
 * The record at `at`, over sync marks before it; undefined when the bytes end before it does.
 * @throws FormatError `sequence file`: lengths that cannot be, or another mark than the file's
 */
export const readRecordFrame = (bytes: Buffer, at: number, header: SequenceFileHeader): RecordFrame | undefined => {
  let start = at
  for (;;) {
    if (start + 4 > bytes.length) return undefined
    const length = bytes.readInt32BE(start)
    if (length === -1 && header.sync) {
      if (start + 4 + syncBytes > bytes.length) return undefined
      checkSync(bytes, start + 4, header.sync)
      start += 4 + syncBytes
      continue
    }
    if (length < 0 || length > maxSequenceFrameBytes) {
      throw fault(start, `expected a record of at most ${maxSequenceFrameBytes} bytes, found ${length}`)
    }
    if (start + 8 > bytes.length) return undefined
    const keyLength = bytes.readInt32BE(start + 4)
    if (keyLength < 0 || keyLength > length) {
      throw fault(start + 4, `expected a key within its record of ${length} bytes, found ${keyLength}`)
    }
    const key = start + 8
    if (key + length > bytes.length) return undefined
    return { key, value: key + keyLength, end: key + length }
  }
}

/**
 * The block at `at`; undefined when the bytes end before it does.
 * @throws FormatError `sequence file`: no mark, or lengths that cannot be
 */
export const readBlockFrame = (bytes: Buffer, at: number, sync: Uint8Array): BlockFrame | undefined => {
  const start = readBlockStart(bytes, at, sync)
  return start?.isWhole ? start : undefined
}

/**
 * The same as soon as its values begin.
 * @throws FormatError as {@link readBlockFrame}
 */
export const readBlockStart = (bytes: Buffer, at: number, sync: Uint8Array): BlockStart | undefined => {
  let end = at + 4 + syncBytes
  if (end > bytes.length) return undefined
  if (bytes.readInt32BE(at) !== -1) throw fault(at, 'expected a block, which begins with ff ff ff ff')
  checkSync(bytes, at + 4, sync)
  const count = tryVint(bytes, end)
  if (count === undefined) return undefined
  if (count.value < 0) throw fault(end, `expected a count of records, found ${count.value}`)
  end = count.end
  const buffers: Uint8Array[] = []
  for (let i = 0; i < 4; i++) {
    const length = tryVint(bytes, end)
    if (length === undefined) return undefined
    if (length.value < 0 || length.value > maxSequenceFrameBytes) {
      throw fault(end, `expected a buffer of at most ${maxSequenceFrameBytes} bytes, found ${length.value}`)
    }
    end = length.end + length.value
    if (end > bytes.length && i < 3) return undefined
    buffers.push(bytes.subarray(length.end, end))
  }
  const [keyLengths, keys, valueLengths, values] = buffers
  if (!(keyLengths && keys && valueLengths && values)) return undefined
  return { count: count.value, keyLengths, keys, valueLengths, values, end, isWhole: end <= bytes.length }
}

/** The most bytes that a vint of 32 bits takes. */
const maxVintBytes = 5

const tryVint = (bytes: Uint8Array, at: number): { readonly value: number; readonly end: number } | undefined => {
  try {
    return readVint(bytes, at)
  } catch (error) {
    if (at + maxVintBytes <= bytes.length) throw error
    return undefined
  }
}

const checkSync = (bytes: Buffer, at: number, sync: Uint8Array): void => {
  if (bytes.compare(sync, 0, syncBytes, at, at + syncBytes) !== 0) throw fault(at, "expected the file's sync mark")
}

const fault = (at: number, message: string): FormatError => new FormatError('sequence file', at, message)

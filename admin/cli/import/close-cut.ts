import { splitJsonSequence } from '../../../src/formats/json-sequence.ts'
import { readSmileElements } from '../../../src/formats/smile/reader.ts'
import type { Batch } from '../../../src/spool/batch.ts'

/**
 * What the predecessor still held back when its process ended: the end of the newest event's object, written only with
 * the event after it, and that of the array. The shortest one that makes the bytes whole is the right one.
 */
const closings: Readonly<Record<Batch['format'], readonly (readonly number[])[]>> = {
  smile: [[], [0xf9], [0xfb, 0xf9]],
  json: [[], [0x7d]],
  thrift: [],
}

/** A file that was being written, with its last event closed where only that is missing; otherwise as it is. */
export const closeCut = (bytes: Uint8Array, format: Batch['format']): Uint8Array => {
  for (const closing of closings[format]) {
    const closed = closing.length === 0 ? bytes : Buffer.concat([bytes, Uint8Array.from(closing)])
    if (format === 'json' ? isWholeJson(closed) : isWholeSmile(closed)) return closed
  }
  return bytes
}

const isWholeSmile = (bytes: Uint8Array): boolean => {
  try {
    for (const _ of readSmileElements(bytes));
    return true
  } catch {
    return false
  }
}

const isWholeJson = (bytes: Uint8Array): boolean => {
  for (const item of splitJsonSequence(new TextDecoder().decode(bytes))) if (item.kind === 'error') return false
  return true
}

/**
 * A segment of the log is frames (see `framing.ts`) after a header that is written twice, so that damage to one copy
 * does not cost the segment:
 *
 *     type 0   {"format":"segment","version":3,"collector":…,"segment":…,"mark":"<16 hexadecimal digits>"}, as JSON
 *     type 0   the same
 *     type 3   8 bytes, the mark; u32 BE, the caller; a record (see `record.ts`)
 *     …
 *
 * The mark is a random number of the process that writes. It precedes each record and is covered by its CRC: so after
 * damage the next record is found by searching for the mark, and data that a client sent is never mistaken for a
 * record, even if it looks like frames.
 *
 * The caller is a checksum of who sent the request: files that one of them fills take turns with those of others.
 *
 * Version 4 is the same, with records of which some may have ids of their events: a segment has the lowest version that
 * can read all of it.
 *
 * Segments of versions 1 and 2 have no mark, no caller, and one header; their records are in frames of type 2. After
 * damage they are read on only where the length of the damaged record leads to a whole one: they are never searched.
 */
import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { copyBytes } from '../framing/copy-bytes.ts'
import { encodeHeader, formats } from '../framing/format-header.ts'
import { frameHeaderBytes, sealFrame } from '../framing/framing.ts'
import type { EncodedBatch } from './record.ts'

/** Types of the frames of a segment after its header. */
export const frameType = formats.segment.frames

export const markBytes = 8

const callerBytes = 4

/** The versions of segments that are written: records without ids of events, and such as may have them. */
export const plainVersion = formats.segment.writes
export const idsVersion = 4
export type SegmentVersion = typeof plainVersion | typeof idsVersion

/** Bytes of a payload in front of its record. */
export const prefixBytes = markBytes + callerBytes

/** Bytes of a frame in front of its record. */
export const recordOffset = frameHeaderBytes + prefixBytes

export const createMark = (): Uint8Array => randomBytes(markBytes)

/** The beginning of a new segment. */
export const encodeSegmentHeader = (
  collector: string,
  segment: number,
  mark: Uint8Array,
  version: SegmentVersion = plainVersion,
): Uint8Array => {
  const header = encodeHeader('segment', { version, collector, segment, mark: Buffer.from(mark).toString('hex') })
  return Buffer.concat([header, header])
}

/** Bytes that a record takes in a segment. */
export const recordFrameBytes = (record: EncodedBatch): number => recordOffset + record.byteLength

/** The number of a caller; 0 where it is not known. */
export const toCallerNumber = (caller: string | undefined): number => (caller === undefined ? 0 : crc32(caller))

const writePrefix = (bytes: Uint8Array, start: number, mark: Uint8Array, caller: number): void => {
  bytes.set(mark, start)
  for (let i = 0; i < callerBytes; i++) bytes[start + markBytes + i] = caller >>> (24 - 8 * i)
}

/** Makes what gives the numbers of callers: mostly that of the request before. */
export const createCallerNumbers = (): ((caller: string | undefined) => number) => {
  let last: string | undefined
  let number = 0
  return caller => {
    if (caller !== last) {
      last = caller
      number = toCallerNumber(caller)
    }
    return number
  }
}

/** The number of the caller in the payload that begins there. */
export const callerNumberAt = (view: DataView, start: number): number => view.getUint32(start + markBytes)

/** Writes a record as a frame; the target has {@link recordFrameBytes} left. */
export const writeRecordFrame = (
  bytes: Uint8Array,
  start: number,
  record: EncodedBatch,
  mark: Uint8Array,
  caller: number,
): void => {
  writePrefix(bytes, start + frameHeaderBytes, mark, caller)
  record.write(bytes, start + recordOffset)
  sealFrame(bytes, start, start + recordFrameBytes(record), frameType.marked)
}

/** The same in steps of at most a number of bytes, given each time the generator is asked. */
export function* writeRecordFrameInSteps(
  bytes: Uint8Array,
  record: EncodedBatch,
  mark: Uint8Array,
  caller: number,
  stepBytes: number,
): Generator<void, void, undefined> {
  writePrefix(bytes, frameHeaderBytes, mark, caller)
  const bodyStart = record.writeHead(bytes, recordOffset)
  bytes[8] = frameType.marked
  let crc = crc32(bytes.subarray(8, bodyStart))
  let at = bodyStart
  for (let from = 0; from < record.body.length; from += stepBytes) {
    const piece = record.body.subarray(from, from + stepBytes)
    copyBytes(piece, bytes, at)
    at += piece.length
    crc = crc32(piece, crc)
    yield
  }
  sealFrame(bytes, 0, at, frameType.marked, crc)
}

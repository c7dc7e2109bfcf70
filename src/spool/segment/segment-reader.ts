/** Reads segments (see `segment-format.ts`), whole or damaged: what can be read, and what is withheld in between. */
import { crc32 } from 'node:zlib'
import { uint32At } from '../framing/big-endian.ts'
import { UnknownFormat } from '../framing/format-header.ts'
import { Frame, frameAt, frameBytesIn, frameHeaderBytes, isTornFrame } from '../framing/framing.ts'
import { streamFrames } from '../framing/stream-frames.ts'
import { decodeBatch } from './record.ts'
import { frameType, markBytes, prefixBytes, recordOffset } from './segment-format.ts'
import { layoutByFrame, layoutOf, type SegmentLayout } from './segment-layout.ts'
import { SegmentRecord } from './segment-record.ts'

/** Bytes of a segment that cannot be read. */
export type Withheld = {
  readonly kind: 'withheld'
  readonly start: number
  readonly end: number
  /**
   * The bytes after the header of their segment, from version 3 on, so that they are read with its mark or not at all.
   */
  piece(): Uint8Array
  /** How many events they held, as far as they still show: one for each record at least, none where `isTorn`. */
  readonly events: number
  /**
   * The beginning of one record and nothing else, at the end: the rest of a write that a crash cut short and that was
   * never acknowledged.
   */
  readonly isTorn: boolean
}

export type SegmentPart = SegmentRecord | Withheld

/**
 * The parts of a segment in order.
 * @param path for people, below the spool's directory
 * @throws UnknownFormat at a header or a record that only a later version understands
 */
export function* readSegment(bytes: Uint8Array, path: string): Generator<SegmentPart, void, undefined> {
  const layout = layoutOf(bytes, path)
  yield* readParts(bytes.subarray(layout.start), layout.start, layout)
}

/** Looks at the beginning of a segment, up to the first damage. @throws UnknownFormat as {@link readSegment} does */
export const checkSegment = (bytes: Uint8Array, path: string): void => {
  const layout = layoutOf(bytes, path)
  for (let at = layout.start; ; ) {
    const record = recordAt(bytes, at, 0, layout)
    if (!record) return
    at = record.end
  }
}

/**
 * As {@link readSegment}, of a file in pieces: the parts that each piece completes. They are gone through once, to the end,
 * and records among them are good until the next ones are asked for.
 */
export async function* streamSegment(
  pieces: AsyncIterable<Uint8Array>,
  /** The bytes from there on: asked for once, where something cannot be read. */
  readFrom: (start: number) => Promise<Uint8Array>,
  path: string,
): AsyncGenerator<Iterable<SegmentPart>, void, undefined> {
  const walk = new SegmentWalk(path)
  for await (const frames of streamFrames(pieces)) {
    yield walk.records(frames)
    if (walk.isDamaged) break
  }
  const { start, layout } = walk
  const rest = await readFrom(start)
  yield layout ? readParts(rest, start, layout) : readSegment(rest, path)
}

/** How far the records of a segment follow one another. */
class SegmentWalk {
  layout: SegmentLayout | undefined
  /** Whether a frame was found that is not a record. */
  isDamaged = false
  readonly #path: string
  #at = 0

  constructor(path: string) {
    this.#path = path
  }

  /** Where the first byte is that nothing was read of. */
  get start(): number {
    return Math.max(this.#at, this.layout?.start ?? 0)
  }

  *records(frames: Iterable<Frame>): Generator<SegmentRecord, void, undefined> {
    for (const frame of frames) {
      const layout = this.layout ?? layoutByFrame(frame, this.#path)
      this.layout = layout
      // One that begins in the header and ends after it is where a copy of the header should be.
      const isHeader = frame.end <= layout.start
      const record = frame.start < layout.start ? undefined : toRecord(frame, layout)
      if (!record && !isHeader) {
        this.isDamaged = true
        return
      }
      this.#at = frame.end
      if (record) yield record
    }
  }
}

/** @param base offset of the bytes in the segment */
function* readParts(bytes: Uint8Array, base: number, layout: SegmentLayout): Generator<SegmentPart, void, undefined> {
  for (let at = 0; at < bytes.length; ) {
    const record = recordAt(bytes, at, base, layout)
    if (record) {
      yield record
      at = record.end - base
      continue
    }
    const next = layout.mark ? findMarked(bytes, at, base, layout) : followLength(bytes, at)
    const damaged = bytes.subarray(at, next)
    yield repairLength(damaged, base + at, layout) ?? toWithheld(damaged, base + at, next === bytes.length, layout)
    at = next
  }
}

const recordAt = (bytes: Uint8Array, at: number, base: number, layout: SegmentLayout): SegmentRecord | undefined => {
  const frame = frameAt(bytes, at, bytes.length, base)
  return frame && toRecord(frame, layout)
}

/** @throws UnknownFormat for a frame of a type that no segment has, as far as this program knows */
const toRecord = (frame: Frame, layout: SegmentLayout, isRepaired = false): SegmentRecord | undefined => {
  const { path, version, mark, header } = layout
  const { type, start } = frame
  if (!knownTypes.includes(type))
    throw new UnknownFormat(path, 'segment', version, `a frame of the unknown type ${type} at byte ${start}`)
  if (!mark) return type === frameType.batch ? new SegmentRecord(frame, header, 0, isRepaired) : undefined
  if (type !== frameType.marked || !isMarkedWith(frame, mark)) return undefined
  return new SegmentRecord(frame, header, prefixBytes, isRepaired)
}

/** Whether a frame has a mark and a caller in front of its record. */
const isMarkedWith = ({ bytes, base, start, end }: Frame, mark: Uint8Array): boolean => {
  if (end - start < recordOffset) return false
  const from = start - base + frameHeaderBytes
  for (let i = 0; i < markBytes; i++) if (bytes[from + i] !== mark[i]) return false
  return true
}

const knownTypes: readonly number[] = Object.values(frameType)

/** Where the next record begins after damage, by the mark before it. */
const findMarked = (bytes: Uint8Array, from: number, base: number, layout: SegmentLayout): number => {
  for (const place of marksIn(bytes, from + otherMarks, layout)) {
    const start = place - frameHeaderBytes
    if (recordAt(bytes, start, base, layout)) return start
  }
  return bytes.length
}

/** From this offset in a record on, a mark is that of another one. */
const otherMarks = frameHeaderBytes + 1

function* marksIn(bytes: Uint8Array, from: number, { mark }: SegmentLayout): Generator<number, void, undefined> {
  if (!mark) return
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  for (let at = text.indexOf(mark, from); at >= 0; at = text.indexOf(mark, at + 1)) yield at
}

/** Where the damaged record ends by its own length, when a whole one follows there. */
const followLength = (bytes: Uint8Array, at: number): number => {
  const end = at + frameBytesIn(bytes.subarray(at))
  return end > at && frameAt(bytes, end)?.type === frameType.batch ? end : bytes.length
}

/** The record whose length is what is damaged: all bytes after it match the checksum. */
const repairLength = (bytes: Uint8Array, start: number, layout: SegmentLayout): SegmentRecord | undefined => {
  if (bytes.length < frameHeaderBytes) return undefined
  if (crc32(bytes.subarray(8)) !== uint32At(bytes, 4)) return undefined
  return toRecord(new Frame(bytes, start, start + bytes.length, start), layout, true)
}

const toWithheld = (bytes: Uint8Array, start: number, isLast: boolean, layout: SegmentLayout): Withheld => {
  const isTorn = isLast && (layout.mark ? isTornMarked(bytes, layout) : isTornFrame(bytes))
  return {
    kind: 'withheld',
    start,
    end: start + bytes.length,
    piece: () => Buffer.concat([layout.header, bytes]),
    events: isTorn ? 0 : guessEvents(bytes, layout),
    isTorn,
  }
}

/** Not so where another record, damaged as well, begins in it. */
const isTornMarked = (bytes: Uint8Array, layout: SegmentLayout): boolean =>
  bytes.length < frameBytesIn(bytes) && marksIn(bytes, otherMarks, layout).next().done === true

/** What the records in damaged bytes say of themselves, without a checksum that vouches for it. */
const guessEvents = (bytes: Uint8Array, layout: SegmentLayout): number => {
  const offset = layout.mark ? recordOffset : frameHeaderBytes
  const starts = [0, ...marksIn(bytes, otherMarks, layout).map(at => at - frameHeaderBytes)]
  return starts.reduce((sum, start, i) => sum + countEvents(bytes.subarray(start + offset, starts[i + 1])), 0)
}

const countEvents = (payload: Uint8Array): number => {
  try {
    return Math.max(1, decodeBatch(payload).events.length)
  } catch {
    return 1
  }
}

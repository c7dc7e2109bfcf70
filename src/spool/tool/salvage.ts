import { frameAt, frameHeaderBytes, isTornFrame, readFrames } from '../framing/framing.ts'
import { decodeBatch, type KeptBatch } from '../segment/record.ts'
import { toApi, toBodyFormat } from '../segment/record-words.ts'
import { frameType } from '../segment/segment-format.ts'
import { isMarked } from '../segment/segment-layout.ts'
import { readSegment } from '../segment/segment-reader.ts'

/** A batch found in damaged bytes, and where. */
export type SalvagedBatch = { readonly batch: KeptBatch; readonly start: number; readonly end: number }

/** What no checksum vouches for, or what only looks like a record: bytes, and one event at least for each place. */
export type Unread = { readonly kind: 'unread'; readonly bytes: number; readonly events: number }

/** A search may look at this many times the bytes, with their checksums: forged headers must not make it quadratic. */
const maxWork = 16

/**
 * Batches in a segment or a piece of one that is damaged somewhere; only what a checksum vouches for is given. Where
 * records have a mark, it is the only thing that leads to them. In pieces of older versions, where a person asks for
 * it, the next frame with a fitting CRC is searched for after each place that cannot be read.
 * @throws UnknownFormat
 */
export function* salvageBatches(bytes: Uint8Array, path: string): Generator<SalvagedBatch, void, undefined> {
  for (const part of salvage(bytes, path)) if (part.kind === 'batch') yield part
}

/** The same, and the bytes between them, without the rest of an interrupted write: that was never acknowledged. */
export function* salvage(
  bytes: Uint8Array,
  path: string,
): Generator<(SalvagedBatch & { readonly kind: 'batch' }) | Unread, void, undefined> {
  for (const part of isMarked(bytes, path) ? partsOf(bytes, path) : searchFrames(bytes)) {
    if (part.kind === 'unread') {
      yield part
      continue
    }
    const { payload, start, end } = part
    const batch = tryDecode(payload)
    yield batch ? { kind: 'batch', batch, start, end } : { kind: 'unread', bytes: end - start, events: 1 }
  }
}

type Found = { readonly kind: 'record'; readonly payload: Uint8Array; readonly start: number; readonly end: number }

function* partsOf(bytes: Uint8Array, path: string): Generator<Found | Unread, void, undefined> {
  for (const part of readSegment(bytes, path)) {
    if (part.kind === 'record') yield part
    else if (!part.isTorn) yield { kind: 'unread', bytes: part.end - part.start, events: part.events }
  }
}

function* searchFrames(bytes: Uint8Array): Generator<Found | Unread, void, undefined> {
  const work = { left: maxWork * bytes.length }
  for (let at = 0; at < bytes.length; ) {
    const frames = readFrames(bytes.subarray(at))
    let next = frames.next()
    for (; !next.done; next = frames.next()) {
      const { type, payload, start, end } = next.value
      if (type === frameType.batch) yield { kind: 'record', payload, start: at + start, end: at + end }
    }
    const stopped = at + next.value
    at = stopped < bytes.length ? findFrame(bytes, stopped + 1, work) : stopped
    const unread = bytes.subarray(stopped, at)
    const isTorn = at === bytes.length && isTornFrame(unread)
    if (unread.length > 0 && !isTorn) yield { kind: 'unread', bytes: unread.length, events: 1 }
  }
}

const tryDecode = (payload: Uint8Array): KeptBatch | undefined => {
  try {
    return decodeBatch(payload)
  } catch {
    return undefined
  }
}

/** Where a batch frame may begin; cheap tests come first, so that few places cost a CRC. */
const findFrame = (bytes: Uint8Array, from: number, work: { left: number }): number => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const last = bytes.length - frameHeaderBytes - 10
  for (let at = from; at <= last; at++) {
    if (bytes[at + 8] !== frameType.batch) continue
    if (at + 8 + view.getUint32(at) > bytes.length) continue
    const payload = at + frameHeaderBytes
    if (!toApi(view.getUint8(payload + 8)) || !toBodyFormat(view.getUint8(payload + 9))) continue
    const keptAt = view.getFloat64(payload)
    if (!Number.isInteger(keptAt) || keptAt < 0) continue
    work.left -= view.getUint32(at)
    if (work.left < 0) break
    if (frameAt(bytes, at)) return at
  }
  return bytes.length
}

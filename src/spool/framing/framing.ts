/**
 * How the log and the ledger frame what they hold. A file is a sequence of frames, nothing between them:
 *
 *     u32 BE   length of what follows the CRC: type and payload, at least 1
 *     u32 BE   CRC-32 of type and payload
 *     u8       type
 *     n bytes  payload
 *
 * A frame is valid when it lies whole in the file and its CRC fits. A torn write, zeros that a file system left
 * behind, or a flipped bit therefore end the valid prefix; nothing after it is believed, but for what `segment-reader.ts` says.
 */
import { crc32 } from 'node:zlib'

export const frameHeaderBytes = 9

/** Longest frame that a reader believes: a request of the largest allowed size fits many times over. */
export const maxFrameBytes = 1 << 30

export type Frame = {
  readonly type: number
  readonly payload: Uint8Array
  /** Where the frame begins and where the next one would. */
  readonly start: number
  readonly end: number
}

/**
 * Fills in the header of a frame whose payload already stands behind `start + frameHeaderBytes`.
 * @param crc of type and payload, where it was computed piece by piece
 */
export const sealFrame = (bytes: Uint8Array, start: number, end: number, type: number, crc?: number): void => {
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  bytes[start + 8] = type
  view.setUint32(start, end - start - 8)
  view.setUint32(start + 4, crc ?? crc32(bytes.subarray(start + 8, end)))
}

/** One payload as a frame of its own. */
export const toFrame = (type: number, payload: Uint8Array): Uint8Array => {
  const bytes = new Uint8Array(frameHeaderBytes + payload.length)
  bytes.set(payload, frameHeaderBytes)
  sealFrame(bytes, 0, bytes.length, type)
  return bytes
}

/**
 * As {@link readFrames}, of a file in pieces: the frames that each piece completes, together. No more of it is held than
 * a frame and a piece. Those who read it get their turns of the event loop between two pieces.
 */
export async function* streamFrames(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<readonly Frame[], number> {
  let held: Uint8Array[] = []
  let size = 0
  let wanted = 1
  let offset = 0
  for await (const piece of pieces) {
    held.push(piece)
    size += piece.length
    if (size < wanted) continue
    const bytes = held.length === 1 ? piece : Buffer.concat(held)
    const found: Frame[] = []
    const frames = readFrames(bytes)
    let next = frames.next()
    for (; !next.done; next = frames.next()) {
      const { type, payload, start, end } = next.value
      found.push({ type, payload, start: offset + start, end: offset + end })
    }
    yield found
    const rest = bytes.subarray(next.value)
    offset += next.value
    wanted = frameBytesIn(rest)
    // It is all there, and yet no frame.
    if (rest.length >= wanted) return offset
    held = [rest]
    size = rest.length
  }
  return offset
}

/** How many bytes have to be there before one can tell whether they begin with a frame; 0 where they never do. */
export const frameBytesIn = (bytes: Uint8Array): number => {
  if (bytes.length < frameHeaderBytes) return frameHeaderBytes
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0)
  return length < 1 || length > maxFrameBytes ? 0 : 8 + length
}

/** The frame that begins there; undefined where none does that is valid. */
export const frameAt = (bytes: Uint8Array, start: number): Frame | undefined => {
  if (start + frameHeaderBytes > bytes.length) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const length = view.getUint32(start)
  const end = start + 8 + length
  if (length < 1 || length > maxFrameBytes || end > bytes.length) return undefined
  if (crc32(bytes.subarray(start + 8, end)) !== view.getUint32(start + 4)) return undefined
  return { type: view.getUint8(start + 8), payload: bytes.subarray(start + frameHeaderBytes, end), start, end }
}

/** Yields the frames of the valid prefix; the generator's return value is where that prefix ends. */
export function* readFrames(bytes: Uint8Array): Generator<Frame, number> {
  let end = 0
  for (let frame = frameAt(bytes, 0); frame; frame = frameAt(bytes, end)) {
    yield frame
    end = frame.end
  }
  return end
}

/** A cut write is no longer than this; what is longer was damaged somewhere in front. */
const maxTornBytes = 16 << 20

/** So much is looked through, again and again, for a frame behind the first one: numbers of binary records look like lengths. */
const maxSearchedBytes = 64 << 20

/**
 * Whether bytes behind the valid prefix are the beginning of one frame and nothing else: what a write leaves that was cut
 * short, so that nobody was told of it. A damaged frame is whole, or has others behind it; where to find that out takes too
 * long it counts as damaged.
 */
export const isTornFrame = (bytes: Uint8Array): boolean => {
  if (bytes.length > maxTornBytes || bytes.length >= frameBytesIn(bytes)) return false
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let left = maxSearchedBytes
  for (let at = 1; at + frameHeaderBytes <= bytes.length; at++) {
    const end = at + 8 + view.getUint32(at)
    if (end === at + 8 || end > bytes.length) continue
    left -= end - at
    if (left < 0 || frameAt(bytes, at)) return false
  }
  return true
}

/**
 * How the log and the ledger frame what they hold. A file is a sequence of frames, nothing between them:
 *
 *     u32 BE   length of what follows the CRC: type and payload, at least 1
 *     u32 BE   CRC-32 of type and payload
 *     u8       type
 *     n bytes  payload
 *
 * A frame is valid when it lies whole in the file and its CRC fits. A torn write, zeros that a file system left behind,
 * or a flipped bit therefore ends the valid prefix; nothing after it is trusted, except as `segment-reader.ts` says.
 */
import { crc32 } from 'node:zlib'
import { uint32At } from './big-endian.ts'

export const frameHeaderBytes = 9

/** Longest frame that a reader believes: a request of the largest allowed size fits many times over. */
export const maxFrameBytes = 1 << 30

/** A frame where it was found; a class, because a log has one for each request. */
export class Frame {
  readonly type: number
  /** Where the frame begins and where the next one would, in its file. */
  readonly start: number
  readonly end: number
  /** What it was found in, and where that begins in the file. */
  readonly bytes: Uint8Array
  readonly base: number

  constructor(bytes: Uint8Array, start: number, end: number, base: number) {
    this.type = bytes[start - base + frameHeaderBytes - 1] as number
    this.start = start
    this.end = end
    this.bytes = bytes
    this.base = base
  }

  /** A view of {@link Frame.bytes}. */
  get payload(): Uint8Array {
    return this.bytes.subarray(this.start - this.base + frameHeaderBytes, this.end - this.base)
  }
}

/**
 * Fills in the header of a frame whose payload is already written from `start + frameHeaderBytes` on.
 * @param crc of type and payload, if it was computed piece by piece
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

/** How many bytes have to be there to decide whether they begin with a frame; 0 if they never do. */
export const frameBytesIn = (bytes: Uint8Array, at = 0, length = bytes.length): number => {
  if (length - at < frameHeaderBytes) return frameHeaderBytes
  const size = uint32At(bytes, at)
  return size < 1 || size > maxFrameBytes ? 0 : 8 + size
}

/**
 * The frame that begins there; undefined where none does that is valid.
 * @param length of the bytes that count
 * @param base where they begin in their file
 */
export const frameAt = (bytes: Uint8Array, at: number, length = bytes.length, base = 0): Frame | undefined => {
  if (at + frameHeaderBytes > length) return undefined
  const size = uint32At(bytes, at)
  const end = at + 8 + size
  if (size < 1 || size > maxFrameBytes || end > length) return undefined
  if (crc32(bytes.subarray(at + 8, end)) !== uint32At(bytes, at + 4)) return undefined
  return new Frame(bytes, base + at, base + end, base)
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

/** This much is searched, repeatedly, for a frame after the first one: numbers of binary records look like lengths. */
const maxSearchedBytes = 64 << 20

/**
 * Whether the bytes after the valid prefix are the beginning of one frame and nothing else: the rest of an interrupted
 * write, which was never acknowledged. A damaged frame is whole, or is followed by others; if that takes too long to
 * find out it counts as damaged.
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

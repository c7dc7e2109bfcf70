import { uint32At } from '../framing/big-endian.ts'
import { type Frame, frameHeaderBytes } from '../framing/framing.ts'
import { decodeBatch, type KeptBatch } from './record.ts'
import { markBytes } from './segment-format.ts'

/** A record of a segment that its checksum vouches for; a class, because a segment has one for each request. */
export class SegmentRecord {
  readonly kind = 'record'
  /** The number of who sent it; 0 where that is not known. */
  readonly caller: number
  /** Its length was damaged, and nothing else. */
  readonly isRepaired: boolean
  readonly #frame: Frame
  readonly #header: Uint8Array
  readonly #prefixBytes: number

  /**
   * @param header of its segment, both copies @param prefixBytes bytes before it in its frame: mark and caller, or
   * nothing
   */
  constructor(frame: Frame, header: Uint8Array, prefixBytes: number, isRepaired: boolean) {
    const payloadStart = frame.start - frame.base + frameHeaderBytes
    this.caller = prefixBytes > 0 ? uint32At(frame.bytes, payloadStart + markBytes) : 0
    this.isRepaired = isRepaired
    this.#frame = frame
    this.#header = header
    this.#prefixBytes = prefixBytes
  }

  /** Where its frame begins and ends in the segment. */
  get start(): number {
    return this.#frame.start
  }

  get end(): number {
    return this.#frame.end
  }

  /** A view of what the segment was read into. */
  get payload(): Uint8Array {
    return this.#frame.payload.subarray(this.#prefixBytes)
  }

  /** The batch that it holds; the body is a view. @throws FormatError as {@link decodeBatch} */
  batch(): KeptBatch {
    const { bytes, base, start, end } = this.#frame
    return decodeBatch(bytes, start - base + frameHeaderBytes + this.#prefixBytes, end - base)
  }

  /** The frame, readable by itself: see `Withheld.piece`. A copy. */
  piece(): Uint8Array {
    const { bytes, base, start, end } = this.#frame
    return Buffer.concat([this.#header, bytes.subarray(start - base, end - base)])
  }
}

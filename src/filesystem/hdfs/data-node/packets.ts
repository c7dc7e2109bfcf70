/**
 * Packets of the data transfer protocol, on their way to a data node:
 *
 *     length (4 bytes) of itself, sums and data   length of the header (2 bytes)   PacketHeaderProto
 *     a sum for each chunk   data
 */
import { PacketHeader } from './messages.ts'

/** Data nodes take no longer ones (`PacketReceiver.MAX_PACKET_SIZE`), heads included. */
export const maxPacketBytes = 16 * 1024 * 1024 - 1_024

/** Everything before a packet's data; the sums begin at `at`. */
export const packetHead = (header: PacketHeader, sums: number): { readonly head: Buffer; readonly at: number } => {
  const encoded = PacketHeader.encode(header)
  const at = 6 + encoded.length
  const head = Buffer.allocUnsafe(at + sums)
  head.writeInt32BE(4 + sums + header.dataLen, 0)
  head.writeUInt16BE(encoded.length, 4)
  encoded.copy(head, 6)
  return { head, at }
}

/** The parts of a packet. */
export type PacketData = {
  readonly pieces: readonly Uint8Array[]
  /** What was given as a whole, and ends in it. */
  readonly wholes: readonly Uint8Array[]
}

/** The data of the next packet, which begins with a chunk. */
export class NextPacket {
  #pieces: Uint8Array[] = []
  #wholes: Uint8Array[] = []
  #length = 0
  #sent = 0

  /** Bytes of it. */
  get length(): number {
    return this.#length
  }

  /** What is in it so far. */
  get pieces(): readonly Uint8Array[] {
    return this.#pieces
  }

  /** Whether there is something in it that was not sent before. */
  get hasNews(): boolean {
    return this.#length > this.#sent
  }

  /** @param whole what ends with the piece, and is released when that is sent */
  add(piece: Uint8Array, whole: Uint8Array | undefined): void {
    this.#pieces.push(piece)
    if (whole) this.#wholes.push(whole)
    this.#length += piece.length
  }

  /** Takes all of it; the next one begins with the last `again` bytes once more. */
  take(again = 0): PacketData {
    const data = { pieces: this.#pieces, wholes: this.#wholes }
    const end = again > 0 ? lastBytes(this.#pieces, again) : undefined
    this.#pieces = end ? [end] : []
    this.#wholes = []
    this.#length = again
    this.#sent = again
    return data
  }
}

/** A copy: what it is of is gone when it was sent. */
const lastBytes = (pieces: readonly Uint8Array[], length: number): Uint8Array => {
  const bytes = new Uint8Array(length)
  let at = length
  for (const piece of pieces.toReversed()) {
    const part = piece.subarray(Math.max(piece.length - at, 0))
    at -= part.length
    bytes.set(part, at)
    if (at === 0) break
  }
  return bytes
}

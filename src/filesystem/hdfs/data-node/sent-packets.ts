import { release } from '../../../bytes/slabs.ts'
import type { PacketData } from './packets.ts'

type SentPacket = {
  readonly offset: number
  readonly length: number
  readonly pieces: readonly Uint8Array[]
  /** Gives its memory back once it was called twice: the system has the bytes, and the nodes have them. */
  readonly free: () => void
}

/** Bytes of a block that follow one another, and where they begin. */
export type BlockBytes = { readonly at: number; readonly pieces: readonly Uint8Array[] }

/** Packets that a pipeline may still lose: they are kept until all its nodes have them. */
export class SentPackets {
  readonly #kept: SentPacket[] = []
  /** Of those that are kept. */
  #ackedCount = 0
  #keepsAll = false
  #bytes = 0
  #acked: number
  #end: number

  /** @param before what was acknowledged, and sent, of the block before */
  constructor(before: { readonly acked: number; readonly sent: number } = { acked: 0, sent: 0 }) {
    this.#acked = before.acked
    this.#end = before.sent
  }

  /** Bytes that are kept. */
  get bytes(): number {
    return this.#bytes
  }

  /** Where in the block that ends which all nodes have. */
  get acked(): number {
    return this.#acked
  }

  /** Where that ends which some nodes may have. */
  get end(): number {
    return this.#end
  }

  /** @returns what is to be called when the system has its bytes */
  add(offset: number, length: number, { pieces, wholes }: PacketData): () => void {
    let holders = 2
    const free = (): void => {
      holders--
      if (holders === 0) for (const whole of wholes) release(whole)
    }
    this.#kept.push({ offset, length, pieces, free })
    this.#bytes += length
    this.#end = Math.max(this.#end, offset + length)
    return free
  }

  /** All nodes have the next one. */
  ack(): void {
    const packet = this.#kept[this.#ackedCount++]
    if (packet === undefined) return
    this.#acked = Math.max(this.#acked, packet.offset + packet.length)
    if (!this.#keepsAll) this.#letGo()
  }

  /** From here on they are kept whatever nodes have, until {@link SentPackets.clear}. */
  keepAll(): void {
    this.#keepsAll = true
  }

  /** The block has ended. */
  clear(): void {
    this.#letGo()
  }

  /** The bytes of the packets that are kept, and of what follows them, each once: a packet may begin before the end of another. */
  rest(next: { readonly offset: number; readonly pieces: readonly Uint8Array[] }): BlockBytes {
    const parts = [...this.#kept.filter(({ length }) => length > 0), next]
    const at = parts[0]?.offset ?? 0
    const pieces: Uint8Array[] = []
    let end = at
    for (const part of parts) {
      let from = part.offset
      for (const piece of part.pieces) {
        const rest = piece.subarray(Math.max(end - from, 0))
        from += piece.length
        if (rest.length === 0) continue
        pieces.push(rest)
        end = from
      }
    }
    return { at, pieces }
  }

  #letGo(): void {
    for (const packet of this.#kept.splice(0, this.#ackedCount)) {
      this.#bytes -= packet.length
      packet.free()
    }
    this.#ackedCount = 0
  }
}

/** Of the first piece; each is twice as large as the one before. */
const leastPieceBytes = 4 << 10

const mostPieceBytes = 1 << 20

/**
 * Bytes that are written one after another, of any length: in pieces, so that none is copied while they grow, and become one at
 * the end.
 */
export class PiecedBytes {
  readonly #full: Buffer[] = []
  #piece: Buffer = Buffer.alloc(0)
  #used = 0
  #length = 0

  get length(): number {
    return this.#length
  }

  append(bytes: Uint8Array): void {
    this.reserve(bytes.length)
    this.put(bytes)
  }

  /** Makes room for bytes that are {@link put} next, together. */
  reserve(length: number): void {
    if (length <= this.#piece.length - this.#used) return
    const next = Math.max(length, Math.min(Math.max(leastPieceBytes, 2 * this.#piece.length), mostPieceBytes))
    const piece = Buffer.allocUnsafeSlow(next)
    if (this.#used > 0) this.#full.push(this.#piece.subarray(0, this.#used))
    this.#piece = piece
    this.#used = 0
  }

  /** Adds bytes that fit. */
  put(bytes: Uint8Array): void {
    this.#piece.set(bytes, this.#used)
    this.#used += bytes.length
    this.#length += bytes.length
  }

  /** All of them in memory of their own; nothing is left, and more may follow. Each piece goes once it is copied, so that they are hardly ever there twice. */
  take(): Buffer {
    const all = Buffer.allocUnsafeSlow(this.#length)
    let at = 0
    for (const piece of [...this.#full.splice(0), this.#piece.subarray(0, this.#used)]) {
      all.set(piece, at)
      at += piece.length
      freeMemory(piece)
    }
    this.#piece = Buffer.alloc(0)
    this.#used = 0
    this.#length = 0
    return all
  }
}

/** Gives the memory of bytes back at once, all of it; garbage is collected late where it is not the engine's own. */
export const freeMemory = ({ buffer }: Uint8Array): void => {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0)
}

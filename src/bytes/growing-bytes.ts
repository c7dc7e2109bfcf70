/**
 * Bytes that arrive piece by piece, in one buffer that doubles: what is announced is never taken ahead, and at no time
 * are more than twice the bytes held, nor, for the last doubling, more than the end will need.
 */
export class GrowingBytes {
  readonly #most: number
  #bytes: Buffer = Buffer.alloc(0)
  #length = 0

  /** @param most bytes that there can be; more are the caller's mistake */
  constructor(most: number) {
    this.#most = most
  }

  get length(): number {
    return this.#length
  }

  append(piece: Uint8Array): void {
    const needed = this.#length + piece.length
    if (needed > this.#bytes.length) this.#grow(needed)
    this.#bytes.set(piece, this.#length)
    this.#length = needed
  }

  /** All of them: a view, to be asked for at the end. */
  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  #grow(needed: number): void {
    if (needed > this.#most) throw new RangeError(`Cannot hold ${needed} bytes: at most ${this.#most} were expected`)
    const old = this.#bytes
    // Not from the pool, and not zeroed: the system gives memory for what is written, not for what is reserved.
    this.#bytes = Buffer.allocUnsafeSlow(Math.min(Math.max(needed, 2 * old.length), this.#most))
    this.#bytes.set(old.subarray(0, this.#length))
    // It is not shared: it need not wait for garbage collection.
    if (old.buffer instanceof ArrayBuffer) old.buffer.transfer(0)
  }
}

/** Writes the bytes of messages, into memory that grows. */
export class ProtobufWriter {
  #bytes = Buffer.allocUnsafe(128)
  #at = 0

  varint(value: number): void {
    if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`Cannot write ${value} as an unsigned number`)
    this.#reserve(10)
    let rest = value
    while (rest > 0x7f) {
      this.#bytes[this.#at++] = (rest % 128) | 0x80
      rest = Math.floor(rest / 128)
    }
    this.#bytes[this.#at++] = rest
  }

  /** Of 64 bits; a negative number takes all of them. */
  varint64(value: bigint): void {
    if (BigInt.asIntN(64, value) !== value && BigInt.asUintN(64, value) !== value) {
      throw new RangeError(`Cannot write ${value} in 64 bits`)
    }
    this.#reserve(10)
    let rest = BigInt.asUintN(64, value)
    while (rest > 0x7fn) {
      this.#bytes[this.#at++] = Number(rest & 0x7fn) | 0x80
      rest >>= 7n
    }
    this.#bytes[this.#at++] = Number(rest)
  }

  fixed32(value: number): void {
    this.#reserve(4)
    this.#at = this.#bytes.writeInt32LE(value, this.#at)
  }

  fixed64(value: bigint): void {
    this.#reserve(8)
    this.#at = this.#bytes.writeBigInt64LE(value, this.#at)
  }

  /** A length, and as many bytes. */
  delimited(bytes: Uint8Array): void {
    this.varint(bytes.length)
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.#at)
    this.#at += bytes.length
  }

  /** What was written. */
  take(): Buffer {
    return this.#bytes.subarray(0, this.#at)
  }

  #reserve(length: number): void {
    if (this.#bytes.length - this.#at >= length) return
    const more = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#at + length))
    this.#bytes.copy(more, 0, 0, this.#at)
    this.#bytes = more
  }
}

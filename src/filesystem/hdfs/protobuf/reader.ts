import { FormatError } from '../../../errors.ts'

/** The beginning of each field's tag, and what follows it: a varint, 8 bytes, a length and as many bytes, 4 bytes. */
export type WireType = 0 | 1 | 2 | 5

/**
 * Reads the bytes of a message. Whatever is wrong is a {@link FormatError} that names the message, the field and the byte.
 */
export class ProtobufReader {
  readonly bytes: Buffer
  at: number
  end: number
  /** Where it is, for errors: the message, and the field in it. */
  message = 'message'
  field: string | undefined

  constructor(bytes: Buffer, at = 0, end: number = bytes.length) {
    this.bytes = bytes
    this.at = at
    this.end = end
  }

  /** A varint that a number holds exactly. */
  varint(): number {
    let value = 0
    for (let scale = 1; scale < 2 ** 70; scale *= 128) {
      const byte = this.#next()
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return Number.isSafeInteger(value) ? value : this.fail('expected a number below 2^53')
    }
    return this.fail('expected a number of at most 64 bits')
  }

  /** A varint that is a number of Java with its sign, and that a number holds exactly. */
  signedVarint(): number {
    const { at } = this
    // Seven bytes hold no number that is too large, or negative.
    for (let value = 0, scale = 1; scale < 2 ** 49; scale *= 128) {
      const byte = this.#next()
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
    }
    this.at = at
    const value = Number(BigInt.asIntN(64, this.varint64()))
    return Number.isSafeInteger(value) ? value : this.fail('expected a number between -2^53 and 2^53')
  }

  /** Whether a varint of 64 bits is another number than 0. */
  isNonZero(): boolean {
    let bits = 0
    for (let count = 0; count < 10; count++) {
      const byte = this.#next()
      bits |= byte & 0x7f
      if (byte < 0x80) return bits !== 0
    }
    return this.fail('expected a number of at most 64 bits')
  }

  /** A varint of 64 bits. */
  varint64(): bigint {
    let low = 0
    let high = 0
    for (let count = 0; count < 10; count++) {
      const byte = this.#next()
      if (count < 7) low += (byte & 0x7f) * 128 ** count
      else high += (byte & 0x7f) * 128 ** (count - 7)
      if (byte < 0x80) {
        if (high >= 2 ** 15) break
        return high === 0 ? BigInt(low) : BigInt(low) + (BigInt(high) << 49n)
      }
    }
    return this.fail('expected a number of at most 64 bits')
  }

  fixed32(): number {
    return this.bytes.readInt32LE(this.skip(4))
  }

  /** One of 64 bits that a number holds exactly. */
  fixed64(): number {
    const at = this.skip(8)
    const value = this.bytes.readInt32LE(at + 4) * 2 ** 32 + this.bytes.readUInt32LE(at)
    return Number.isSafeInteger(value) ? value : this.fail('expected a number below 2^53')
  }

  /** The bytes after a length; they are not copied. */
  delimited(): Buffer {
    const length = this.varint()
    const start = this.skip(length)
    return this.bytes.subarray(start, start + length)
  }

  /** Skips this many bytes. @returns where they begin */
  skip(length: number): number {
    if (length > this.end - this.at) this.fail(`expected ${length} bytes, found ${this.end - this.at}`)
    this.at += length
    return this.at - length
  }

  /** Skips the value of an unknown field. */
  skipField(wire: number): void {
    if (wire === 0) this.isNonZero()
    else if (wire === 1) this.skip(8)
    else if (wire === 2) this.skip(this.varint())
    else if (wire === 5) this.skip(4)
    else this.fail(`expected the wire type 0, 1, 2 or 5, found ${wire}`)
  }

  fail(message: string): never {
    const place = this.field === undefined ? this.message : `${this.message}.${this.field}`
    throw new FormatError('protobuf', this.at, `${place}: ${message}`)
  }

  #next(): number {
    const byte = this.at < this.end ? this.bytes[this.at] : undefined
    if (byte === undefined) return this.fail('expected the rest of a number')
    this.at++
    return byte
  }
}

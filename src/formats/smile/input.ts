import { Buffer } from 'node:buffer'
import { FormatError } from '../../errors.ts'
import type { Budget } from '../budget.ts'
import { maxIntegerBytes } from '../number.ts'
import { toBuffer } from '../to-buffer.ts'
import { fromTwosComplement } from '../twos-complement.ts'
import { packedLength, unpack } from './packed.ts'
import { tokens } from './tokens.ts'

/** A VInt of 64 bits takes 10 bytes; nothing longer has a meaning, and reading on would cost the sender nothing. */
const maxVIntBytes = 10

/** Bytes decoded to text at once; short strings are then cut out of it, which is much cheaper than decoding each. */
const windowBytes = 16_384

/** V8 copies substrings below 13 characters; longer ones would keep the whole window alive. */
const maxCutLength = 12

/** Smile's primitives, read one after another. Every method throws a FormatError at damage and at the end of the bytes. */
export class SmileInput {
  readonly bytes: Buffer
  /** Where the next byte is read. */
  position = 0
  #window = ''
  #windowStart = 0
  #windowEnd = 0

  readonly #budget: Budget

  /** @param budget counts the bytes of texts and binary before they are made */
  constructor(bytes: Uint8Array, budget: Budget) {
    this.#budget = budget
    this.bytes = toBuffer(bytes)
  }

  byte(): number {
    const byte = this.bytes[this.position]
    if (byte === undefined) throw this.truncated()
    this.position += 1
    return byte
  }

  /** An unsigned VInt, exact below 2^53; larger ones come rounded, which no length survives. */
  vint(): number {
    const start = this.position
    let value = 0
    for (let i = 1; i <= maxVIntBytes; i += 1) {
      const byte = this.byte()
      if (byte >= 0x80) return value * 64 + (byte & 0x3f)
      value = value * 128 + byte
    }
    throw this.error('a VInt of more than 10 bytes', start)
  }

  int32(): number {
    const start = this.position
    const zigzag = this.vint()
    if (zigzag > 0xffffffff) throw this.error('expected a 32-bit integer, found a longer one', start)
    return (zigzag >>> 1) ^ -(zigzag & 1)
  }

  int64(): number | bigint {
    const start = this.position
    const zigzag = this.vint()
    if (zigzag < 2 ** 53) return zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2
    let exact = 0n
    for (let i = start; i < this.position - 1; i += 1) exact = (exact << 7n) | BigInt(this.bytes[i] ?? 0)
    exact = (exact << 6n) | BigInt((this.bytes[this.position - 1] ?? 0) & 0x3f)
    if (exact >= 1n << 64n) throw this.error('expected a 64-bit integer, found a longer one', start)
    return exact % 2n === 0n ? exact >> 1n : -((exact + 1n) >> 1n)
  }

  bigInteger(): bigint {
    const start = this.position
    const length = this.vint()
    if (length === 0) throw this.error('a big integer without bytes', start)
    if (length > maxIntegerBytes) {
      throw this.error(`a big integer of ${length} bytes, at most ${maxIntegerBytes} are allowed`, start)
    }
    return fromTwosComplement(this.#unpack(length))
  }

  float(): number {
    const at = this.#take(5)
    // Jackson fills the unused high bits of the first byte with the sign.
    float.setUint32(
      0,
      (this.#bits(at) << 28) |
        (this.#bits(at + 1) << 21) |
        (this.#bits(at + 2) << 14) |
        (this.#bits(at + 3) << 7) |
        this.#bits(at + 4),
    )
    return float.getFloat32(0)
  }

  double(): number {
    const at = this.#take(10)
    const middle = this.#bits(at + 5)
    float.setUint32(
      0,
      (this.#bits(at) << 31) |
        (this.#bits(at + 1) << 24) |
        (this.#bits(at + 2) << 17) |
        (this.#bits(at + 3) << 10) |
        (this.#bits(at + 4) << 3) |
        (middle >>> 4),
    )
    float.setUint32(
      4,
      (middle << 28) |
        (this.#bits(at + 6) << 21) |
        (this.#bits(at + 7) << 14) |
        (this.#bits(at + 8) << 7) |
        this.#bits(at + 9),
    )
    return float.getFloat64(0)
  }

  ascii(length: number): string {
    const { bytes } = this
    const start = this.#take(length)
    const end = start + length
    this.#budget.bytes(length)
    for (let i = start; i < end; i += 1) {
      if ((bytes[i] ?? 0) >= 0x80) throw this.error('expected an ASCII character, found another byte', i)
    }
    if (length > maxCutLength) return bytes.toString('latin1', start, end)
    if (end > this.#windowEnd || start < this.#windowStart) {
      this.#windowStart = start
      this.#windowEnd = Math.min(start + windowBytes, bytes.length)
      this.#window = bytes.toString('latin1', start, this.#windowEnd)
    }
    return this.#window.substring(start - this.#windowStart, end - this.#windowStart)
  }

  utf8(length: number): string {
    const start = this.#take(length)
    this.#budget.bytes(length)
    const text = this.bytes.toString('utf8', start, start + length)
    // Bad bytes become U+FFFD; only a text with one has to be compared with its bytes, since it may have been sent as
    // such.
    if (text.includes('\ufffd') && !Buffer.from(text).equals(this.bytes.subarray(start, start + length))) {
      throw this.error('malformed UTF-8', start)
    }
    return text
  }

  /** A string up to its end marker, a byte that UTF-8 never has. */
  long(isAscii: boolean, maxBytes: number): string {
    const start = this.position
    const end = this.bytes.indexOf(tokens.endOfString, start)
    if (end < 0) throw this.truncated()
    if (end - start > maxBytes)
      throw this.error(`a text of ${end - start} bytes, at most ${maxBytes} are allowed`, start)
    const text = isAscii ? this.ascii(end - start) : this.utf8(end - start)
    this.position = end + 1
    return text
  }

  /** Bytes of their own, so that they do not keep the whole input alive. */
  binary(isPacked: boolean): Uint8Array {
    const length = this.vint()
    if (isPacked) return this.#unpack(length)
    const start = this.#take(length)
    this.#budget.bytes(length)
    return new Uint8Array(this.bytes.subarray(start, start + length))
  }

  /** Goes over what {@link long} would give. */
  skipText(): void {
    const end = this.bytes.indexOf(tokens.endOfString, this.position)
    if (end < 0) throw this.truncated()
    this.position = end + 1
  }

  /** Goes over what {@link binary} would give. */
  skipBinary(isPacked: boolean): void {
    const length = this.vint()
    this.#take(isPacked ? packedLength(length) : length)
  }

  error(message: string, position = this.position): FormatError {
    return new FormatError('smile', position, message)
  }

  truncated(): FormatError {
    return this.error('the bytes end within a value', this.bytes.length)
  }

  /** Skips `length` bytes that must be there, and returns where they start. */
  #take(length: number): number {
    const start = this.position
    if (length > this.bytes.length - start) throw this.truncated()
    this.position = start + length
    return start
  }

  #bits(position: number): number {
    const byte = this.bytes[position] ?? 0
    if (byte >= 0x80) throw this.error('expected a byte of 7 bits', position)
    return byte
  }

  #unpack(length: number): Uint8Array {
    // The packed length is checked first: nothing is allocated for bytes that were not sent.
    const start = this.#take(packedLength(length))
    this.#budget.bytes(length)
    for (let i = start; i < this.position; i += 1) this.#bits(i)
    return unpack(this.bytes.subarray(start, this.position), length)
  }
}

const float = new DataView(new ArrayBuffer(8))

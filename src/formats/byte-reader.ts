import type { Buffer } from 'node:buffer'
import { FormatError } from '../errors.ts'
import { toInteger } from './number.ts'

/** Most bytes of a varint: 64 bits, 7 of them in each. */
const maxVarintBytes = 10

/**
 * Takes bytes one after another, and numbers of 7 bits a byte, least significant first, as Avro and Thrift's compact
 * protocol write them. Every method throws FormatError of the format where the bytes end.
 */
export class ByteReader {
  readonly #bytes: Buffer
  readonly #format: string
  readonly #base: number
  position = 0
  /** Whether the last failure was that the bytes end: more of them may be all that is missing. */
  isCut = false

  /** @param base offset of the bytes in the file, for errors */
  constructor(bytes: Buffer, format: string, base = 0) {
    this.#bytes = bytes
    this.#format = format
    this.#base = base
  }

  /** @returns where the taken bytes begin */
  take(size: number): number {
    const start = this.position
    if (size > this.#bytes.length - start) {
      this.isCut = true
      throw this.fault(`expected ${size} more bytes, found ${this.#bytes.length - start}`)
    }
    this.position = start + size
    return start
  }

  byte(): number {
    return this.#bytes[this.take(1)] as number
  }

  /** An unsigned number; beyond 2^53 the nearest double. */
  varint(): number {
    let value = 0
    for (let at = 0, scale = 1; at < maxVarintBytes; at++, scale *= 128) {
      const byte = this.byte()
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
    }
    throw this.fault(`expected a number of at most ${maxVarintBytes} bytes`)
  }

  /** A signed number of 64 bits, exact: 0, -1, 1, -2 … are 0, 1, 2, 3 …. */
  zigzag(): number | bigint {
    const start = this.position
    const value = this.varint()
    if (value <= Number.MAX_SAFE_INTEGER) return value % 2 === 0 ? value / 2 : -(value + 1) / 2
    return this.#exactly(start)
  }

  fault(message: string): FormatError {
    return new FormatError(this.#format, this.#base + this.position, message)
  }

  #exactly(start: number): number | bigint {
    let value = 0n
    for (const [at, byte] of this.#bytes.subarray(start, this.position).entries()) {
      value |= BigInt(byte & 0x7f) << BigInt(7 * at)
    }
    return toInteger(BigInt.asIntN(64, (value >> 1n) ^ -(value & 1n)))
  }
}

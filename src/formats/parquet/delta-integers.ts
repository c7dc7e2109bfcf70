/**
 * DELTA_BINARY_PACKED (Encodings.md): integers as differences.
 *
 *     varint block size, varint miniblocks of a block, varint count, zigzag varint first value
 *     ( zigzag varint least difference, miniblocks widths of a byte each, miniblocks )*
 *
 * A miniblock holds block size / miniblocks differences from the least one, least significant bit first; those that no
 * value needs any more are left out.
 */
import { FormatError } from '../../errors.ts'
import { toInteger } from '../number.ts'
import { type Cursor, readVarint } from './cursor.ts'

const noWidths = new Uint8Array()
const maxBlock = 2 ** 31
/** Widths up to this one leave room for a sum that a double holds. */
const maxPlainWidth = 48

export class DeltaReader {
  readonly #cursor: Cursor
  /** 32 or 64: sums wrap at this many bits. */
  readonly #bits: number
  readonly #perMiniblock: number
  readonly #miniblocks: number
  /** How many values there are in all. */
  readonly count: number
  #last: number | bigint
  #given = 0
  #least: number | bigint = 0
  /** Miniblocks of this block that have begun, and the values left of the current one. */
  #miniblock: number
  #left = 0
  #width = 0
  #bit = 0
  #widths: Uint8Array = noWidths

  constructor(cursor: Cursor, bits: 32 | 64) {
    this.#cursor = cursor
    this.#bits = bits
    const block = readVarint(cursor, maxBlock)
    this.#miniblocks = readVarint(cursor, maxBlock)
    this.count = readVarint(cursor, maxBlock)
    // Without values some writers leave it out.
    this.#last = cursor.left > 0 || cursor.isOpen ? this.#wrap(readZigzag(cursor)) : 0
    this.#perMiniblock = block / this.#miniblocks
    this.#miniblock = this.#miniblocks
    if (!(Number.isInteger(this.#perMiniblock) && this.#perMiniblock % 8 === 0 && block > 0)) {
      throw new FormatError(
        'parquet',
        cursor.base,
        `expected blocks of differences in the page there, found ${block} in ${this.#miniblocks};`,
      )
    }
  }

  next(): number | bigint {
    if (this.#given >= this.count) throw this.#cursor.fault(1)
    if (this.#given > 0) {
      if (this.#left === 0) this.#begin()
      this.#last = this.#add(this.#take())
      this.#left--
    }
    this.#given++
    return this.#last
  }

  /** Goes to the end of the values, from one on that begins a miniblock. */
  skipToEnd(): void {
    for (let left = this.count - 1; left > 0; left -= this.#perMiniblock) {
      this.#begin()
      this.#cursor.take((this.#width * this.#perMiniblock) / 8)
      this.#left = 0
    }
    this.#given = this.count
  }

  save(): () => void {
    const [last, given, least, miniblock] = [this.#last, this.#given, this.#least, this.#miniblock]
    const [left, width, bit, widths] = [this.#left, this.#width, this.#bit, this.#widths]
    return () => {
      ;[this.#last, this.#given, this.#least, this.#miniblock] = [last, given, least, miniblock]
      ;[this.#left, this.#width, this.#bit, this.#widths] = [left, width, bit, widths]
    }
  }

  /** Begins the next miniblock. */
  #begin(): void {
    const cursor = this.#cursor
    if (this.#bit > 0) throw new FormatError('parquet', cursor.base, 'expected whole miniblocks in the page there;')
    if (this.#miniblock === this.#miniblocks) {
      this.#least = readZigzag(cursor)
      const start = cursor.take(this.#miniblocks)
      this.#widths = cursor.bytes.subarray(start, start + this.#miniblocks)
      this.#miniblock = 0
    }
    this.#width = this.#widths[this.#miniblock] ?? 0
    if (this.#width > 64) {
      throw new FormatError(
        'parquet',
        cursor.base,
        `expected differences of at most 64 bits in the page there, found ${this.#width};`,
      )
    }
    this.#miniblock++
    this.#left = this.#perMiniblock
  }

  /** The next difference from the least one. */
  #take(): number | bigint {
    const width = this.#width
    if (width === 0) return 0
    const cursor = this.#cursor
    const bits = this.#bit + width
    cursor.need((bits + 7) >> 3)
    const { bytes, at } = cursor
    cursor.at = at + (bits >> 3)
    const shift = this.#bit
    this.#bit = bits & 7
    if (bits <= 31) {
      let word = 0
      for (let i = (bits + 7) >> 3; i > 0; i--) word = (word << 8) | (bytes[at + i - 1] as number)
      return ((word & 0x7fff_ffff) >>> shift) & (2 ** width - 1)
    }
    if (width <= maxPlainWidth) {
      // Up to 55 bits, of which the lowest are let go of before the sum would be too large for a double.
      let value = (bytes[at] as number) >> shift
      let scale = 2 ** (8 - shift)
      for (let i = 1; i < (bits + 7) >> 3; i++, scale *= 256) {
        const byte = bytes[at + i] as number
        const isEnd = (i + 1) * 8 > bits
        value += (isEnd ? byte & ((1 << (bits - i * 8)) - 1) : byte) * scale
      }
      return value
    }
    let value = 0n
    for (let i = (bits + 7) >> 3; i > 0; i--) value = (value << 8n) | BigInt(bytes[at + i - 1] as number)
    return BigInt.asUintN(width, value >> BigInt(shift))
  }

  #add(difference: number | bigint): number | bigint {
    const [last, least] = [this.#last, this.#least]
    if (typeof last === 'number' && typeof least === 'number' && typeof difference === 'number') {
      const sum = last + least + difference
      if (this.#bits === 32) return sum | 0
      if (Number.isSafeInteger(sum) && Number.isSafeInteger(last + least)) return sum
    }
    return this.#wrap(BigInt(last) + BigInt(least) + BigInt(difference))
  }

  #wrap(value: number | bigint): number | bigint {
    if (typeof value === 'number') return this.#bits === 32 ? value | 0 : value
    return this.#bits === 32 ? Number(BigInt.asIntN(32, value)) : toInteger(BigInt.asIntN(64, value))
  }
}

const readZigzag = (cursor: Cursor): number | bigint => {
  let value = 0
  const start = cursor.at
  for (let scale = 1, at = 0; at < 10; at++, scale *= 128) {
    const byte = cursor.bytes[cursor.take(1)] as number
    // Seven bytes are exact in a double.
    if (at >= 7) return readLongZigzag(cursor, start)
    value += (byte & 0x7f) * scale
    if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2
  }
  return value
}

const readLongZigzag = (cursor: Cursor, start: number): number | bigint => {
  cursor.at = start
  let value = 0n
  for (let shift = 0n; shift < 70n; shift += 7n) {
    const byte = cursor.bytes[cursor.take(1)] as number
    value |= BigInt(byte & 0x7f) << shift
    if (byte < 0x80) return toInteger(BigInt.asIntN(64, (value >> 1n) ^ -(value & 1n)))
  }
  throw new FormatError('parquet', cursor.base, 'expected a number of at most 10 bytes in the page there;')
}

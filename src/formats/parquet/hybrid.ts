/**
 * Runs and packed values (Encodings.md, "RLE/Bit-Packing Hybrid"): levels, indexes of dictionaries, booleans.
 *
 *     run      varint count << 1, value: as many bytes as its bits need, little-endian
 *     packed   varint groups << 1 | 1, groups of 8 values, least significant bit first
 *
 * A run is never written out: it costs nothing until its values are asked for, however long it says it is.
 */
import { FormatError } from '../../errors.ts'
import { type Cursor, readVarint } from './cursor.ts'

/** Where indexes and levels are written to. */
export type Numbers = Uint16Array | Int32Array

export class HybridReader {
  readonly #cursor: Cursor
  readonly #width: number
  readonly #mask: number
  /** Values left of the current run, or of packed ones. */
  #left = 0
  #isRun = true
  #value = 0
  /** Bits of the byte at the cursor that are used. */
  #bit = 0

  /** @param width bits of a value, at most 32 */
  constructor(cursor: Cursor, width: number) {
    if (!(width >= 0 && width <= 32)) {
      throw new FormatError(
        'parquet',
        cursor.base,
        `expected values of at most 32 bits in the page there, found ${width};`,
      )
    }
    this.#cursor = cursor
    this.#width = width
    this.#mask = width === 32 ? -1 : (1 << width) - 1
  }

  /** Reads `count` values into `out` from `start` on. */
  read(out: Numbers, start: number, count: number): void {
    for (let at = start, end = start + count; at < end; ) {
      const some = this.#next(end - at)
      if (this.#isRun) out.fill(this.#value, at, at + some)
      else this.#unpack(out, at, some)
      at += some
      this.#left -= some
    }
  }

  /** Passes `count` values and returns how many of them are `wanted`. */
  count(count: number, wanted: number): number {
    let found = 0
    for (let left = count; left > 0; ) {
      const some = Math.min(this.#next(left), this.#isRun ? left : scratch.length)
      if (!this.#isRun) {
        this.#unpack(scratch, 0, some)
        for (let i = 0; i < some; i++) if (scratch[i] === wanted) found++
      } else if (this.#value === wanted) found += some
      left -= some
      this.#left -= some
    }
    return found
  }

  /** How it was, for {@link HybridReader.restore} once the cursor has more. */
  save(): readonly number[] {
    return [this.#left, this.#isRun ? 1 : 0, this.#value, this.#bit]
  }

  restore([left = 0, isRun = 0, value = 0, bit = 0]: readonly number[]): void {
    this.#left = left
    this.#isRun = isRun === 1
    this.#value = value
    this.#bit = bit
  }

  /** How many values, at most `most`, are at hand in the current run. */
  #next(most: number): number {
    while (this.#left === 0) this.#begin()
    return Math.min(this.#left, most)
  }

  #begin(): void {
    const cursor = this.#cursor
    // Groups that were not asked for to their end.
    if (this.#bit > 0) {
      cursor.take(1)
      this.#bit = 0
    }
    const head = readVarint(cursor, 2 ** 33)
    this.#isRun = head % 2 === 0
    this.#left = this.#isRun ? head / 2 : ((head - 1) / 2) * 8
    if (!this.#isRun) return
    const size = (this.#width + 7) >> 3
    const start = cursor.take(size)
    let value = 0
    for (let i = size - 1; i >= 0; i--) value = (value << 8) | (cursor.bytes[start + i] as number)
    this.#value = value
  }

  #unpack(out: Numbers, start: number, count: number): void {
    const cursor = this.#cursor
    const width = this.#width
    if (width === 0) {
      out.fill(0, start, start + count)
      return
    }
    const bits = this.#bit + count * width
    // The last group may be cut where it is padding.
    cursor.need(Math.ceil(bits / 8))
    const { bytes, at } = cursor
    const mask = this.#mask
    let bit = this.#bit
    if (width <= 9) {
      for (let i = start, end = start + count; i < end; i++, bit += width) {
        const byte = at + (bit >> 3)
        out[i] = (((bytes[byte] as number) | ((bytes[byte + 1] as number) << 8)) >> (bit & 7)) & mask
      }
    } else {
      for (let i = start, end = start + count; i < end; i++, bit += width) {
        const byte = at + (bit >> 3)
        const shift = bit & 7
        const low =
          (bytes[byte] as number) |
          ((bytes[byte + 1] as number) << 8) |
          ((bytes[byte + 2] as number) << 16) |
          ((bytes[byte + 3] as number) << 24)
        const value = shift === 0 ? low : (low >>> shift) | ((bytes[byte + 4] as number) << (32 - shift))
        out[i] = value & mask
      }
    }
    cursor.at = at + (bits >> 3)
    this.#bit = bits & 7
  }
}

const scratch = new Uint16Array(4096)

/** Bits that numbers up to `max` need. */
export const toWidth = (max: number): number => 32 - Math.clz32(max)

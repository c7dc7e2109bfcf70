/**
 * The values of a leaf, without its nulls, as in a plain page (Encodings.md, "Plain"):
 *
 *     BOOLEAN      a bit each, least significant bit first
 *     INT64        8 bytes, little-endian
 *     DOUBLE       8 bytes, little-endian
 *     BYTE_ARRAY   length:4 bytes; see `text-store.ts`
 */
import { Buffer } from 'node:buffer'
import { ByteSink } from './byte-sink.ts'

/** A value of a leaf; a `number` of an INT64 is a safe integer. */
export type LeafValue = boolean | number | bigint | string | Uint8Array

/** The least and the most value, encoded as in a page. */
export type Bounds = { readonly min: Uint8Array; readonly max: Uint8Array }

/** Holds values until they are written; its memory is used again. */
export type ValueStore = {
  readonly count: number
  /** Of all values in a plain page. */
  readonly plainBytes: number
  /** @param value of the type of the store */
  add(value: LeafValue): void
  /** Values from one on, before another one; each call continues where the previous one ended. */
  write(start: number, end: number, sink: ByteSink): void
  /** Undefined for texts, and where a value is in no order. */
  bounds(): Bounds | undefined
  clear(): void
}

export class BooleanStore implements ValueStore {
  #bits = new Uint8Array(256)
  #trues = 0
  count = 0

  get plainBytes(): number {
    return Math.ceil(this.count / 8)
  }

  add(value: LeafValue): void {
    if (this.count === this.#bits.length) this.#bits = toLarger(this.#bits)
    const bit = value === true ? 1 : 0
    this.#bits[this.count++] = bit
    this.#trues += bit
  }

  write(start: number, end: number, sink: ByteSink): void {
    for (let at = start; at < end; at += 8) {
      let byte = 0
      for (let i = at; i < Math.min(at + 8, end); i++) byte |= (this.#bits[i] as number) << (i - at)
      sink.byte(byte)
    }
  }

  bounds(): Bounds | undefined {
    if (this.count === 0) return undefined
    return { min: Uint8Array.of(this.#trues === this.count ? 1 : 0), max: Uint8Array.of(this.#trues > 0 ? 1 : 0) }
  }

  clear(): void {
    this.count = 0
    this.#trues = 0
  }
}

/** Bytes of a number. */
const numberBytes = 8

export class LongStore implements ValueStore {
  readonly #sink = new ByteSink()
  #min: number | bigint = Number.POSITIVE_INFINITY
  #max: number | bigint = Number.NEGATIVE_INFINITY
  count = 0

  get plainBytes(): number {
    return this.#sink.length
  }

  add(value: LeafValue): void {
    if (typeof value === 'number') this.addNumber(value)
    else if (typeof value === 'bigint') {
      this.#sink.reserve(numberBytes)
      this.#sink.length = this.#sink.bytes.writeBigInt64LE(value, this.#sink.length)
      this.#note(value)
    }
  }

  /** @param value a safe integer */
  addNumber(value: number): void {
    const sink = this.#sink
    sink.reserve(numberBytes)
    const { bytes, length } = sink
    writeWord(bytes, length, value | 0)
    writeWord(bytes, length + 4, Math.floor(value / 2 ** 32))
    sink.length = length + numberBytes
    this.#note(value)
  }

  write(start: number, end: number, sink: ByteSink): void {
    sink.append(this.#sink.bytes.subarray(start * numberBytes, end * numberBytes))
  }

  bounds(): Bounds | undefined {
    return this.count === 0 ? undefined : { min: toLong(this.#min), max: toLong(this.#max) }
  }

  clear(): void {
    this.#sink.length = 0
    this.count = 0
    this.#min = Number.POSITIVE_INFINITY
    this.#max = Number.NEGATIVE_INFINITY
  }

  #note(value: number | bigint): void {
    this.count++
    if (value < this.#min) this.#min = value
    if (value > this.#max) this.#max = value
  }
}

/** Times in ms that are written in µs. */
export class MicrosStore extends LongStore {
  override add(value: LeafValue): void {
    if (typeof value !== 'number' && typeof value !== 'bigint') return
    const micros = typeof value === 'number' ? value * 1_000 : value * 1_000n
    super.add(Number.isSafeInteger(micros) ? micros : BigInt(value) * 1_000n)
  }
}

export class DoubleStore implements ValueStore {
  readonly #sink = new ByteSink()
  #min = Number.POSITIVE_INFINITY
  #max = Number.NEGATIVE_INFINITY
  #hasNaN = false
  count = 0

  get plainBytes(): number {
    return this.#sink.length
  }

  add(value: LeafValue): void {
    if (typeof value === 'number') this.addNumber(value)
  }

  addNumber(value: number): void {
    const sink = this.#sink
    sink.reserve(numberBytes)
    sink.length = sink.bytes.writeDoubleLE(value, sink.length)
    this.count++
    if (value < this.#min) this.#min = value
    if (value > this.#max) this.#max = value
    // biome-ignore lint/suspicious/noSelfCompare: only NaN is not itself
    if (value !== value) this.#hasNaN = true
  }

  write(start: number, end: number, sink: ByteSink): void {
    sink.append(this.#sink.bytes.subarray(start * numberBytes, end * numberBytes))
  }

  /** By the rules of parquet.thrift, `ColumnOrder`: none where there is a NaN, and each zero may be the other one. */
  bounds(): Bounds | undefined {
    if (this.count === 0 || this.#hasNaN) return undefined
    return { min: toDouble(this.#min === 0 ? -0 : this.#min), max: toDouble(this.#max === 0 ? 0 : this.#max) }
  }

  clear(): void {
    this.#sink.length = 0
    this.count = 0
    this.#min = Number.POSITIVE_INFINITY
    this.#max = Number.NEGATIVE_INFINITY
    this.#hasNaN = false
  }
}

/** Little-endian, four bytes; without the checks of `writeInt32LE`. */
export const writeWord = (bytes: Uint8Array, at: number, value: number): void => {
  bytes[at] = value & 0xff
  bytes[at + 1] = (value >>> 8) & 0xff
  bytes[at + 2] = (value >>> 16) & 0xff
  bytes[at + 3] = (value >>> 24) & 0xff
}

const toLong = (value: number | bigint): Uint8Array => {
  const bytes = Buffer.alloc(numberBytes)
  bytes.writeBigInt64LE(BigInt(value))
  return bytes
}

const toDouble = (value: number): Uint8Array => {
  const bytes = Buffer.alloc(numberBytes)
  bytes.writeDoubleLE(value)
  return bytes
}

/** A copy with twice the room. */
export const toLarger = <T extends Uint8Array | Int32Array>(values: T): T => {
  const larger = (
    values instanceof Int32Array ? new Int32Array(2 * values.length) : new Uint8Array(2 * values.length)
  ) as T
  larger.set(values)
  return larger
}

import type { Buffer } from 'node:buffer'
import { ByteSink } from './byte-sink.ts'
import type { Bounds, LeafValue, ValueStore } from './value-store.ts'

/** In which order values are; `none`: that is not asked for. */
export type FixedOrder = 'int32' | 'int64' | 'float' | 'double' | 'big-endian' | 'none'

/** Values of one width, as the bytes of a plain page. */
export class FixedStore implements ValueStore {
  readonly width: number
  readonly #order: FixedOrder
  readonly #sink = new ByteSink()
  /** Numbers of the least value and of the most. */
  #min = 0
  #max = 0
  #hasNaN = false
  count = 0

  constructor(width: number, order: FixedOrder) {
    this.width = width
    this.#order = order
  }

  get plainBytes(): number {
    return this.#sink.length
  }

  add(value: LeafValue): void {
    if (!(value instanceof Uint8Array) || value.length !== this.width)
      throw new TypeError(`Expected a value of ${this.width} bytes`)
    this.addBytes(value, 0)
  }

  addBytes(from: Uint8Array, start: number): void {
    const sink = this.#sink
    sink.copy(from, start, start + this.width)
    const number = this.count++
    if (this.#order === 'none') return
    if (number === 0) this.#min = this.#max = 0
    else if (this.#compare(number, this.#min) < 0) this.#min = number
    else if (this.#compare(number, this.#max) > 0) this.#max = number
    this.#hasNaN ||= this.#isNaN(number)
  }

  write(start: number, end: number, sink: ByteSink): void {
    sink.append(this.#sink.bytes.subarray(start * this.width, end * this.width))
  }

  /** By the rules of parquet.thrift, `ColumnOrder`: none where there is a NaN, and each zero may be the other one. */
  bounds(): Bounds | undefined {
    if (this.count === 0 || this.#order === 'none' || this.#hasNaN) return undefined
    const [min, max] = [this.#copy(this.#min), this.#copy(this.#max)]
    if (this.#order === 'float' || this.#order === 'double') {
      const sign = this.width - 1
      if (this.#isZero(min)) min[sign] = 0x80
      if (this.#isZero(max)) max[sign] = 0
    }
    return { min, max }
  }

  clear(): void {
    this.#sink.length = 0
    this.count = 0
    this.#hasNaN = false
  }

  #copy(number: number): Uint8Array {
    return Uint8Array.from(this.#sink.bytes.subarray(number * this.width, (number + 1) * this.width))
  }

  #isZero(bytes: Uint8Array): boolean {
    return bytes.every((byte, i) => byte === 0 || (i === this.width - 1 && byte === 0x80))
  }

  #isNaN(number: number): boolean {
    const { bytes } = this.#sink
    if (this.#order === 'float') return Number.isNaN(bytes.readFloatLE(number * 4))
    return this.#order === 'double' && Number.isNaN(bytes.readDoubleLE(number * 8))
  }

  #compare(left: number, right: number): number {
    const { bytes } = this.#sink
    const [a, b] = [left * this.width, right * this.width]
    switch (this.#order) {
      case 'int32':
        return bytes.readInt32LE(a) - bytes.readInt32LE(b)
      case 'int64':
        return bytes.readInt32LE(a + 4) - bytes.readInt32LE(b + 4) || bytes.readUInt32LE(a) - bytes.readUInt32LE(b)
      case 'float':
        return bytes.readFloatLE(a) - bytes.readFloatLE(b)
      case 'double':
        return bytes.readDoubleLE(a) - bytes.readDoubleLE(b)
      default:
        return compareSigned(bytes, a, b, this.width)
    }
  }
}

const compareSigned = (bytes: Buffer, a: number, b: number, width: number): number => {
  const first = bytes.readInt8(a) - bytes.readInt8(b)
  return first === 0 ? bytes.compare(bytes, b, b + width, a, a + width) : first
}

import { writeUtf8 } from './text.ts'

/** Most bytes of one struct: far above any event, and below what an i32 length can say. */
export const maxStructBytes = 1 << 30

/**
 * Writes Thrift's binary protocol (layout in `reader.ts`) into a buffer that grows.
 * A number outside its type's range is a RangeError, so that nothing is cut off silently.
 */
export class ThriftWriter {
  #bytes: Uint8Array
  #view: DataView
  #at = 0

  constructor(initialBytes = 256) {
    // From Node's pool and not zeroed: five times faster, and only what was written is ever given away.
    this.#bytes = Buffer.allocUnsafe(initialBytes)
    this.#view = new DataView(this.#bytes.buffer, this.#bytes.byteOffset, initialBytes)
  }

  /** Starts over, in the same buffer unless that has grown large: bytes that {@link bytes} returned are overwritten. */
  clear(): void {
    this.#at = 0
    if (this.#bytes.length > maxKeptBytes) this.#use(new Uint8Array(maxKeptBytes))
  }

  fieldHeader(type: number, id: number): void {
    const at = this.#room(3)
    this.#view.setUint8(at, type)
    this.#view.setInt16(at + 1, inRange(id, 0x8000, 'i16'))
  }

  /** Ends a struct. */
  stop(): void {
    const at = this.#room(1)
    this.#view.setUint8(at, 0)
  }

  bool(value: boolean): void {
    const at = this.#room(1)
    this.#view.setUint8(at, value ? 1 : 0)
  }

  byte(value: number): void {
    const at = this.#room(1)
    this.#view.setInt8(at, inRange(value, 0x80, 'byte'))
  }

  i16(value: number): void {
    const at = this.#room(2)
    this.#view.setInt16(at, inRange(value, 0x8000, 'i16'))
  }

  i32(value: number): void {
    const at = this.#room(4)
    this.#view.setInt32(at, inRange(value, 0x8000_0000, 'i32'))
  }

  i64(value: number | bigint): void {
    if (typeof value === 'bigint') this.#bigI64(value)
    else {
      if (!Number.isSafeInteger(value)) throw new RangeError(`Cannot write ${value} as i64: it is not a safe integer`)
      const at = this.#room(8)
      this.#view.setInt32(at, Math.floor(value / twoTo32))
      this.#view.setInt32(at + 4, value % twoTo32)
    }
  }

  /** NaN is written as Java writes it, whatever its bits are here. */
  double(value: number): void {
    const at = this.#room(8)
    if (Number.isNaN(value)) this.#view.setBigUint64(at, 0x7ff8_0000_0000_0000n)
    else this.#view.setFloat64(at, value)
  }

  binary(value: Uint8Array): void {
    this.i32(value.length)
    const at = this.#room(value.length)
    this.#bytes.set(value, at)
  }

  /** The same as {@link binary} of the text's UTF-8, without these bytes in between. */
  text(value: string): void {
    this.binaryBy(maxUtf8Bytes * value.length, (target, at) => writeUtf8(value, target, at))
  }

  /**
   * The same as {@link binary} of what `put` writes from `at` on, at most `maxBytes`.
   * @param put returns the offset after it, or a negative number: then nothing is written
   * @returns whether something was written
   */
  binaryBy(maxBytes: number, put: (target: Uint8Array, at: number) => number): boolean {
    const at = this.#room(4 + maxBytes)
    const start = at + 4
    const end = put(this.#bytes, start)
    this.#at = Math.max(at, end)
    if (end >= 0) this.#view.setInt32(at, end - start)
    return end >= 0
  }

  /** What was written so far: a view that later writes may leave behind. */
  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#at)
  }

  #bigI64(value: bigint): void {
    if (BigInt.asIntN(64, value) !== value) throw new RangeError(`Cannot write ${value} as i64: it takes more bits`)
    const at = this.#room(8)
    this.#view.setBigInt64(at, value)
  }

  /** Makes room for `size` more bytes and returns where they go. To be called first: it may replace buffer and view. */
  #room(size: number): number {
    const at = this.#at
    const needed = at + size
    if (needed > this.#bytes.length) this.#grow(needed)
    this.#at = needed
    return at
  }

  #grow(needed: number): void {
    if (needed > maxStructBytes)
      throw new RangeError(`Cannot write ${needed} bytes as one struct: ${maxStructBytes} at most`)
    const grown = new Uint8Array(Math.max(needed, Math.min(2 * this.#bytes.length, maxStructBytes)))
    grown.set(this.#bytes.subarray(0, this.#at))
    this.#use(grown)
  }

  #use(bytes: Uint8Array<ArrayBuffer>): void {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer)
  }
}

/** Largest buffer that {@link ThriftWriter.clear} keeps. */
const maxKeptBytes = 65_536

const twoTo32 = 0x1_0000_0000

/** Of one UTF-16 unit. */
const maxUtf8Bytes = 3

const inRange = (value: number, limit: number, type: string): number => {
  if (Number.isInteger(value) && value >= -limit && value < limit) return value
  throw new RangeError(`Cannot write ${value} as ${type}: expected a whole number from ${-limit} to ${limit - 1}`)
}

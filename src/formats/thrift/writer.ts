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

  fieldHeader(type: number, id: number): void {
    const at = this.#room(1)
    this.#view.setUint8(at, type)
    this.i16(id)
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

  i64(value: bigint): void {
    if (BigInt.asIntN(64, value) !== value) throw new RangeError(`Cannot write ${value} as i64: it takes more bits`)
    const at = this.#room(8)
    this.#view.setBigInt64(at, value)
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

  /** What was written so far: a view that later writes may leave behind. */
  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#at)
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
    this.#bytes = grown
    this.#view = new DataView(grown.buffer)
  }
}

const inRange = (value: number, limit: number, type: string): number => {
  if (Number.isInteger(value) && value >= -limit && value < limit) return value
  throw new RangeError(`Cannot write ${value} as ${type}: expected a whole number from ${-limit} to ${limit - 1}`)
}

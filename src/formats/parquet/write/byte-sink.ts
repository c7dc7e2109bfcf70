import { Buffer } from 'node:buffer'

/** Bytes that are written one after another, in a buffer that doubles and is used again. */
export class ByteSink {
  bytes: Buffer
  length = 0

  constructor(capacity = 256) {
    this.bytes = Buffer.allocUnsafeSlow(capacity)
  }

  /** Grows the memory for this many more bytes. */
  reserve(more: number): void {
    if (this.length + more <= this.bytes.length) return
    const grown = Buffer.allocUnsafeSlow(Math.max(this.length + more, 2 * this.bytes.length))
    grown.set(this.bytes.subarray(0, this.length))
    this.#become(grown)
  }

  /** Gives up its memory, with all that was written. */
  free(): void {
    this.#become(Buffer.alloc(0))
    this.length = 0
  }

  byte(value: number): void {
    this.reserve(1)
    this.bytes[this.length++] = value
  }

  /** @param value at least 0 */
  varint(value: number): void {
    this.reserve(10)
    let rest = value
    for (; rest > 0x7f; rest = Math.floor(rest / 128)) this.bytes[this.length++] = (rest % 128) | 0x80
    this.bytes[this.length++] = rest
  }

  uint32(value: number): void {
    this.reserve(4)
    this.length = this.bytes.writeUInt32LE(value, this.length)
  }

  append(bytes: Uint8Array): void {
    this.reserve(bytes.length)
    this.bytes.set(bytes, this.length)
    this.length += bytes.length
  }

  /** A part of another buffer, which is mostly short. */
  copy(from: Uint8Array, start: number, end: number): void {
    this.reserve(end - start)
    const { bytes, length } = this
    if (end - start > shortBytes) bytes.set(from.subarray(start, end), length)
    else for (let i = start; i < end; i++) bytes[length + i - start] = from[i] as number
    this.length = length + end - start
  }

  /** What was written: a view that lasts until more is. */
  view(start = 0): Buffer {
    return this.bytes.subarray(start, this.length)
  }

  #become(bytes: Buffer): void {
    // It is not shared: its memory need not wait for garbage collection.
    if (this.bytes.buffer instanceof ArrayBuffer) this.bytes.buffer.transfer(0)
    this.bytes = bytes
  }
}

/** So few bytes are copied one by one: a call would cost more. */
const shortBytes = 64

import { Buffer } from 'node:buffer'
import { FormatError } from '../../errors.ts'

/**
 * Thrown inside this folder where values continue in bytes that have not been decompressed yet: {@link Cursor.grow}
 * them.
 */
export class NeedsMore extends Error {
  readonly cursor: Cursor

  constructor(cursor: Cursor) {
    super('expected more bytes')
    this.cursor = cursor
  }
}

/** Gives the bytes from `at` on and more of them; `isLast` when these are all. */
export type Grow = (at: number) => Promise<{ readonly bytes: Buffer; readonly isLast: boolean }>

/** A place in the bytes of a page, which may be there in part: what was read is let go of when more is asked for. */
export class Cursor {
  bytes: Buffer
  view: DataView
  at: number
  /** Offset of the page in the file, for errors. */
  readonly base: number
  readonly #grow: Grow | undefined
  #isLast: boolean

  constructor(bytes: Uint8Array, base: number, at = 0, grow?: Grow) {
    this.bytes = toBuffer(bytes)
    this.view = toView(this.bytes)
    this.at = at
    this.base = base
    this.#grow = grow
    this.#isLast = grow === undefined
  }

  /** How many bytes are left here. */
  get left(): number {
    return this.bytes.length - this.at
  }

  /** Whether more bytes may follow. */
  get isOpen(): boolean {
    return !this.#isLast
  }

  /** @throws NeedsMore, or FormatError where the page ends before `count` more bytes */
  need(count: number): void {
    if (this.bytes.length - this.at < count) throw this.#isLast ? this.fault(count) : new NeedsMore(this)
  }

  /** Goes over some bytes and returns where they begin. */
  take(count: number): number {
    this.need(count)
    const start = this.at
    this.at += count
    return start
  }

  async grow(): Promise<void> {
    if (this.#grow === undefined) return
    const { bytes, isLast } = await this.#grow(this.at)
    this.bytes = bytes
    this.view = toView(bytes)
    this.at = 0
    this.#isLast = isLast
  }

  fault(count: number): FormatError {
    return new FormatError('parquet', this.base, `expected ${count} more bytes in the page there, found ${this.left};`)
  }
}

const toBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const toView = (bytes: Buffer): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** An unsigned number, 7 bits a byte, least significant first: at most `max`. */
export const readVarint = (cursor: Cursor, max: number): number => {
  let value = 0
  for (let scale = 1, at = 0; at < 10; at++, scale *= 128) {
    const byte = cursor.bytes[cursor.take(1)] as number
    value += (byte & 0x7f) * scale
    if (byte >= 0x80) continue
    if (value <= max) return value
    break
  }
  throw new FormatError('parquet', cursor.base, `expected a number of at most ${max} in the page there;`)
}

import { Buffer } from 'node:buffer'
import type { ByteSink } from './byte-sink.ts'

/** Types of the wire; see `compact.ts`. */
export const wire = { true: 1, false: 2, i8: 3, i32: 5, i64: 6, binary: 8, list: 9, struct: 12 } as const

/** Writes structs in Thrift's compact protocol; fields in the order of their ids. */
export class CompactWriter {
  readonly #sink: ByteSink
  #last = 0

  constructor(sink: ByteSink) {
    this.#sink = sink
  }

  boolean(id: number, value: boolean): void {
    this.#head(id, value ? wire.true : wire.false)
  }

  /** One byte, of a positive number. */
  i8(id: number, value: number): void {
    this.#head(id, wire.i8)
    this.#sink.byte(value)
  }

  i32(id: number, value: number): void {
    this.#head(id, wire.i32)
    this.zigzag(value)
  }

  i64(id: number, value: number): void {
    this.#head(id, wire.i64)
    this.zigzag(value)
  }

  binary(id: number, value: Uint8Array): void {
    this.#head(id, wire.binary)
    this.bytes(value)
  }

  text(id: number, value: string): void {
    this.binary(id, Buffer.from(value))
  }

  struct(id: number, write: () => void): void {
    this.#head(id, wire.struct)
    this.body(write)
  }

  list<T>(id: number, type: number, items: readonly T[], write: (item: T) => void): void {
    this.#head(id, wire.list)
    if (items.length < 15) this.#sink.byte((items.length << 4) | type)
    else {
      this.#sink.byte(0xf0 | type)
      this.#sink.varint(items.length)
    }
    for (const item of items) write(item)
  }

  /** The fields of a struct, and its end: at the root, and as an item of a list. */
  body(write: () => void): void {
    const outer = this.#last
    this.#last = 0
    write()
    this.#sink.byte(0)
    this.#last = outer
  }

  /** As an item of a list. */
  bytes(value: Uint8Array): void {
    this.#sink.varint(value.length)
    this.#sink.append(value)
  }

  /** As an item of a list. @param value within ±2^52 */
  zigzag(value: number): void {
    this.#sink.varint(value < 0 ? -2 * value - 1 : 2 * value)
  }

  #head(id: number, type: number): void {
    this.#sink.byte(((id - this.#last) << 4) | type)
    this.#last = id
  }
}

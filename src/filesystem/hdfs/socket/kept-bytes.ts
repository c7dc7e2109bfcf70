import { createSlabs, lend, release } from '../../../bytes/slabs.ts'

const slabBytes = 256 * 1024
/** A piece that comes in parts is put together in memory that is used again, up to this length. */
const maxCopyBytes = slabBytes / 4

/** Bytes that arrived and were not read. */
export class KeptBytes {
  readonly #copies = createSlabs(slabBytes)
  readonly #kept: Buffer[] = []
  #length = 0
  /** Bytes of the first kept piece that were read already. */
  #at = 0

  get length(): number {
    return this.#length
  }

  add(bytes: Buffer): void {
    if (bytes.length === 0) return
    this.#kept.push(bytes)
    this.#length += bytes.length
  }

  /** The first of them, of which there are so many; lent: they stay until they are released. */
  take(length: number): Buffer {
    this.#length -= length
    const first = this.#kept[0]
    if (length === 0 || first === undefined) return Buffer.alloc(0)
    if (first.length - this.#at >= length) return this.#lendPart(first, length)
    const copy = this.#copyOf(length)
    for (let to = 0; to < length; ) {
      const next = this.#kept[0]
      if (next === undefined) break
      const end = Math.min(next.length, this.#at + length - to)
      next.copy(copy, to, this.#at, end)
      to += end - this.#at
      this.#pass(next, end)
    }
    return copy
  }

  /** Lets go of all. */
  clear(): void {
    for (const kept of this.#kept.splice(0)) release(kept)
    this.#length = 0
    this.#at = 0
  }

  /** Nothing is put together for a while. */
  rest(): void {
    this.#copies.close()
  }

  #lendPart(from: Buffer, length: number): Buffer {
    const part = lend(from.subarray(this.#at, this.#at + length), from)
    this.#pass(from, this.#at + length)
    return part
  }

  /** The first kept piece was read up to `end`. */
  #pass(first: Buffer, end: number): void {
    this.#at = end
    if (end < first.length) return
    this.#kept.shift()
    this.#at = 0
    release(first)
  }

  #copyOf(length: number): Buffer {
    if (length > maxCopyBytes) return Buffer.allocUnsafeSlow(length)
    this.#copies.next()
    return this.#copies.filled(length)
  }
}

import { release } from '../../../bytes/slabs.ts'

/** Bytes that arrived and were not read. They are copied out, so that no small part of them keeps much memory. */
export class KeptBytes {
  readonly #kept: Buffer[] = []
  #length = 0
  /** Bytes of the first kept piece that were read already. */
  #at = 0

  get length(): number {
    return this.#length
  }

  /** @param bytes lent; released when they were copied */
  add(bytes: Buffer): void {
    if (bytes.length === 0) release(bytes)
    else this.#kept.push(bytes)
    this.#length += bytes.length
  }

  /** Moves the first of them to the start of a target. @returns how many: all there are, or as many as fit */
  moveTo(target: Uint8Array): number {
    let to = 0
    while (to < target.length) {
      const first = this.#kept[0]
      if (first === undefined) break
      const end = Math.min(first.length, this.#at + target.length - to)
      to += first.copy(target, to, this.#at, end)
      this.#at = end
      if (end < first.length) break
      this.#kept.shift()
      this.#at = 0
      release(first)
    }
    this.#length -= to
    return to
  }

  /** Lets go of all. */
  clear(): void {
    for (const kept of this.#kept.splice(0)) release(kept)
    this.#length = 0
    this.#at = 0
  }
}

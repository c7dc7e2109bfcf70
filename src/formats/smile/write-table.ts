import { maxShared } from './tokens.ts'

/** A writer's table of names or string values, which can go back to its last {@link WriteTable.mark}. */
export class WriteTable {
  #indexes = new Map<string, number>()
  #count = 0
  /** What was entered since the mark and before the table was emptied, to be taken out again. */
  readonly #added: string[] = []
  #markedIndexes = this.#indexes
  #markedCount = 0

  /** The index to refer to; undefined when the text must be spelled out (and then added). */
  find(text: string): number | undefined {
    return this.#indexes.get(text)
  }

  /** Counts a text that was spelled out, just as the reader does. */
  add(text: string): void {
    if (this.#count === maxShared) {
      // A table of its own, so that the marked one stays.
      this.#indexes = new Map()
      this.#count = 0
    }
    // FE and FF must not occur as the low byte of a reference.
    if ((this.#count & 0xff) < 0xfe) {
      this.#indexes.set(text, this.#count)
      if (this.#indexes === this.#markedIndexes) this.#added.push(text)
    }
    this.#count += 1
  }

  /** Makes the present state the one to go back to. */
  mark(): void {
    this.#added.length = 0
    this.#markedIndexes = this.#indexes
    this.#markedCount = this.#count
  }

  rollback(): void {
    this.#indexes = this.#markedIndexes
    this.#count = this.#markedCount
    for (const text of this.#added) this.#indexes.delete(text)
    this.#added.length = 0
  }
}

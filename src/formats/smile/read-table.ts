import { maxShared } from './tokens.ts'

/** A reader's table of names or string values. */
export class ReadTable {
  readonly #what: string
  readonly #texts: string[] = []
  #isShared: boolean

  constructor(what: 'name' | 'string', isShared: boolean) {
    this.#what = what
    this.#isShared = isShared
  }

  /** Empties the table, for a document that shares or does not. */
  restart(isShared: boolean): void {
    this.#texts.length = 0
    this.#isShared = isShared
  }

  /** Enters a text that was spelled out, and returns it. */
  add(text: string): string {
    if (!this.#isShared) return text
    if (this.#texts.length === maxShared) this.#texts.length = 0
    this.#texts.push(text)
    return text
  }

  /** Any index is taken: writers before Jackson 2.7 refer to those with a low byte of FE and FF, too. */
  get(index: number): string | undefined {
    return this.#texts[index]
  }

  /** Why an index cannot be referred to. */
  complaint(index: number): string {
    const why = this.#isShared ? `the table has ${this.#texts.length} entries` : 'the header says that none are shared'
    return `a reference to ${this.#what} ${index}, but ${why},`
  }
}

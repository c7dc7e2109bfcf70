import { maxShared } from './tokens.ts'

/** What a table was; see {@link ReadTable.save}. */
export type SavedTable = { readonly texts: string[]; readonly length: number; readonly isShared: boolean }

/** A reader's table of names or string values, which can go back to an earlier state at no cost. */
export class ReadTable {
  readonly #what: string
  #texts: string[] = []
  #isShared: boolean

  constructor(what: 'name' | 'string', isShared: boolean) {
    this.#what = what
    this.#isShared = isShared
  }

  save(): SavedTable {
    return { texts: this.#texts, length: this.#texts.length, isShared: this.#isShared }
  }

  restore({ texts, length, isShared }: SavedTable): void {
    texts.length = length
    this.#texts = texts
    this.#isShared = isShared
  }

  /** Begins another table, for a document that shares or does not: the one before may have been saved. */
  restart(isShared: boolean): void {
    this.#texts = []
    this.#isShared = isShared
  }

  /** Enters a text that was spelled out, and returns it. */
  add(text: string): string {
    if (!this.#isShared) return text
    if (this.#texts.length === maxShared) this.#texts = []
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

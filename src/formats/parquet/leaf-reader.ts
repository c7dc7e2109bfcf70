/** The values of one leaf within a row group, a few rows at a time, from pages that are opened when they are needed. */
import { FormatError } from '../../errors.ts'
import type { Budget } from '../budget.ts'
import type { Value } from '../number.ts'
import { NeedsMore } from './cursor.ts'
import { checkLevels } from './levels.ts'
import type { DataPage } from './pages/data-page.ts'
import type { MemoryPlace } from './pages/page-memory.ts'
import type { Leaf } from './schema.ts'

/** A page that is next, before anything of it but its header is read. */
export type NextPage = {
  /** Levels in it. */
  readonly values: number
  /** Rows in it; undefined if only its levels show that. */
  readonly rows: number | undefined
  open(): Promise<DataPage>
  pass(): void
}

/** The data pages of a leaf's chunk, in order. */
export type LeafPages = {
  /** Undefined after the last one. */
  next(): Promise<NextPage | undefined>
  /** Moves to the page of a row, if the file has an index; returns the first row of that page, or undefined. */
  seek(row: number): Promise<number | undefined>
}

export type LeafReaderOptions = {
  /** Of its column, for errors. */
  readonly name: string
  /** Of a row: a longer one is not gathered. */
  readonly budget: Budget
  /** Where levels and values at hand count. */
  readonly place: MemoryPlace
  /** Most levels that are read at once. */
  readonly stepLevels: number
  /** Lets others have a turn, now and then. */
  readonly turn: () => Promise<void> | undefined
}

/** Levels that are read at first: often nothing but the first rows is asked for. */
const firstLevels = 64
/** What a level and a value at hand take, at most, without the bytes of texts and binary, which are those of their page. */
const bytesOfLevel = 64
/** Levels that are skipped in one turn. */
const passLevels = 1 << 20

/** A class, because assembling rows moves its places for each value. */
export class LeafReader {
  readonly leaf: Leaf
  /** Levels that are at hand, from `at` to `wholeEnd` those of whole rows whose values are at hand, from `valueAt`. */
  repetitions = new Uint16Array(firstLevels)
  definitions = new Uint16Array(firstLevels)
  values: Value[] = []
  at = 0
  valueAt = 0
  /** How many whole rows are at hand. */
  rows = 0
  /** Where the levels of the row end that is assembled. */
  rowEnd = 0
  readonly #name: string
  readonly #pages: LeafPages
  readonly #budget: Budget
  readonly #place: MemoryPlace
  readonly #mostLevels: number
  readonly #turn: () => Promise<void> | undefined
  #stepLevels = firstLevels
  #page: DataPage | undefined
  #pageLeft = 0
  #end = 0
  /** Levels before this one have their values. */
  #valuesEnd = 0
  #isOver = false

  constructor(leaf: Leaf, pages: LeafPages, { name, budget, place, stepLevels, turn }: LeafReaderOptions) {
    this.leaf = leaf
    this.#name = name
    this.#pages = pages
    this.#budget = budget
    this.#place = place
    this.#mostLevels = stepLevels
    this.#turn = turn
  }

  /** Advances to the end of the row that begins here. */
  nextRow(): void {
    let end = this.at + 1
    if (this.leaf.maxRepetition > 0) while (end < this.#valuesEnd && this.repetitions[end] !== 0) end++
    this.rowEnd = end
  }

  /**
   * Waits until there is a whole row, or more.
   * @throws FormatError the chunk ends before; LimitError the row is too large
   */
  async fill(): Promise<void> {
    this.#compact()
    for (;;) {
      await this.#readValues()
      this.#countRows()
      if (this.rows > 0) return
      const levels = this.#end - this.at
      if (levels > this.#budget.maxValues) this.#budget.values(levels)
      if (this.#end > this.#valuesEnd) {
        // Values of one row: together they may be no larger than it.
        this.#checkBytes()
        continue
      }
      if (!(await this.#readLevels())) {
        this.#isOver = true
        this.#countRows()
        if (this.rows > 0) return
        throw new FormatError('parquet', 0, `column "${this.#name}" has fewer rows than its row group`)
      }
      await this.#turn()
    }
  }

  /** Skips rows that are not wanted. @throws FormatError the chunk ends before */
  async skip(rows: number): Promise<void> {
    if (rows === 0) return
    let left = rows - ((await this.#pages.seek(rows)) ?? 0)
    if (this.leaf.maxRepetition > 0) return this.#skipNested(left)
    while (left > 0) {
      if (this.#pageLeft === 0) {
        const next = await this.#next()
        if (next.values <= left) {
          next.pass()
          left -= next.values
          continue
        }
        await this.#open(next)
      }
      const some = Math.min(left, this.#pageLeft)
      await this.#skipValues((this.#page as DataPage).definitions.count(some, this.leaf.maxDefinition))
      this.#pageLeft -= some
      left -= some
      await this.#turn()
    }
  }

  /** A row ends where the next one begins, which may be pages later. */
  async #skipNested(rows: number): Promise<void> {
    for (let left = rows; ; await this.#turn()) {
      if (this.at === this.#end) {
        this.at = this.#end = this.#valuesEnd = 0
        if (this.#pageLeft === 0) {
          const next = left > 0 ? await this.#next() : await this.#pages.next()
          if (next === undefined) return
          // On a page with a known number of rows the first level begins a row.
          if (next.rows !== undefined && next.rows <= left) {
            next.pass()
            left -= next.rows
            continue
          }
          await this.#open(next)
        }
        await this.#readLevels()
      }
      let end = this.at
      for (; end < this.#end; end++) if (this.repetitions[end] === 0 && left-- === 0) break
      await this.#skipValues(countEqual(this.definitions, this.at, end, this.leaf.maxDefinition))
      this.at = this.#valuesEnd = end
      if (end < this.#end) return
    }
  }

  async #next(): Promise<NextPage> {
    const next = await this.#pages.next()
    if (next) return next
    throw new FormatError('parquet', 0, `column "${this.#name}" has fewer rows than its row group`)
  }

  async #open(next: NextPage): Promise<void> {
    this.#page = await next.open()
    this.#pageLeft = next.values
  }

  /** Appends levels; false after the last page. */
  async #readLevels(): Promise<boolean> {
    while (this.#pageLeft === 0) {
      const next = await this.#pages.next()
      if (next === undefined) return false
      await this.#open(next)
    }
    const page = this.#page as DataPage
    const start = this.#end
    const some = Math.min(this.#pageLeft, this.#stepLevels)
    this.#stepLevels = Math.min(this.#mostLevels, 2 * this.#stepLevels)
    this.#makeRoom(start + some)
    const { maxRepetition, maxDefinition } = this.leaf
    page.repetitions.read(this.repetitions, start, some)
    page.definitions.read(this.definitions, start, some)
    checkLevels(this.repetitions, start, start + some, maxRepetition, page.base)
    checkLevels(this.definitions, start, start + some, maxDefinition, page.base)
    this.#end += some
    this.#pageLeft -= some
    return true
  }

  /** Reads values for levels that still lack them, as many as one step yields. */
  async #readValues(): Promise<void> {
    const { maxDefinition } = this.leaf
    const wanted = countEqual(this.definitions, this.#valuesEnd, this.#end, maxDefinition)
    if (wanted === 0) {
      this.#valuesEnd = this.#end
      return
    }
    let left = await this.#attempt(reader => reader.read(this.values, wanted))
    while (left > 0) if (this.definitions[this.#valuesEnd++] === maxDefinition) left--
    while (this.#valuesEnd < this.#end && this.definitions[this.#valuesEnd] !== maxDefinition) this.#valuesEnd++
  }

  async #skipValues(count: number): Promise<void> {
    for (let left = count; left > 0; await this.#turn()) {
      const some = Math.min(left, passLevels)
      left -= await this.#attempt(reader => reader.skip(some))
    }
  }

  /** Does something with the page's values, again after more of the page was read if that was missing. */
  async #attempt(step: (reader: DataPage['values']) => number): Promise<number> {
    const { values: reader } = this.#page as DataPage
    for (;;) {
      const back = reader.save()
      const before = this.values.length
      try {
        return step(reader)
      } catch (error) {
        if (!(error instanceof NeedsMore)) throw error
        back()
        this.values.length = before
        await error.cursor.grow()
      }
    }
  }

  #countRows(): void {
    if (this.leaf.maxRepetition === 0) {
      this.rows = this.#valuesEnd - this.at
      return
    }
    let starts = 0
    // A row is whole where the next one begins, whether that has its values or not.
    const end = Math.min(this.#valuesEnd + 1, this.#end)
    for (let at = this.at + 1; at < end; at++) if (this.repetitions[at] === 0) starts++
    const isWhole = this.#isOver && this.#valuesEnd === this.#end
    this.rows = starts + (isWhole && this.at < this.#end ? 1 : 0)
  }

  #checkBytes(): void {
    let bytes = 0
    for (let at = this.valueAt; at < this.values.length; at++) {
      const value = this.values[at]
      if (typeof value === 'string' || value instanceof Uint8Array) bytes += value.length
    }
    if (bytes > this.#budget.maxBytes) this.#budget.bytes(bytes)
  }

  /** Moves what is at hand to the front. */
  #compact(): void {
    if (this.at === 0) return
    this.repetitions.copyWithin(0, this.at, this.#end)
    this.definitions.copyWithin(0, this.at, this.#end)
    this.values = this.valueAt === this.values.length ? [] : this.values.slice(this.valueAt)
    this.#end -= this.at
    this.#valuesEnd -= this.at
    this.at = 0
    this.valueAt = 0
  }

  #makeRoom(size: number): void {
    if (size <= this.definitions.length) return
    this.#place.hold(2 * size * bytesOfLevel, this.#page?.base ?? 0)
    const [repetitions, definitions] = [new Uint16Array(2 * size), new Uint16Array(2 * size)]
    repetitions.set(this.repetitions)
    definitions.set(this.definitions)
    this.repetitions = repetitions
    this.definitions = definitions
  }
}

const countEqual = (levels: Uint16Array, start: number, end: number, wanted: number): number => {
  let count = 0
  for (let at = start; at < end; at++) if (levels[at] === wanted) count++
  return count
}

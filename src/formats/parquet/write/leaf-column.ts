import type { ByteSink } from './byte-sink.ts'
import { writeHybrid } from './hybrid-writer.ts'
import { type LeafValue, toLarger, type ValueStore } from './value-store.ts'

/** Levels of a leaf: how many there are of each; see `schema.ts` for what they are. */
export type LeafLevels = { readonly definition: number; readonly repetition: number }

/** A leaf of a row group: levels, and the values that are not null. */
export class LeafColumn<Store extends ValueStore = ValueStore> {
  readonly values: Store
  #levels: LeafLevels = { definition: 1, repetition: 0 }
  #definitions = new Uint8Array(64)
  #repetitions = new Uint8Array(64)
  /** Rows that have begun. */
  #rows = 0
  /** Nulls included. */
  length = 0

  constructor(values: Store) {
    this.values = values
  }

  /** Begins a row group as a leaf of these levels. */
  open(levels: LeafLevels): this {
    this.#levels = levels
    this.values.clear()
    this.length = 0
    this.#rows = 0
    return this
  }

  get nulls(): number {
    return this.length - this.values.count
  }

  /** A value, or null by a definition level below the highest. */
  level(repetition: number, definition: number): void {
    if (this.length === this.#definitions.length) this.#definitions = toLarger(this.#definitions)
    if (this.#levels.repetition > 0) {
      if (this.length === this.#repetitions.length) this.#repetitions = toLarger(this.#repetitions)
      this.#repetitions[this.length] = repetition
    }
    if (repetition === 0) this.#rows++
    this.#definitions[this.length++] = definition
  }

  /** A value that is added to the store. */
  present(repetition: number): void {
    this.level(repetition, this.#levels.definition)
  }

  add(value: LeafValue, repetition: number): void {
    this.present(repetition)
    this.values.add(value)
  }

  /** Rows that nothing was added for are null. */
  fillUpTo(rows: number): void {
    while (this.#rows < rows) this.level(0, 0)
  }

  /** The end of a page that begins with the row at `start`: at least `values` values, unless there are no more. */
  pageEnd(start: number, values: number): number {
    let end = Math.min(start + values, this.length)
    if (this.#levels.repetition > 0) while (end < this.length && this.#repetitions[end] !== 0) end++
    return end
  }

  /** Of those, how many are not null. */
  countValues(start: number, end: number): number {
    if (this.nulls === 0) return end - start
    let count = 0
    for (let i = start; i < end; i++) if (this.#definitions[i] === this.#levels.definition) count++
    return count
  }

  /** Levels as they precede the values of a page. */
  writeLevels(start: number, end: number, sink: ByteSink): void {
    if (this.#levels.repetition > 0) writeLevels(this.#repetitions, start, end, this.#levels.repetition, sink)
    if (this.#levels.definition > 0) writeLevels(this.#definitions, start, end, this.#levels.definition, sink)
  }
}

const writeLevels = (levels: Uint8Array, start: number, end: number, highest: number, sink: ByteSink): void => {
  const at = sink.length
  sink.uint32(0)
  writeHybrid(levels, start, end, 32 - Math.clz32(highest), sink)
  sink.bytes.writeUInt32LE(sink.length - at - 4, at)
}

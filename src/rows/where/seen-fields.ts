import { nearest } from '../../text/nearest.ts'
import type { PathWatch } from './evaluate.ts'
import type { FieldPath } from './expression.ts'

/** Names of columns that are remembered, to find the one that was meant. */
const maxNames = 1_000

/**
 * Notes which of the columns that are asked about the rows have, and which names within them: formats without a schema
 * do not show it earlier, and none shows the names of a map.
 */
export class SeenFields {
  readonly #asked: readonly string[]
  #missing: Set<string>
  #names = new Set<string>()
  readonly #within: WithinField[] = []

  constructor(asked: readonly string[]) {
    this.#asked = asked
    this.#missing = new Set(asked)
  }

  /** Looks at the names of a row. */
  add(names: readonly string[]): void {
    for (const name of names) {
      this.#missing.delete(name)
      if (this.#names.size < maxNames) this.#names.add(name)
    }
  }

  /** What notes whether a path leads to something; undefined for one that ends with its column. */
  watch(path: FieldPath): PathWatch | undefined {
    if (path.length === 1) return undefined
    const field = new WithinField(path)
    this.#within.push(field)
    return field
  }

  /** Starts over, with the next file. */
  clear(): void {
    for (const field of this.#within) field.clear()
    this.#missing = new Set(this.#asked)
    this.#names = new Set()
  }

  /** Columns, and names within them, that no row has had; none while there was no row that could have them. */
  get missing(): readonly string[] {
    if (this.#names.size === 0) return []
    return [...new Set([...this.#missing, ...this.#lacking.map(({ name }) => name)])]
  }

  get #lacking(): readonly WithinField[] {
    return this.#within.filter(({ isMissing }) => isMissing)
  }

  /** Says it, with the column that was meant perhaps; undefined where there is nothing to say. */
  get problem(): string | undefined {
    const [first] = this.missing
    if (first === undefined) return undefined
    const within = this.#lacking.find(({ name }) => name === first)
    const near = nearest(first, [...(within?.names ?? this.#names)])
    if (near === undefined) return `no row has a column ${toShown(first)}`
    // A path with quotes of its own is shown as it has to be written, except for control characters.
    const shown = within && near.includes('"') ? toShown(near).slice(1, -1).replaceAll('\\"', '"') : toShown(near)
    return `no row has a column ${toShown(first)}; did you mean ${shown}?`
  }
}

/** A path into a column, and the names that are there in place of one of its own. */
class WithinField implements PathWatch {
  readonly name: string
  readonly #path: FieldPath
  #isFound = false
  #isLacking = false
  #names = new Set<string>()

  constructor(path: FieldPath) {
    this.#path = path
    this.name = path.join('.')
  }

  get isMissing(): boolean {
    return this.#isLacking && !this.#isFound
  }

  /** As paths: `user.age`. */
  get names(): ReadonlySet<string> {
    return this.#names
  }

  readonly find = (): void => {
    this.#isFound = true
  }

  readonly lack = (at: number, names: () => readonly string[]): void => {
    if (this.#isFound || (this.#isLacking && this.#names.size >= maxNames)) return
    this.#isLacking = true
    const before = this.#path.slice(0, at)
    for (const name of names().slice(0, maxNames)) this.#names.add([...before, name].map(toWritten).join('.'))
  }

  clear(): void {
    this.#isFound = false
    this.#isLacking = false
    this.#names = new Set()
  }
}

/** A name within a path, as the language has it: in quotes where a dot would lead into it. */
const toWritten = (name: string): string =>
  name === '' || /[\s."]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name

const maxShownChars = 100

const toShown = (name: string): string =>
  JSON.stringify(name.length > maxShownChars ? `${name.slice(0, maxShownChars)}…` : name)

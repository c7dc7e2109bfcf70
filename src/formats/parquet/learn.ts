import { isObject, toName } from '../members.ts'
import { Decimal, Float32, Float64, type Value } from '../number.ts'
import { countLeaves, isList, isStruct, type Kind, maxNesting, type StructKind } from './kind.ts'

/** Most columns of a file, members of structs counted. */
export const maxLearnedColumns = 500

/** An object with more members than this counts as a map, whose keys are data, and is JSON text. */
const maxMembers = 100

/** Longest name of a column, in UTF-16 units. */
const maxNameLength = 255

/** What two values of a place may be, as bits. */
const is = {
  boolean: 1,
  /** An integer whose sender said so (Smile, Thrift), or one beyond 2^53 that a double holds. */
  integer: 2,
  /** An integer of 64 bits that a double does not hold. */
  longInteger: 4,
  double: 8,
  digits: 16,
  text: 32,
  bytes: 64,
  list: 128,
  struct: 256,
  /** A whole number of JSON within 2^53: the next one may have a fraction, for JavaScript writes 12.00 as `12`. */
  whole: 512,
} as const

const anyNumber = is.integer | is.longInteger | is.double | is.digits | is.whole

/** A row to learn from. */
export type LearnedRow = {
  readonly payload: { readonly [key: string]: Value }
  /** Whether its sender distinguished integers from other numbers, as Smile and Thrift do and JSON does not. */
  readonly isTyped: boolean
}

/** Where a value is: in a row of which sender, and how deep. */
type Place = { readonly isTyped: boolean; readonly nesting: number }

/**
 * Learns columns from values: {@link Learner.observe} looks at rows, {@link Learner.settle} adds what they have and the
 * columns lack. What is a column already stays as it is.
 */
export class Learner {
  readonly #columns: StructKind
  /** Values for places that do not exist yet, by the struct that lacks them. */
  readonly #seen = new Map<StructKind, Map<string, Seen>>()

  constructor(columns: StructKind) {
    this.#columns = columns
  }

  /** @param mayLearn which new members of a row may become columns */
  observe({ payload, isTyped }: LearnedRow, mayLearn?: (name: string) => boolean): void {
    this.#observe(this.#columns, payload, { isTyped, nesting: 0 }, mayLearn)
  }

  /** Adds columns up to the limit. @returns whether there are new ones */
  settle(): boolean {
    if (this.#seen.size === 0) return false
    let room = maxLearnedColumns - countLeaves(this.#columns)
    const before = room
    for (const [{ struct }, seen] of this.#seen) {
      const limit = struct === this.#columns.struct ? Number.MAX_SAFE_INTEGER : maxMembers
      const twins = new Set(Array.from(struct.keys(), toTwin))
      for (const [name, values] of seen) {
        const kind = isColumnName(name) && !twins.has(toTwin(name)) ? values.toKind(0) : undefined
        if (kind === undefined || struct.size >= limit || countLeaves(kind) > room) continue
        struct.set(name, kind)
        twins.add(toTwin(name))
        room -= countLeaves(kind)
      }
    }
    this.#seen.clear()
    return room < before
  }

  #observe(
    kind: StructKind,
    object: { readonly [key: string]: Value },
    place: Place,
    mayLearn?: (name: string) => boolean,
  ): void {
    for (const key in object) {
      const value = object[key] ?? null
      if (value === null) continue
      const name = toName(key)
      const known = kind.struct.get(name)
      if (known === undefined) {
        if (mayLearn && !mayLearn(name)) continue
        let seen = this.#seen.get(kind)
        if (!seen) {
          seen = new Map()
          this.#seen.set(kind, seen)
        }
        if (seen.size < maxLearnedColumns) addSeen(seen, name, value, place)
        else seen.get(name)?.add(value, place)
      } else if (typeof known === 'object') this.#observeNested(known, value, below(place))
    }
  }

  #observeNested(kind: Kind, value: Value, place: Place): void {
    if (isStruct(kind)) {
      if (isObject(value)) this.#observe(kind, value, place)
    } else if (isList(kind) && typeof kind.list === 'object' && Array.isArray(value)) {
      for (const element of value) this.#observeNested(kind.list, element, below(place))
    }
  }
}

const below = ({ isTyped, nesting }: Place): Place => ({ isTyped, nesting: nesting + 1 })

const addSeen = (all: Map<string, Seen>, name: string, value: Value, place: Place): void => {
  let seen = all.get(name)
  if (!seen) {
    seen = new Seen()
    all.set(name, seen)
  }
  seen.add(value, place)
}

/**
 * Whether a name can be that of a column: some readers end a name at U+0000, none knows half a surrogate pair, and those
 * in JavaScript lose `__proto__`.
 */
export const isColumnName = (name: string): boolean =>
  name !== '' && name !== '__proto__' && name.length <= maxNameLength && !controls.test(name) && name.isWellFormed()

const controls = /\p{Cc}/u

/** Spark, Hive and DuckDB do not distinguish names by case. */
export const toTwin = (name: string): string => name.toLowerCase()

const hasTwin = (struct: ReadonlyMap<string, Kind>, name: string): boolean => {
  const twin = toTwin(name)
  for (const other of struct.keys()) if (toTwin(other) === twin) return true
  return false
}

/** All values that were seen of a place that has no kind yet. */
class Seen {
  #bits = 0
  #element: Seen | undefined
  #members: Map<string, Seen> | undefined

  add(value: Value, place: Place): void {
    const bit = bitOf(value, place.isTyped)
    this.#bits |= bit
    if (place.nesting >= maxNesting) return
    if (bit === is.list) {
      this.#element ??= new Seen()
      for (const element of value as Value[]) this.#element.add(element, below(place))
    } else if (bit === is.struct) {
      this.#members ??= new Map()
      const object = value as { readonly [key: string]: Value }
      for (const key in object) {
        // One more than allowed shows that there are too many.
        if (this.#members.size > maxMembers) return
        addSeen(this.#members, toName(key), object[key] ?? null, below(place))
      }
    }
  }

  /** Whether all values were null. */
  get isNull(): boolean {
    return this.#bits === 0
  }

  /** Undefined while all values were null, `[]` or `{}`. */
  toKind(nesting: number): Kind | undefined {
    const bits = this.#bits
    if (bits === 0) return undefined
    if ((bits & ~anyNumber) === 0) {
      if (bits & is.digits) return 'digits'
      if (bits & is.double) return bits & is.longInteger ? 'digits' : 'double'
      return bits === is.whole ? 'double' : 'integer'
    }
    if (bits & is.text && bits !== is.text && !(bits & is.bytes)) return 'mixed'
    switch (bits) {
      case is.boolean:
        return 'boolean'
      case is.text:
        return 'text'
      case is.bytes:
        return 'bytes'
      case is.list:
        if (nesting >= maxNesting) return 'json'
        return toListKind(this.#element?.toKind(nesting + 1))
      case is.struct:
        return nesting >= maxNesting || this.#members === undefined ? 'json' : toStructKind(this.#members, nesting + 1)
      default:
        return 'json'
    }
  }
}

const toListKind = (element: Kind | undefined): Kind | undefined => element && { list: element }

const toStructKind = (members: ReadonlyMap<string, Seen>, nesting: number): Kind | undefined => {
  if (members.size > maxMembers) return 'json'
  const struct = new Map<string, Kind>()
  for (const [name, seen] of members) {
    // A member whose only values were empty lists gets a column all the same: otherwise its whole object would get
    // none.
    const kind = seen.toKind(nesting) ?? (seen.isNull ? undefined : 'json')
    if (kind === undefined) continue
    if (!isColumnName(name) || hasTwin(struct, name)) return 'json'
    struct.set(name, kind)
  }
  return struct.size === 0 ? undefined : { struct }
}

const bitOf = (value: Value, isTyped: boolean): number => {
  switch (typeof value) {
    case 'string':
      return is.text
    case 'number':
      if (!Number.isSafeInteger(value)) return is.double
      return isTyped ? is.integer : is.whole
    case 'boolean':
      return is.boolean
    case 'bigint':
      return bitOfInteger(value)
    default:
      return bitOfObject(value)
  }
}

const bitOfInteger = (value: bigint): number => {
  if (BigInt.asIntN(64, value) !== value) return is.digits
  return BigInt(Number(value)) === value ? is.integer : is.longInteger
}

const bitOfObject = (value: Exclude<Value, string | number | boolean | bigint>): number => {
  if (value === null) return 0
  if (Array.isArray(value)) return is.list
  if (value instanceof Float64 || value instanceof Float32) return is.double
  if (value instanceof Decimal) return is.digits
  return value instanceof Uint8Array ? is.bytes : is.struct
}

/** Members of Iceberg's JSON, read strictly. */
import { isObject } from '../formats/members.ts'
import type { Value } from '../formats/number.ts'
import { TableError } from './table-error.ts'

export type Json = { readonly [name: string]: Value }

/** An object of a file, with its place, for errors. */
export class Members {
  readonly json: Json
  readonly where: string

  /** @throws TableError it is not an object */
  constructor(value: Value | undefined, where: string) {
    if (!isObject(value)) throw new TableError(where, 'expected an object')
    this.json = value
    this.where = where
  }

  /** @throws TableError it is missing, or no text; the same, in its kind, of the methods below */
  text(name: string): string {
    const value = this.json[name]
    if (typeof value === 'string') return value
    throw this.fault(name, 'a text')
  }

  /** An integer that a double holds. */
  integer(name: string): number {
    const value = this.json[name]
    if (typeof value === 'number' && Number.isSafeInteger(value)) return value
    throw this.fault(name, 'an integer')
  }

  optionalInteger(name: string): number | undefined {
    return this.json[name] === undefined || this.json[name] === null ? undefined : this.integer(name)
  }

  /** An integer of 64 bits: ids of snapshots are. */
  long(name: string): bigint {
    const value = this.json[name]
    if (typeof value === 'bigint' || Number.isSafeInteger(value)) return BigInt(value as number | bigint)
    throw this.fault(name, 'an integer')
  }

  optionalLong(name: string): bigint | undefined {
    return this.json[name] === undefined || this.json[name] === null ? undefined : this.long(name)
  }

  flag(name: string): boolean {
    const value = this.json[name]
    if (typeof value === 'boolean') return value
    throw this.fault(name, 'true or false')
  }

  /** Objects of a list; none where it is missing. */
  list(name: string): Members[] {
    const value = this.json[name] ?? []
    if (!Array.isArray(value)) throw this.fault(name, 'a list')
    return value.map((item, i) => new Members(item, `${this.where}, ${name} ${i}`))
  }

  /** Texts by name; none where it is missing. */
  texts(name: string): ReadonlyMap<string, string> {
    const value = this.json[name] ?? {}
    if (!isObject(value)) throw this.fault(name, 'an object')
    return new Map(
      Object.entries(value).map(([key, text]) => {
        if (typeof text !== 'string') throw this.fault(name, 'texts')
        return [key, text]
      }),
    )
  }

  fault(name: string, expected: string): TableError {
    return new TableError(this.where, `expected ${expected} in "${name}"`)
  }
}

/** An integer as it is written: one that a double holds is a number. */
export const toJsonLong = (value: bigint): number | bigint =>
  value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value

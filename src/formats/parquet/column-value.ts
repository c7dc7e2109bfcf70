import { stringifyJson } from '../json.ts'
import { isObject, toName } from '../members.ts'
import { Decimal, Float32, Float64, isNumber, type Value } from '../number.ts'
import { isStruct, type Kind, type ScalarKind, type StructKind } from './kind.ts'
import { toMixed } from './mixed.ts'

/** A value as a row group takes it; a `number` in a column of integers or times is a safe integer. */
export type ColumnValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | ColumnValue[]
  | { readonly [name: string]: ColumnValue }

/** The value for a column, equal to the original; undefined where the column holds no such value. */
export const toColumnValue = (kind: Kind, value: Value): ColumnValue | undefined => {
  if (value === null) return null
  if (typeof kind === 'string') return scalars[kind](value)
  return isStruct(kind) ? toStruct(kind, value) : toList(kind.list, value)
}

const toList = (kind: Kind, value: Value): ColumnValue[] | undefined => {
  if (!Array.isArray(value)) return undefined
  const list: ColumnValue[] = []
  for (const element of value) {
    const fitting = toColumnValue(kind, element)
    if (fitting === undefined) return undefined
    list.push(fitting)
  }
  return list
}

const toStruct = ({ struct }: StructKind, value: Value): ColumnValue | undefined => {
  if (!isObject(value)) return undefined
  // Without a prototype: a member may be called `constructor`.
  const members: { __proto__: null; [name: string]: ColumnValue } = { __proto__: null }
  for (const key in value) {
    const member = value[key] ?? null
    if (member === null) continue
    const name = toName(key)
    const kind = struct.get(name)
    const fitting = kind && toColumnValue(kind, member)
    if (fitting === undefined) return undefined
    members[name] = fitting
  }
  return members
}

const toBigInt64 = (value: bigint): bigint | undefined => (BigInt.asIntN(64, value) === value ? value : undefined)

const toExactDouble = (value: bigint): number | undefined => {
  const double = Number(value)
  return Number.isFinite(double) && BigInt(double) === value ? double : undefined
}

/** Of whole numbers: `1.0` is 1, but `-0.0` is not 0. */
const toWhole = (value: number): number | bigint | undefined => {
  if (!Number.isInteger(value) || Object.is(value, -0)) return undefined
  return Number.isSafeInteger(value) ? value : toBigInt64(BigInt(value))
}

/** The text of an instant that `Date` writes the same. */
const toInstant = (text: string): number | undefined => {
  const ms = Date.parse(text)
  return !Number.isNaN(ms) && new Date(ms).toISOString() === text ? ms : undefined
}

const scalars: Readonly<Record<ScalarKind, (value: NonNullable<Value>) => ColumnValue | undefined>> = {
  boolean: value => (typeof value === 'boolean' ? value : undefined),
  integer: value => {
    if (typeof value === 'number') return Number.isSafeInteger(value) ? value : undefined
    if (typeof value === 'bigint') return toBigInt64(value)
    return value instanceof Float64 ? toWhole(value.value) : undefined
  },
  double: value => {
    if (typeof value === 'number') return value
    if (typeof value === 'bigint') return toExactDouble(value)
    return value instanceof Float64 || value instanceof Float32 ? value.value : undefined
  },
  digits: value => {
    if (!isNumber(value) || (!(value instanceof Decimal) && !Number.isFinite(Number(value)))) return undefined
    return value.toString()
  },
  text: value => (typeof value === 'string' ? value : undefined),
  bytes: value => (value instanceof Uint8Array ? value : undefined),
  timestamp: value => (typeof value === 'string' ? toInstant(value) : scalars.integer(value)),
  json: value => stringifyJson(value),
  mixed: toMixed,
  // No sender fills it.
  id: () => undefined,
}

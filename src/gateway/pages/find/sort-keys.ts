import { Buffer } from 'node:buffer'
import { isNumber, type Value } from '../../../formats/number.ts'
import { compareNumbers, isOrdered } from '../../../rows/where/decimal-order.ts'
import { compareInstants, type Instant, toInstant } from '../../../rows/where/instant.ts'
import { toNumberLiteral } from '../../../rows/where/literal.ts'
import { compareTexts } from '../../../text/text-order.ts'

/** What a value is sorted by. */
export type SortKey = { readonly rank: number; readonly value: Value; readonly instant?: Instant }

/** Sorts after everything, in either direction: null, and what is absent. */
const absent = undefined

/** A value that cannot be sorted this way: then the whole column is not. */
export const misfit = Symbol('misfit')

/** One way to understand the values of a column. */
export type SortWay = (value: Value | undefined) => SortKey | typeof absent | typeof misfit

/** Of what has no place among numbers: NaN. */
const lastRank = 5

const isMissing = (value: Value | undefined): value is null | undefined | '' =>
  value === null || value === undefined || value === ''

/** CSV has only texts: a column of texts that are all numbers is sorted by their values. */
const asNumbers: SortWay = value => {
  if (isMissing(value)) return absent
  const number = typeof value === 'string' ? toNumberLiteral(value) : undefined
  return number === undefined ? misfit : { rank: 0, value: number }
}

const asTimes: SortWay = value => {
  if (isMissing(value)) return absent
  const instant = typeof value === 'string' ? toInstant(value) : undefined
  return value === null || instant === undefined ? misfit : { rank: 1, value, instant }
}

/** Numbers by value, exactly, then texts by code point, booleans, bytes and everything else. */
const asIs: SortWay = value => (value === null || value === undefined ? absent : { rank: toRank(value), value })

/** The ways, the first one that fits all values of a column counts; the last one fits any. */
export const sortWays: readonly SortWay[] = [asNumbers, asTimes, asIs]

const toRank = (value: Value): number => {
  if (isNumber(value)) return isOrdered(value) ? 0 : lastRank
  if (typeof value === 'string') return 1
  if (typeof value === 'boolean') return 2
  return value instanceof Uint8Array ? 3 : 4
}

/** Compares keys made in one way. @param sign -1 for the largest first */
export const compareKeys = (a: SortKey | undefined, b: SortKey | undefined, sign: 1 | -1): number => {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
  if (a.rank !== b.rank) return a.rank === lastRank || b.rank === lastRank ? a.rank - b.rank : sign * (a.rank - b.rank)
  return sign * (a.instant && b.instant ? compareInstants(a.instant, b.instant) : compareValues(a.value, b.value))
}

/** @param a of the same rank as `b` */
const compareValues = (a: Value, b: Value): number => {
  if (isOrdered(a) && isOrdered(b)) return compareNumbers(a, b)
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b)
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b)
  return a instanceof Uint8Array && b instanceof Uint8Array ? Buffer.compare(a, b) : 0
}

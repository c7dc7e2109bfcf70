import { Buffer } from 'node:buffer'
import { SluiceError } from '../../errors.ts'
import { formatNames } from '../../formats/name-list.ts'
import { isNumber, type Value } from '../../formats/number.ts'
import { compareNumbers, isOrdered } from '../../rows/where/decimal-order.ts'
import { compareInstants, type Instant, toInstant } from '../../rows/where/instant.ts'
import { toNumber } from '../../rows/where/literal.ts'
import { compareTexts } from '../../rows/where/text-order.ts'
import { parseNamesParam } from '../wanted-columns.ts'
import type { Query } from './links.ts'

/** How the rows of one page are sorted; without `by` they are as in the file, or the last one first. */
export type RowOrder = { readonly by: string | undefined; readonly order: 'asc' | 'desc' }

/**
 * Reads the parameters `by` and `order`.
 * @throws SluiceError `bad-parameter` for more than one column, or a quote that nothing closes
 */
export const parseRowOrder = (params: { readonly by?: string | undefined; order: RowOrder['order'] }): RowOrder => {
  const [by, ...more] = parseNamesParam('by', params.by ?? '')
  if (more.length === 0) return { by, order: params.order }
  throw new SluiceError('bad-parameter', `Parameter "by": expected one column, got ${more.length + 1}`)
}

/** The parameters in a link. */
export const toOrderQuery = ({ by, order }: RowOrder): Query => ({
  by: by === undefined ? undefined : formatNames([by]),
  order: order === 'asc' ? undefined : order,
})

/** Values of one row, in the order of the columns. */
type Cells = readonly (Value | undefined)[]

/**
 * The places of rows in their order on the page: numbers by value, exactly, then texts by code point (or as times, or
 * numbers, where all of the column are), booleans, bytes and all else; what is null or absent comes last either way, and
 * equal ones stay in the order of the file.
 * @param column place of the column in the cells; undefined where rows are not sorted by one
 */
export const sortRows = (
  cells: readonly Cells[],
  column: number | undefined,
  order: RowOrder['order'],
): readonly number[] => {
  const places = [...cells.keys()]
  if (column === undefined) return order === 'desc' ? places.reverse() : places
  const keys = toKeys(cells.map(row => row[column]))
  const sign = order === 'desc' ? -1 : 1
  return places.sort((a, b) => compareKeys(keys[a], keys[b], sign))
}

/** What a value is sorted by. */
type Key = { readonly rank: number; readonly value: Value; readonly instant?: Instant | undefined }

/** Of what has no place among numbers: NaN. */
const lastRank = 5

/** @returns undefined for what comes last */
const toKeys = (values: Cells): readonly (Key | undefined)[] => {
  const toText = chooseTextKey(values)
  return values.map(value => {
    if (value === null || value === undefined) return undefined
    return typeof value === 'string' ? toText(value) : { rank: toRank(value), value }
  })
}

/** CSV has texts alone: a column of numbers, or of times, is one all the same, and what is empty in it is absent. */
const chooseTextKey = (all: Cells): ((text: string) => Key | undefined) => {
  const values = all.filter(value => value !== null && value !== undefined && value !== '')
  const areTexts = (parse: (text: string) => unknown): boolean =>
    values.length > 0 && values.every(value => typeof value === 'string' && parse(value) !== undefined)
  const [areNumbers, areTimes] = [areTexts(toNumber), areTexts(toInstant)]
  return text => {
    if (text === '' && (areNumbers || areTimes)) return undefined
    const number = areNumbers ? toNumber(text) : undefined
    if (number !== undefined) return { rank: 0, value: number }
    return { rank: 1, value: text, instant: areTimes ? toInstant(text) : undefined }
  }
}

const toRank = (value: Value): number => {
  if (isNumber(value)) return isOrdered(value) ? 0 : lastRank
  if (typeof value === 'boolean') return 2
  return value instanceof Uint8Array ? 3 : 4
}

const compareKeys = (a: Key | undefined, b: Key | undefined, sign: number): number => {
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

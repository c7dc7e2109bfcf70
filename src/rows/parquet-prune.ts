/**
 * Which row groups of a Parquet file can hold rows that somebody looks for, by the bounds in the file's footer
 * (parquet.thrift, `Statistics`). Only bounds whose order is that of `where` count: those of signed integers, floating
 * point, times and text. What they do not rule out is read, and so is every column without them.
 */
import type { ColumnMetaData, RowGroup, SchemaElement, Statistics } from 'hyparquet'
import { Float32, toDouble, toInteger } from '../formats/number.ts'
import { type AnyNumber, compareNumbers, isOrdered } from './where/decimal-order.ts'
import type { Comparison, Expression } from './where/expression.ts'
import { compareInstants, type Instant, toInstant } from './where/instant.ts'

type StoredBound = Statistics['min_value']

/** Longest bound in bytes that is kept: writers cut theirs, and what is longer is somebody's whole text. */
const maxBoundBytes = 1_024

/** What of a column's statistics is needed here, in memory of its own. */
export const keepBounds = ({ min_value, max_value, min, max }: Statistics): Statistics => ({
  ...toKept('min_value', min_value),
  ...toKept('max_value', max_value),
  ...toKept('min', min),
  ...toKept('max', max),
})

const toKept = (name: keyof Statistics, bound: StoredBound): Statistics => {
  if (bound === undefined || (bound instanceof Uint8Array && bound.length > maxBoundBytes)) return {}
  return { [name]: bound instanceof Uint8Array ? bound.slice() : bound }
}

/**
 * Whether a row group may have rows of which an expression is true.
 * @param elements of the columns
 */
export const mayMatch = (expression: Expression, group: RowGroup, elements: readonly SchemaElement[]): boolean => {
  switch (expression.kind) {
    case 'and':
      return expression.terms.every(term => mayMatch(term, group, elements))
    case 'or':
      return expression.terms.some(term => mayMatch(term, group, elements))
    case 'not':
      return true
    case 'comparison':
      return mayCompare(expression, group, elements)
  }
}

const mayCompare = (comparison: Comparison, group: RowGroup, elements: readonly SchemaElement[]): boolean => {
  const { path, operator } = comparison
  const [element, ...twins] = elements.filter(({ name }) => name === path[0])
  const [chunk, ...others] = group.columns.filter(({ meta_data: meta }) => meta?.path_in_schema[0] === path[0])
  const isPlain = element?.num_children === undefined && element?.repetition_type !== 'REPEATED'
  if (!element || !chunk?.meta_data || twins.length + others.length > 0 || !isPlain) return true
  const orders = toOrders(comparison, element, chunk.meta_data)
  if (orders === undefined) return true
  const [least, most] = orders
  switch (operator) {
    case '=':
      return least <= 0 && most >= 0
    case '<':
      return least < 0
    case '<=':
      return least <= 0
    case '>':
      return most > 0
    case '>=':
      return most >= 0
    default:
      return true
  }
}

/** How the smallest and the largest value compare with the literal, as `sort` has it. */
type Orders = readonly [least: number, most: number]

const toOrders = (
  { literal }: Comparison,
  element: SchemaElement,
  { statistics = {} }: ColumnMetaData,
): Orders | undefined => {
  const { min_value: min, max_value: max } = statistics
  switch (toOrder(element)) {
    case 'integer':
      if (literal.kind !== 'number') return undefined
      return compareBoth(toSigned(min ?? statistics.min), toSigned(max ?? statistics.max), literal.value)
    case 'floating':
      // Older bounds, without an order that says where NaN stands, may leave values out.
      return literal.kind === 'number'
        ? compareBoth(toFloating(min, element), toFloating(max, element), literal.value)
        : undefined
    case 'time':
      if (literal.kind !== 'text' || literal.instant === undefined) return undefined
      return compareTimes(toTime(min ?? statistics.min), toTime(max ?? statistics.max), literal.instant)
    case 'text':
      // What names a time is compared as a time, and the older bounds compared bytes as if they had signs.
      if (literal.kind !== 'text' || literal.instant || !literal.text.isWellFormed()) return undefined
      return compareBytes(min, max, literal.text)
    case undefined:
      return undefined
  }
}

const signed: ReadonlySet<string | undefined> = new Set([undefined, 'INT_8', 'INT_16', 'INT_32', 'INT_64'])

/** In which order bounds of a column are; undefined where it is another than that of `where`, or not known. */
const toOrder = ({
  type,
  converted_type: converted,
  logical_type: logical,
}: SchemaElement): 'integer' | 'floating' | 'time' | 'text' | undefined => {
  const isBare = converted === undefined && logical === undefined
  if (type === 'INT32' || type === 'INT64') {
    if (signed.has(converted) && (logical === undefined || (logical.type === 'INTEGER' && logical.isSigned))) {
      return 'integer'
    }
    if (type === 'INT32') return converted === 'DATE' ? 'time' : undefined
    return logical?.type === 'TIMESTAMP' || converted?.startsWith('TIMESTAMP_') ? 'time' : undefined
  }
  if (type === 'FLOAT' || type === 'DOUBLE') return isBare ? 'floating' : undefined
  const isText = converted === 'UTF8' || logical?.type === 'STRING'
  return type === 'BYTE_ARRAY' && isText ? 'text' : undefined
}

const toSigned = (bound: StoredBound): AnyNumber | undefined => {
  if (typeof bound === 'bigint') return toInteger(bound)
  return typeof bound === 'number' ? bound : undefined
}

/** Numbers as the rows have them: a float is the decimal that its shortest text names. */
const toFloating = (bound: StoredBound, { type }: SchemaElement): AnyNumber | undefined => {
  if (typeof bound !== 'number') return undefined
  const number = type === 'FLOAT' ? new Float32(bound) : toDouble(bound)
  return isOrdered(number) ? number : undefined
}

const compareBoth = (min: AnyNumber | undefined, max: AnyNumber | undefined, literal: AnyNumber): Orders | undefined =>
  min === undefined || max === undefined ? undefined : [compareNumbers(min, literal), compareNumbers(max, literal)]

const toTime = (bound: StoredBound): Instant | undefined => {
  if (bound instanceof Date) return Number.isNaN(bound.getTime()) ? undefined : toInstant(bound.toISOString())
  return typeof bound === 'string' ? toInstant(bound) : undefined
}

const compareTimes = (min: Instant | undefined, max: Instant | undefined, literal: Instant): Orders | undefined =>
  min && max && [compareInstants(min, literal), compareInstants(max, literal)]

/** Texts are in the order of their UTF-8 bytes; a bound that was cut is still before, or behind, all of them. */
const compareBytes = (min: StoredBound, max: StoredBound, text: string): Orders | undefined => {
  if (!(min instanceof Uint8Array && max instanceof Uint8Array)) return undefined
  const literal = Buffer.from(text)
  return [Buffer.compare(min, literal), Buffer.compare(max, literal)]
}

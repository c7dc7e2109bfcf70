/**
 * Which row groups of a Parquet file can hold wanted rows, by the bounds in the file's footer (parquet.thrift,
 * `Statistics`). Only bounds whose order is that of `where` count: those of signed integers, floating point, times and
 * text. What they do not rule out is read, and so is every column without them.
 */
import { Buffer } from 'node:buffer'
import type { Value } from '../../formats/number.ts'
import { readBound } from '../../formats/parquet/bounds.ts'
import type { Statistics } from '../../formats/parquet/chunk-metadata.ts'
import type { RowGroup } from '../../formats/parquet/metadata.ts'
import type { Leaf, ParquetSchema } from '../../formats/parquet/schema.ts'
import { type AnyNumber, compareNumbers, isOrdered } from '../where/decimal-order.ts'
import type { Comparison, Expression } from '../where/expression.ts'
import { compareInstants, type Instant, toInstant } from '../where/instant.ts'
import { mayBeTrue, type Orders } from '../where/may-be-true.ts'

/**
 * Decides whether a row group may have rows for which an expression is true.
 * @param mayMiss whether a column of a group may have values that its bounds do not count. @default none
 */
export const createPruning = (
  expression: Expression | undefined,
  { columns }: ParquetSchema,
  mayMiss: (column: string, group: RowGroup) => boolean = () => false,
): ((group: RowGroup) => boolean) => {
  if (expression === undefined) return () => true
  const leaves = new Map(
    columns.flatMap(column => (column.kind === 'leaf' ? [[column.name, column.leaf] as const] : [])),
  )
  return group => {
    const chunks = group.chunks()
    return mayMatch(expression, name => {
      const leaf = mayMiss(name, group) ? undefined : leaves.get(name)
      const statistics = leaf && chunks[leaf.index]?.meta?.statistics
      return statistics && { leaf, statistics }
    })
  }
}

/** The known bounds of a column that is not a list or group; undefined if they are unknown. */
export type FindBounds = (name: string) => { readonly leaf: Leaf; readonly statistics: Statistics } | undefined

/** Whether rows whose columns have such bounds may be some of which an expression is true. */
export const mayMatch = (expression: Expression, find: FindBounds): boolean =>
  mayBeTrue(expression, comparison => {
    const found = find(comparison.path[0])
    return found && toOrders(comparison, found.leaf, found.statistics)
  })

const toOrders = ({ literal }: Comparison, leaf: Leaf, statistics: Statistics): Orders | undefined => {
  const { minValue, maxValue } = statistics
  const [min, max] = [minValue ?? statistics.min, maxValue ?? statistics.max]
  switch (toOrder(leaf)) {
    case 'integer':
      return literal.kind === 'number' ? compareBoth(leaf, min, max, literal.value) : undefined
    case 'floating':
      // Older bounds, without an order that says where NaN sorts, may leave values out.
      return literal.kind === 'number' ? compareBoth(leaf, minValue, maxValue, literal.value) : undefined
    case 'time':
      if ((literal.kind !== 'time' && literal.kind !== 'text') || literal.instant?.days === undefined) return undefined
      return compareTimes(toTime(readBound(leaf, min)), toTime(readBound(leaf, max)), literal.instant)
    case 'text':
      // What names a time is compared as a time, and the older bounds compared bytes as if they had signs.
      if (literal.kind !== 'text' || literal.instant || !literal.text.isWellFormed()) return undefined
      return compareBytes(minValue, maxValue, literal.text)
    case undefined:
      return undefined
  }
}

/** In which order bounds of a column are; undefined where it is another than that of `where`, or not known. */
const toOrder = ({ element: { type }, logical }: Leaf): 'integer' | 'floating' | 'time' | 'text' | undefined => {
  const kind = logical?.kind
  if (type === 'INT32' || type === 'INT64') {
    if (logical === undefined || (logical.kind === 'INTEGER' && logical.isSigned)) return 'integer'
    return kind === 'DATE' || kind === 'TIMESTAMP' ? 'time' : undefined
  }
  if (type === 'FLOAT' || type === 'DOUBLE') return logical === undefined ? 'floating' : undefined
  return type === 'BYTE_ARRAY' && kind === 'STRING' ? 'text' : undefined
}

const compareBoth = (
  leaf: Leaf,
  min: Buffer | undefined,
  max: Buffer | undefined,
  literal: AnyNumber,
): Orders | undefined => {
  const [least, most] = [readBound(leaf, min), readBound(leaf, max)]
  if (least === undefined || most === undefined || !isOrdered(least) || !isOrdered(most)) return undefined
  return [compareNumbers(least, literal), compareNumbers(most, literal)]
}

const toTime = (bound: Value | undefined): Instant | undefined =>
  typeof bound === 'string' ? toInstant(bound) : undefined

const compareTimes = (min: Instant | undefined, max: Instant | undefined, literal: Instant): Orders | undefined =>
  min && max && [compareInstants(min, literal), compareInstants(max, literal)]

/** Texts are in the order of their UTF-8 bytes; a bound that was cut is still before, or after, all of them. */
const compareBytes = (min: Buffer | undefined, max: Buffer | undefined, text: string): Orders | undefined => {
  if (min === undefined || max === undefined) return undefined
  const literal = Buffer.from(text)
  return [Buffer.compare(min, literal), Buffer.compare(max, literal)]
}

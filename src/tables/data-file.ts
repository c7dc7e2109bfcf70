/** What a manifest says of a Parquet file, for readers to leave out those that they need not read. */
import type { Buffer } from 'node:buffer'
import { type ParquetFile, readFooter } from '../formats/parquet/file.ts'
import type { FileMetaData } from '../formats/parquet/metadata.ts'
import { type Leaf, toSchema } from '../formats/parquet/schema.ts'
import { compareBounds, toBound, truncateBound } from './bounds.ts'
import { type TableField, toPrimitives } from './schema.ts'
import { TableError } from './table-error.ts'

export type DataFile = {
  /** As the metadata has it. */
  readonly uri: string
  readonly rows: number
  readonly bytes: number
  /** Hours since the epoch of its dates; undefined in a table that does not put files apart. */
  readonly hour: number | undefined
  /** The id of the column that its rows are sorted by, ascending, none of them null; undefined where that is not known. */
  readonly sortedBy: number | undefined
  /** By the ids of columns: bytes, values with those that are null, values that are null; smallest and largest value, as {@link toBound} has them. */
  readonly columnSizes: ReadonlyMap<number, number>
  readonly valueCounts: ReadonlyMap<number, number>
  readonly nullCounts: ReadonlyMap<number, number>
  readonly lowerBounds: ReadonlyMap<number, Buffer>
  readonly upperBounds: ReadonlyMap<number, Buffer>
  /** Where its row groups begin. */
  readonly splitOffsets: readonly number[]
}

/** How a file's columns are those of a table. */
export type DescribeOptions = {
  readonly uri: string
  readonly fields: readonly TableField[]
  /** The column of which a file has one hour. */
  readonly dateId: number | undefined
  /** The id of a column of a file without ids. @default unknown */
  readonly idOf?: ((path: readonly string[]) => number | undefined) | undefined
}

const usPerHour = 3_600_000_000n

/**
 * Reads what the footer of a file says of its columns.
 * @throws FormatError no Parquet file; TableError its dates are of several hours, or not known
 */
export const describeFile = async (file: ParquetFile, options: DescribeOptions): Promise<DataFile> => {
  const footer = await readFooter(file)
  const columns = gatherColumns(footer, options)
  const { uri, dateId } = options
  const of = <T>(pick: (column: Column) => T | undefined): ReadonlyMap<number, T> => {
    const found = new Map<number, T>()
    for (const [id, column] of columns) {
      const value = pick(column)
      if (value !== undefined) found.set(id, value)
    }
    return found
  }
  const isText = (type: string): boolean => type === 'string' || type === 'binary'
  const lower = of(({ type, lower }) => (lower && isText(type) ? truncateBound(lower, type, 'lower') : lower))
  const upper = of(({ type, upper }) => (upper && isText(type) ? truncateBound(upper, type, 'upper') : upper))
  return {
    uri,
    rows: footer.rows,
    bytes: file.size,
    hour: dateId === undefined ? undefined : toHour(uri, columns.get(dateId)),
    sortedBy: findSortedBy(footer, columns),
    columnSizes: of(({ size }) => size),
    valueCounts: of(({ values }) => values),
    nullCounts: of(({ nulls }) => nulls),
    lowerBounds: lower,
    upperBounds: upper,
    splitOffsets: splitOffsetsOf(footer),
  }
}

type Column = {
  readonly leaf: Leaf
  readonly type: string
  size: number
  values: number
  nulls: number | undefined
  lower: Buffer | undefined
  upper: Buffer | undefined
  /** Whether a row group did not say what its bounds are. */
  isOpen: boolean
}

const gatherColumns = (footer: FileMetaData, { fields, idOf }: DescribeOptions): ReadonlyMap<number, Column> => {
  const types = toPrimitives(fields)
  const { leaves } = toSchema(footer.schema)
  const columns = new Map<number, Column>()
  for (const group of footer.groups) {
    const chunks = group.chunks()
    for (const leaf of leaves) {
      const meta = chunks[leaf.index]?.meta
      // Counts and bounds of what is repeated say nothing of rows.
      if (!meta || leaf.maxRepetition > 0) continue
      const id = leaf.element.fieldId ?? idOf?.(meta.path)
      const type = id === undefined ? undefined : types.get(id)
      if (id === undefined || type === undefined) continue
      let column = columns.get(id)
      if (!column) {
        column = { leaf, type, size: 0, values: 0, nulls: 0, lower: undefined, upper: undefined, isOpen: false }
        columns.set(id, column)
      }
      addChunk(column, leaf, meta)
    }
  }
  return columns
}

type Meta = NonNullable<ReturnType<FileMetaData['groups'][number]['chunks']>[number]['meta']>

const addChunk = (column: Column, leaf: Leaf, { compressed, values, statistics }: Meta): void => {
  column.size += compressed
  column.values += values
  const nulls = statistics?.nulls
  column.nulls = column.nulls === undefined || nulls === undefined ? undefined : column.nulls + nulls
  if (nulls === values) return
  const { type } = column
  const lower = statistics?.minValue && toBound(statistics.minValue, type, leaf)
  const upper = statistics?.maxValue && toBound(statistics.maxValue, type, leaf)
  column.isOpen ||= lower === undefined || upper === undefined
  if (column.isOpen || lower === undefined || upper === undefined) {
    column.lower = undefined
    column.upper = undefined
    return
  }
  if (column.lower === undefined || compareBounds(lower, column.lower, type) < 0) column.lower = lower
  if (column.upper === undefined || compareBounds(upper, column.upper, type) > 0) column.upper = upper
}

/** Each row group is sorted, and none begins before the one before it ends. */
const findSortedBy = ({ groups }: FileMetaData, columns: ReadonlyMap<number, Column>): number | undefined => {
  const [first] = groups
  for (const [id, { leaf, type, nulls }] of columns) {
    if (leaf.index !== first?.sortedBy || nulls !== 0) continue
    let last: Buffer | undefined
    const isSorted = groups.every(({ sortedBy, chunks }) => {
      const { minValue, maxValue } = chunks()[leaf.index]?.meta?.statistics ?? {}
      const lower = minValue && toBound(minValue, type, leaf)
      const upper = maxValue && toBound(maxValue, type, leaf)
      if (sortedBy !== leaf.index || lower === undefined || upper === undefined) return false
      const follows = last === undefined || compareBounds(last, lower, type) <= 0
      last = upper
      return follows
    })
    if (isSorted) return id
  }
  return undefined
}

const toHour = (uri: string, column: Column | undefined): number => {
  const { lower, upper, nulls } = column ?? {}
  if (lower === undefined || upper === undefined || nulls !== 0)
    throw new TableError(uri, 'expected a date in each row, with its bounds in the footer')
  const [first, last] = [hourOfBound(lower), hourOfBound(upper)]
  if (first === last) return first
  throw new TableError(uri, `expected dates of one hour, found those from hour ${first} to ${last} since 1970`)
}

/** The hour of all of a file's dates, in hours since the epoch; undefined where they are of several, or some are null. */
export const hourOf = ({ rows, valueCounts, nullCounts, ...file }: DataFile, dateId: number): number | undefined => {
  const [lower, upper] = [file.lowerBounds.get(dateId), file.upperBounds.get(dateId)]
  if (lower === undefined || upper === undefined) return undefined
  if (valueCounts.get(dateId) !== rows || nullCounts.get(dateId) !== 0) return undefined
  const hour = hourOfBound(lower)
  return hour === hourOfBound(upper) ? hour : undefined
}

const hourOfBound = (bound: Buffer): number => Number(floorDiv(bound.readBigInt64LE(), usPerHour))

const floorDiv = (value: bigint, by: bigint): bigint => value / by - (value % by < 0n ? 1n : 0n)

const splitOffsetsOf = ({ groups }: FileMetaData): number[] => {
  const offsets: number[] = []
  for (const { fileOffset, chunks } of groups) {
    const first = chunks()[0]?.meta
    const offset = fileOffset ?? first?.dictionaryOffset ?? first?.dataOffset
    if (offset !== undefined) offsets.push(offset)
  }
  return offsets.sort((a, b) => a - b)
}

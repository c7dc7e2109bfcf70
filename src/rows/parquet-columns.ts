import type { FileMetaData, RowGroup, SchemaElement } from 'hyparquet'
import { Decimal, Float32, maxIntegerBytes, toDouble, toInteger, type Value } from '../formats/number.ts'
import { fromTwosComplement } from '../formats/twos-complement.ts'
import { isDecimal } from './parquet-decimal.ts'
import type { Wanted } from './reading.ts'

/** Turns what the library made of a column into a value of a row. */
export type Converter = (value: unknown) => Value

/** Some columns of a file, as its rows have them. */
export type ParquetColumns = {
  readonly names: readonly string[]
  readonly convert: readonly Converter[]
  /** The metadata of one row group, with what decoding these columns needs and no more: each step sends it to a thread. */
  readonly toGroup: (group: RowGroup) => FileMetaData
}

/**
 * Chooses columns of a file in the order of their names; all of them, or so many, where none are named; behind these
 * those that are looked at to tell which rows are wanted. Names that it does not have
 * are passed over, and where it has none at all its first column stands for its rows.
 * @param elements of the columns, which are elements of the metadata's schema, and no copies
 */
export const chooseColumns = (
  metadata: FileMetaData,
  elements: readonly SchemaElement[],
  { columns: wanted, mostColumns, where }: Pick<Wanted, 'columns' | 'mostColumns' | 'where'>,
): ParquetColumns => {
  const byName = new Map(elements.map(element => [element.name, element]))
  const find = (names: readonly string[]): readonly SchemaElement[] => names.flatMap(name => byName.get(name) ?? [])
  const asked = wanted === undefined ? elements.slice(0, mostColumns) : find(wanted)
  const found = [...new Set([...asked, ...find(where?.columns ?? [])])]
  const chosen = found.length > 0 ? found : elements.slice(0, 1)
  const names = chosen.map(({ name }) => name)
  const read = new Set(names)
  const top = new Set(elements)
  const isUnmarkedText = /^impala/i.test(metadata.created_by ?? '')
  const schema = metadata.schema.map(element => toReadElement(element, top.has(element), isUnmarkedText))
  const { version, num_rows, metadata_length } = metadata
  return {
    names,
    convert: chosen.map(toConverter),
    toGroup: group => {
      // What has no metadata is left to the library, which says so.
      const columns = group.columns.filter(
        ({ meta_data: meta }) => meta === undefined || read.has(meta.path_in_schema[0] ?? ''),
      )
      return { version, num_rows, metadata_length, schema, row_groups: [{ ...group, columns }] }
    },
  }
}

/**
 * An element as the library is told of it: it makes doubles of decimals, parses JSON without regard to digits, and
 * refuses files with BSON or intervals, which are bytes here. Impala does not mark its text.
 */
const toReadElement = (element: SchemaElement, isColumn: boolean, isUnmarkedText: boolean): SchemaElement => {
  const { converted_type: converted, logical_type: logical, ...plain } = element
  const kind = converted ?? logical?.type
  if (plain.type === undefined) return element
  if (isDecimal(element)) return isColumn ? plain : { ...element, converted_type: 'DECIMAL' }
  if (kind === 'BSON' || kind === 'INTERVAL') return plain
  const isText = kind === 'JSON' || kind === 'ENUM' || (kind === undefined && isUnmarkedText)
  return isText && plain.type === 'BYTE_ARRAY' ? { ...plain, converted_type: 'UTF8' } : element
}

/** How a column's values fit the value model. */
const toConverter = (element: SchemaElement): Converter => {
  const { type, num_children: children, repetition_type: repetition } = element
  if (children !== undefined || repetition === 'REPEATED') return toValue
  if (isDecimal(element)) {
    const scale = element.scale ?? 0
    return value => toDecimal(value, scale)
  }
  if (type === 'DOUBLE') return value => (typeof value === 'number' ? toDouble(value) : null)
  if (type === 'FLOAT') return value => (typeof value === 'number' ? new Float32(value) : null)
  return toValue
}

const toDecimal = (value: unknown, scale: number): Value => {
  // A damaged file may have floating-point numbers in a column of decimals.
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value))) {
    return new Decimal(BigInt(value), scale)
  }
  if (!(value instanceof Uint8Array) || value.length === 0 || value.length > maxIntegerBytes) return toValue(value)
  return new Decimal(fromTwosComplement(value), scale)
}

const toValue: Converter = value => {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      return Number.isSafeInteger(value) ? value : toDouble(value)
    case 'bigint':
      return toInteger(value)
    case 'object':
      if (value === null || value instanceof Uint8Array) return value
      if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString()
      if (Array.isArray(value)) return value.map(toValue)
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, toValue(inner)]))
    default:
      return null
  }
}

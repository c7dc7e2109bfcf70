/**
 * Parquet files that the collector wrote: what a column could not hold is in `_extra`, by its name, as JSON. Rows have it in
 * its column again, so that a filter, a sum and a page see every value. Members of `_extra` without a column stay there.
 */
import { parseJson, stringifyJson } from '../../formats/json.ts'
import { fromMembers, isObject, toMembers } from '../../formats/members.ts'
import type { Value } from '../../formats/number.ts'
import {
  extraColumn,
  findKinds,
  isList,
  isStruct,
  type Kind,
  ownColumns,
  type StructKind,
} from '../../formats/parquet/kind.ts'
import type { FileMetaData, RowGroup } from '../../formats/parquet/metadata.ts'
import { fromMixed, hasMixed } from '../../formats/parquet/mixed.ts'
import type { Node, ParquetSchema } from '../../formats/parquet/schema.ts'
import type { Row } from '../row.ts'

export type WrittenColumns = {
  /** The columns to read for some that are wanted: `_extra` after them where it may have their values. */
  readonly toRead: (wanted: readonly Node[]) => readonly Node[]
  /** A row of the wanted columns, made of one of those that were read. */
  readonly toRow: (row: Row, wanted: number) => Row
  /** Whether a row group may have values of a column that are not in it, so that its bounds prove nothing. */
  readonly mayMiss: (column: string, group: RowGroup) => boolean
}

/** Undefined if another program wrote the file, or its columns are not the collector's. */
export const findWrittenColumns = (
  { keyValues }: FileMetaData,
  { columns }: ParquetSchema,
): WrittenColumns | undefined => {
  const kinds = findKinds(keyValues)
  const extra = columns.find(({ name }) => name === extraColumn)
  if (kinds === undefined || extra?.kind !== 'leaf') return undefined
  const isMovable = (name: string): boolean => {
    const kind = kinds.struct.get(name)
    return kind !== undefined && kind !== 'id' && !ownColumns.has(name) && name !== extraColumn
  }
  const restore = createRestore(kinds)
  return {
    toRead: wanted =>
      wanted.includes(extra) || !wanted.some(({ name }) => isMovable(name)) ? wanted : [...wanted, extra],
    toRow: (row, wanted) => toWanted(moveBack(restore(row), isMovable), wanted),
    mayMiss: (column, group) => {
      if (!isMovable(column)) return false
      const nulls = group.chunks()[extra.leaf.index]?.meta?.statistics?.nulls
      return nulls === undefined || nulls < group.rows
    },
  }
}

/** Most members, elements and the like of an `_extra`; one with more stays as it is. */
const maxExtraValues = 100_000

const moveBack = (row: Row, isMovable: (name: string) => boolean): Row => {
  const { names, values } = row
  const at = names.lastIndexOf(extraColumn)
  const text = values[at]
  if (typeof text !== 'string' || countMarks(text) > maxExtraValues) return row
  const extra = parseExtra(text)
  if (extra === undefined) return row
  const moved = [...values]
  const left: [string, Value][] = []
  const members = toMembers(extra)
  for (const [i, name] of members.names.entries()) {
    const value = members.values[i] ?? null
    // A column that is not wanted has its value all the same.
    if (!isMovable(name)) left.push([name, value])
    else if (names.includes(name)) moved[names.indexOf(name)] = value
  }
  moved[at] = left.length === 0 ? null : stringifyJson(fromMembers(left))
  return { names, values: moved }
}

const parseExtra = (text: string): { readonly [name: string]: Value } | undefined => {
  try {
    const value = parseJson(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** More than values, for texts have commas as well. */
const countMarks = (text: string): number => {
  let count = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === comma || code === bracket || code === brace) count++
  }
  return count
}

const comma = 0x2c
const bracket = 0x5b
const brace = 0x7b

/** All names of rows of one shape are one array, also without the last one. */
const shorter = new WeakMap<readonly string[], readonly string[]>()

const toWanted = (row: Row, wanted: number): Row => {
  if (row.names.length === wanted) return row
  const names = shorter.get(row.names) ?? row.names.slice(0, wanted)
  shorter.set(row.names, names)
  return { names, values: row.values.slice(0, wanted) }
}

/** Makes values of mixed columns what they were: texts, or what their JSON says. */
const createRestore = ({ struct }: StructKind): ((row: Row) => Row) => {
  const mixed = new Map(Array.from(struct).filter(([, kind]) => hasMixed(kind)))
  if (mixed.size === 0) return row => row
  return ({ names, values }) => ({
    names,
    values: values.map((value, i) => {
      const kind = mixed.get(names[i] ?? '')
      return kind === undefined ? value : restoreValue(kind, value)
    }),
  })
}

const restoreValue = (kind: Kind, value: Value): Value => {
  if (kind === 'mixed')
    return typeof value === 'string' && countMarks(value) <= maxExtraValues ? fromMixed(value) : value
  if (isList(kind)) return Array.isArray(value) ? value.map(element => restoreValue(kind.list, element)) : value
  if (!isStruct(kind) || !isObject(value)) return value
  const { names, values } = toMembers(value)
  return fromMembers(
    names.map((name, i) => [name, restoreValue(kind.struct.get(name) ?? 'text', values[i] ?? null)] as const),
  )
}

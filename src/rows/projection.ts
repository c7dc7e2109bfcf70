/**
 * A file as one of a table: its columns are known by their ids, whatever they are called in it (Iceberg specification,
 * "Column Projection").
 */

import type { Value } from '../formats/number.ts'

/** A type of a table: a word, or what it is made of. */
export type ProjectedType =
  | string
  | { readonly kind: 'struct'; readonly fields: readonly ProjectedColumn[] }
  | { readonly kind: 'list'; readonly element: ProjectedType }
  | { readonly kind: 'map'; readonly key: ProjectedType; readonly value: ProjectedType }

/** A column of the table, or a member of a struct. */
export type ProjectedColumn = { readonly id: number; readonly name: string; readonly type: ProjectedType }

/** By which names files without ids have columns. */
export type MappedName = {
  readonly id: number | undefined
  readonly names: readonly string[]
  readonly within: readonly MappedName[]
}

/** The columns that a table has now. */
export type Projection = {
  readonly columns: readonly ProjectedColumn[]
  /** Absent where the table says nothing: then the names are those of its columns. */
  readonly mapping?: readonly MappedName[] | undefined
  /** By the ids of columns, what rows have where the file lacks the column. @default null */
  readonly constants?: ReadonlyMap<number, Value> | undefined
}

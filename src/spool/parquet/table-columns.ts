import { isList, isStruct, type Kind, type StructKind } from '../../formats/parquet/kind.ts'
import type { FieldId, FieldIds } from '../../formats/parquet/write/field-ids.ts'

/** The columns of a table that its files can fill. */
export type TableColumns = {
  /** Of the table: another one under its name gives other ids. */
  readonly uuid: string
  /** Its columns, as far as files of ours can have them. */
  readonly columns: StructKind
  /** Of all of these. */
  readonly ids: FieldIds
  /** Its further columns, by name: of types that no event has. */
  readonly others: readonly string[]
  /** Those of the others that it makes wider once events have values for them, as they are then. */
  readonly promotable: StructKind
}

/**
 * The state of an event type's table; `none`: the table does not exist yet. `isClosed`: no column is added now, and
 * values that would need one go into `_extra`. `refused`: why nothing can be written to it.
 */
export type KnownTable =
  | { readonly table: TableColumns | 'none'; readonly isClosed?: boolean }
  | { readonly refused: string }

/**
 * Returns the state of an event type's table, and adds columns to it, or creates it; what it has under these names
 * stays what it is there.
 * @throws an error with the code {@link tableAway} where that is not known now
 */
export type TableOf = (eventName: string, columns?: StructKind) => Promise<KnownTable>

/** Where no table can be asked for. */
export const noTable: TableOf = async eventName => ({
  refused: `The table of "${eventName}" cannot be reached from here`,
})

/** Code of the error where a table cannot be reached: its segment waits. */
export const tableAway = 'TABLE_AWAY'

/** The columns that are left of some where files may have only those that a table has given an id; undefined: none. */
export const keepIdentified = (kind: Kind, id: FieldId): Kind | undefined => {
  if (isStruct(kind)) {
    const struct = keepMembers(kind, id.members ?? noIds)
    return struct.size > 0 ? { struct } : undefined
  }
  if (!isList(kind)) return kind
  const element = id.element && keepIdentified(kind.list, id.element)
  return element && { list: element }
}

export const keepMembers = ({ struct }: StructKind, ids: FieldIds): Map<string, Kind> => {
  const kept = new Map<string, Kind>()
  for (const [name, kind] of struct) {
    const id = ids.get(name)
    const left = id && keepIdentified(kind, id)
    if (left !== undefined) kept.set(name, left)
  }
  return kept
}

const noIds: FieldIds = new Map()

/** A kind of ours and that of a table under one name: the table's, with what ours has beyond it in structs. */
export const mergeKinds = (ours: Kind, theirs: Kind): Kind => {
  if (isStruct(theirs)) {
    const struct = new Map(theirs.struct)
    if (isStruct(ours)) for (const [name, kind] of ours.struct) struct.set(name, mergeOne(kind, struct.get(name)))
    return { struct }
  }
  if (isList(theirs)) return { list: isList(ours) ? mergeKinds(ours.list, theirs.list) : theirs.list }
  return theirs
}

const mergeOne = (ours: Kind, theirs: Kind | undefined): Kind =>
  theirs === undefined ? ours : mergeKinds(ours, theirs)

/** Whether a table has an id for each part of a kind. */
export const isIdentified = (kind: Kind, id: FieldId | undefined): boolean => {
  if (!id) return false
  if (isStruct(kind))
    return kind.struct.entries().every(([name, member]) => isIdentified(member, id.members?.get(name)))
  return !isList(kind) || isIdentified(kind.list, id.element)
}

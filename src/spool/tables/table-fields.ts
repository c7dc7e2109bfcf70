/** Columns as a table has them, and as files of ours do. */

import {
  countLeaves,
  eventIdColumn,
  extraColumn,
  isList,
  isStruct,
  type Kind,
  kindDocs,
  maxNesting,
  type ScalarKind,
  type StructKind,
} from '../../formats/parquet/kind.ts'
import { isColumnName, maxLearnedColumns, toTwin } from '../../formats/parquet/learn.ts'
import type { FieldId, FieldIds } from '../../formats/parquet/write/field-ids.ts'
import { fullNames, type TableField, type TableType } from '../../tables/schema.ts'
import { headColumns } from '../parquet/event-schema.ts'
import { isFor, widenField } from './promotions.ts'

/** The types that columns get. */
const types: Readonly<Record<ScalarKind, string>> = {
  boolean: 'boolean',
  integer: 'long',
  double: 'double',
  bytes: 'binary',
  timestamp: 'timestamptz',
  text: 'string',
  digits: 'string',
  json: 'string',
  mixed: 'string',
  id: 'string',
}

/** A part of a table's columns as files of ours can have it; undefined for one of another type. */
type Known = { readonly kind: Kind; readonly id: FieldId } | undefined

const toKnown = ({ id, type, doc }: Pick<TableField, 'id' | 'type' | 'doc'>, nesting = 0): Known => {
  if (typeof type === 'string') {
    const kind = toScalar(type, doc)
    return kind && { kind, id: { id } }
  }
  if (nesting === maxNesting || type.kind === 'map') return undefined
  if (type.kind === 'list') {
    const element = toKnown({ id: type.id, type: type.element, doc }, nesting + 1)
    return element && { kind: { list: element.kind }, id: { id, element: element.id } }
  }
  const members = toKnownMembers(type.fields, nesting + 1)
  return members.others.length === 0 ? { kind: members.columns, id: { id, members: members.ids } } : undefined
}

const toScalar = (type: string, doc: string | undefined): ScalarKind | undefined => {
  const kinds = Object.keys(types) as ScalarKind[]
  const ofType = kinds.filter(kind => types[kind] === type)
  return ofType.find(kind => kindDocs[kind] !== undefined && kindDocs[kind] === doc) ?? ofType[0]
}

/** What files of ours can have of some columns, and the names of the others. */
export const toKnownMembers = (
  fields: readonly TableField[],
  nesting = 0,
): { readonly columns: StructKind; readonly ids: FieldIds; readonly others: readonly string[] } => {
  const struct = new Map<string, Kind>()
  const ids = new Map<string, FieldId>()
  const others: string[] = []
  for (const field of fields) {
    const known = toKnown(field, nesting)
    if (known && isColumnName(field.name)) {
      struct.set(field.name, known.kind)
      ids.set(field.name, known.id)
    } else others.push(field.name)
  }
  return { columns: { struct }, ids, others }
}

/** Columns that files of ours can have once they are wider, as they are then. @param fixed fields that stay what they are */
export const toPromotable = (fields: readonly TableField[], fixed: ReadonlySet<number>): StructKind => {
  const { others } = toKnownMembers(fields)
  return toKnownMembers(fields.filter(({ name }) => others.includes(name)).map(field => widenField(field, fixed)))
    .columns
}

/** Ids that no field has had. */
export type NextId = () => number

/** What is used up while columns are added. */
type Supply = {
  readonly nextId: NextId
  /** Columns, members of structs counted. */
  left: number
  /** Fields that stay what they are. */
  readonly fixed: ReadonlySet<number>
  /** Full names of all fields, as {@link pathsOf} has them. */
  readonly paths: Set<string>
}

/**
 * Columns with those that they lack of some; undefined where they lack none, or have room for none: several collectors together
 * give a table no more than one alone, except those that every table has. What is there stays what it is, or becomes wider where files
 * of ours can have it only so.
 * @param fixed fields that do not become wider
 */
export const addColumns = (
  fields: readonly TableField[],
  columns: StructKind,
  nextId: NextId,
  fixed: ReadonlySet<number> = new Set(),
): readonly TableField[] | undefined => {
  const left = maxLearnedColumns - countLeaves(toKnownMembers(fields).columns)
  const paths = new Set(Iterator.from(fullNames(fields)).map(toTwin))
  return addMembers(fields, columns, { nextId, left, paths, fixed }, '')
}

/** @param prefix of the paths of these */
const addMembers = (
  fields: readonly TableField[],
  { struct }: StructKind,
  supply: Supply,
  prefix: string,
): readonly TableField[] | undefined => {
  const byTwin = new Map(fields.map(field => [toTwin(field.name), field]))
  const after = new Map(fields.map(field => [field.name, field]))
  let isOther = false
  for (const [name, kind] of struct) {
    const there = after.get(name)
    const next = there
      ? addParts(there, kind, supply, prefix)
      : byTwin.has(toTwin(name))
        ? undefined
        : addField(name, kind, supply, prefix)
    if (!next) continue
    after.set(name, next)
    byTwin.set(toTwin(name), next)
    isOther = true
  }
  return isOther ? [...after.values()] : undefined
}

const addField = (name: string, kind: Kind, supply: Supply, prefix: string): TableField | undefined => {
  const leaves = countLeaves(kind)
  const isOfAll = name === extraColumn || name === eventIdColumn || Object.hasOwn(headColumns, name)
  if (leaves > supply.left && !isOfAll) return undefined
  const paths = [...pathsOf(`${prefix}${toTwin(name)}`, kind)]
  const all = new Set([...supply.paths, ...paths])
  if (all.size < supply.paths.size + paths.length) return undefined
  for (const path of paths) supply.paths.add(path)
  supply.left -= leaves
  return toField(name, kind, supply.nextId)
}

const addParts = (field: TableField, kind: Kind, supply: Supply, prefix: string): TableField | undefined => {
  const found = toKnown(field) ? field : promote(field, kind, supply)
  // A column of a type that no event has takes nothing, whatever else is in it.
  if (!found) return undefined
  const type = addToType(found.type, kind, supply, `${prefix}${toTwin(field.name)}.`)
  if (type) return { ...found, type }
  return found === field ? undefined : found
}

const promote = (field: TableField, kind: Kind, { fixed }: Supply): TableField | undefined => {
  const wide = widenField(field, fixed)
  const known = toKnown(wide)
  return known && isFor(known.kind, kind) ? wide : undefined
}

const addToType = (type: TableType, kind: Kind, supply: Supply, prefix: string): TableType | undefined => {
  if (typeof type === 'string' || type.kind === 'map') return undefined
  if (type.kind === 'struct') {
    const fields = isStruct(kind) ? addMembers(type.fields, kind, supply, prefix) : undefined
    return fields && { ...type, fields }
  }
  const element = isList(kind) ? addToType(type.element, kind.list, supply, `${prefix}element.`) : undefined
  return element && { ...type, element }
}

/** As {@link fullNames}, in one spelling. */
function* pathsOf(path: string, kind: Kind): Generator<string> {
  yield path
  if (isList(kind)) yield* pathsOf(`${path}.element`, kind.list)
  else if (isStruct(kind)) for (const [name, member] of kind.struct) yield* pathsOf(`${path}.${toTwin(name)}`, member)
}

const toField = (name: string, kind: Kind, nextId: NextId): TableField => {
  const id = nextId()
  const doc = docOf(kind)
  return { id, name, isRequired: false, type: toType(kind, nextId), ...(doc === undefined ? {} : { doc }) }
}

/** An element of a list has no place for it. */
const docOf = (kind: Kind): string | undefined => {
  if (isList(kind)) return docOf(kind.list)
  return typeof kind === 'string' ? kindDocs[kind] : undefined
}

const toType = (kind: Kind, nextId: NextId): TableType => {
  if (typeof kind === 'string') return types[kind]
  if (isList(kind)) return { kind: 'list', id: nextId(), element: toType(kind.list, nextId), isRequired: false }
  return { kind: 'struct', fields: Array.from(kind.struct, ([name, member]) => toField(name, member, nextId)) }
}

/** Columns of a Parquet file as those of a table: by their ids, under the names of now, wider where the table has become so. */
import { FormatError } from '../../errors.ts'
import { fromMembers, isObject, toMembers } from '../../formats/members.ts'
import { Float32, Float64, type Value } from '../../formats/number.ts'
import type { Node, ParquetSchema } from '../../formats/parquet/schema.ts'
import type { MappedName, ProjectedColumn, ProjectedType, Projection } from '../projection.ts'
import type { Wanted } from '../reading.ts'
import type { Row } from '../row.ts'

export type ProjectedSchema = {
  /**
   * With those columns of the table that the file has, under their names there; without any, the one that is read to
   * count its rows.
   */
  readonly schema: ParquetSchema
  /** Whether all that it has is called as in the table: only then values of `_extra` find their columns. */
  readonly isSameNames: boolean
  /** Whether bounds of a column are those of the values that rows have. */
  readonly hasBounds: (name: string) => boolean
  /** All columns of the table, and those of them that are wanted or looked at. */
  readonly names: readonly string[]
  readonly wanted: readonly string[]
  /** Makes a row of those that are wanted of what was read of the file. */
  readonly toRow: (row: Row) => Row
}

/** @throws FormatError a column that is not made as that of the table */
export const projectSchema = (
  schema: ParquetSchema,
  { columns, mapping, constants }: Projection,
  wanted: Wanted,
): ProjectedSchema => {
  const hasIds = schema.columns.some(({ fieldId }) => fieldId !== undefined)
  const names = hasIds ? undefined : (mapping ?? columns.map(toOwnName))
  const found = columns.flatMap(column => {
    const node = schema.columns.find(one => column.id === idOf(one, names))
    return node ? [{ column, ...projectNode(node, column, names && withinOf(node, names)) }] : []
  })
  const changes = new Map(found.map(({ column, change }) => [column.name, change]))
  const target = toTarget(columns, wanted)
  const lacking = columns.filter(({ name }) => !changes.has(name))
  const [first] = schema.columns
  const standIn = first ? [{ ...first, name: '' }] : []
  return {
    schema: { ...schema, columns: found.length > 0 ? found.map(({ node }) => node) : standIn },
    isSameNames: found.every(({ isSameName }) => isSameName),
    hasBounds: name => changes.get(name) === undefined,
    names: columns.map(({ name }) => name),
    wanted: target,
    toRow: createToRow(target, changes, new Map(lacking.map(({ id, name }) => [name, constants?.get(id) ?? null]))),
  }
}

const createToRow = (
  names: readonly string[],
  changes: ReadonlyMap<string, Change | undefined>,
  /** Of columns that the file lacks. */
  constants: ReadonlyMap<string, Value>,
): ((row: Row) => Row) => {
  const places = new WeakMap<readonly string[], readonly number[]>()
  return row => {
    const from = places.get(row.names) ?? names.map(name => row.names.indexOf(name))
    places.set(row.names, from)
    const values = from.map((at, i): Value => {
      const name = names[i] ?? ''
      const value = row.values[at] ?? constants.get(name) ?? null
      return changes.get(name)?.(value) ?? value
    })
    return { names, values }
  }
}

/** The columns of a row that the reader wants, or looks at. */
const toTarget = (columns: readonly ProjectedColumn[], { columns: wanted, mostColumns, where }: Wanted): string[] => {
  const names = columns.map(({ name }) => name)
  const asked = wanted ? wanted.filter(name => names.includes(name)) : names.slice(0, mostColumns)
  const looked = where?.isAnyColumn ? names : names.filter(name => where?.columns.includes(name))
  return [...new Set([...asked, ...looked])]
}

/** Makes a value of the table of one of the file. */
type Change = (value: Value) => Value

type Projected = { readonly node: Node; readonly isSameName: boolean; readonly change: Change | undefined }

const toOwnName = ({ id, name, type }: ProjectedColumn): MappedName => ({ id, names: [name], within: toOwnNames(type) })

const toOwnNames = (type: ProjectedType): readonly MappedName[] => {
  if (typeof type === 'string') return []
  const inner = (name: string, of: ProjectedType): MappedName => ({
    id: undefined,
    names: [name],
    within: toOwnNames(of),
  })
  switch (type.kind) {
    case 'struct':
      return type.fields.map(toOwnName)
    case 'list':
      return [inner('element', type.element)]
    case 'map':
      return [inner('key', type.key), inner('value', type.value)]
  }
}

const findName = ({ name }: Node, names: readonly MappedName[]): MappedName | undefined =>
  names.find(mapped => mapped.names.includes(name))

const idOf = (node: Node, names: readonly MappedName[] | undefined): number | undefined =>
  names ? findName(node, names)?.id : node.fieldId

const withinOf = (node: Node, names: readonly MappedName[]): readonly MappedName[] =>
  findName(node, names)?.within ?? []

const projectNode = (
  node: Node,
  { name, type }: Pick<ProjectedColumn, 'name' | 'type'>,
  names: readonly MappedName[] | undefined,
): Projected => {
  const inner = (of: Node, as: string, innerType: ProjectedType): Projected =>
    projectNode(
      of,
      { name: of.name, type: innerType },
      names?.find(mapped => mapped.names.includes(as))?.within ?? (names && []),
    )
  const isSameName = node.name === name
  const kind = typeof type === 'string' ? 'leaf' : type.kind
  if (node.kind !== kind)
    throw new FormatError(
      'parquet',
      0,
      `expected a ${kind} in column "${name}", as the table has it, found a ${node.kind}`,
    )
  if (typeof type === 'string')
    return { node: { ...node, name }, isSameName, change: type === 'double' ? widenFloat : undefined }
  if (type.kind === 'struct' && node.kind === 'struct') {
    const projected = projectStruct(node, type.fields, names)
    return { ...projected, node: { ...projected.node, name }, isSameName: isSameName && projected.isSameName }
  }
  if (type.kind === 'list' && node.kind === 'list') {
    const item = inner(node.item, 'element', type.element)
    const { change } = item
    return {
      node: { ...node, name, item: item.node },
      isSameName: isSameName && item.isSameName,
      change: change && (value => (Array.isArray(value) ? value.map(change) : value)),
    }
  }
  if (type.kind === 'map' && node.kind === 'map') {
    const [key, value] = [inner(node.key, 'key', type.key), inner(node.value, 'value', type.value)]
    return {
      node: { ...node, name, key: key.node, value: value.node },
      isSameName: isSameName && key.isSameName && value.isSameName,
      change: value.change && changeMembers(value.change),
    }
  }
  return { node, isSameName, change: undefined }
}

/** Maps are objects where their keys are texts, and otherwise lists of pairs, which stay as they are. */
const changeMembers =
  (change: Change): Change =>
  value => {
    if (!isObject(value)) return value
    const { names, values } = toMembers(value)
    return fromMembers(names.map((name, i) => [name, change(values[i] ?? null)] as const))
  }

/** All members are read, also those that the table no longer has: they show whether the struct is null. */
const projectStruct = (
  node: Node & { readonly kind: 'struct' | 'variant' },
  fields: readonly ProjectedColumn[],
  names: readonly MappedName[] | undefined,
): Projected => {
  const children = node.children.map((child, i) => {
    const field = fields.find(({ id }) => id === idOf(child, names))
    // No name that a member has.
    return field
      ? projectNode(child, field, names && withinOf(child, names))
      : { node: { ...child, name: `\0${i}` }, isSameName: false, change: undefined }
  })
  const changes = new Map(children.map(({ node: { name }, change }) => [name, change]))
  const isSame =
    children.length === fields.length &&
    children.every(({ node: child, change }, i) => child.name === fields[i]?.name && !change)
  return {
    node: { ...node, children: children.map(child => child.node) },
    isSameName: children.every(child => child.isSameName),
    change: isSame ? undefined : value => (isObject(value) ? toStruct(value, fields, changes) : value),
  }
}

const toStruct = (
  value: { [name: string]: Value },
  fields: readonly ProjectedColumn[],
  changes: ReadonlyMap<string, Change | undefined>,
): Value => {
  const { names, values } = toMembers(value)
  return fromMembers(
    fields.map(({ name }) => {
      const member = values[names.indexOf(name)] ?? null
      return [name, changes.get(name)?.(member) ?? member] as const
    }),
  )
}

/** Of a file from before the column became wider. */
export const widenFloat: Change = value => {
  if (!(value instanceof Float32)) return value
  return Number.isInteger(value.value) ? new Float64(value.value) : value.value
}

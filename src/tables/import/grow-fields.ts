import { fullNames, type TableField, type TableType } from '../schema.ts'
import { type Shape, type ShapedColumn, UnfitColumn } from './column-shape.ts'

/** Columns of a table, and the highest id that was ever given. */
export type Columns = { readonly fields: readonly TableField[]; readonly lastColumnId: number }

/** What becomes of the columns of a table with a file: ids are for good, a column stays what it is or becomes wider. */
export type Grown = Columns & {
  /** Whether there are new columns, or wider ones. */
  readonly isChanged: boolean
  /** Whether a column became wider, so that bounds of files that were looked at before are too short. */
  readonly isWider: boolean
}

/** @throws UnfitColumn a column of the file is another than that of its name in the table, or would have the full name of another */
export const growFields = (columns: Columns, file: readonly ShapedColumn[]): Grown => {
  const growth: Growth = { lastId: columns.lastColumnId, isChanged: false, isWider: false }
  const fields = growMembers(columns.fields, file, growth, '')
  if (growth.isChanged) checkNames(fields)
  return { fields, lastColumnId: growth.lastId, isChanged: growth.isChanged, isWider: growth.isWider }
}

const checkNames = (fields: readonly TableField[]): void => {
  const seen = new Set<string>()
  for (const name of fullNames(fields)) {
    if (seen.has(name))
      throw new UnfitColumn(
        `a column "${name}" and the member ${name} of another one have one name, which no reader takes`,
      )
    seen.add(name)
  }
}

type Growth = { lastId: number; isChanged: boolean; isWider: boolean }

const growMembers = (
  fields: readonly TableField[],
  members: readonly ShapedColumn[],
  growth: Growth,
  path: string,
): TableField[] => {
  const shapes = new Map(members.map(({ name, shape }) => [name, shape]))
  const known = fields.map(field => {
    const shape = shapes.get(field.name)
    shapes.delete(field.name)
    return shape === undefined ? field : { ...field, type: growType(field.type, shape, growth, path + field.name) }
  })
  // A level gets its ids before those below it, as other writers have it.
  const added = Array.from(shapes, ([name, shape]) => ({ id: ++growth.lastId, name, shape }))
  growth.isChanged ||= added.length > 0
  return [
    ...known,
    ...added.map(({ id, name, shape }) => ({ id, name, isRequired: false, type: toType(shape, growth) })),
  ]
}

const growType = (type: TableType, shape: Shape, growth: Growth, path: string): TableType => {
  if (typeof type === 'string' || typeof shape === 'string') {
    if (typeof type === 'string' && typeof shape === 'string') return widen(type, shape, growth, path)
  } else if (type.kind === 'struct' && shape.kind === 'struct')
    return { ...type, fields: growMembers(type.fields, shape.members, growth, `${path}.`) }
  else if (type.kind === 'list' && shape.kind === 'list')
    return { ...type, element: growType(type.element, shape.element, growth, `${path}.element`) }
  else if (type.kind === 'map' && shape.kind === 'map')
    return {
      ...type,
      key: growType(type.key, shape.key, growth, `${path}.key`),
      value: growType(type.value, shape.value, growth, `${path}.value`),
    }
  throw clash(path, shape, type)
}

/** The promotions of the specification ("Schema Evolution"); a file from before one is read as the wider type. */
const widen = (type: string, found: string, growth: Growth, path: string): string => {
  if (toWords(type) === toWords(found)) return type
  if (isNarrower(found, type)) return type
  if (!isNarrower(type, found)) throw clash(path, found, type)
  growth.isChanged = true
  growth.isWider = true
  return found
}

const isNarrower = (narrow: string, wide: string): boolean => {
  if (narrow === 'int') return wide === 'long'
  if (narrow === 'float') return wide === 'double'
  const [from, to] = [narrow, wide].map(word => /^decimal\((\d+),\s*(\d+)\)$/.exec(word))
  return !!from && !!to && from[2] === to[2] && Number(from[1]) < Number(to[1])
}

/** Writers put a space into `decimal(9, 2)`, or do not. */
const toWords = (type: string): string => type.replace(/\s+/g, '')

const toType = (shape: Shape, growth: Growth): TableType => {
  if (typeof shape === 'string') return shape
  switch (shape.kind) {
    case 'struct':
      return { kind: 'struct', fields: growMembers([], shape.members, growth, '') }
    case 'list':
      return { kind: 'list', id: ++growth.lastId, element: toType(shape.element, growth), isRequired: false }
    case 'map': {
      const [keyId, valueId] = [++growth.lastId, ++growth.lastId]
      const [key, value] = [toType(shape.key, growth), toType(shape.value, growth)]
      return { kind: 'map', keyId, key, valueId, value, isRequired: false }
    }
  }
}

const clash = (path: string, found: Shape, type: TableType): UnfitColumn =>
  new UnfitColumn(`the column ${path} is ${nameOf(found)} there, and ${nameOf(type)} in the table`)

const nameOf = (type: Shape | TableType): string => (typeof type === 'string' ? type : `a ${type.kind}`)

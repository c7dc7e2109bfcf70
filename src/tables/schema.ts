/**
 * Schemas of tables (Iceberg specification, "Schemas and Data Types" and Appendix C). A type is a word (`long`,
 * `timestamptz`, `decimal(10,2)`, `fixed[16]`), or
 *
 *     {"type": "struct", "fields": [{"id": 1, "name": "a", "required": false, "type": …}, …]}
 *     {"type": "list", "element-id": 2, "element-required": false, "element": …}
 *     {"type": "map", "key-id": 3, "key": …, "value-id": 4, "value-required": false, "value": …}
 */
import type { Value } from '../formats/number.ts'
import { Members } from './members.ts'
import { TableError } from './table-error.ts'

export type TableType = string | StructType | ListType | MapType
export type StructType = { readonly kind: 'struct'; readonly fields: readonly TableField[] }
export type ListType = {
  readonly kind: 'list'
  readonly id: number
  readonly element: TableType
  readonly isRequired: boolean
}
export type MapType = {
  readonly kind: 'map'
  readonly keyId: number
  readonly key: TableType
  readonly valueId: number
  readonly value: TableType
  readonly isRequired: boolean
}

/** A column of a table, or a member of a struct. */
export type TableField = {
  /** For good; of no other field of the table. */
  readonly id: number
  readonly name: string
  readonly isRequired: boolean
  readonly type: TableType
  readonly doc?: string | undefined
}

export type TableSchema = {
  readonly id: number
  readonly fields: readonly TableField[]
  /** Fields that tell rows apart, where a writer says so (`identifier-field-ids`). */
  readonly identifierIds: readonly number[]
}

/** Deepest nesting of types. */
const maxTypeNesting = 100

/** @throws TableError */
export const parseTableSchema = (schema: Members): TableSchema => ({
  id: schema.optionalInteger('schema-id') ?? 0,
  fields: parseFields(schema, 0),
  identifierIds: parseIds(schema, 'identifier-field-ids'),
})

const parseIds = (schema: Members, name: string): readonly number[] => {
  const value = schema.json[name] ?? []
  if (Array.isArray(value) && value.every(id => typeof id === 'number')) return value
  throw schema.fault(name, 'a list of integers')
}

const parseFields = (struct: Members, nesting: number): TableField[] =>
  struct.list('fields').map(field => {
    const { doc } = field.json
    return {
      id: field.integer('id'),
      name: field.text('name'),
      isRequired: field.flag('required'),
      type: parseType(field, 'type', nesting),
      ...(typeof doc === 'string' ? { doc } : {}),
    }
  })

const parseType = (holder: Members, name: string, nesting: number): TableType => {
  const value = holder.json[name]
  if (typeof value === 'string') return value
  if (nesting === maxTypeNesting)
    throw new TableError(holder.where, `expected at most ${maxTypeNesting} levels of types`)
  const type = new Members(value, `${holder.where}, ${name}`)
  const kind = type.text('type')
  switch (kind) {
    case 'struct':
      return { kind, fields: parseFields(type, nesting + 1) }
    case 'list':
      return {
        kind,
        id: type.integer('element-id'),
        element: parseType(type, 'element', nesting + 1),
        isRequired: type.flag('element-required'),
      }
    case 'map':
      return {
        kind,
        keyId: type.integer('key-id'),
        key: parseType(type, 'key', nesting + 1),
        valueId: type.integer('value-id'),
        value: parseType(type, 'value', nesting + 1),
        isRequired: type.flag('value-required'),
      }
    default:
      throw type.fault('type', 'struct, list or map')
  }
}

export const toSchemaJson = ({ id, fields, identifierIds }: TableSchema): { [name: string]: Value } => ({
  type: 'struct',
  'schema-id': id,
  ...(identifierIds.length > 0 ? { 'identifier-field-ids': [...identifierIds] } : {}),
  fields: fields.map(toFieldJson),
})

const toFieldJson = ({ id, name, isRequired, type, doc }: TableField): { [name: string]: Value } => ({
  id,
  name,
  required: isRequired,
  type: toTypeJson(type),
  ...(doc === undefined ? {} : { doc }),
})

const toTypeJson = (type: TableType): Value => {
  if (typeof type === 'string') return type
  switch (type.kind) {
    case 'struct':
      return { type: 'struct', fields: type.fields.map(toFieldJson) }
    case 'list':
      return {
        type: 'list',
        'element-id': type.id,
        element: toTypeJson(type.element),
        'element-required': type.isRequired,
      }
    case 'map':
      return {
        type: 'map',
        'key-id': type.keyId,
        key: toTypeJson(type.key),
        'value-id': type.valueId,
        value: toTypeJson(type.value),
        'value-required': type.isRequired,
      }
  }
}

/** What is within a type: members of a struct, the element of a list, key and value of a map; by these names readers look them up. */
export const innerFields = (type: TableType): readonly Pick<TableField, 'id' | 'name' | 'type'>[] => {
  if (typeof type === 'string') return []
  switch (type.kind) {
    case 'struct':
      return type.fields
    case 'list':
      return [{ id: type.id, name: 'element', type: type.element }]
    case 'map':
      return [
        { id: type.keyId, name: 'key', type: type.key },
        { id: type.valueId, name: 'value', type: type.value },
      ]
  }
}

/** Types that are words, by the ids of their fields. */
export const toPrimitives = (fields: readonly TableField[]): ReadonlyMap<number, string> => {
  const types = new Map<number, string>()
  const add = ({ id, type }: Pick<TableField, 'id' | 'type'>): void => {
    if (typeof type === 'string') types.set(id, type)
    innerFields(type).forEach(add)
  }
  fields.forEach(add)
  return types
}

/**
 * The full names of fields, by which readers look them up: `a.b` is the member `b` of the struct `a`, and with a column of that name
 * beside it none of them takes the schema.
 */
export function* fullNames(fields: readonly Pick<TableField, 'name' | 'type'>[], prefix = ''): Generator<string> {
  for (const { name, type } of fields) {
    const full = `${prefix}${name}`
    yield full
    yield* fullNames(innerFields(type), `${full}.`)
  }
}

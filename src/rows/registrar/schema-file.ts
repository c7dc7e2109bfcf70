/**
 * Schemas of event types in a local file, for servers without a schema registry. YAML, or JSON, a member for each type:
 *
 *     PageView: [path, width, isNew]             # the fields 1, 2, 3
 *     Order:                                     # by id, with types where they are known
 *       1: { name: id, type: long }
 *       2: { name: total, type: double }
 *       7: coupon
 *
 * The types are those of {@link schemaTypes}; a field without one is what its events have.
 */
import { parse, YAMLError } from 'yaml'
import { type SchemaField, schemaTypes } from './registrar.ts'

/** Most fields of a type, and largest id of a Thrift field. */
const maxFields = 4_096
const maxId = 0x7fff

/** Schemas by event type. @throws TypeError that names the type and the field, and says what was expected */
export const parseSchemaFile = (text: string): ReadonlyMap<string, readonly SchemaField[]> => {
  const types = new Map<string, readonly SchemaField[]>()
  const found = parseYaml(text)
  if (found === null || found === undefined) return types
  if (!(found instanceof Map)) throw new TypeError('expected a member for each event type, such as "PageView: [path]"')
  for (const [type, fields] of found as Map<unknown, unknown>) types.set(String(type), toFields(String(type), fields))
  return types
}

/** Objects as maps: names may be those of members that every object has. */
const parseYaml = (text: string): unknown => {
  try {
    return parse(text, { mapAsMap: true, maxAliasCount: 0 })
  } catch (cause) {
    const why = cause instanceof YAMLError ? cause.message.split('\n', 1)[0] : String(cause)
    throw new TypeError(`not YAML: ${why}`, { cause })
  }
}

const toFields = (type: string, given: unknown): readonly SchemaField[] => {
  const entries = Array.isArray(given) ? given.map((field: unknown, i) => [i + 1, field] as const) : toEntries(given)
  if (entries === undefined || entries.length > maxFields) {
    throw new TypeError(`${type}: expected a list of field names, or fields by id, ${maxFields} at most`)
  }
  const fields = entries.map(([id, field]) => toField(`${type}, field ${String(id)}`, Number(id), field))
  const names = new Set<string>()
  for (const { id, name } of fields) {
    if (names.has(name)) throw new TypeError(`${type}, field ${id}: the name "${name}" is there twice`)
    names.add(name)
  }
  return fields.sort((a, b) => a.id - b.id)
}

const toEntries = (given: unknown): (readonly [unknown, unknown])[] | undefined =>
  given instanceof Map ? [...(given as Map<unknown, unknown>)] : undefined

const toField = (place: string, id: number, given: unknown): SchemaField => {
  if (!Number.isInteger(id) || Math.abs(id) > maxId) {
    throw new TypeError(`${place}: expected an id of a Thrift field, -${maxId} to ${maxId}`)
  }
  const { name, type = '' } =
    given instanceof Map ? { name: given.get('name'), type: given.get('type') } : { name: given }
  if (typeof name !== 'string' || name === '') {
    throw new TypeError(`${place}: expected a name, or {name: …, type: …}`)
  }
  const known = String(type ?? '').toLowerCase()
  if (known !== '' && !schemaTypes.has(known)) {
    throw new TypeError(`${place}: the type "${known}" is unknown; expected one of ${[...schemaTypes].join(', ')}`)
  }
  return { id, name, type: known }
}

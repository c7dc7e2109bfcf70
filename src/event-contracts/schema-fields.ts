import { isObject, toName } from '../formats/members.ts'
import type { Value } from '../formats/number.ts'
import type { SchemaFile } from './read-schema.ts'
import { maxSchemaFields } from './schema-limits.ts'
import { ownMembers } from './vocabulary.ts'

/** A column as a registrar names it; `type` is one of the registrar's, empty if any value is allowed. */
export type ContractField = { readonly id: number; readonly name: string; readonly type: string }

type FileOf = (file: string) => SchemaFile | undefined
type Part = { readonly schema: Value | undefined; readonly source: SchemaFile }

/** How far references and parts are followed. */
const maxFollowed = 16

/**
 * The properties of a schema as columns, in their order, which numbers them from 1: those of the schema itself, then those
 * of what it refers to and is put together of (`$ref`, `allOf`).
 */
export const toContractFields = (source: SchemaFile, fileOf: FileOf): readonly ContractField[] => {
  const types = new Map<string, string>()
  const visit = (part: Part, depth: number): void => {
    if (!isObject(part.schema) || depth > maxFollowed) return
    const { properties, allOf } = part.schema
    if (isObject(properties))
      for (const key in properties) {
        const name = toName(key)
        if (ownMembers.includes(name) || types.has(name) || types.size >= maxSchemaFields) continue
        types.set(name, toType({ schema: properties[key], source: part.source }, fileOf, depth))
      }
    const target = follow(part, fileOf)
    if (target !== undefined) visit(target, depth + 1)
    if (Array.isArray(allOf)) for (const schema of allOf) visit({ schema, source: part.source }, depth + 1)
  }
  visit({ schema: source.root, source }, 0)
  return Array.from(types, ([name, type], index) => ({ id: index + 1, name, type }))
}

const registrarTypes: Readonly<Record<string, string>> = {
  boolean: 'boolean',
  integer: 'long',
  number: 'double',
  string: 'string',
}

const toType = (part: Part, fileOf: FileOf, depth: number): string => {
  const { schema } = part
  if (!isObject(schema) || depth > maxFollowed) return ''
  const types = new Set(toTypes(schema).filter(type => type !== 'null'))
  // Whole numbers are numbers.
  if (types.has('number')) types.delete('integer')
  const [only = ''] = types
  if (types.size === 1) return registrarTypes[only] ?? ''
  const target = types.size === 0 ? follow(part, fileOf) : undefined
  return target === undefined ? '' : toType(target, fileOf, depth + 1)
}

/** As said, or as the values that are allowed have it. */
const toTypes = ({ type, enum: values, const: value }: { readonly [key: string]: Value }): readonly string[] => {
  if (type !== undefined) return (Array.isArray(type) ? type : [type]).filter(one => typeof one === 'string')
  const allowed = Array.isArray(values) ? values : value === undefined ? [] : [value]
  return allowed.map(one => (typeof one === 'string' ? 'string' : typeof one === 'boolean' ? 'boolean' : ''))
}

const follow = ({ schema, source }: Part, fileOf: FileOf): Part | undefined => {
  const ref = isObject(schema) ? schema['$ref'] : undefined
  if (typeof ref !== 'string') return undefined
  const [name = '', fragment = ''] = ref.split('#')
  const target = name === '' ? source : fileOf(decodeURIComponent(name.replace(/^\.\//, '')))
  if (target === undefined) return undefined
  let found: Value | undefined = target.root
  for (const step of decodeURIComponent(fragment).split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    found = Array.isArray(found) ? found[Number(key)] : isObject(found) ? found[key] : undefined
  }
  return { schema: found, source: target }
}

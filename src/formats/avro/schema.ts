/** Avro schemas (specification 1.12), as far as data is read with the schema that it was written with. */
import { FormatError } from '../../errors.ts'
import type { SecondDigits } from '../iso-time.ts'
import { maxDepth } from '../number.ts'

/** A schema whose names are resolved; a named type may contain itself. */
export type AvroSchema =
  | { readonly type: 'null' | 'boolean' | 'float' | 'double' | 'string' }
  | { readonly type: 'int' | 'long'; readonly time?: AvroTime }
  | { readonly type: 'bytes'; readonly scale?: number }
  | { readonly type: 'fixed'; readonly size: number; readonly scale?: number; readonly isUuid?: boolean }
  | { readonly type: 'enum'; readonly symbols: readonly string[] }
  | { readonly type: 'array' | 'map'; readonly items: AvroSchema }
  | { readonly type: 'union'; readonly branches: readonly AvroSchema[] }
  | { readonly type: 'record'; readonly names: readonly string[]; readonly fields: readonly AvroSchema[] }

/**
 * Resolves a schema as it is in a file.
 * @throws FormatError `avro schema`: not JSON, an unknown type or name, or deeper than 1 000 levels
 */
export const parseAvroSchema = (text: string): AvroSchema => {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (cause) {
    throw new FormatError('avro schema', 0, 'expected JSON', { cause })
  }
  return toSchema(json, { named: new Map(), namespace: '', depth: 0 })
}

/** The meaning of an integer. */
export type AvroTime = {
  readonly kind: 'date' | 'time' | 'timestamp'
  /** Of its unit; none for a date. */
  readonly digits: SecondDigits
}

type Scope = { readonly named: Map<string, AvroSchema>; readonly namespace: string; readonly depth: number }
type Json = { readonly [key: string]: unknown }

const primitives = ['null', 'boolean', 'int', 'long', 'float', 'double', 'string', 'bytes'] as const

const toSchema = (json: unknown, outer: Scope): AvroSchema => {
  const scope = { ...outer, depth: outer.depth + 1 }
  if (scope.depth > maxDepth) throw fault(`expected at most ${maxDepth} levels`)
  if (typeof json === 'string') return toNamed(json, scope)
  if (Array.isArray(json)) {
    return { type: 'union', branches: json.map(branch => toSchema(branch, scope)) }
  }
  if (typeof json !== 'object' || json === null) throw fault('expected a type')
  const object = json as Json
  const { type } = object
  switch (type) {
    case 'record':
    case 'error':
      return toRecord(object, scope)
    case 'enum': {
      const symbols = toArray(object['symbols'], 'symbols').map(symbol => toName(symbol, 'symbol'))
      return declare(object, scope, { type: 'enum', symbols })
    }
    case 'fixed': {
      const size = object['size']
      if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0)
        throw fault('expected the size of a fixed')
      const isUuid = size === 16 && object['logicalType'] === 'uuid'
      return declare(object, scope, { type: 'fixed', size, ...toScale(object), ...(isUuid ? { isUuid } : {}) })
    }
    case 'array':
      return { type, items: toSchema(object['items'], scope) }
    case 'map':
      return { type, items: toSchema(object['values'], scope) }
    case 'bytes':
      return { type, ...toScale(object) }
    case 'int':
    case 'long':
      return { type, ...toTime(type, object) }
    default:
      return toSchema(type, scope)
  }
}

const toNamed = (name: string, { named, namespace }: Scope): AvroSchema => {
  const primitive = primitives.find(known => known === name)
  if (primitive) return { type: primitive }
  const found = named.get(toFullName(name, namespace)) ?? named.get(name)
  if (found) return found
  throw fault(`unknown type "${name.slice(0, 200)}"`)
}

const toRecord = (object: Json, scope: Scope): AvroSchema => {
  const names: string[] = []
  const fields: AvroSchema[] = []
  // Declared before its fields are read: they may refer to it.
  const record = declare(object, scope, { type: 'record', names, fields })
  const fullName = toFullName(toName(object['name'], 'name'), toNamespace(object, scope))
  const namespace = fullName.slice(0, Math.max(0, fullName.lastIndexOf('.')))
  for (const field of toArray(object['fields'], 'fields')) {
    if (typeof field !== 'object' || field === null) throw fault('expected a field')
    names.push(toName((field as Json)['name'], 'name'))
    fields.push(toSchema((field as Json)['type'], { ...scope, namespace }))
  }
  return record
}

const declare = (object: Json, scope: Scope, schema: AvroSchema): AvroSchema => {
  const name = toName(object['name'], 'name')
  scope.named.set(toFullName(name, toNamespace(object, scope)), schema)
  return schema
}

const toNamespace = (object: Json, { namespace }: Scope): string =>
  typeof object['namespace'] === 'string' ? object['namespace'] : namespace

const toFullName = (name: string, namespace: string): string =>
  name.includes('.') || namespace === '' ? name : `${namespace}.${name}`

const toScale = (object: Json): { readonly scale?: number } => {
  if (object['logicalType'] !== 'decimal') return {}
  const scale = object['scale'] ?? 0
  return typeof scale === 'number' && (scale | 0) === scale ? { scale } : {}
}

const timesOf: Readonly<Record<'int' | 'long', { readonly [logicalType: string]: AvroTime }>> = {
  int: {
    date: { kind: 'date', digits: 3 },
    'time-millis': { kind: 'time', digits: 3 },
  },
  long: {
    'time-micros': { kind: 'time', digits: 6 },
    'timestamp-millis': { kind: 'timestamp', digits: 3 },
    'timestamp-micros': { kind: 'timestamp', digits: 6 },
    'timestamp-nanos': { kind: 'timestamp', digits: 9 },
    'local-timestamp-millis': { kind: 'timestamp', digits: 3 },
    'local-timestamp-micros': { kind: 'timestamp', digits: 6 },
    'local-timestamp-nanos': { kind: 'timestamp', digits: 9 },
  },
}

/** A logical type that does not go with its type is left alone, as the specification has it. */
const toTime = (type: 'int' | 'long', { logicalType }: Json): { readonly time?: AvroTime } => {
  const times = timesOf[type]
  if (typeof logicalType !== 'string' || !Object.hasOwn(times, logicalType)) return {}
  const time = times[logicalType]
  return time === undefined ? {} : { time }
}

const toArray = (value: unknown, what: string): readonly unknown[] => {
  if (Array.isArray(value)) return value
  throw fault(`expected ${what}`)
}

const toName = (value: unknown, what: string): string => {
  if (typeof value === 'string') return value
  throw fault(`expected a ${what}`)
}

const fault = (message: string): FormatError => new FormatError('avro schema', 0, message)

/**
 * The partition of a file, as a manifest has it: a record with a member for each field that files are put apart by. Its names are
 * those of the fields as far as Avro has such names; the ids of its fields say which they are.
 */
import { Buffer } from 'node:buffer'
import { parseJson } from '../formats/json.ts'
import { isObject, toKey } from '../formats/members.ts'
import type { Value } from '../formats/number.ts'
import type { Json } from './members.ts'
import type { PartitionField } from './metadata.ts'

/** Values by the ids of the fields of a partition. */
export type PartitionValues = ReadonlyMap<number, Value>

/** A name that Avro has, as other writers make it: `event day` is `event_x20day`, and `1st` is `_1st`. */
export const toAvroName = (name: string): string => name.replace(/[^A-Za-z0-9_]/g, toHexName).replace(/^(?=\d)/, '_')

const toHexName = (char: string): string => `_x${char.charCodeAt(0).toString(16).toUpperCase()}`

/** The record of a partition. */
export const writePartition = (fields: readonly PartitionField[], values: PartitionValues): { [name: string]: Value } =>
  Object.fromEntries(fields.map(({ fieldId, name }) => [toAvroName(name), values.get(fieldId) ?? null]))

/** What the list of manifests says of the hours of one: its bounds, and whether some are null. */
export const boundHours = (hours: readonly Value[]): { [name: string]: Value } => {
  const known = hours.filter(hour => typeof hour === 'number')
  const bound = (hour: number): Buffer => {
    const bytes = Buffer.alloc(4)
    bytes.writeInt32LE(hour)
    return bytes
  }
  const bounds: { [name: string]: Value } =
    known.length === 0
      ? {}
      : {
          lower_bound: bound(known.reduce((a, b) => Math.min(a, b))),
          upper_bound: bound(known.reduce((a, b) => Math.max(a, b))),
        }
  return { contains_null: known.length < hours.length, contains_nan: false, ...bounds }
}

/** Reads records of partitions. @param schema of the manifest, as JSON */
export const createPartitionReader = (schema: string): ((partition: Value | undefined) => PartitionValues) => {
  const entry = parseJson(schema)
  const file = fieldsOf(entry).find(({ name }) => name === 'data_file')
  const members = fieldsOf(fieldsOf(file?.type).find(({ name }) => name === 'partition')?.type)
  const ids = members.flatMap(({ name, id }) => (typeof id === 'number' ? [[id, toKey(name)] as const] : []))
  return partition => {
    const record: Json = isObject(partition) ? partition : {}
    return new Map(ids.map(([id, key]) => [id, record[key] ?? null]))
  }
}

type Member = { readonly name: string; readonly type: Value | undefined; readonly id: Value | undefined }

const fieldsOf = (record: Value | undefined): readonly Member[] => {
  const fields = isObject(record) ? record['fields'] : undefined
  if (!Array.isArray(fields)) return []
  return fields.flatMap(field => {
    const name = isObject(field) ? field['name'] : undefined
    return isObject(field) && typeof name === 'string' ? [{ name, type: field['type'], id: field['field-id'] }] : []
  })
}

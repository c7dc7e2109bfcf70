/**
 * The metadata of a table, format version 2 (Iceberg specification, "Table Metadata Fields"): one JSON object, replaced as
 * a whole by each change. Members that Sluice does not know stay as they are, and ids of 63 bits exact.
 */
import { parseJson } from '../formats/json.ts'
import type { Value } from '../formats/number.ts'
import { type Json, Members, toJsonLong } from './members.ts'
import { nameMapping, toMappingText } from './name-mapping.ts'
import { parseTableSchema, type TableField, type TableSchema, toSchemaJson } from './schema.ts'
import { toDateLines } from './snapshot-dates.ts'
import { TableError } from './table-error.ts'

/** The version that is written; 1 and 3 are refused. */
export const formatVersion = 2

/** How files are put apart: by a transform of a column. */
export type PartitionField = {
  readonly sourceId: number
  readonly fieldId: number
  readonly name: string
  readonly transform: string
}

export type PartitionSpec = { readonly id: number; readonly fields: readonly PartitionField[] }

/** How rows of a file are sorted, where the file says that they are. */
export type SortOrder = {
  readonly id: number
  readonly fields: readonly { readonly sourceId: number; readonly transform: string; readonly direction: string }[]
}

export type Snapshot = {
  readonly id: bigint
  readonly parentId: bigint | undefined
  readonly sequenceNumber: number
  /** ms since the epoch */
  readonly timestampMs: number
  /** Where its list of manifests is. */
  readonly manifestList: string
  readonly summary: ReadonlyMap<string, string>
}

export type TableMetadata = {
  /** All of it, as in the file. */
  readonly json: Json
  readonly uuid: string
  /** Where the table is: what it refers to begins so. */
  readonly location: string
  readonly lastSequenceNumber: number
  /** Highest id of a field that was ever given. */
  readonly lastColumnId: number
  /** ms since the epoch */
  readonly lastUpdatedMs: number
  /** The current one. */
  readonly schema: TableSchema
  /** For what is written from now on. */
  readonly spec: PartitionSpec
  /** With those that older files were put apart by. */
  readonly specs: readonly PartitionSpec[]
  readonly sortOrders: readonly SortOrder[]
  readonly properties: ReadonlyMap<string, string>
  readonly snapshots: readonly Snapshot[]
  /** Absent of a table without rows. */
  readonly current: Snapshot | undefined
}

/**
 * @param where the file, for errors
 * @throws TableError no metadata of a table, or another version of the format
 */
export const parseMetadata = (text: string, where: string): TableMetadata => {
  let value: Value
  try {
    value = parseJson(text)
  } catch (cause) {
    throw new TableError(where, `expected JSON: ${(cause as Error).message}`, { cause })
  }
  return toMetadata(value, where)
}

/** @throws TableError as {@link parseMetadata} */
export const toMetadata = (value: Value, where: string): TableMetadata => {
  const members = new Members(value, where)
  const version = members.integer('format-version')
  if (version !== formatVersion)
    throw new TableError(where, `expected format version ${formatVersion} of Iceberg, found ${version}`)
  const snapshots = members.list('snapshots').map(parseSnapshot)
  // Older writers say -1 of a table without rows.
  const currentId = members.optionalLong('current-snapshot-id')
  const current = snapshots.find(({ id }) => id === currentId)
  if (current === undefined && currentId !== undefined && currentId !== -1n)
    throw new TableError(where, `the current snapshot ${currentId} is not among the snapshots`)
  const specs = members.list('partition-specs').map(parseSpec)
  return {
    json: members.json,
    uuid: members.text('table-uuid'),
    location: members.text('location').replace(/\/+$/, ''),
    lastSequenceNumber: members.integer('last-sequence-number'),
    lastColumnId: members.integer('last-column-id'),
    lastUpdatedMs: members.integer('last-updated-ms'),
    schema: pick(members.list('schemas').map(parseTableSchema), members, 'current-schema-id'),
    spec: pick(specs, members, 'default-spec-id'),
    specs,
    sortOrders: members.list('sort-orders').map(parseSortOrder),
    properties: members.texts('properties'),
    snapshots,
    current,
  }
}

const pick = <T extends { readonly id: number }>(all: readonly T[], members: Members, name: string): T => {
  const id = members.integer(name)
  const found = all.find(one => one.id === id)
  if (found) return found
  throw new TableError(members.where, `"${name}" is ${id}, which does not exist`)
}

const parseSpec = (spec: Members): PartitionSpec => ({
  id: spec.integer('spec-id'),
  fields: spec.list('fields').map(field => ({
    sourceId: field.integer('source-id'),
    fieldId: field.integer('field-id'),
    name: field.text('name'),
    transform: field.text('transform'),
  })),
})

const parseSortOrder = (order: Members): SortOrder => ({
  id: order.integer('order-id'),
  fields: order.list('fields').map(field => ({
    sourceId: field.integer('source-id'),
    transform: field.text('transform'),
    direction: field.text('direction'),
  })),
})

const parseSnapshot = (snapshot: Members): Snapshot => ({
  id: snapshot.long('snapshot-id'),
  parentId: snapshot.optionalLong('parent-snapshot-id'),
  sequenceNumber: snapshot.optionalInteger('sequence-number') ?? 0,
  timestampMs: snapshot.integer('timestamp-ms'),
  manifestList: snapshot.text('manifest-list'),
  summary: snapshot.texts('summary'),
})

/** Most files of earlier metadata that are remembered, where the table does not say otherwise. */
const usualEarlierMetadata = 100

const maxEarlierMetadata = (properties: TableMetadata['properties']): number => {
  const said = properties.get('write.metadata.previous-versions-max') ?? ''
  return /^[1-9]\d{0,5}$/.test(said) ? Number(said) : usualEarlierMetadata
}

/** What every change of a table has: when, and where the metadata before it is. */
export type MetadataStep = { readonly now: number; readonly baseUri: string }

/** @returns members that go over those of the metadata before */
export const stepOn = ({ json, lastUpdatedMs, properties }: TableMetadata, { now, baseUri }: MetadataStep): Json => {
  const log = listOf(json, 'metadata-log')
  const before: Json = { 'timestamp-ms': lastUpdatedMs, 'metadata-file': baseUri }
  return {
    // Clocks of other writers may be ahead, and other programs refuse dates that go back.
    'last-updated-ms': Math.max(now, lastUpdatedMs),
    'metadata-log': [...log, { ...before }].slice(-maxEarlierMetadata(properties)),
  }
}

/** The metadata with another current schema. @param fields all of them @param lastColumnId highest id of a field */
export const withFields = (
  table: TableMetadata,
  { fields, lastColumnId }: { readonly fields: readonly TableField[]; readonly lastColumnId: number },
  step: MetadataStep,
): Json => {
  const schemas = listOf(table.json, 'schemas')
  const mapping = toMappingText(fields, table.properties.get(nameMapping))
  const properties = { ...objectOf(table.json, 'properties'), [nameMapping]: mapping }
  const id =
    1 + Math.max(...schemas.map((schema, i) => new Members(schema, `schemas ${i}`).optionalInteger('schema-id') ?? 0))
  return {
    ...table.json,
    ...stepOn(table, step),
    properties,
    schemas: [...keepUsed(schemas, table), toSchemaJson({ ...table.schema, id, fields })],
    'current-schema-id': id,
    'last-column-id': Math.max(table.lastColumnId, lastColumnId),
  }
}

/** Schemas of snapshots, and that of the table now: columns that come one by one would leave as many schemas as columns. */
const keepUsed = (schemas: readonly Value[], { json, schema }: TableMetadata): readonly Value[] => {
  const idOf = (one: Value, what: string) => new Members(one, what).optionalInteger('schema-id')
  const used = new Set(listOf(json, 'snapshots').map(snapshot => idOf(snapshot, 'snapshots')))
  return schemas.filter(one => {
    const id = idOf(one, 'schemas') ?? 0
    return id === schema.id || used.has(id)
  })
}

export type NewSnapshot = Pick<Snapshot, 'id' | 'sequenceNumber' | 'manifestList' | 'summary'>

/** The metadata with a snapshot on the main branch, and some properties. */
export const withSnapshot = (
  table: TableMetadata,
  { id, sequenceNumber, manifestList, summary }: NewSnapshot,
  properties: ReadonlyMap<string, string>,
  step: MetadataStep,
): Json => {
  const { json, current, schema } = table
  const next = stepOn(table, step)
  const date = Math.max(step.now, table.lastUpdatedMs)
  const snapshot: Json = {
    'sequence-number': sequenceNumber,
    'snapshot-id': toJsonLong(id),
    ...(current ? { 'parent-snapshot-id': toJsonLong(current.id) } : {}),
    'timestamp-ms': date,
    summary: { ...Object.fromEntries(summary), ...toDateLines(date, step.now) },
    'manifest-list': manifestList,
    'schema-id': schema.id,
  }
  const logged: Json = { 'timestamp-ms': date, 'snapshot-id': toJsonLong(id) }
  const main: Json = { ...objectOf(objectOf(json, 'refs'), 'main'), 'snapshot-id': toJsonLong(id), type: 'branch' }
  return {
    ...json,
    ...next,
    'last-sequence-number': sequenceNumber,
    'current-snapshot-id': toJsonLong(id),
    snapshots: [...listOf(json, 'snapshots'), { ...snapshot }],
    'snapshot-log': [...listOf(json, 'snapshot-log'), { ...logged }],
    refs: { ...objectOf(json, 'refs'), main: { ...main } },
    properties: { ...objectOf(json, 'properties'), ...Object.fromEntries(properties) },
  }
}

const listOf = (json: Json, name: string): readonly Value[] => {
  const value = json[name]
  return Array.isArray(value) ? value : []
}

const objectOf = (json: Json, name: string): { [name: string]: Value } =>
  json[name] === undefined || json[name] === null ? {} : { ...new Members(json[name], name).json }

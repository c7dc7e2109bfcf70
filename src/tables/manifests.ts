/** Manifests, which have the files of a table, and the list of them that a snapshot has (Iceberg specification, format version 2). */
import type { Buffer } from 'node:buffer'
import { readAvroFile, writeAvroFile } from '../formats/avro/container.ts'
import type { BudgetLimits } from '../formats/budget.ts'
import type { Value } from '../formats/number.ts'
import { toBuffer } from '../formats/to-buffer.ts'
import type { DataFile } from './data-file.ts'
import { manifestFileSchema, toEntrySchema } from './manifest-schemas.ts'
import { type Json, Members, toJsonLong } from './members.ts'
import { formatVersion, type PartitionField, type Snapshot, type TableMetadata } from './metadata.ts'
import {
  boundHours,
  createPartitionReader,
  type PartitionValues,
  toAvroName,
  writePartition,
} from './partition-record.ts'
import { toSchemaJson } from './schema.ts'

/** Statuses of the entries of a manifest. */
export const entryStatus = { existing: 0, added: 1, deleted: 2 } as const

/** Largest list, or manifest, that is read. */
const manifestLimits: BudgetLimits = {
  of: 'manifest',
  values: { max: 20_000_000 },
  bytes: { max: 256 * 1024 * 1024 },
}

/** An entry of a manifest as written, with the values it inherits from the list. */
export type ManifestEntry = {
  readonly status: number
  readonly snapshotId: bigint
  readonly sequenceNumber: bigint
  readonly fileSequenceNumber: bigint
  readonly partition: PartitionValues
  readonly file: Members
}

/** A manifest, as a list has it. */
export type ManifestFile = {
  readonly uri: string
  readonly bytes: number
  readonly specId: number
  /** Whether it has files with rows, not with deletions. */
  readonly hasData: boolean
  readonly sequenceNumber: bigint
  readonly minSequenceNumber: bigint
  readonly addedSnapshotId: bigint
  /** All of it. */
  readonly json: Json
}

/** Writes a manifest of files, or entries, of the table's present way of putting files apart. */
export const writeManifest = (table: TableMetadata, entries: readonly Json[]): Buffer => {
  const { schema, spec } = table
  const header = {
    schema: JSON.stringify(toSchemaJson(schema)),
    'schema-id': String(schema.id),
    'partition-spec': JSON.stringify(
      spec.fields.map(({ sourceId, fieldId, name, transform }) => ({
        'source-id': sourceId,
        'field-id': fieldId,
        name,
        transform,
      })),
    ),
    'partition-spec-id': String(spec.id),
    'format-version': String(formatVersion),
    content: 'data',
  }
  return writeAvroFile(toEntrySchema(spec.fields), header, entries as readonly Value[])
}

/** A file that a snapshot adds; what is null is that of the snapshot. */
export const toAddedEntry = (table: TableMetadata, file: DataFile, snapshotId: bigint): Json => {
  const { fields } = table.spec
  const [field] = fields
  const counts = (map: ReadonlyMap<number, number | Buffer>): Value[] =>
    Array.from(map, ([key, value]) => ({ key, value })).sort((a, b) => a.key - b.key)
  return {
    status: entryStatus.added,
    snapshot_id: toJsonLong(snapshotId),
    sequence_number: null,
    file_sequence_number: null,
    data_file: {
      content: 0,
      file_path: file.uri,
      file_format: 'PARQUET',
      partition: writePartition(fields, new Map(field ? [[field.fieldId, file.hour ?? null]] : [])),
      record_count: file.rows,
      file_size_in_bytes: file.bytes,
      column_sizes: counts(file.columnSizes),
      value_counts: counts(file.valueCounts),
      null_value_counts: counts(file.nullCounts),
      lower_bounds: counts(file.lowerBounds),
      upper_bounds: counts(file.upperBounds),
      split_offsets: [...file.splitOffsets],
      sort_order_id: sortOrderOf(table, file),
    },
  }
}

/** The order of the table that the rows of a file are in; 0 is that of those in none. */
const sortOrderOf = ({ sortOrders }: TableMetadata, { sortedBy }: DataFile): number =>
  sortOrders.find(({ fields: [first, ...others] }) => {
    if (first === undefined || others.length > 0) return false
    return first.sourceId === sortedBy && first.transform === 'identity' && first.direction === 'asc'
  })?.id ?? 0

/** An entry that goes to another manifest, of files that are put apart by the same fields. */
export const toExistingEntry = (entry: ManifestEntry, fields: readonly PartitionField[]): Json => ({
  status: entryStatus.existing,
  snapshot_id: toJsonLong(entry.snapshotId),
  sequence_number: toJsonLong(entry.sequenceNumber),
  file_sequence_number: toJsonLong(entry.fileSequenceNumber),
  data_file: { content: 0, ...entry.file.json, partition: writePartition(fields, entry.partition) },
})

/** @throws FormatError, LimitError, TableError */
export const readManifest = (bytes: Uint8Array, of: ManifestFile, limits = manifestLimits): ManifestEntry[] => {
  const { metadata, records } = readAvroFile(toBuffer(bytes), limits)
  const readPartition = createPartitionReader(metadata.get('avro.schema') ?? '{}')
  return records.map((record, i) => {
    const entry = new Members(record, `${of.uri}, entry ${i}`)
    const file = new Members(entry.json['data_file'], `${of.uri}, entry ${i}`)
    return {
      status: entry.integer('status'),
      snapshotId: entry.optionalLong('snapshot_id') ?? of.addedSnapshotId,
      sequenceNumber: entry.optionalLong('sequence_number') ?? of.sequenceNumber,
      fileSequenceNumber: entry.optionalLong('file_sequence_number') ?? of.sequenceNumber,
      partition: readPartition(file.json['partition']),
      file,
    }
  })
}

/** @throws FormatError, LimitError, TableError */
export const readManifestList = (bytes: Uint8Array, uri: string, limits = manifestLimits): ManifestFile[] =>
  readAvroFile(toBuffer(bytes), limits).records.map((record, i) =>
    toManifestFile(new Members(record, `${uri}, manifest ${i}`)),
  )

/** Older writers have other names for the counts of files, or null, and tables of format version 1 no content and no sequence numbers. */
const withNames = ({ json }: Members): Json => {
  const count = (kind: string) => json[`${kind}_files_count`] ?? json[`${kind}_data_files_count`] ?? null
  return {
    content: 0,
    sequence_number: 0,
    min_sequence_number: 0,
    added_rows_count: 0,
    existing_rows_count: 0,
    deleted_rows_count: 0,
    ...Object.fromEntries(Object.entries(json).filter(([, value]) => value !== null)),
    added_files_count: count('added'),
    existing_files_count: count('existing'),
    deleted_files_count: count('deleted'),
  }
}

const toManifestFile = (manifest: Members): ManifestFile => ({
  uri: manifest.text('manifest_path'),
  bytes: manifest.integer('manifest_length'),
  specId: manifest.integer('partition_spec_id'),
  hasData: (manifest.optionalInteger('content') ?? 0) === 0,
  sequenceNumber: manifest.optionalLong('sequence_number') ?? 0n,
  minSequenceNumber: manifest.optionalLong('min_sequence_number') ?? 0n,
  addedSnapshotId: manifest.long('added_snapshot_id'),
  json: withNames(manifest),
})

/** How many files, and rows, are of each status, as a list has it. */
export const countFiles = (entries: readonly { readonly status: number; readonly rows: number }[]): Json =>
  Object.fromEntries(
    Object.entries(entryStatus).flatMap(([kind, status]) => {
      const found = entries.filter(entry => entry.status === status)
      const rows = found.reduce((sum, entry) => sum + BigInt(entry.rows), 0n)
      return [[`${kind}_files_count`, found.length] as const, [`${kind}_rows_count`, toJsonLong(rows)] as const]
    }),
  )

/** Where a manifest is, and how long. */
type Written = { readonly uri: string; readonly bytes: number }

/** The line of a manifest in a list. @param entries all of it */
export const describeManifest = (
  { uri, bytes }: Written,
  { spec }: Pick<TableMetadata, 'spec'>,
  { id, sequenceNumber }: Pick<Snapshot, 'id' | 'sequenceNumber'>,
  entries: readonly Json[],
): ManifestFile => {
  const live = entries.filter(entry => entry['status'] !== entryStatus.deleted)
  const sequences = live.map(entry => entry['sequence_number'] ?? sequenceNumber)
  const least = sequences.reduce<bigint>(
    (min, next) => (BigInt(next as number) < min ? BigInt(next as number) : min),
    BigInt(sequenceNumber),
  )
  return toManifestFile(
    new Members(
      {
        manifest_path: uri,
        manifest_length: bytes,
        partition_spec_id: spec.id,
        content: 0,
        sequence_number: sequenceNumber,
        min_sequence_number: toJsonLong(least),
        added_snapshot_id: toJsonLong(id),
        ...countFiles(
          entries.map(entry => ({
            status: Number(entry['status']),
            rows: fileOf(entry).integer('record_count'),
          })),
        ),
        partitions: spec.fields.map(({ name }) =>
          boundHours(entries.map(entry => partitionOf(entry)[toAvroName(name)] ?? null)),
        ),
      },
      uri,
    ),
  )
}

const fileOf = (entry: Json): Members => new Members(entry['data_file'], 'an entry')

const partitionOf = (entry: Json): Json => new Members(fileOf(entry).json['partition'], 'a partition').json

/** Writes the list of the manifests of a snapshot. */
export const writeManifestList = (
  manifests: readonly ManifestFile[],
  { id, sequenceNumber }: Pick<Snapshot, 'id' | 'sequenceNumber'>,
  parent: Snapshot | undefined,
): Buffer =>
  writeAvroFile(
    manifestFileSchema,
    {
      'snapshot-id': String(id),
      'parent-snapshot-id': parent ? String(parent.id) : 'null',
      'sequence-number': String(sequenceNumber),
      'format-version': String(formatVersion),
    },
    manifests.map(({ json }) => ({ ...json })),
  )

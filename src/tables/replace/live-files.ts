/** The data files of some hours that readers of a table see now, and the row-level deletions that apply to them. */
import { Buffer } from 'node:buffer'
import type { LoadedTable } from '../catalog.ts'
import type { ManifestEntry, ManifestFile } from '../manifests.ts'
import type { PartitionField, PartitionSpec, TableMetadata } from '../metadata.ts'
import type { SnapshotFiles } from '../snapshot-files.ts'
import { TableError } from '../table-error.ts'
import { type ManifestFigures, readManifestFigures } from './manifest-figures.ts'

export type LiveFile = {
  /** As the metadata has it. */
  readonly uri: string
  readonly rows: number
  readonly bytes: number
  /** Hours since the epoch. */
  readonly hour: number
  readonly isParquet: boolean
  /** Whether a file with deletions may be about rows of it. */
  readonly hasDeletes: boolean
  /** Less than that of a file that came later. */
  readonly sequenceNumber: bigint
} & ManifestFigures

/** The hours `from` to `to`, without `to`, since the epoch. */
export type HourRange = { readonly from: number; readonly to: number }

/** Whether the value of a partition is one of the hours. */
export const isIn = ({ from, to }: HourRange, hour: unknown): hour is number =>
  typeof hour === 'number' && hour >= from && hour < to

/** What a manifest calls a file that deletes rows by their values; others do by their positions. */
const content = { equality: 2 } as const

/**
 * Reads the files of some hours, the oldest hour first.
 * @param columnId of a column of which figures are wanted
 * @throws TableError the table is not partitioned by the hour of a date
 */
export const readLiveFiles = async (
  files: SnapshotFiles,
  { metadata, metadataUri }: LoadedTable,
  hours: HourRange,
  columnId?: number,
): Promise<readonly LiveFile[]> => {
  const field = hourFieldOf(metadata, metadataUri)
  const manifests = await files.manifests(metadata.current)
  const deletions = await readDeletions(files, manifests)
  const found: LiveFile[] = []
  for (const manifest of manifests) {
    if (!manifest.hasData || !mayHaveHours(manifest, metadata.spec, hours)) continue
    for (const entry of await files.entries(manifest)) {
      const hour = entry.partition.get(field.fieldId)
      if (!isIn(hours, hour)) continue
      found.push({
        uri: entry.file.text('file_path'),
        rows: entry.file.integer('record_count'),
        bytes: entry.file.integer('file_size_in_bytes'),
        hour,
        isParquet: entry.file.text('file_format').toUpperCase() === 'PARQUET',
        hasDeletes: deletions.some(deletion => appliesTo(deletion, { ...entry, specId: manifest.specId }, metadata)),
        sequenceNumber: entry.sequenceNumber,
        ...readManifestFigures(entry.file, field.sourceId, columnId),
      })
    }
  }
  return found.sort((a, b) => a.hour - b.hour || (a.uri < b.uri ? -1 : 1))
}

/** The newest hour of which the table has a file; undefined where no file has one. @throws TableError as {@link readLiveFiles} */
export const readNewestHour = async (
  files: SnapshotFiles,
  { metadata, metadataUri }: LoadedTable,
): Promise<number | undefined> => {
  const { fieldId } = hourFieldOf(metadata, metadataUri)
  let newest = Number.NEGATIVE_INFINITY
  for (const manifest of await files.manifests(metadata.current)) {
    const later = { from: newest + 1, to: Number.POSITIVE_INFINITY }
    if (!manifest.hasData || !mayHaveHours(manifest, metadata.spec, later)) continue
    for (const { partition } of await files.entries(manifest)) {
      const hour = partition.get(fieldId)
      if (typeof hour === 'number' && hour > newest) newest = hour
    }
  }
  return Number.isFinite(newest) ? newest : undefined
}

/** The field by which files are in partitions of an hour each. @throws TableError */
export const hourFieldOf = (metadata: Pick<TableMetadata, 'spec'>, where: string): PartitionField => {
  const field = findHourField(metadata)
  if (field) return field
  const { spec } = metadata
  const found = spec.fields.map(({ transform, name }) => `${transform} as ${name}`).join(', ')
  throw new TableError(where, `expected a table partitioned by the hour of a date, found ${found || 'no partitions'}`)
}

/** The same, or undefined where files are put apart by something else. */
export const findHourField = ({ spec }: Pick<TableMetadata, 'spec'>): PartitionField | undefined => {
  const [field, ...others] = spec.fields
  return field?.transform === 'hour' && others.length === 0 ? field : undefined
}

/**
 * Whether a manifest can have files of some hours, according to the list. Manifests of an earlier spec have no hours of
 * this one.
 */
export const mayHaveHours = ({ specId, json }: ManifestFile, spec: PartitionSpec, { from, to }: HourRange): boolean => {
  if (specId !== spec.id) return false
  const { partitions } = json
  const [first] = Array.isArray(partitions) ? partitions : []
  const bound = (name: string): number | undefined => {
    const bytes =
      typeof first === 'object' && first !== null ? (first as Readonly<Record<string, unknown>>)[name] : null
    return bytes instanceof Uint8Array && bytes.length === 4 ? Buffer.from(bytes).readInt32LE() : undefined
  }
  const [lower, upper] = [bound('lower_bound'), bound('upper_bound')]
  return (lower === undefined || lower < to) && (upper === undefined || upper >= from)
}

type Deletion = ManifestEntry & { readonly specId: number }

const readDeletions = async (files: SnapshotFiles, manifests: readonly ManifestFile[]): Promise<Deletion[]> => {
  const found: Deletion[] = []
  for (const manifest of manifests) {
    if (manifest.hasData) continue
    for (const entry of await files.entries(manifest)) found.push({ ...entry, specId: manifest.specId })
  }
  return found
}

/**
 * Whether a file with deletions may be about rows of a data file (Iceberg specification, "Scan Planning"): it is at least as
 * new, and of the same partition or of no partition at all. In doubt it applies.
 */
const appliesTo = (deletion: Deletion, data: Deletion, { specs }: TableMetadata): boolean => {
  const isEquality = deletion.file.integer('content') === content.equality
  const isOlder = isEquality
    ? deletion.sequenceNumber <= data.sequenceNumber
    : deletion.sequenceNumber < data.sequenceNumber
  if (isOlder) return false
  const fields = specs.find(({ id }) => id === deletion.specId)?.fields ?? []
  if (fields.length === 0 || deletion.specId !== data.specId) return true
  return fields.every(({ fieldId }) => deletion.partition.get(fieldId) === data.partition.get(fieldId))
}

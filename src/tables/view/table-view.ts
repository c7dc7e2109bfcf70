import type { FileSystem } from '../../filesystem/filesystem.ts'
import { readManifests } from '../append.ts'
import type { LoadedTable } from '../catalog.ts'
import { importKey } from '../import/imports-note.ts'
import type { ManifestFile } from '../manifests.ts'
import type { Snapshot, TableMetadata } from '../metadata.ts'
import { repeatsKey, replacementKey, replacerKey } from '../replace/replace-files.ts'
import type { TableType } from '../schema.ts'

/** What is known of a table without its files being looked at. */
export type TableFigures = {
  readonly files: number
  readonly rows: number
  /** Null where its last writer did not say. */
  readonly bytes: number | null
  /** Manifests of files that delete rows of others. */
  readonly deletes: number
}

/** Files and rows by the list of manifests, which every writer keeps; bytes by the summary, which some do not. */
export const readFigures = async (fileSystem: FileSystem, { place, metadata }: LoadedTable): Promise<TableFigures> =>
  sumFigures(metadata, await readManifests(fileSystem, place, metadata))

/** @param manifests those of the current snapshot */
export const sumFigures = (
  { current }: Pick<LoadedTable['metadata'], 'current'>,
  manifests: readonly ManifestFile[],
): TableFigures => {
  let [files, rows, deletes] = [0, 0, 0]
  for (const { hasData, json } of manifests) {
    const live = Number(json['added_files_count'] ?? 0) + Number(json['existing_files_count'] ?? 0)
    if (!hasData) {
      deletes += live > 0 ? 1 : 0
      continue
    }
    files += live
    rows += Number(json['added_rows_count'] ?? 0) + Number(json['existing_rows_count'] ?? 0)
  }
  return { files, rows, bytes: current ? toNumber(current.summary.get('total-files-size')) : 0, deletes }
}

export type SnapshotView = {
  readonly id: bigint
  readonly parent: bigint | null
  /** ms since the epoch */
  readonly time: number
  readonly isCurrent: boolean
  readonly operation: string
  /** The program that made it, where it says so. */
  readonly writer: string
  readonly addedFiles: number | null
  readonly addedRows: number | null
  readonly deletedRows: number | null
  /** Deleted ones that repeated an event of another row. */
  readonly repeatedRows: number | null
  readonly rows: number | null
}

/** Newest first. */
export const toHistory = ({ snapshots, current }: Pick<TableMetadata, 'snapshots' | 'current'>): SnapshotView[] =>
  [...snapshots]
    .sort((a, b) => b.sequenceNumber - a.sequenceNumber)
    .map(({ id, parentId, timestampMs, summary }) => ({
      id,
      parent: parentId ?? null,
      time: timestampMs,
      isCurrent: id === current?.id,
      operation: summary.get('operation') ?? '',
      writer: toWriter(summary),
      addedFiles: toNumber(summary.get('added-data-files')),
      addedRows: toNumber(summary.get('added-records')),
      deletedRows: toNumber(summary.get('deleted-records')),
      repeatedRows: toNumber(summary.get(repeatsKey)),
      rows: toNumber(summary.get('total-records')),
    }))

/** As Sluice says it, and Apache's engines. */
const toWriter = (summary: ReadonlyMap<string, string>): string => {
  const commit = summary.get('sluice.commit-id')
  if (commit !== undefined) return `sluice ${commit.replace(/-\d+-\d+$/, '')}`
  if (summary.has(replacementKey)) {
    const collector = summary.get(replacerKey)
    const program = summary.get('operation') === 'delete' ? 'sluice retain' : 'sluice compact'
    return collector === undefined ? program : `${program} ${collector}`
  }
  if (summary.has(importKey)) return 'sluice import'
  const [engine, version] = [summary.get('engine-name'), summary.get('engine-version')]
  return [engine, version].filter(part => part !== undefined).join(' ')
}

const toNumber = (text: string | undefined): number | null =>
  text !== undefined && /^\d+$/.test(text) ? Number(text) : null

/** When a table changed last; ms since the epoch. */
export const changedAt = (metadata: {
  readonly current: Snapshot | undefined
  readonly lastUpdatedMs: number
}): number => metadata.current?.timestampMs ?? metadata.lastUpdatedMs

/** A type as people read it: `struct<id: long, tags: list<string>>`. */
export const describeType = (type: TableType): string => {
  if (typeof type === 'string') return type
  switch (type.kind) {
    case 'struct':
      return `struct<${type.fields.map(field => `${field.name}: ${describeType(field.type)}`).join(', ')}>`
    case 'list':
      return `list<${describeType(type.element)}>`
    case 'map':
      return `map<${describeType(type.key)}, ${describeType(type.value)}>`
  }
}

/** How files are put apart: `hour(eventDate)`; empty where they are not. */
export const describePartitions = ({ metadata: { spec, schema } }: Pick<LoadedTable, 'metadata'>): string =>
  spec.fields
    .map(({ transform, sourceId }) => {
      const column = schema.fields.find(({ id }) => id === sourceId)?.name ?? `field ${sourceId}`
      return transform === 'identity' ? column : `${transform}(${column})`
    })
    .join(', ')

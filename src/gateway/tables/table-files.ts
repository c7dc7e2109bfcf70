/** The files of a table's current snapshot, in place of the contents of its directory. */
import { SluiceError } from '../../errors.ts'
import type { FileStatus, FileSystem } from '../../filesystem/filesystem.ts'
import type { Projection } from '../../rows/projection.ts'
import type { LoadedTable } from '../../tables/catalog.ts'
import type { ManifestEntry, ManifestFile } from '../../tables/manifests.ts'
import { Members } from '../../tables/members.ts'
import { nameMapping, parseMapping } from '../../tables/name-mapping.ts'
import { readSnapshotFiles } from '../../tables/snapshot-files.ts'
import { TableError } from '../../tables/table-error.ts'
import { toTablePath } from '../../tables/table-place.ts'
import { toUnreadable } from '../answers.ts'
import type { WantedWhere } from '../rows/wanted-where.ts'
import { createConstants } from './file-constants.ts'
import { createFilePruning } from './prune-files.ts'
import { manifestReadLimits } from './table-directories.ts'

/** What a file is in its table. */
export type FileOfTable = {
  readonly projection: Projection
  readonly rows: number
  /** Rows of earlier files that, by their manifests, cannot match. */
  readonly passed: number
}

/** A file of a table; with an error where it is not as its manifest says. */
export type TableEntry = { readonly status: FileStatus; readonly table: FileOfTable; readonly error?: SluiceError }

export type TableFilesOptions = {
  readonly where: WantedWhere
  /** From the first to the last that were added, or the other way round. */
  readonly order: 'oldest-first' | 'newest-first'
  /** Leaves out the files up to this one, which the snapshot has to have: a path below the table. */
  readonly startAfter?: string | undefined
  readonly signal: AbortSignal
}

/** The table does not have the file to continue after, or no longer does: what follows it is unknown. */
export class NotInTable extends SluiceError {
  constructor(file: string) {
    const shown = JSON.stringify(file.slice(0, 1_000))
    super('bad-parameter', `Parameter "startAfter": expected a file of the table's current snapshot, found ${shown}`)
  }
}

/** Files that the file system is asked for at a time. */
const maxAsked = 16

/**
 * Files in the order in which they were added, in parts of which none is empty; one manifest is in memory at a time. Rejects as the
 * file system does.
 * @throws SluiceError `unreadable` damage, what leads out of the table, and rows that files of deletions have deleted
 * @throws NotInTable
 */
export async function* readTableFiles(
  fileSystem: FileSystem,
  table: LoadedTable,
  { where, order, startAfter, signal }: TableFilesOptions,
): AsyncGenerator<readonly TableEntry[], void, undefined> {
  const { place, metadata } = table
  const files = readSnapshotFiles(fileSystem, place, manifestReadLimits)
  const pruning = createFilePruning(where?.expression, metadata)
  const projection = toProjection(table)
  const toConstants = createConstants(table.metadata)
  const turn = <T>(all: readonly T[]): readonly T[] => (order === 'newest-first' ? all.toReversed() : all)
  const last = startAfter ? `${place.path}/${startAfter}` : undefined
  let isAfter = last === undefined
  let passed = 0
  try {
    const manifests = await files.manifests(metadata.current)
    await refuseDeletes(table, manifests, manifest => {
      signal.throwIfAborted()
      return files.entries(manifest)
    })
    for (const manifest of turn(manifests.filter(({ hasData }) => hasData).sort(byAge))) {
      signal.throwIfAborted()
      const rows = isAfter && !pruning.manifest(manifest) ? rowsIn(manifest) : undefined
      if (rows !== undefined) {
        passed += rows
        continue
      }
      const entries = [...(await files.entries(manifest))].sort((a, b) => Number(a.sequenceNumber - b.sequenceNumber))
      let asked: { file: DataFileEntry; table: FileOfTable }[] = []
      for (const entry of turn(entries)) {
        const file = toDataFile(table, entry)
        if (!isAfter) {
          isAfter = file.path === last
          continue
        }
        if (!pruning.file(entry, manifest.specId)) {
          passed += file.rows
          continue
        }
        const constants = toConstants(entry, manifest.specId)
        asked.push({ file, table: { projection: { ...projection, constants }, rows: file.rows, passed } })
        passed = 0
        if (asked.length < maxAsked) continue
        yield await ask(fileSystem, asked)
        asked = []
      }
      if (asked.length > 0) yield await ask(fileSystem, asked)
    }
    if (!isAfter) throw new NotInTable(startAfter ?? '')
  } catch (error) {
    throw toUnreadable(error)
  }
}

/** Manifests that were merged have the files of the oldest of them. */
const byAge = (a: ManifestFile, b: ManifestFile): number =>
  Number(a.minSequenceNumber - b.minSequenceNumber) || Number(a.sequenceNumber - b.sequenceNumber)

/** Undefined where the list does not say, as those of older writers. */
const rowsIn = ({ json, uri }: ManifestFile): number | undefined => {
  const counts = new Members(json, uri)
  const rows = counts.integer('added_rows_count') + counts.integer('existing_rows_count')
  return rows > 0 ? rows : undefined
}

/** Rows that were deleted would come back. */
const refuseDeletes = async (
  { place }: LoadedTable,
  manifests: readonly ManifestFile[],
  entries: (manifest: ManifestFile) => Promise<readonly ManifestEntry[]>,
): Promise<void> => {
  for (const manifest of manifests) {
    if (manifest.hasData || (await entries(manifest)).length === 0) continue
    const reason = 'rows of this table were deleted by files of deletions, which are not applied here'
    throw new TableError(place.path, `${reason}: query it with Spark, Trino or DuckDB, or rewrite its data files`)
  }
}

type DataFileEntry = { readonly path: string; readonly bytes: number; readonly rows: number }

const toDataFile = ({ place }: LoadedTable, { file }: ManifestEntry): DataFileEntry => {
  const format = file.text('file_format')
  if (format.toUpperCase() !== 'PARQUET')
    throw new TableError(file.where, `expected Parquet files, found a file of format ${format.slice(0, 100)}`)
  if ((file.optionalInteger('content') ?? 0) !== 0)
    throw new TableError(file.where, 'expected a data file, found a delete file')
  const rows = file.integer('record_count')
  if (rows < 0) throw new TableError(file.where, `expected a number of rows, found ${rows}`)
  return { path: toTablePath(place, file.text('file_path')), bytes: file.integer('file_size_in_bytes'), rows }
}

const ask = (
  fileSystem: FileSystem,
  asked: readonly { readonly file: DataFileEntry; readonly table: FileOfTable }[],
): Promise<readonly TableEntry[]> =>
  Promise.all(
    asked.map(async ({ file: { path, bytes }, table }) => {
      try {
        const status = await fileSystem.getFileStatus(path)
        if (!status.isDirectory && status.length === bytes) return { status, table }
        const found = status.isDirectory ? 'a directory' : `${status.length}`
        return {
          status: { ...status, isDirectory: false },
          table,
          error: new TableError(path, `expected a file of ${bytes} bytes, as the table has it, found ${found}`),
        }
      } catch (error) {
        if (!(error instanceof SluiceError) || error.code !== 'not-found') throw error
        return {
          status: toMissing(path, bytes),
          table,
          error: new TableError(path, 'the table lists this file, which is missing', { cause: error }),
        }
      }
    }),
  )

const toMissing = (path: string, length: number): FileStatus => ({
  path,
  isDirectory: false,
  length,
  modificationTime: 0,
  accessTime: 0,
  owner: '',
  group: '',
  permission: 0,
  replication: 0,
  blockSize: 0,
})

const toProjection = ({ metadata: { schema, properties }, metadataUri }: LoadedTable): Projection => {
  const mapping = properties.get(nameMapping)
  return { columns: schema.fields, ...(mapping === undefined ? {} : { mapping: parseMapping(mapping, metadataUri) }) }
}

/**
 * Makes a table of Parquet files that are there already, in the directory in which they are:
 *
 *     find files ─▶ leave out those that the table has, or had ─▶ read footers ─▶ columns to the table ─▶ append, as one snapshot
 *
 * It can be cut short anywhere, and called again, also beside other writers. A file that was in an earlier snapshot and is not
 * in the current one was replaced, by a compaction for example: its rows are in others. Where that snapshot is forgotten, such a
 * file is left and named (`imports-note.ts`).
 */
import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { FileStatus, FileSystem } from '../../filesystem/filesystem.ts'
import { appendFiles } from '../append.ts'
import type { Catalog, LoadedTable } from '../catalog.ts'
import { changeFields } from '../change-fields.ts'
import { importer } from '../commit-names.ts'
import { type DataFile, hourOf } from '../data-file.ts'
import { findParquetFiles } from '../find-parquet.ts'
import type { TableMetadata } from '../metadata.ts'
import { nameMapping } from '../name-mapping.ts'
import { gatherFiles, readSnapshotFiles } from '../snapshot-files.ts'
import { TableBusy, TableError } from '../table-error.ts'
import { type TablePlace, toPathOrUri } from '../table-place.ts'
import { type Examined, examineFiles, type LeftFile } from './examine-files.ts'
import type { Columns } from './grow-fields.ts'
import { forgottenUntil, importKey, importsKey, withImport } from './imports-note.ts'

export type TableImportOptions = {
  readonly fileSystem: FileSystem
  readonly catalog: Catalog
  /** Where the table is, or is to be. */
  readonly place: TablePlace
  /** The column by whose hour the files of a new table are put apart, where each has one hour. */
  readonly dateColumn: string
  readonly now: () => number
  /** Waits a while before the next try. */
  readonly pause: (tries: number) => Promise<unknown>
  /** @param done files of which the footer was read */
  readonly onProgress: (done: number, total: number) => void
}

export type TableImport = {
  readonly isNew: boolean
  /** Absent where nothing was added. */
  readonly snapshotId: bigint | undefined
  readonly files: number
  readonly rows: number
  readonly bytes: number
  /** Files that the table has, or had. */
  readonly known: number
  readonly left: readonly LeftFile[]
}

/** Tries until the caller hears that others are always faster. */
const maxTries = 20

/** Rejects with `FileSystemError`. @throws TableError there are no files, or no table that can be written */
export const importFiles = async (options: TableImportOptions): Promise<TableImport> => {
  const { place, catalog, pause } = options
  for (let tries = 1; tries <= maxTries; tries++) {
    const report = await tryImport(options, await catalog.load(place.path))
    if (report) return report
    await pause(tries)
  }
  throw new TableBusy(place.path, maxTries)
}

/** @returns undefined where another writer was faster */
const tryImport = async (
  options: TableImportOptions,
  table: LoadedTable | undefined,
): Promise<TableImport | undefined> => {
  const { fileSystem, onProgress } = options
  const place = table?.place ?? options.place
  const present = await findParquetFiles(fileSystem, place.path)
  const known = table ? await pathsOf(fileSystem, place, table.metadata) : new Set<string>()
  const fresh = present.filter(({ path }) => !known.has(path))
  const { unseen, doubtful } = table ? tellApart(fresh, table.metadata) : { unseen: fresh, doubtful: [] }
  const found = await examineFiles(unseen, {
    fileSystem,
    columns: table ? { fields: table.metadata.schema.fields, lastColumnId: table.metadata.lastColumnId } : noColumns,
    uriOf: path => `${place.location}${path.slice(place.path === '/' ? 0 : place.path.length)}`,
    onProgress,
  })
  const examined = { ...found, left: [...doubtful, ...found.left] }
  const none = {
    isNew: !table,
    snapshotId: undefined,
    files: 0,
    rows: 0,
    bytes: 0,
    known: present.length - fresh.length,
  }
  if (examined.files.length === 0) {
    if (!table && examined.left.length === 0) throw new TableError(place.path, 'there are no Parquet files below it')
    return { ...none, isNew: false, left: examined.left }
  }
  const planned = await prepareTable(options, table, examined)
  if (!planned) return undefined
  const { files, left } = putApart(examined, planned.metadata)
  let added: readonly DataFile[] = []
  const id = randomUUID()
  const times = new Map(unseen.map(({ path, modificationTime }) => [path, modificationTime]))
  const snapshotId = await appendFiles({
    ...options,
    writer: importer,
    path: place.path,
    toAppend: async metadata => {
      if (metadata.spec.id !== planned.metadata.spec.id)
        throw new TableError(place.path, 'another writer has changed the partitions; import again')
      const there = await pathsOf(fileSystem, place, metadata)
      const missing = files.filter(({ path }) => !there.has(path))
      added = missing.map(({ file }) => file)
      const newest = missing.reduce((time, { path }) => Math.max(time, times.get(path) ?? 0), 0)
      return {
        files: added,
        properties: new Map([[importsKey, withImport(metadata, { id, newest })]]),
        summary: new Map([[importKey, id]]),
      }
    },
  })
  const sum = (of: (file: DataFile) => number): number => added.reduce((total, file) => total + of(file), 0)
  const done = { files: added.length, rows: sum(({ rows }) => rows), bytes: sum(({ bytes }) => bytes) }
  return { ...none, ...done, snapshotId, left }
}

/** Files that no snapshot has: those that no import can have seen, and the others. */
const tellApart = (
  files: readonly FileStatus[],
  table: TableMetadata,
): { readonly unseen: readonly FileStatus[]; readonly doubtful: readonly LeftFile[] } => {
  const until = forgottenUntil(table)
  const doubtful = files.filter(({ modificationTime }) => modificationTime <= until)
  return {
    unseen: files.filter(({ modificationTime }) => modificationTime > until),
    doubtful: doubtful.map(({ path }) => ({ path, reason: mayBeThere })),
  }
}

const mayBeThere =
  'an import whose snapshot was removed since may have added it, and its rows be in other files now: remove it, or copy it to add it'

const noColumns: Columns = { fields: [], lastColumnId: 0 }

/** Files of all snapshots that are known, by their paths. */
const pathsOf = async (
  fileSystem: FileSystem,
  place: TablePlace,
  { snapshots }: TableMetadata,
): Promise<ReadonlySet<string>> => {
  const uris = await gatherFiles(readSnapshotFiles(fileSystem, place), snapshots)
  return new Set(Array.from(uris, uri => toPathOrUri(place, uri)))
}

/**
 * Makes the table, or gives it the columns of the files.
 * @returns undefined where another writer was faster, whose ids may be others
 */
const prepareTable = async (
  { catalog, place, now, pause, dateColumn }: TableImportOptions,
  table: LoadedTable | undefined,
  { columns, files }: Examined,
): Promise<LoadedTable | undefined> => {
  const hasAll = (found: LoadedTable | undefined): boolean =>
    isDeepStrictEqual(found?.metadata.schema.fields, columns.fields) &&
    found?.metadata.properties.has(nameMapping) === true
  const prepared = await changeFields({
    catalog,
    place,
    now,
    pause,
    toFields: found => (found?.metadataUri === table?.metadataUri && !hasAll(found) ? columns : undefined),
    toNew: ({ fields }) => {
      const dateField = fields.find(({ name, type }) => name === dateColumn && isTime(type))
      const isByHour = dateField !== undefined && files.every(({ file }) => hourOf(file, dateField.id) !== undefined)
      return { dateField: isByHour ? dateField : undefined, properties: {} }
    },
  })
  return hasAll(prepared) ? prepared : undefined
}

const isTime = (type: unknown): boolean => type === 'timestamptz' || type === 'timestamp'

/** Gives each file its hour, where the table puts them apart by it. */
const putApart = ({ files, left }: Examined, { spec }: TableMetadata): Pick<Examined, 'files' | 'left'> => {
  const [field] = spec.fields
  if (field === undefined) return { files, left }
  const late: LeftFile[] = []
  const apart = files.flatMap(({ path, file }) => {
    const hour = hourOf(file, field.sourceId)
    if (hour !== undefined) return [{ path, file: { ...file, hour } }]
    late.push({
      path,
      reason: 'it has dates of several hours, or rows without one, and the table puts files apart by the hour',
    })
    return []
  })
  return { files: apart, left: [...left, ...late] }
}

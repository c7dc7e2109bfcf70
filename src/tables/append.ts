/**
 * Appends files to a table, as one snapshot:
 *
 *     load ─▶ what is to be appended? ─▶ manifest ─▶ list of manifests ─▶ commit ─▶ another one was faster: again
 *
 * The caller is asked before each try, with the table as it is then: so what is in already, by a try whose answer was
 * lost, is left out.
 */
import { randomBytes } from 'node:crypto'
import type { FileSystem } from '../filesystem/filesystem.ts'
import type { BudgetLimits } from '../formats/budget.ts'
import type { Catalog, LoadedTable } from './catalog.ts'
import { nameCommit } from './commit-names.ts'
import type { DataFile } from './data-file.ts'
import { createCommitFiles, readFileWhole } from './files.ts'
import {
  countFiles,
  describeManifest,
  type ManifestFile,
  readManifest,
  readManifestList,
  toAddedEntry,
  writeManifest,
  writeManifestList,
} from './manifests.ts'
import { mergeManifests } from './merge-manifests.ts'
import { type TableMetadata, withSnapshot } from './metadata.ts'
import { NoTable, readAt, TableBusy, TableError } from './table-error.ts'
import { type TablePlace, toTablePath } from './table-place.ts'

/** What is to be appended to a table as it is. */
export type Append = {
  /** One at least. */
  readonly files: readonly DataFile[]
  /** Properties that change with it. */
  readonly properties?: ReadonlyMap<string, string>
  /** Further lines of the snapshot's summary. */
  readonly summary?: ReadonlyMap<string, string>
}

export type AppendOptions = {
  readonly fileSystem: FileSystem
  readonly catalog: Catalog
  /** Of the table. */
  readonly path: string
  /** Asked before each try; undefined where nothing is left to be appended. */
  readonly toAppend: (table: TableMetadata) => Promise<Append | undefined>
  readonly now: () => number
  /** In the names of its files: the id of a collector, or {@link importer}. */
  readonly writer: string
  /** Waits a while before the next try; grows with the tries before. */
  readonly pause: (tries: number) => Promise<unknown>
  readonly signal?: AbortSignal
}

/** Tries until the caller hears that others are always faster. */
const maxTries = 20

/** Largest list of manifests that is read. */
const maxListBytes = 256 * 1024 * 1024

/**
 * @returns the snapshot; undefined where nothing was left to be appended. Rejects with `FileSystemError`: what became of the
 *   last try is not known then, and the next call finds out
 * @throws TableError there is no such table, or none that can be written; others were faster 20 times
 */
export const appendFiles = async (options: AppendOptions): Promise<bigint | undefined> => {
  const { catalog, path, toAppend, pause, signal } = options
  for (let tries = 1; tries <= maxTries; tries++) {
    signal?.throwIfAborted()
    const table = await catalog.load(path)
    if (!table) throw new NoTable(path)
    const append = await toAppend(table.metadata)
    if (!append || append.files.length === 0) return undefined
    const id = await tryAppend(options, table, append)
    if (id !== undefined) return id
    await pause(tries)
  }
  throw new TableBusy(path, maxTries)
}

/** @returns undefined where another one was faster */
const tryAppend = async (options: AppendOptions, table: LoadedTable, append: Append): Promise<bigint | undefined> => {
  const { fileSystem, catalog, writer, now } = options
  const { metadata, place, metadataUri } = table
  checkSpec(metadata, metadataUri)
  const { write, discard } = createCommitFiles(fileSystem, table)
  const snapshot = { id: newSnapshotId(metadata), sequenceNumber: metadata.lastSequenceNumber + 1 }
  const names = nameCommit(writer, snapshot.sequenceNumber)
  const entries = append.files.map(file => toAddedEntry(metadata, file, snapshot.id))
  const bytes = writeManifest(metadata, entries)
  const uri = await write(names.manifest(0), bytes)
  const added = describeManifest({ uri, bytes: bytes.length }, metadata, snapshot, entries)
  const before = await readManifests(fileSystem, place, metadata)
  const manifests = await mergeManifests([added, ...before], {
    table: metadata,
    snapshot,
    read: manifest => readFileWhole(fileSystem, toTablePath(place, manifest.uri), maxListBytes),
    write: async merged => await write(names.manifest(1), merged),
  })
  const list = writeManifestList(manifests, snapshot, metadata.current)
  const manifestList = await write(names.list(snapshot.id), list)
  const summary = new Map([...toSummary(metadata, append.files), ...(append.summary ?? [])])
  const properties = append.properties ?? new Map<string, string>()
  const step = { now: now(), baseUri: metadataUri }
  const next = withSnapshot(metadata, { ...snapshot, manifestList, summary }, properties, step)
  const outcome = await catalog.commit(table, next)
  if (outcome === 'done') return snapshot.id
  if (outcome === 'refused') await discard()
  return undefined
}

/** The manifests of the current snapshot. @param limits of the list @throws FormatError, LimitError, TableError */
export const readManifests = async (
  fileSystem: FileSystem,
  place: TablePlace,
  { current }: Pick<TableMetadata, 'current'>,
  limits?: BudgetLimits,
): Promise<ManifestFile[]> => {
  if (!current) return []
  const path = toTablePath(place, current.manifestList)
  const bytes = await readFileWhole(fileSystem, path, limits?.bytes.max ?? maxListBytes)
  const manifests = readAt(path, () => readManifestList(bytes, current.manifestList, limits))
  const counted: ManifestFile[] = []
  // One after another: each may be large.
  for (const manifest of manifests) counted.push(await withCounts(fileSystem, place, manifest, limits))
  return counted
}

/** Older writers left the counts of files out. Without them a list would say to readers that such a manifest has no files. */
const withCounts = async (
  fileSystem: FileSystem,
  place: TablePlace,
  manifest: ManifestFile,
  limits: BudgetLimits | undefined,
): Promise<ManifestFile> => {
  const { json, uri } = manifest
  if (fileCounts.every(name => json[name] !== null)) return manifest
  const path = toTablePath(place, uri)
  const bytes = await readFileWhole(fileSystem, path, limits?.bytes.max ?? maxListBytes)
  const entries = readAt(path, () => readManifest(bytes, manifest, limits))
  const counted = entries.map(({ status, file }) => ({ status, rows: file.integer('record_count') }))
  return { ...manifest, json: { ...json, ...countFiles(counted) } }
}

const fileCounts = ['added_files_count', 'existing_files_count', 'deleted_files_count'] as const

/** @throws TableError files of this table are put apart in a way that Sluice does not write */
const checkSpec = ({ spec }: TableMetadata, where: string): void => {
  const [field, ...others] = spec.fields
  if (others.length === 0 && (field === undefined || field.transform === 'hour')) return
  const found = spec.fields.map(({ transform, name }) => `${transform} as ${name}`).join(', ')
  throw new TableError(where, `expected files partitioned by the hour of a date, or unpartitioned, found ${found}`)
}

/** Positive, of 53 bits, which readers in every language hold, and of no other snapshot. */
export const newSnapshotId = ({ snapshots }: TableMetadata): bigint => {
  for (;;) {
    const id = BigInt(1 + (randomBytes(7).readUIntBE(1, 6) + ((randomBytes(1)[0] ?? 0) % 32) * 2 ** 48))
    if (!snapshots.some(snapshot => snapshot.id === id)) return id
  }
}

const toSummary = ({ current }: TableMetadata, files: readonly DataFile[]): ReadonlyMap<string, string> => {
  const sum = (of: (file: DataFile) => number): number => files.reduce((total, file) => total + of(file), 0)
  const [rows, bytes] = [sum(file => file.rows), sum(file => file.bytes)]
  const total = (name: string, more: number): [string, string] => {
    const before = current?.summary.get(name) ?? (current ? undefined : '0')
    return [name, before !== undefined && /^\d+$/.test(before) ? String(BigInt(before) + BigInt(more)) : '']
  }
  const totals = [
    total('total-records', rows),
    total('total-data-files', files.length),
    total('total-files-size', bytes),
    total('total-delete-files', 0),
    total('total-position-deletes', 0),
    total('total-equality-deletes', 0),
  ].filter(([, value]) => value !== '')
  return new Map([
    ['operation', 'append'],
    ['added-data-files', String(files.length)],
    ['added-records', String(rows)],
    ['added-files-size', String(bytes)],
    ['changed-partition-count', String(new Set(files.map(({ hour }) => hour)).size)],
    ...totals,
  ])
}

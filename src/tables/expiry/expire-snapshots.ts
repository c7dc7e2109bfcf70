/**
 * Forgets old snapshots of a table, and removes the files that no other snapshot needs:
 *
 *     commit metadata without them ─▶ delete data files ─▶ manifests ─▶ lists of manifests ─▶ earlier metadata ─▶ orphans ─▶ left data
 *
 * Nothing is deleted before the table does without it, and nothing that is outside of the table's directory. Where that was
 * cut short, the next call finds what is left: the table says which metadata had the snapshots.
 */
import { hasCode } from '../../filesystem/cluster/steps.ts'
import type { FileSystem } from '../../filesystem/filesystem.ts'
import type { Catalog, LoadedTable } from '../catalog.ts'
import { readFileWhole } from '../files.ts'
import type { ManifestFile } from '../manifests.ts'
import type { Json } from '../members.ts'
import { parseMetadata, type Snapshot, type TableMetadata } from '../metadata.ts'
import { listMetadata, type MetadataFiles, mostMetadataBytes } from '../metadata-versions.ts'
import { readSnapshotFiles } from '../snapshot-files.ts'
import { NoTable, TableBusy, TableError } from '../table-error.ts'
import { type TablePlace, toPathOrUri, toUri } from '../table-place.ts'
import { findOrphans } from './find-orphans.ts'
import { type ForgetPlan, mayDeleteFiles, withoutSnapshots } from './forget-snapshots.ts'
import { endLeases, findKeptNames, findLeftData } from './left-data.ts'

export type ExpireOptions = {
  readonly fileSystem: FileSystem
  readonly catalog: Catalog
  /** Of the table. */
  readonly path: string
  /** Younger snapshots stay; ms. */
  readonly olderThanMs: number
  readonly now: () => number
  /** Waits a while before the next try. */
  readonly pause: (tries: number) => Promise<unknown>
  /** Whether nothing is changed, and only said what would be. */
  readonly isTrial: boolean
  readonly signal?: AbortSignal
}

export type ExpireReport = {
  readonly snapshots: number
  readonly kept: number
  /** Files that were deleted, of each kind. */
  readonly dataFiles: number
  readonly manifests: number
  readonly metadataFiles: number
  /** Left by commits that never came. */
  readonly orphans: number
  /** Files that no snapshot needs, and that are left because they are not below the table. */
  readonly outside: readonly string[]
}

const maxTries = 20

/** Rejects with `FileSystemError`. @throws TableError there is no such table, or others were faster 20 times */
export const expireSnapshots = async (options: ExpireOptions): Promise<ExpireReport> => {
  const { fileSystem, catalog, path, now, olderThanMs, pause, isTrial, signal } = options
  for (let tries = 1; tries <= maxTries; tries++) {
    signal?.throwIfAborted()
    const table = await catalog.load(path)
    if (!table) throw new NoTable(path)
    const { place, metadata } = table
    if (!mayDeleteFiles(metadata))
      throw new TableError(path, 'nothing was deleted: the table property gc.enabled is false')
    const files = await listMetadata(fileSystem, path)
    const deletes = createDeletes(options, place)
    const left = await findLeft(options, table, files)
    const ofLeft = left.length > 0 ? await findUnneeded(options, table, left, await readNeeded(options, table)) : none
    await deletes.unneeded(ofLeft)
    const moment = now()
    const plan = withoutSnapshots(table, { now: moment, before: moment - olderThanMs })
    const ended = await endLeases(fileSystem, files, table, moment)
    const isRaised = ended.sequenceNumber > metadata.lastSequenceNumber
    const isNothing = plan.removed.length === 0 && plan.metadataFiles.length === 0 && !isRaised
    // Looked for first: what is unreadable stops it while nothing is changed.
    const needed = await readNeeded(options, table, plan.kept)
    const unneeded = await findUnneeded(options, table, plan.removed, needed)
    const known = [...needed.lists, ...needed.manifests.keys(), ...ofLeft.manifests, ...unneeded.manifests]
    const orphans = findOrphans(files, table, known, moment)
    const kept = await findKeptNames(ended, readSnapshotFiles(fileSystem, place), needed.manifests.values())
    const next = { ...withExpiredFrom(table, plan), 'last-sequence-number': ended.sequenceNumber }
    if (isTrial || isNothing || (await catalog.commit(table, next)) === 'done') {
      await deletes.unneeded(unneeded)
      await deletes.metadata([...plan.metadataFiles, ...findEarlier(place, files, plan)])
      await deletes.orphans(orphans)
      await deletes.orphans(await findLeftData(ended, { fileSystem, place, kept, now: moment }))
      return { snapshots: plan.removed.length, kept: plan.kept.length, ...deletes.report() }
    }
    await pause(tries)
  }
  throw new TableBusy(path, maxTries)
}

/** The property that names the last metadata with the snapshots that were forgotten, until others are. */
const expiredFrom = 'sluice.expired-from'

const withExpiredFrom = ({ metadata, metadataUri }: LoadedTable, { json }: ForgetPlan): Json => ({
  ...json,
  properties: { ...Object.fromEntries(metadata.properties), [expiredFrom]: metadataUri },
})

/** Snapshots that were forgotten before, and whose files may be there: their lists, which go behind those, are. */
const findLeft = async (
  { fileSystem }: ExpireOptions,
  { place, metadata }: LoadedTable,
  files: MetadataFiles,
): Promise<readonly Snapshot[]> => {
  const from = metadata.properties.get(expiredFrom)
  const earlier = from === undefined ? undefined : await readEarlier(fileSystem, toPathOrUri(place, from))
  if (earlier?.uuid !== metadata.uuid) return []
  const known = new Set(metadata.snapshots.map(({ id }) => id))
  return earlier.snapshots.filter(
    ({ id, manifestList }) => !known.has(id) && files.mayHave(toPathOrUri(place, manifestList)),
  )
}

/** Undefined where it is gone by now. */
const readEarlier = async (fileSystem: FileSystem, path: string): Promise<TableMetadata | undefined> => {
  try {
    return parseMetadata((await readFileWhole(fileSystem, path, mostMetadataBytes)).toString('utf8'), path)
  } catch (error) {
    if (error instanceof TableError || hasCode(error, 'not-found', 'bad-path')) return undefined
    throw error
  }
}

/** What snapshots have, by names as the metadata has them. */
type Needed = {
  readonly snapshots: readonly Snapshot[]
  readonly lists: readonly string[]
  readonly manifests: ReadonlyMap<string, ManifestFile>
}

/** Of the snapshots that stay. */
const readNeeded = async (
  { fileSystem, signal }: ExpireOptions,
  { place, metadata }: LoadedTable,
  snapshots = metadata.snapshots,
): Promise<Needed> => {
  const files = readSnapshotFiles(fileSystem, place)
  const manifests = new Map<string, ManifestFile>()
  for (const snapshot of snapshots) {
    signal?.throwIfAborted()
    for (const manifest of await files.manifests(snapshot)) manifests.set(manifest.uri, manifest)
  }
  return { snapshots, lists: snapshots.map(({ manifestList }) => manifestList), manifests }
}

/** Names of files as the metadata has them. */
type Unneeded = { readonly data: ReadonlySet<string>; readonly manifests: ReadonlySet<string> }

const none: Unneeded = { data: new Set(), manifests: new Set() }

const findUnneeded = async (
  { fileSystem, signal }: ExpireOptions,
  { place, metadata }: LoadedTable,
  removed: readonly Snapshot[],
  { snapshots: kept, manifests: needed }: Needed,
): Promise<Unneeded> => {
  const files = readSnapshotFiles(fileSystem, place)
  const candidates = new Set<string>()
  const withData = new Map<string, ManifestFile>()
  const isGrown = toIsGrown([...removed, ...kept], metadata.current)
  const data = new Set<string>()
  for (const snapshot of removed) {
    signal?.throwIfAborted()
    for (const manifest of await orNone(files.manifests(snapshot))) {
      if (needed.has(manifest.uri)) continue
      candidates.add(manifest.uri)
      if (!isGrown(snapshot)) withData.set(manifest.uri, manifest)
    }
  }
  for (const manifest of withData.values())
    for (const { file } of await orNone(files.entries(manifest))) data.add(file.text('file_path'))
  if (data.size > 0)
    for (const manifest of needed.values())
      for (const { file } of await files.entries(manifest)) data.delete(file.text('file_path'))
  return { data, manifests: new Set([...candidates, ...removed.map(({ manifestList }) => manifestList)]) }
}

/**
 * Whether the snapshot after one has all of its files, as one that appends does: then they need not be looked at. Of a table
 * that only grows no manifest is read, however many it has.
 */
const toIsGrown = (
  snapshots: readonly Snapshot[],
  current: Snapshot | undefined,
): ((snapshot: Snapshot) => boolean) => {
  const byId = new Map(snapshots.map(snapshot => [snapshot.id, snapshot]))
  const grown = new Set<bigint>()
  let next = current
  while (next !== undefined) {
    const { id, parentId, summary }: Snapshot = next
    byId.delete(id)
    next = parentId === undefined ? undefined : byId.get(parentId)
    if (next && summary.get('operation') === 'append') grown.add(next.id)
  }
  return ({ id }) => grown.has(id)
}

/** Of a snapshot that goes: its files may be gone, where it was cut short before. */
const orNone = async <T>(reading: Promise<readonly T[]>): Promise<readonly T[]> => {
  try {
    return await reading
  } catch (error) {
    if (hasCode(error, 'not-found')) return []
    throw error
  }
}

/** Deletes what is below the table, or says what would be. */
const createDeletes = ({ fileSystem, isTrial, signal }: ExpireOptions, place: TablePlace) => {
  const outside: string[] = []
  const deleted = { dataFiles: 0, manifests: 0, metadataFiles: 0, orphans: 0 }
  const remove = async (of: keyof typeof deleted, uris: Iterable<string>): Promise<void> => {
    for (const uri of uris) {
      signal?.throwIfAborted()
      const path = toPathOrUri(place, uri)
      if (!path.startsWith('/')) outside.push(uri)
      else if (isTrial || (await fileSystem.delete(path))) deleted[of]++
    }
  }
  return {
    unneeded: async ({ data, manifests }: Unneeded): Promise<void> => {
      await remove('dataFiles', data)
      await remove('manifests', manifests)
    },
    metadata: (uris: readonly string[]): Promise<void> => remove('metadataFiles', new Set(uris)),
    orphans: (uris: Iterable<string>): Promise<void> => remove('orphans', uris),
    report: () => ({ ...deleted, outside }),
  }
}

/** Metadata of versions that the log of the table has no more, or never had. */
const findEarlier = (place: TablePlace, { versions }: MetadataFiles, { firstVersion = 0 }: ForgetPlan): string[] =>
  versions
    .filter(({ version }) => version < firstVersion)
    .map(({ path }) => toUri(place, path.slice(place.path.length + 1)))

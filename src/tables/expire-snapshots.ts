/**
 * Forgets old snapshots of a table, and removes the files that no other snapshot needs:
 *
 *     commit metadata without them ─▶ delete data files ─▶ manifests ─▶ lists of manifests ─▶ earlier metadata
 *
 * Nothing is deleted before the table does without it, and nothing that is outside of the table's directory. What is cut
 * short leaves files that no snapshot has, and loses none.
 */
import { hasCode } from '../filesystem/cluster/steps.ts'
import type { FileSystem } from '../filesystem/filesystem.ts'
import { baseName } from '../filesystem/path.ts'
import type { Catalog, LoadedTable } from './catalog.ts'
import { type ForgetPlan, withoutSnapshots } from './forget-snapshots.ts'
import type { ManifestFile } from './manifests.ts'
import type { Snapshot } from './metadata.ts'
import { readSnapshotFiles, type SnapshotFiles } from './snapshot-files.ts'
import { TableBusy, TableError } from './table-error.ts'
import { type TablePlace, toPathOrUri } from './table-place.ts'

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
}

export type ExpireReport = {
  readonly snapshots: number
  readonly kept: number
  /** Files that were deleted, of each kind. */
  readonly dataFiles: number
  readonly manifests: number
  readonly metadataFiles: number
  /** Files that no snapshot needs, and that are left because they are not below the table. */
  readonly outside: readonly string[]
}

/** Snapshots of each branch, and files of earlier metadata, that stay whatever their age. */
export const keptAtLeast = 10

const maxTries = 20

/** Rejects with `FileSystemError`. @throws TableError there is no such table, or others were faster 20 times */
export const expireSnapshots = async (options: ExpireOptions): Promise<ExpireReport> => {
  const { catalog, path, now, olderThanMs, pause, isTrial } = options
  for (let tries = 1; tries <= maxTries; tries++) {
    const table = await catalog.load(path)
    if (!table) throw new TableError(path, 'there is no such table')
    const moment = now()
    const forgotten = withoutSnapshots(table, { now: moment, before: moment - olderThanMs, keptAtLeast })
    const isNothing = forgotten.removed.length === 0 && forgotten.metadataFiles.length === 0
    if (isNothing) return await report(options, table, forgotten)
    // Looked for first: what is unreadable stops it while nothing is changed.
    const unneeded = await findUnneeded(options.fileSystem, table.place, forgotten)
    if (isTrial) return await report(options, table, forgotten, unneeded)
    if ((await catalog.commit(table, forgotten.json)) === 'done')
      return await report(options, table, forgotten, unneeded)
    await pause(tries)
  }
  throw new TableBusy(path, maxTries)
}

/** Names of files as the metadata has them. */
type Unneeded = { readonly data: ReadonlySet<string>; readonly manifests: ReadonlySet<string> }

const nothing: Unneeded = { data: new Set(), manifests: new Set() }

const findUnneeded = async (
  fileSystem: FileSystem,
  place: TablePlace,
  { removed, kept }: ForgetPlan,
): Promise<Unneeded> => {
  const files = readSnapshotFiles(fileSystem, place)
  const [needed, candidates] = [new Map<string, ManifestFile>(), new Map<string, ManifestFile>()]
  for (const snapshot of kept)
    for (const manifest of await files.manifests(snapshot)) needed.set(manifest.uri, manifest)
  for (const snapshot of removed)
    for (const manifest of await manifestsOf(files, snapshot))
      if (!needed.has(manifest.uri)) candidates.set(manifest.uri, manifest)
  const data = new Set<string>()
  for (const manifest of candidates.values()) for (const uri of await dataOf(files, manifest)) data.add(uri)
  if (data.size > 0)
    for (const manifest of needed.values())
      for (const { file } of await files.entries(manifest)) data.delete(file.text('file_path'))
  return { data, manifests: new Set([...candidates.keys(), ...removed.map(({ manifestList }) => manifestList)]) }
}

/** Of a snapshot that goes: its files may be gone, where it was cut short before. */
const manifestsOf = async (files: SnapshotFiles, snapshot: Snapshot): Promise<readonly ManifestFile[]> =>
  await orNone(files.manifests(snapshot))

const dataOf = async (files: SnapshotFiles, manifest: ManifestFile): Promise<readonly string[]> =>
  (await orNone(files.entries(manifest))).map(({ file }) => file.text('file_path'))

const orNone = async <T>(reading: Promise<readonly T[]>): Promise<readonly T[]> => {
  try {
    return await reading
  } catch (error) {
    if (hasCode(error, 'not-found')) return []
    throw error
  }
}

const report = async (
  { fileSystem, isTrial }: ExpireOptions,
  { place }: LoadedTable,
  { removed, kept, metadataFiles, firstVersion }: ForgetPlan,
  { data, manifests }: Unneeded = nothing,
): Promise<ExpireReport> => {
  const outside: string[] = []
  const remove = async (uris: Iterable<string>): Promise<number> => {
    let deleted = 0
    for (const uri of uris) {
      const path = toPathOrUri(place, uri)
      if (!path.startsWith('/')) outside.push(uri)
      else if (isTrial || (await fileSystem.delete(path))) deleted++
    }
    return deleted
  }
  const strays = firstVersion === undefined ? [] : await findEarlier(fileSystem, place, firstVersion)
  return {
    snapshots: removed.length,
    kept: kept.length,
    dataFiles: await remove(data),
    manifests: await remove(manifests),
    metadataFiles: await remove(new Set([...metadataFiles, ...strays])),
    outside,
  }
}

/** Metadata of versions that the log of the table has no more, or never had. */
const findEarlier = async (fileSystem: FileSystem, place: TablePlace, firstVersion: number): Promise<string[]> => {
  const found: string[] = []
  for await (const part of fileSystem.listStatus(`${place.path}/metadata`))
    for (const { path } of part) {
      const [, version] = /^v(\d{1,15})\.metadata\.json$/.exec(baseName(path)) ?? []
      if (version !== undefined && Number(version) < firstVersion)
        found.push(`${place.location}${path.slice(place.path.length)}`)
    }
  return found
}

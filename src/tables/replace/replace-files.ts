/**
 * Replaces data files of a table by others that have the same rows, or all but repeats, as one snapshot: no reader sees
 * both, or neither. Or removes files with their rows, in the same way.
 *
 *     load ─▶ are all of them live, without deletions? ─▶ manifests ─▶ list ─▶ commit ─▶ another one was faster: again
 *
 * An append meanwhile is kept: the files are looked for in each new base. A file that is no longer live ends it, as after the
 * rewrite or the deletion of another writer. The new files get the sequence number of the snapshot: no deletion applies to
 * the old ones, so none of those before may, or can, apply to the new ones, and all later ones do.
 */
import type { FileSystem } from '../../filesystem/filesystem.ts'
import { newSnapshotId, readManifests } from '../append.ts'
import type { Catalog, LoadedTable } from '../catalog.ts'
import { compactor, nameCommit } from '../commit-names.ts'
import type { DataFile } from '../data-file.ts'
import { createCommitFiles } from '../files.ts'
import {
  describeManifest,
  entryStatus,
  type ManifestFile,
  toAddedEntry,
  toExistingEntry,
  writeManifest,
  writeManifestList,
} from '../manifests.ts'
import { type Json, toJsonLong } from '../members.ts'
import { withSnapshot } from '../metadata.ts'
import { readSnapshotFiles } from '../snapshot-files.ts'
import { NoTable, TableBusy, TableError } from '../table-error.ts'
import { type ChangeOperation, toChangeSummary, totalOf } from './change-summary.ts'
import { type HourRange, hourFieldOf, isIn, type LiveFile, mayHaveHours, readLiveFiles } from './live-files.ts'

type CommonOptions = {
  readonly fileSystem: FileSystem
  readonly catalog: Catalog
  /** Of the table. */
  readonly path: string
  /** Of this change and no other: a snapshot that has it in its summary is the one. */
  readonly id: string
  /** That does it, for the history of the table. @default a command does */
  readonly collectorId?: string | undefined
  /** Files that go, as the metadata names them; one at least. */
  readonly removed: readonly string[]
  readonly now: () => number
  /** Waits a while before the next try; grows with the tries before. */
  readonly pause: (tries: number) => Promise<unknown>
  readonly signal?: AbortSignal
}

export type ReplaceOptions = CommonOptions & {
  /** The last sequence number that its snapshot may have, by its lease. */
  readonly last: number
  /** The hour of all files, in hours since the epoch. */
  readonly hour: number
  /** Files that take their place, with as many rows but for the repeats. */
  readonly added: readonly DataFile[]
  /** @default there are none */
  readonly repeats?: Repeats | undefined
}

/** Rows that the new files lack: each repeats an event of another row. */
export type Repeats = {
  readonly rows: number
  /** Files that stay, and may have such other rows, as the metadata names them: they have to be live, and without deletions. */
  readonly beside: readonly string[]
  /** Whether a file that is live now may have further ones. */
  readonly isUnread: (uri: string) => boolean
}

export type RemoveOptions = CommonOptions & {
  /** The hours of all files. A file that the table has more than once in them is named as often. */
  readonly hours: HourRange
}

type ChangeOptions = CommonOptions &
  Pick<ReplaceOptions, 'added' | 'repeats' | 'last'> &
  Pick<RemoveOptions, 'hours'> & { readonly operation: ChangeOperation }

/**
 * What became of it:
 *
 *     done       the snapshot has it
 *     refused    another writer changed or removed one of the files, was always faster, its lease is over, or it was stopped; nothing was changed.
 *                Where `mayRefer`, a snapshot that was made by a try before, and expired since, may have had the added files: they have to stay
 */
export type Replaced =
  | { readonly outcome: 'done'; readonly snapshotId: bigint }
  | { readonly outcome: 'refused'; readonly reason: string; readonly mayRefer: boolean }

/** The line of the summary of a snapshot with the id of the replacement, or removal. */
export const replacementKey = 'sluice.replacement-id'

/** The line with the collector that did it; absent where a command did. */
export const replacerKey = 'sluice.collector-id'

/** The line with how many rows it dropped as repeats. */
export const repeatsKey = 'sluice.repeated-rows'

/** Tries until others are always faster. */
const maxTries = 20

/** Rejects with `FileSystemError`: whether it was made is not known then, and the same call finds out. @throws TableError */
export const replaceFiles = ({ hour, ...options }: ReplaceOptions): Promise<Replaced> => {
  // Rows that go are no `replace`: by the specification that changes no data.
  const operation = options.repeats && options.repeats.rows > 0 ? 'overwrite' : 'replace'
  return changeFiles({ ...options, hours: { from: hour, to: hour + 1 }, operation })
}

/** Removes the rows of files: what came to these hours meanwhile stays. Rejects as {@link replaceFiles}. @throws TableError */
export const removeFiles = (options: RemoveOptions): Promise<Replaced> =>
  changeFiles({ ...options, added: [], last: Number.POSITIVE_INFINITY, operation: 'delete' })

const changeFiles = async (options: ChangeOptions): Promise<Replaced> => {
  const { catalog, path, pause, signal } = options
  let mayRefer = false
  for (let tries = 1; tries <= maxTries; tries++) {
    if (signal?.aborted) return { outcome: 'refused', reason: 'it was stopped', mayRefer }
    const table = await catalog.load(path)
    if (!table) throw new NoTable(path)
    const made = table.metadata.snapshots.find(({ summary }) => summary.get(replacementKey) === options.id)
    if (made) return { outcome: 'done', snapshotId: made.id }
    // Before each try: an expiry counts on it.
    if (table.metadata.lastSequenceNumber >= options.last)
      return { outcome: 'refused', reason: 'it took more than a day, or too many changes of the table', mayRefer }
    const found = await findFiles(options, table)
    if ('reason' in found) return { outcome: 'refused', ...found, mayRefer }
    const outcome = await tryChange(options, table, found.files)
    if (typeof outcome === 'bigint') return { outcome: 'done', snapshotId: outcome }
    mayRefer ||= outcome === 'unknown'
    await pause(tries)
  }
  return { outcome: 'refused', reason: new TableBusy(path, maxTries).message, mayRefer }
}

/** @throws TableError the files would not have the same rows */
const findFiles = async (
  { fileSystem, hours, removed, added, repeats, operation }: ChangeOptions,
  table: LoadedTable,
): Promise<{ readonly files: readonly LiveFile[] } | { readonly reason: string }> => {
  const live = await readLiveFiles(readSnapshotFiles(fileSystem, table.place), table, hours)
  const byUri = Map.groupBy(live, file => file.uri)
  const gone = new Set(removed)
  const files: LiveFile[] = []
  for (const [uri, { length: times }] of Map.groupBy([...removed, ...(repeats?.beside ?? [])], uri => uri)) {
    const found = byUri.get(uri) ?? []
    if (found.length < times) return { reason: `another writer removed or rewrote ${uri}` }
    if (found.length > times) return { reason: `another writer added ${uri} once more` }
    if (found.some(({ hasDeletes }) => hasDeletes)) return { reason: `another writer deleted rows of ${uri}` }
    if (gone.has(uri)) for (const file of found) files.push(file)
  }
  if (operation === 'delete') return { files }
  const unread = repeats && live.find(({ uri }) => repeats.isUnread(uri))
  if (unread) return { reason: `another compaction made ${unread.uri}` }
  const before = totalOf(files, ({ rows }) => rows) - (repeats?.rows ?? 0)
  const after = totalOf(added, ({ rows }) => rows)
  if (before === after && added.every(file => file.hour === hours.from)) return { files }
  throw new TableError(table.metadataUri, `expected ${before} rows of one hour in place of as many, found ${after}`)
}

/** @returns the id of the snapshot, or what became of it instead */
const tryChange = async (
  options: ChangeOptions,
  table: LoadedTable,
  removed: readonly LiveFile[],
): Promise<bigint | 'refused' | 'unknown'> => {
  const { fileSystem, catalog, added, repeats, id, collectorId, operation, now } = options
  const { metadata, metadataUri } = table
  const { write, discard } = createCommitFiles(fileSystem, table)
  const snapshot = { id: newSnapshotId(metadata), sequenceNumber: metadata.lastSequenceNumber + 1 }
  const names = nameCommit(compactor, snapshot.sequenceNumber)
  const writeEntries = async (entries: readonly Json[], number: number): Promise<ManifestFile> => {
    const bytes = writeManifest(metadata, entries)
    const uri = await write(names.manifest(number), bytes)
    return describeManifest({ uri, bytes: bytes.length }, metadata, snapshot, entries)
  }
  const manifests: ManifestFile[] = []
  const ofAdded = added.map(file => toAddedEntry(metadata, file, snapshot.id))
  if (ofAdded.length > 0) manifests.push(await writeEntries(ofAdded, 0))
  for await (const manifest of withoutFiles(options, table, { removed, snapshotId: snapshot.id }))
    manifests.push('entries' in manifest ? await writeEntries(manifest.entries, manifests.length) : manifest)
  const list = writeManifestList(manifests, snapshot, metadata.current)
  const manifestList = await write(names.list(snapshot.id), list)
  const summary = new Map([
    ...toChangeSummary(metadata, operation, { added, removed }),
    ...(operation === 'overwrite' ? [[repeatsKey, String(repeats?.rows)] as const] : []),
    [replacementKey, id],
    ...(collectorId === undefined ? [] : [[replacerKey, collectorId] as const]),
  ])
  const step = { now: now(), baseUri: metadataUri }
  const next = withSnapshot(metadata, { ...snapshot, manifestList, summary }, new Map(), step)
  const outcome = await catalog.commit(table, next)
  if (outcome === 'done') return snapshot.id
  if (outcome === 'refused') await discard()
  return outcome
}

type Removal = { readonly removed: readonly LiveFile[]; readonly snapshotId: bigint }

/** The manifests of a table without some files: as they are, or the entries of one that has to be written again. */
async function* withoutFiles(
  { fileSystem, hours }: ChangeOptions,
  { metadata, place, metadataUri }: LoadedTable,
  { removed, snapshotId }: Removal,
): AsyncGenerator<ManifestFile | { readonly entries: readonly Json[] }> {
  const { spec } = metadata
  const { fieldId } = hourFieldOf(metadata, metadataUri)
  const gone = new Set(removed.map(({ uri }) => uri))
  const files = readSnapshotFiles(fileSystem, place)
  for (const manifest of await readManifests(fileSystem, place, metadata)) {
    if (isEmpty(manifest)) continue
    const mayHave = manifest.hasData && mayHaveHours(manifest, spec, hours)
    const entries = mayHave ? await files.entries(manifest) : []
    const isGone = ({ file, partition }: (typeof entries)[number]): boolean =>
      gone.has(file.text('file_path')) && isIn(hours, partition.get(fieldId))
    if (!entries.some(isGone)) yield manifest
    else
      yield {
        entries: entries.map(entry => ({
          ...toExistingEntry(entry, spec.fields),
          // Readers of the snapshot pass over it.
          ...(isGone(entry) ? { status: entryStatus.deleted, snapshot_id: toJsonLong(snapshotId) } : {}),
        })),
      }
  }
}

/** Whether a snapshot before removed all files of a manifest: no further one needs to have it. */
const isEmpty = ({ json }: ManifestFile): boolean =>
  json['added_files_count'] === 0 && json['existing_files_count'] === 0

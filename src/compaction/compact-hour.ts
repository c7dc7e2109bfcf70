/**
 * Makes few files of the many that an hour of a table has:
 *
 *     sources ─▶ rows, sorted by date ─▶ new files below `data/` ─▶ read back ─▶ one snapshot
 *
 * Readers see the sources until then, and afterwards the new files. Cut short before, it leaves files that no table refers
 * to, and the lease by which an expiry removes them; behind it, sources that earlier snapshots refer to until those expire.
 *
 * Where the table has ids of events, a row that has date and id of another one is dropped, so that each event is in one row of
 * the files that compactions made (`event-ids.ts`).
 */
import { randomUUID } from 'node:crypto'
import { hasCode } from '../filesystem/cluster/steps.ts'
import type { FileSystem } from '../filesystem/filesystem.ts'
import { toKindsFact } from '../formats/parquet/kind.ts'
import { RecordMemory } from '../formats/parquet/rewrite/record-writer.ts'
import { tableKey } from '../formats/parquet/write/field-ids.ts'
import type { Catalog, LoadedTable } from '../tables/catalog.ts'
import type { DataFile } from '../tables/data-file.ts'
import { takeLease } from '../tables/replace/lease.ts'
import { hourFieldOf, type LiveFile } from '../tables/replace/live-files.ts'
import { nameMerged } from '../tables/replace/merged-name.ts'
import { type Repeats, type Replaced, replaceFiles } from '../tables/replace/replace-files.ts'
import { groupSources, type SourceGroup } from './group-sources.ts'
import { type HourTarget, toHourTarget } from './hour-target.ts'
import { createKnownFiles } from './known-files.ts'
import { UnlikeKinds } from './merge-kinds.ts'
import type { HourPlan } from './plan-compaction.ts'
import { type BesideFile, findRepeatable, readBesideInto } from './read-beside.ts'
import { readRowsInto } from './read-rows.ts'
import { createRowSorter } from './row-sorter.ts'
import { openSource, UnfitSource, withSource } from './source-files.ts'
import { type WriteRowsOptions, writeRows } from './write-rows.ts'

export type CompactOptions = {
  readonly fileSystem: FileSystem
  readonly catalog: Catalog
  /** Bytes of a file, at least, except for the last one. */
  readonly targetBytes: number
  /** Where rows wait that have no room in memory. */
  readonly temporaryDirectory: string
  /** Of rows that are held while they are sorted. @default 64 MiB */
  readonly sortBytes?: number
  /** Of a row group, before they are encoded. @default 48 MiB */
  readonly groupBytes?: number
  /** That compacts, for the history of the table. @default a command does */
  readonly collectorId?: string | undefined
  readonly now: () => number
  /** Waits a while before another try. */
  readonly pause: (tries: number) => Promise<unknown>
  /** Called with rows that were read, or written. */
  readonly onRows: (rows: number) => void
  readonly signal?: AbortSignal
}

/** What became of the files of an hour: of those of the collector, and of those of other programs. */
export type CompactedHour = {
  readonly hour: number
  readonly filesBefore: number
  readonly filesAfter: number
  /** Before. */
  readonly rows: number
  /** Of them those that were dropped: each repeats an event of another row. */
  readonly repeats: number
  readonly bytesBefore: number
  readonly bytesAfter: number
  /** Why files stay as they were: something about them has to change first. */
  readonly left: readonly string[]
  /** The same where another writer was faster: what is left of them can be merged by another call. */
  readonly overtaken: readonly string[]
}

const usualSortBytes = 64 * 1024 * 1024
const usualGroupBytes = 48 * 1024 * 1024

/** Rejects with `FileSystemError`: an outcome that is not known is found out by the next call. @throws TableError */
export const compactHour = async (
  options: CompactOptions,
  table: LoadedTable,
  { hour, files, besides }: HourPlan,
): Promise<CompactedHour> => {
  const sum = (all: readonly (LiveFile | DataFile)[], of: 'rows' | 'bytes'): number =>
    all.reduce((total, file) => total + file[of], 0)
  const done = { hour, filesBefore: 0, filesAfter: 0, rows: 0, repeats: 0, bytesBefore: 0, bytesAfter: 0 }
  const [left, overtaken]: [string[], string[]] = [[], []]
  try {
    const target = toHourTarget(table, hour)
    const known = besides && createKnownFiles(besides, files)
    for (const group of await groupSources(options.fileSystem, table.place, files, target)) {
      const added = await compactGroup(options, table, { target, ...group, ...known?.of(group.files) })
      if ('reason' in added) {
        overtaken.push(added.reason)
        continue
      }
      known?.replace(group.files, added.files)
      done.repeats += added.repeats
      done.filesBefore += group.files.length
      done.filesAfter += added.files.length
      done.rows += sum(group.files, 'rows')
      done.bytesBefore += sum(group.files, 'bytes')
      done.bytesAfter += sum(added.files, 'bytes')
    }
  } catch (error) {
    if (!(error instanceof UnfitSource || error instanceof UnlikeKinds)) throw error
    left.push(error.message)
  }
  return { ...done, left, overtaken }
}

type Group = SourceGroup & {
  readonly target: HourTarget
  /** Files whose events are not to be repeated; undefined where the table has no ids. */
  readonly beside?: readonly BesideFile[]
  readonly isUnread?: Repeats['isUnread']
}

type Rewritten = { readonly files: readonly DataFile[]; readonly repeats: number }

type Compacted = Rewritten | { readonly reason: string }

const compactGroup = async (options: CompactOptions, table: LoadedTable, group: Group): Promise<Compacted> => {
  const { fileSystem, catalog, collectorId, now, pause, signal } = options
  const { files, target } = group
  const { hour } = target
  const id = randomUUID()
  const directory = `${hourFieldOf(table.metadata, table.metadataUri).name}=${toHourText(hour)}`
  const lease = await takeLease(fileSystem, table, { id, directory })
  const written: string[] = []
  const discard = async (): Promise<boolean> => {
    const outcomes = await Promise.allSettled(written.map(path => fileSystem.delete(path)))
    return outcomes.every(({ status }) => status === 'fulfilled')
  }
  const beside = findRepeatable(group.beside ?? [], files)
  let rewritten: Rewritten
  try {
    const nameOf = (number: number): string => nameMerged(directory, id, number)
    rewritten = await rewrite({ ...options, nameOf, onFile: path => void written.push(path) }, table, {
      ...group,
      beside,
    })
  } catch (error) {
    // A file whose writing had no answer may still come.
    if ((await discard()) && !hasCode(error, 'unavailable')) await lease.end()
    // Whatever a file system makes of it.
    signal?.throwIfAborted()
    throw error
  }
  const removed = files.map(({ uri }) => uri)
  const added = rewritten.files
  const { isUnread } = group
  const repeats = isUnread && { rows: rewritten.repeats, beside: beside.map(({ uri }) => uri), isUnread }
  const { path } = table.place
  const replacement = {
    fileSystem,
    catalog,
    path,
    id,
    collectorId,
    last: lease.last,
    hour,
    removed,
    added,
    repeats,
    now,
    pause,
  }
  const replaced: Replaced = await replaceFiles(signal ? { ...replacement, signal } : replacement)
  const isDone = replaced.outcome === 'done'
  if (isDone || (!replaced.mayRefer && (await discard()))) await lease.end()
  return isDone ? rewritten : { reason: replaced.reason }
}

type RewriteOptions = CompactOptions & Pick<WriteRowsOptions, 'nameOf' | 'onFile'>

const rewrite = async (
  options: RewriteOptions,
  table: LoadedTable,
  { files, kinds, target, beside = [] }: Group,
): Promise<Rewritten> => {
  const { place, metadata } = table
  const { fileSystem, targetBytes, temporaryDirectory, nameOf, onFile, onRows, signal } = options
  const { sortBytes = usualSortBytes, groupBytes = usualGroupBytes } = options
  const { layout, sortedBy, dateId, idsOnly } = target
  const [date = ''] = sortedBy.path
  const facts = [[tableKey, metadata.uuid] as const, ...(kinds ? [toKindsFact(kinds)] : [])]
  const sorter = createRowSorter({
    directory: temporaryDirectory,
    memoryBytes: sortBytes,
    hasIds: idsOnly !== undefined,
  })
  try {
    if (idsOnly) {
      const wanted = { target: idsOnly, sources: files, onRows: () => onRows(0) }
      // First, so that theirs are the rows that stay.
      for (const file of beside) {
        signal?.throwIfAborted()
        await withSource(file, async () => readBesideInto(sorter, await openSource(fileSystem, place, file), wanted))
      }
    }
    for (const file of files) {
      signal?.throwIfAborted()
      await withSource(file, async () =>
        readRowsInto(sorter, await openSource(fileSystem, place, file), target, onRows),
      )
    }
    const written = await writeRows(await sorter.rows(), {
      fileSystem,
      table,
      targetBytes,
      onFile,
      onRows,
      signal,
      dateId,
      nameOf,
      writer: { layout, codec: 'zstd', facts, sortedBy: date, memory: new RecordMemory(layout), groupBytes },
    })
    return { files: written, repeats: sorter.repeats }
  } finally {
    await sorter.close()
  }
}

/** `2026-11-22-08`, as Iceberg names the directory of a partition. */
const toHourText = (hour: number): string => new Date(hour * 3_600_000).toISOString().slice(0, 13).replace('T', '-')

/**
 * Which rows of a table are beyond their retention: those of the hours that lie wholly before the newest hour minus so many
 * days. Neither the times of files count, nor the clock alone: one that is far ahead would remove everything.
 */
import { randomUUID } from 'node:crypto'
import type { FileSystem } from '../filesystem/filesystem.ts'
import type { Catalog, LoadedTable } from '../tables/catalog.ts'
import { type LiveFile, readLiveFiles, readNewestHour } from '../tables/replace/live-files.ts'
import { type Replaced, removeFiles } from '../tables/replace/replace-files.ts'
import { readSnapshotFiles } from '../tables/snapshot-files.ts'
import { hourAt } from './closed-hour.ts'

/** The files of an hour that go; hours since the epoch. */
export type OldHour = { readonly hour: number; readonly files: readonly LiveFile[] }

export type RetentionPlan = {
  /** The oldest first. */
  readonly hours: readonly OldHour[]
  /** Files of such hours that stay because rows of them were deleted. */
  readonly left: readonly LiveFile[]
}

const hoursOfDay = 24

/**
 * @param options `days` that rows stay, counted from the newest hour of the table, or from `now` if that is earlier, ms since the epoch
 * @throws TableError a table that is not partitioned by the hour of a date. Rejects with `FileSystemError`
 */
export const planRetention = async (
  fileSystem: FileSystem,
  table: LoadedTable,
  { days, now }: { readonly days: number; readonly now: number },
): Promise<RetentionPlan> => {
  const files = readSnapshotFiles(fileSystem, table.place)
  const byClock = hourAt(now) - days * hoursOfDay
  // Most tables have none, and of those no manifest is read.
  const old = await readLiveFiles(files, table, { from: Number.NEGATIVE_INFINITY, to: byClock })
  if (old.length === 0) return { hours: [], left: [] }
  const newest = (await readNewestHour(files, table)) ?? Number.NEGATIVE_INFINITY
  const live = old.filter(({ hour }) => hour < newest - days * hoursOfDay)
  const withDeletes = new Set(live.flatMap(({ uri, hasDeletes }) => (hasDeletes ? [uri] : [])))
  const hours = Map.groupBy(
    live.filter(({ uri }) => !withDeletes.has(uri)),
    ({ hour }) => hour,
  )
  return {
    hours: Array.from(hours, ([hour, of]) => ({ hour, files: of })),
    left: live.filter(({ uri }) => withDeletes.has(uri)),
  }
}

export type RemoveOldOptions = {
  readonly fileSystem: FileSystem
  readonly catalog: Catalog
  /** That removes them, for the history of the table. @default a command does */
  readonly collectorId?: string | undefined
  readonly now: () => number
  /** Waits a while before another try. */
  readonly pause: (tries: number) => Promise<unknown>
}

/** Removes them as one snapshot. Rejects with `FileSystemError`: an outcome that is not known is found out by the next plan. @throws TableError */
export const removeOld = (
  options: RemoveOldOptions,
  { place: { path } }: LoadedTable,
  hours: readonly OldHour[],
): Promise<Replaced> => {
  const removed = hours.flatMap(({ files }) => files.map(({ uri }) => uri))
  const { from, to } = sumOld(hours)
  return removeFiles({ ...options, path, id: randomUUID(), hours: { from, to }, removed })
}

/** What goes, or went: hours since the epoch, without `to`. */
export type OldRows = {
  readonly from: number
  readonly to: number
  readonly hours: number
  readonly files: number
  readonly rows: number
  readonly bytes: number
}

export const sumOld = (hours: readonly OldHour[]): OldRows => {
  const files = hours.flatMap(one => one.files)
  const sum = (of: 'rows' | 'bytes'): number => files.reduce((total, file) => total + file[of], 0)
  const from = hours.at(0)?.hour ?? 0
  const to = (hours.at(-1)?.hour ?? from - 1) + 1
  return { from, to, hours: hours.length, files: files.length, rows: sum('rows'), bytes: sum('bytes') }
}

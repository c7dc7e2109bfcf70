/**
 * One pass over the tables of a directory: rows beyond their retention are removed, and files merged. Tables take turns, an hour each, so that a long backlog of one holds up no other;
 * their order is drawn, so that of several collectors each begins with others. Each turn looks first what is still to do:
 * another collector may have done it.
 */
import { hasCode } from '../../filesystem/cluster/steps.ts'
import { baseName } from '../../filesystem/path.ts'
import { findHourField } from '../../tables/replace/live-files.ts'
import { firstOpenHour } from '../closed-hour.ts'
import { type CompactOptions, compactHour } from '../compact-hour.ts'
import { type HourPlan, planCompaction } from '../plan-compaction.ts'
import { planRetention, removeOld, sumOld } from '../plan-retention.ts'
import type { PassNews, PassScope } from './news.ts'

export type MergeTablesOptions = PassScope &
  Omit<CompactOptions, 'onRows' | 'collectorId'> & {
    /** Of the tables, a directory each. */
    readonly directory: string
    /** From 0 to 1, without 1. */
    readonly random: () => number
    readonly tell: (news: PassNews) => void
  }

/** The next turn of a table. */
type Turn = {
  readonly table: string
  /** Hours that had files to merge when it was looked at first, the oldest first; undefined before. */
  readonly hours?: readonly number[]
  /** Hours before whose files had to stay. */
  readonly stuck: number
}

/** Rejects with `FileSystemError` where the tables cannot be listed. */
export const mergeTables = async (options: MergeTablesOptions): Promise<void> => {
  const { tell } = options
  const tables = await listTables(options)
  const turns: Turn[] = tables.map(table => ({ table, stuck: 0 }))
  for (let turn = turns.shift(); turn; turn = turns.shift()) {
    const { table } = turn
    tell({ kind: 'begins', table })
    const next = await takeTurn(options, turn)
    if (next) turns.push(next)
    else tell({ kind: 'ended', table })
  }
}

/** Directories that may be tables, in the order of their turns. */
const listTables = async (options: MergeTablesOptions): Promise<readonly string[]> => {
  const { fileSystem, directory, skip, last, random } = options
  const found: { readonly path: string; readonly place: number }[] = []
  try {
    for await (const part of fileSystem.listStatus(directory))
      for (const { path, isDirectory } of part)
        if (isDirectory && !/^[._]/.test(baseName(path)) && !skip.includes(path))
          found.push({ path, place: random() + (last.includes(path) ? 1 : 0) })
  } catch (error) {
    // The first file makes it.
    if (!hasCode(error, 'not-found')) throw error
  }
  return found.sort((a, b) => a.place - b.place).map(({ path }) => path)
}

const takeTurn = async (options: MergeTablesOptions, { table, hours, stuck }: Turn): Promise<Turn | undefined> => {
  const { fileSystem, catalog, merges, targetBytes, tell } = options
  let hour = hours?.[0]
  const fail = (reason: string): void => tell({ kind: 'failed', table, hour, reason })
  try {
    if (!hours) for (const reason of await removeFrom(options, table)) fail(reason)
    const loaded = merges ? await catalog.load(table) : undefined
    if (!loaded || !findHourField(loaded.metadata)) return undefined
    const range = hour === undefined ? closedHours(options) : { from: hour, to: hour + 1 }
    const plan = await planCompaction(fileSystem, loaded, { targetBytes, ...range })
    const [due] = plan.hours
    const rest = hours?.slice(1) ?? plan.hours.slice(1).map(found => found.hour)
    const wait = (more: number): void => tell({ kind: 'waits', table, hours: rest.length + stuck + more })
    let isStuck = false
    if (due) {
      hour = due.hour
      wait(1)
      const left = await merge(options, table, loaded, due)
      for (const reason of left) fail(reason)
      isStuck = left.length > 0
    }
    wait(isStuck ? 1 : 0)
    return rest.length > 0 ? { table, hours: rest, stuck: stuck + (isStuck ? 1 : 0) } : undefined
  } catch (error) {
    fail(error instanceof Error ? error.message : String(error))
    return undefined
  }
}

/**
 * Removes the rows of a table that are beyond their retention.
 * @returns why some had to stay; where another writer was faster the next pass sees to what is left
 */
const removeFrom = async (options: MergeTablesOptions, table: string): Promise<readonly string[]> => {
  const { fileSystem, catalog, retention, now, tell } = options
  const days = retention.get(baseName(table)) ?? retention.get('*') ?? Number.POSITIVE_INFINITY
  const loaded = Number.isFinite(days) ? await catalog.load(table) : undefined
  if (!loaded) return []
  const { hours, left } = await planRetention(fileSystem, loaded, { days, now: now() })
  if (hours.length > 0) {
    const removed = await removeOld(options, loaded, hours)
    if (removed.outcome === 'done')
      tell({ kind: 'removed', table, days, snapshotId: removed.snapshotId, ...sumOld(hours) })
  }
  const [first] = left
  return first
    ? [`${left.length} files are beyond the retention of ${days} days, and stay: rows of ${first.uri} were deleted`]
    : []
}

const closedHours = ({ now, afterMs }: MergeTablesOptions) => ({
  from: Number.NEGATIVE_INFINITY,
  to: firstOpenHour(now(), afterMs),
})

/** Between two signs of life of a long merge, in ms. */
const aliveMs = 5_000

/** @returns why files had to stay; where another writer was faster the next pass sees to what is left */
const merge = async (
  options: MergeTablesOptions,
  table: string,
  loaded: Parameters<typeof compactHour>[1],
  due: HourPlan,
): Promise<readonly string[]> => {
  const { tell } = options
  let toldAt = performance.now()
  const onRows = (): void => {
    if (performance.now() - toldAt < aliveMs) return
    toldAt = performance.now()
    tell({ kind: 'alive' })
  }
  const { left, overtaken: _, ...done } = await compactHour({ ...options, onRows }, loaded, due)
  if (done.filesBefore > 0) tell({ kind: 'merged', table, ...done })
  return left
}

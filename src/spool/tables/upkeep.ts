import type { FileSystem } from '../../filesystem/filesystem.ts'
import type { Logger } from '../../log/log.ts'
import { type ExpireReport, expireSnapshots } from '../../tables/expiry/expire-snapshots.ts'
import { findOldest, mayDeleteFiles } from '../../tables/expiry/forget-snapshots.ts'
import type { TableMetadata } from '../../tables/metadata.ts'
import { isDue } from '../heartbeat/due.ts'
import type { TableDesk } from './table-desk.ts'
import { createTableLanes } from './table-lanes.ts'

export type TableUpkeepOptions = {
  readonly desk: Pick<TableDesk, 'catalog' | 'now' | 'pause'>
  readonly fileSystem: FileSystem
  /** `collector.output.keep-snapshots-hours`, in ms; 0: snapshots stay. */
  readonly keepMs: () => number
  readonly log: Pick<Logger, 'info' | 'warn'>
}

/** Forgets old snapshots of the tables that this collector writes, beside its commits. */
export type TableUpkeep = {
  /** Hears of a table that is written to, as it is. */
  note(directory: string, table: TableMetadata): void
  /**
   * Sees to one table, if one is due, and does not wait for a slow one. Rejects where that failed, or a slow one since: it has
   * another turn later, behind others.
   */
  run(): Promise<void>
  /** Whether a table failed the last time. */
  readonly hasFailed: boolean
  /** Gives up what is under way, for good: the next process finds what is left. */
  stop(): void
}

/**
 * How much older than need be a snapshot gets. So many go at a time; and of several collectors one sees to a table, as
 * the others find none so old then.
 */
const patience = 1.25

/** Until a table that failed has another turn. */
const retryMs = 600_000

/** When the oldest snapshot that may go was made, and when its table has its next turn. */
type Turn = { readonly since: number; readonly notBefore: number }

export const createTableUpkeep = ({ desk, fileSystem, keepMs, log }: TableUpkeepOptions): TableUpkeep => {
  const { catalog, now, pause } = desk
  const turns = new Map<string, Turn>()
  const aborter = new AbortController()
  const { signal } = aborter
  const failures: Error[] = []
  const lanes = createTableLanes({
    signal,
    onSlow: table =>
      log.warn({ table }, 'the expiry of snapshots of a table takes long: other tables do not wait for it'),
  })

  const note: TableUpkeep['note'] = (directory, table) => {
    const since = mayDeleteFiles(table) ? findOldest(table, now()) : undefined
    if (since !== undefined) turns.set(directory, { since, notBefore: turns.get(directory)?.notBefore ?? 0 })
    else turns.delete(directory)
  }

  const isDueNow = (path: string): boolean => {
    const { since, notBefore } = turns.get(path) ?? { since: now(), notBefore: 0 }
    return keepMs() > 0 && now() - since > keepMs() * patience && isDue(now(), notBefore, retryMs)
  }

  const findDue = (): string | undefined => turns.keys().find(path => !lanes.isBusy(path) && isDueNow(path))

  const look = async (path: string): Promise<void> => {
    const table = await catalog.load(path)
    if (table) note(path, table.metadata)
    else turns.delete(path)
  }

  const see = async (path: string): Promise<void> => {
    // Another collector may have seen to it since.
    await look(path)
    if (!isDueNow(path)) return
    const expiring = { fileSystem, catalog, path, olderThanMs: keepMs(), now, pause, signal, isTrial: false }
    const { kept, outside, ...gone } = await expireSnapshots(expiring)
    if (isAnything(gone))
      log.info({ table: path, ...gone, kept, outside: outside.length }, 'old snapshots of a table are removed')
    turns.delete(path)
    await look(path)
  }

  const trySee = async (path: string): Promise<void> => {
    try {
      await see(path)
    } catch (error) {
      if (signal.aborted) return
      turns.set(path, { since: turns.get(path)?.since ?? 0, notBefore: now() + retryMs })
      failures.push(new Error(`${path}: ${(error as Error).message}`, { cause: error }))
    }
  }

  return {
    note,
    run: async () => {
      const path = signal.aborted ? undefined : findDue()
      if (path !== undefined) await lanes.run([path], trySee)
      const failure = failures.shift()
      if (failure && !signal.aborted) throw failure
    },
    get hasFailed() {
      return turns.values().some(({ notBefore }) => notBefore > 0)
    },
    stop: () => aborter.abort(),
  }
}

const isAnything = (gone: Omit<ExpireReport, 'kept' | 'outside'>): boolean =>
  Object.values(gone).some(count => count > 0)

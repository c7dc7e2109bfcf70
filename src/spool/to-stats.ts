import { bucketPath } from './bucket.ts'
import type { Flusher } from './flusher.ts'
import type { FileRecord, LedgerState } from './ledger-state.ts'
import type { Log } from './log.ts'
import type { OpenBucket } from './open-buckets.ts'
import type { SealQueue } from './seal-queue.ts'
import type { SpoolStats } from './spool.ts'
import type { SyncTimes } from './sync-times.ts'

/** Entries of the health report's list; the rest is in the sums. */
const maxLocalFiles = 1_000

/** What the figures are read from. */
export type StatsParts = {
  readonly collectorId: string
  readonly state: LedgerState
  readonly log: Log
  readonly sealQueue: SealQueue
  readonly flusher: Flusher
  readonly syncTimes: SyncTimes
  readonly outputDirectory: string
}

/** What only the spool itself knows. */
export type StatsNow = Pick<SpoolStats, 'refusal' | 'droppedEvents' | 'ignoredEvents'> & { readonly now: number }

/** Adds up the figures of the spool. */
export const toStats = (parts: StatsParts, { now, ...rest }: StatsNow): SpoolStats => {
  const { state, log, flusher, syncTimes } = parts
  const waiting = flusher.pending
  const quarantined = [...state.files.values()].filter(file => file.state.at === 'quarantined')
  const oldest = Math.min(...waiting.map(({ file }) => file.oldest), log.openSince || Number.POSITIVE_INFINITY)
  return {
    ...rest,
    ...log.counts,
    collectorId: parts.collectorId,
    accepting: rest.refusal === '',
    flushEnabled: state.flushEnabled,
    pendingFiles: waiting.length,
    pendingEvents: sum(waiting.map(({ file }) => file.events)),
    pendingBytes: sum(waiting.map(({ file }) => file.length)),
    openEvents: log.openEvents + parts.sealQueue.events,
    quarantinedFiles: quarantined.length + state.damage.length,
    quarantinedEvents: sum(quarantined.map(({ file }) => file.events)) + sum(state.damage.map(({ events }) => events)),
    flushes: flusher.stats.flushes,
    flushedEvents: flusher.stats.flushedEvents,
    totalFlushedEvents: state.flushedEvents,
    flushErrors: flusher.stats.errors,
    flushRetries: flusher.stats.retries,
    lastFlushError: flusher.stats.lastError,
    oldestSeconds: Number.isFinite(oldest) ? Math.max(0, (now - oldest) / 1_000) : 0,
    fsyncs: syncTimes.count,
    fsyncTotalMs: syncTimes.totalMs,
    fsyncMs: syncTimes.samples,
    localFiles: localFiles(waiting, log.openBuckets, parts.outputDirectory),
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

/** Events that wait, by bucket directory and file type: in the open segment and in sealed files. */
const localFiles = (
  waiting: readonly FileRecord[],
  open: Iterable<OpenBucket>,
  outputDirectory: string,
): ReadonlyMap<string, number> => {
  const files = new Map<string, number>()
  const add = (key: string, events: number): void => {
    if (files.size < maxLocalFiles || files.has(key)) files.set(key, (files.get(key) ?? 0) + events)
  }
  for (const { head, kind, events } of open) add(`${outputDirectory}/${bucketPath(head)}|${kind}`, events)
  for (const { file } of waiting) add(`${file.directory}|${file.kind}`, file.events)
  return files
}

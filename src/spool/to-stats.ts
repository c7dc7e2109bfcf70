import type { Timings } from '../timings.ts'
import { bucketPath } from './bucket.ts'
import type { Flusher } from './flusher.ts'
import type { KeyStore } from './keys/key-store.ts'
import type { LedgerState } from './ledger-state.ts'
import type { Log } from './log.ts'
import type { OpenBucket } from './open-buckets.ts'
import type { SealQueue } from './seal-queue.ts'
import type { SpaceWatch } from './space-watch.ts'
import type { SpoolStats } from './spool.ts'
import type { SpoolSettings } from './spool-options.ts'
import { bucketLabel } from './table/file-figures.ts'
import { toWaitingByType } from './waiting-by-type.ts'

/** Entries of the health report's list; the rest is in the sums. */
const maxLocalFiles = 1_000

/** What the figures are read from. */
export type StatsParts = {
  readonly collectorId: string
  readonly state: LedgerState
  readonly keys: Pick<KeyStore, 'size' | 'oldestAt'>
  readonly log: Log
  readonly sealQueue: SealQueue
  readonly space: Pick<SpaceWatch, 'freeBytes' | 'minFreeBytes'>
  readonly flusher: Flusher
  readonly syncTimes: Timings
  readonly settings: Pick<SpoolSettings, 'outputDirectory' | 'outputLayout'>
}

/** What only the spool itself knows. */
export type StatsNow = Pick<SpoolStats, 'refusal' | 'droppedEvents' | 'ignoredEvents'> & { readonly now: number }

/** Gathers the figures of the spool. Nothing is added up here: it costs the same however many files there are. */
export const toStats = (parts: StatsParts, { now, ...rest }: StatsNow): SpoolStats => {
  const { state, log, flusher, syncTimes } = parts
  const { figures } = state.files
  const { waiting } = figures
  const quarantined = figures.of('quarantined')
  const { lost } = state.damage
  const taken = figures.of('taken')
  const oldest = Math.min(figures.oldest ?? Number.POSITIVE_INFINITY, log.openSince || Number.POSITIVE_INFINITY)
  return {
    ...rest,
    ...log.counts,
    collectorId: parts.collectorId,
    accepting: rest.refusal === '',
    flushEnabled: state.flushEnabled,
    freeBytes: parts.space.freeBytes,
    minFreeBytes: parts.space.minFreeBytes,
    drained: state.drained,
    pendingFiles: waiting.files,
    pendingEvents: waiting.events,
    pendingBytes: waiting.bytes,
    openEvents: log.openEvents + parts.sealQueue.events,
    quarantinedFiles: quarantined.files + state.damage.size,
    quarantinedEvents: quarantined.events + state.damage.events,
    takenFiles: taken.files,
    takenEvents: taken.events,
    lostSegments: lost.files,
    lostEvents: lost.events,
    flushes: flusher.stats.flushes,
    flushedEvents: flusher.stats.flushedEvents,
    totalFlushedEvents: state.flushedEvents,
    flushErrors: flusher.stats.errors,
    flushRetries: flusher.stats.retries,
    lastFlushError: flusher.stats.lastError,
    oldestSeconds: Number.isFinite(oldest) ? Math.max(0, (now - oldest) / 1_000) : 0,
    fsyncs: syncTimes.count,
    fsyncTotalMs: syncTimes.totalMs,
    fsyncMs: syncTimes.newest,
    fsyncCounts: syncTimes.counts(),
    idempotencyKeys: parts.keys.size,
    idempotencySeconds: Math.max(0, (now - (parts.keys.oldestAt ?? now)) / 1_000),
    // Made for those who look: they alone grow with the buckets.
    get localFiles() {
      return localFiles(figures.buckets, log.openBuckets, parts.settings)
    },
    get waitingByType() {
      const { outputDirectory } = parts.settings
      return toWaitingByType({ outputDirectory, sealed: figures.buckets, open: log.openBuckets })
    },
  }
}

/** Events that wait, by bucket directory and file type: in the open segment and in sealed files. */
const localFiles = (
  waiting: ReadonlyMap<string, number>,
  open: Iterable<OpenBucket>,
  { outputDirectory, outputLayout }: StatsParts['settings'],
): ReadonlyMap<string, number> => {
  const root = outputDirectory === '/' ? '' : outputDirectory
  const files = new Map<string, number>()
  for (const { head, kind, events } of open) {
    if (files.size === maxLocalFiles) break
    const label = bucketLabel({ directory: `${root}/${bucketPath(head, outputLayout)}`, kind })
    // Buckets of two granularities may be one directory.
    files.set(label, (files.get(label) ?? waiting.get(label) ?? 0) + events)
  }
  for (const [label, events] of waiting) {
    if (files.size === maxLocalFiles) break
    if (!files.has(label)) files.set(label, events)
  }
  return files
}

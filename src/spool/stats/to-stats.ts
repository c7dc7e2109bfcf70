import type { Current } from '../../current.ts'
import type { Timings } from '../../figures/timings.ts'
import { bucketPath } from '../bucket.ts'
import type { Flusher } from '../commit/flusher.ts'
import type { TableCommits } from '../commit/table-commits.ts'
import type { SpaceWatch } from '../heartbeat/space-watch.ts'
import type { Stages } from '../heartbeat/stages.ts'
import type { KeyStore } from '../keys/key-store.ts'
import type { LedgerState } from '../ledger/ledger-state.ts'
import { bucketLabel, type Tally } from '../ledger/table/file-figures.ts'
import type { Log } from '../log/log.ts'
import type { OpenBucket } from '../log/open-buckets.ts'
import type { Replica } from '../replica/replica.ts'
import type { SealQueue } from '../seal/seal-queue.ts'
import type { SpoolStats, StageFigures } from '../spool.ts'
import type { SpoolSettings } from '../spool-settings.ts'
import { toWaitingByType } from './waiting-by-type.ts'

/** Entries of the health report's list; the rest is in the sums. */
const maxLocalFiles = 1_000

/** What sealing and a commit may take, beyond the time that a segment stays open. */
const lateAfterMs = 600_000

/** What the figures are read from. */
export type StatsParts = {
  readonly collectorId: string
  readonly state: LedgerState
  readonly keys: Pick<KeyStore, 'keys' | 'ids' | 'problem'>
  readonly log: Log
  readonly sealQueue: SealQueue
  readonly space: Pick<SpaceWatch, 'freeBytes' | 'minFreeBytes' | 'fullInSeconds'>
  readonly flusher: Pick<Flusher, 'stats'>
  readonly tables: Pick<TableCommits, 'stats'>
  readonly stages: Pick<Stages, 'troubles'>
  readonly syncTimes: Timings
  /** Only for a spool that is replicated to HDFS. */
  readonly replica: Pick<Replica, 'status'> | undefined
  readonly settings: Current<
    Pick<SpoolSettings, 'outputDirectory' | 'outputLayout' | 'flushIntervalMs' | 'maxUncommittedMs'>
  >
}

/** What only the spool itself knows. */
export type StatsNow = Pick<SpoolStats, 'refusal' | 'droppedEvents' | 'ignoredEvents'> & { readonly now: number }

/** Gathers the figures of the spool. Nothing is added up here: it costs the same however many files there are. */
export const toStats = (parts: StatsParts, { now, ...rest }: StatsNow): SpoolStats => {
  const { state, log, flusher, syncTimes, settings } = parts
  const { keys, ids } = parts.keys
  const { figures } = state.files
  const { waiting } = figures
  const { lost } = state.damage
  const taken = figures.of('taken')
  const placed = figures.of('placed')
  const tables = parts.tables.stats
  const stages = toStages(parts, now)
  const { log: open, sealing, commit } = stages
  const { outputDirectory, flushIntervalMs, maxUncommittedMs } = settings()
  const isLateAfterMs = Math.min(flushIntervalMs, maxUncommittedMs) + lateAfterMs
  return {
    ...rest,
    ...log.counts,
    collectorId: parts.collectorId,
    accepting: rest.refusal === '',
    flushEnabled: state.flushEnabled,
    freeBytes: parts.space.freeBytes,
    minFreeBytes: parts.space.minFreeBytes,
    fullInSeconds: parts.space.fullInSeconds,
    drained: state.drained,
    pendingFiles: waiting.files,
    pendingEvents: waiting.events,
    pendingBytes: waiting.bytes,
    openEvents: open.events + sealing.events,
    waitingFiles: open.files + sealing.files + commit.files,
    waitingEvents: open.events + sealing.events + commit.events,
    waitingBytes: open.bytes + sealing.bytes + commit.bytes,
    stages,
    troubles: parts.stages.troubles,
    replica: parts.replica?.status(),
    quarantinedFiles: stages.quarantine.files,
    quarantinedEvents: stages.quarantine.events,
    retriedFiles: figures.of('quarantined').files - figures.conflicts.files,
    takenFiles: taken.files,
    takenEvents: taken.events,
    placedFiles: placed.files,
    placedEvents: placed.events,
    snapshots: tables.snapshots,
    snapshotErrors: tables.failures,
    lastSnapshotError: tables.lastError,
    snapshotSeconds: secondsSince(tables.lastAt, now),
    lostSegments: lost.files,
    lostEvents: lost.events,
    flushes: flusher.stats.flushes,
    flushedEvents: flusher.stats.flushedEvents,
    totalFlushedEvents: state.flushedEvents,
    flushErrors: flusher.stats.errors,
    flushRetries: flusher.stats.retries,
    lastFlushError: flusher.stats.lastError,
    oldestSeconds: Math.max(...Object.values(stages).map(({ oldestSeconds }) => oldestSeconds)),
    lateSeconds: isLateAfterMs / 1_000,
    fsyncs: syncTimes.count,
    fsyncTotalMs: syncTimes.totalMs,
    fsyncMs: syncTimes.newest,
    fsyncCounts: syncTimes.counts(),
    idempotencyKeys: keys.size,
    idempotencySeconds: secondsSince(keys.oldestAt, now),
    eventIds: ids.size,
    eventIdSeconds: secondsSince(ids.oldestAt, now),
    idempotencyProblem: parts.keys.problem,
    // Made for those who look: they alone grow with the buckets.
    get localFiles() {
      return localFiles(figures.buckets, log.openBuckets, settings())
    },
    get waitingByType() {
      return toWaitingByType({ outputDirectory, sealed: figures.buckets, open: log.openBuckets })
    },
  }
}

/** 0 where nothing is known. */
const secondsSince = (at: number | undefined, now: number): number =>
  at === undefined ? 0 : Math.max(0, (now - at) / 1_000)

/** What is acknowledged and not known to be in the file system, by where it is. */
const toStages = ({ state, log, sealQueue }: StatsParts, now: number): SpoolStats['stages'] => {
  const { figures } = state.files
  const quarantined = figures.of('quarantined')
  const at = ({ files, events, bytes }: Readonly<Tally>, oldest: number | undefined): StageFigures => ({
    files,
    events,
    bytes,
    oldestSeconds: secondsSince(oldest, now),
  })
  const open = { files: log.openEvents > 0 ? 1 : 0, events: log.openEvents, bytes: log.openBytes }
  const { damage } = state
  return {
    log: at(open, log.openSince || undefined),
    sealing: at(sealQueue.waiting, sealQueue.oldest),
    commit: at(figures.waiting, figures.oldest),
    quarantine: at(
      {
        files: quarantined.files + damage.size,
        events: quarantined.events + damage.events,
        bytes: quarantined.bytes + damage.bytes,
      },
      figures.oldestQuarantined,
    ),
    // Perhaps they are in the file system: their age says nothing.
    taken: at(figures.of('taken'), undefined),
  }
}

/** Events that wait, by bucket directory and file type: in the open segment and in sealed files. */
const localFiles = (
  waiting: ReadonlyMap<string, number>,
  open: Iterable<OpenBucket>,
  { outputDirectory, outputLayout }: ReturnType<StatsParts['settings']>,
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

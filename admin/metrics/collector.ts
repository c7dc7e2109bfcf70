import { perTurn } from '../../src/beans/per-turn.ts'
import type { SpoolFigures } from '../catalog/spool.ts'
import { type ApiCounts, reasons, samplesByApi } from './api-counts.ts'
import {
  family,
  type MetricFamily,
  type MetricSample,
  newestSummary,
  single,
  toHistogramSamples,
  toSummarySamples,
} from './metric.ts'

/** Events whose name is not known: they could not be read, or were not looked at. */
const unknownType = '(unknown)'

/** The counts of the spool, as far as metrics look at it. */
export type SpoolCounts = SpoolFigures & {
  readonly lostSegments: readonly unknown[]
  /** The newest, in ms. */
  readonly fsyncMs: readonly number[]
  /** As of `timings.ts`. */
  readonly fsyncCounts: readonly number[]
}

/** The forwarding of one event type. */
export type ForwardedCounts = Readonly<Record<'sent' | 'queueSize' | 'dropped' | 'errored', number>> & {
  readonly type: string
}

const forwardedRows: readonly (readonly ['counter' | 'gauge', string, string, (counts: ForwardedCounts) => number])[] =
  [
    ['counter', 'collector_events_forwarded_total', 'Events that the broker has.', ({ sent }) => sent],
    ['gauge', 'collector_realtime_queued_events', 'Events that wait for the broker.', ({ queueSize }) => queueSize],
    [
      'counter',
      'collector_realtime_lost_events_total',
      'Events that the broker did not get: the queue was full, or it refused them. They are still delivered to the file system.',
      ({ dropped, errored }) => dropped + errored,
    ],
  ]

/** Accepted events that are counted apart as well, and events that are not kept, and whose requests are not refused. */
const besideRows: readonly (readonly [string, string, 'replayed' | 'filtered' | 'duplicates' | 'unknown'])[] = [
  ['collector_events_replayed_total', 'Accepted events that had been refused, and were replayed.', 'replayed'],
  ['collector_events_filtered_total', 'Events dropped by a filter.', 'filtered'],
  ['collector_events_duplicates_total', 'Events left out: their ids were kept before.', 'duplicates'],
  [
    'collector_events_unknown_total',
    'Events of a failed write that may have been kept: their requests got no answer.',
    'unknown',
  ],
]

/** What is read of the spool as it is: numbers, switches as 1 and 0, lists by their length. */
const spoolRows: readonly (readonly ['counter' | 'gauge', string, string, keyof SpoolCounts])[] = [
  ['gauge', 'collector_accepting', '1 while events are accepted.', 'accepting'],
  ['gauge', 'collector_flush_enabled', '1 while files are committed to the file system.', 'flushEnabled'],
  ['gauge', 'collector_disk_free_bytes', "Free space of the spool's disk.", 'freeBytes'],
  ['gauge', 'collector_disk_min_free_bytes', 'Free space below which events are refused.', 'minFreeBytes'],
  ['gauge', 'collector_spool_queued_events', 'Events that wait to be on disk.', 'queuedEvents'],
  ['gauge', 'collector_spool_events', 'Acknowledged events on their way, from the log on.', 'waitingEvents'],
  ['gauge', 'collector_spool_bytes', 'Their bytes on the local disk.', 'waitingBytes'],
  ['gauge', 'collector_spool_files', 'Segments and sealed files that hold them.', 'waitingFiles'],
  [
    'gauge',
    'collector_spool_oldest_seconds',
    'Age of the oldest acknowledged event that is not in the file system, quarantine included.',
    'oldestSeconds',
  ],
  ['gauge', 'collector_spool_late_seconds', 'At this age an event is late.', 'lateSeconds'],
  ['gauge', 'collector_idempotency_keys', 'Idempotency keys that are remembered.', 'idempotencyKeys'],
  [
    'gauge',
    'collector_idempotency_seconds',
    'The span of time that those cover: a request repeated later may count twice.',
    'idempotencySeconds',
  ],
  ['gauge', 'collector_event_ids', 'Ids of events that are remembered.', 'eventIds'],
  [
    'gauge',
    'collector_event_id_seconds',
    'The span of time that those cover: an event repeated later may count twice.',
    'eventIdSeconds',
  ],
  ['gauge', 'collector_quarantined_files', 'Files set aside.', 'quarantinedFiles'],
  ['gauge', 'collector_quarantined_events', 'Events in them.', 'quarantinedEvents'],
  ['gauge', 'collector_lost_segments', 'Segments whose file is gone.', 'lostSegments'],
  ['gauge', 'collector_lost_events', 'Events in them, as far as that is known.', 'lostEvents'],
  ['gauge', 'collector_taken_files', 'Files whose RENAME had no answer and that are not seen since.', 'takenFiles'],
  ['gauge', 'collector_taken_events', 'Events in them.', 'takenEvents'],
  ['gauge', 'collector_placed_files', 'Files of tables that wait for the next snapshot.', 'placedFiles'],
  ['gauge', 'collector_placed_events', 'Events in them.', 'placedEvents'],
  ['counter', 'collector_snapshots_total', 'Snapshots of tables.', 'snapshots'],
  ['counter', 'collector_snapshot_errors_total', 'Snapshots that failed; each is retried.', 'snapshotErrors'],
  ['counter', 'collector_hdfs_flushes_total', 'Files carried to the file system.', 'flushes'],
  ['counter', 'collector_hdfs_events_total', 'Events in them.', 'flushedEvents'],
  [
    'counter',
    'collector_stored_events_total',
    'Events carried to the file system over all runs of this spool.',
    'totalFlushedEvents',
  ],
  ['counter', 'collector_hdfs_errors_total', 'Commits that failed.', 'flushErrors'],
  ['counter', 'collector_hdfs_retries_total', 'Commits begun again.', 'flushRetries'],
]

/** What may fail in a spool and is retried. */
const works = ['space', 'log', 'ledger', 'sealing', 'commit', 'tables', 'upkeep', 'cleanup', 'strays']

/** What is read of each stage. */
const stageRows: readonly (readonly [string, string, 'files' | 'events' | 'bytes' | 'oldestSeconds'])[] = [
  [
    'collector_stage_files',
    'Files and segments with acknowledged events, by the stage that they have reached.',
    'files',
  ],
  ['collector_stage_events', 'Events in them.', 'events'],
  ['collector_stage_bytes', 'Their bytes.', 'bytes'],
  ['collector_stage_oldest_seconds', 'Age of the oldest event in them.', 'oldestSeconds'],
]

/** Figures of the collector and its spool; event names are bounded where they are counted. */
export const collectorMetrics = (
  counters: Readonly<Record<string, ApiCounts>>,
  readStats: () => SpoolCounts,
  forwarded: () => readonly ForwardedCounts[],
  misfits: () => Iterable<readonly [eventType: string, values: number]>,
): readonly MetricFamily[] => {
  const stats = perTurn(readStats)
  const byApi = samplesByApi(counters)
  const counter = (name: string, help: string, toSamples: (count: ApiCounts) => Iterable<MetricSample>) =>
    family('counter', name, help, byApi(toSamples))
  return [
    counter('collector_requests_total', 'Requests of intake.', ({ requests }) => [{ value: requests }]),
    counter(
      'collector_failures_total',
      'Requests of intake that were answered with an error, or not at all.',
      ({ failures }) => [{ value: failures }],
    ),
    counter('collector_events_received_total', 'Events received; the type where it is known.', function* (count) {
      yield* toTypeSamples(count)
      yield { labels: { type: unknownType }, value: count.received - count.accepted }
    }),
    counter('collector_events_accepted_total', 'Events kept by the spool.', toTypeSamples),
    ...besideRows.map(([name, help, figure]) => counter(name, help, counts => [{ value: counts[figure] }])),
    counter('collector_events_rejected_total', 'Events not kept, by reason.', count =>
      reasons.map(reason => ({ labels: { type: unknownType, reason }, value: count[reason] })),
    ),
    single('counter', 'collector_events_written_total', 'Events on the local disk.', () => stats().writtenEvents),
    ...forwardedRows.map(([type, name, help, toValue]) =>
      family(type, name, help, () =>
        forwarded().map(counts => ({ labels: { type: counts.type }, value: toValue(counts) })),
      ),
    ),
    ...stageRows.map(([name, help, figure]) =>
      family('gauge', name, help, () =>
        Object.entries(stats().stages).map(([stage, figures]) => ({ labels: { stage }, value: figures[figure] })),
      ),
    ),
    family('gauge', 'collector_failing', '1 for work of the spool that fails and is retried.', () => {
      const failing = new Set(stats().troubles.map(({ work }) => work))
      return [...new Set([...works, ...failing])].map(work => ({ labels: { work }, value: Number(failing.has(work)) }))
    }),
    family(
      'counter',
      'collector_parquet_misfits_total',
      'Values that did not fit their columns of Parquet files and were written to _extra.',
      () => toMisfitSamples(misfits()),
    ),
    ...spoolRows.map(([type, name, help, figure]) => single(type, name, help, () => toNumber(stats()[figure]))),
    family(
      'summary',
      'collector_ack_seconds',
      'Time until the answer; quantiles of the newest requests.',
      byApi(({ latency }) => {
        const { count, totalMs, p50Ms, p95Ms, p99Ms } = latency.summary()
        return toSummarySamples(count, totalMs, { '0.5': p50Ms, '0.95': p95Ms, '0.99': p99Ms })
      }),
    ),
    family(
      'summary',
      'collector_fsync_seconds',
      'Time of a group sync to the disk; quantiles of the newest ones.',
      () => {
        const { fsyncs, fsyncTotalMs, fsyncMs } = stats()
        return newestSummary(fsyncs, fsyncTotalMs, fsyncMs)
      },
    ),
    family(
      'histogram',
      'collector_ack_duration_seconds',
      'Time until the answer.',
      byApi(({ latency }) => {
        const { count, totalMs } = latency.summary()
        return toHistogramSamples(count, totalMs, latency.counts())
      }),
    ),
    family('histogram', 'collector_fsync_duration_seconds', 'Time of a group sync to the disk.', () => {
      const { fsyncs, fsyncTotalMs, fsyncCounts } = stats()
      return toHistogramSamples(fsyncs, fsyncTotalMs, fsyncCounts)
    }),
  ]
}

/** Types with a series of their own; the others share one. */
const maxMisfitTypes = 1_000

function* toMisfitSamples(misfits: Iterable<readonly [string, number]>): Generator<MetricSample, void, undefined> {
  let types = 0
  let others = 0
  for (const [type, value] of misfits) {
    if (value === 0) continue
    if (++types <= maxMisfitTypes) yield { labels: { type }, value }
    else others += value
  }
  if (others > 0) yield { labels: { type: '(other)' }, value: others }
}

function* toTypeSamples({ byType }: ApiCounts): Generator<MetricSample, void, undefined> {
  for (const [type, value] of byType) yield { labels: { type }, value }
}

const toNumber = (value: unknown): number => (Array.isArray(value) ? value.length : Number(value))

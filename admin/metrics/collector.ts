import { perTurn } from '../../src/beans/per-turn.ts'
import {
  histogram,
  type MetricFamily,
  type MetricSample,
  newestSummary,
  single,
  toHistogramSamples,
  toSummarySamples,
} from './metric.ts'

/** Events whose name is not known: they could not be read, or were not looked at. */
const unknownType = '(unknown)'

/** What one API counts, as far as its metrics look at it. */
export type ApiCounts = Readonly<
  Record<
    | 'requests'
    | 'failures'
    | 'received'
    | 'accepted'
    | 'filtered'
    | 'malformed'
    | 'lost'
    | 'errored'
    | 'ignored'
    | 'unknown',
    number
  >
> & {
  readonly byType: ReadonlyMap<string, number>
  readonly latency: {
    summary(): Readonly<Record<'count' | 'totalMs' | 'p50Ms' | 'p95Ms' | 'p99Ms', number>>
    /** As of `histogram.ts`. */
    counts(): readonly number[]
  }
}

/** What the spool counts, as far as metrics look at it. */
export type SpoolCounts = Readonly<
  Record<
    | 'writtenEvents'
    | 'queuedEvents'
    | 'pendingBytes'
    | 'pendingFiles'
    | 'oldestSeconds'
    | 'idempotencyKeys'
    | 'idempotencySeconds'
    | 'quarantinedFiles'
    | 'lostEvents'
    | 'takenFiles'
    | 'takenEvents'
    | 'flushes'
    | 'flushedEvents'
    | 'flushErrors'
    | 'flushRetries'
    | 'fsyncs'
    | 'fsyncTotalMs',
    number
  >
> & {
  readonly accepting: boolean
  readonly flushEnabled: boolean
  readonly lostSegments: readonly unknown[]
  /** The newest, in ms. */
  readonly fsyncMs: readonly number[]
  /** As of `histogram.ts`. */
  readonly fsyncCounts: readonly number[]
}

/** Figures of the collector and its spool; event names are bounded where they are counted. */
export const collectorMetrics = (
  counters: Readonly<Record<string, ApiCounts>>,
  readStats: () => SpoolCounts,
  forwarded: () => readonly { readonly type: string; readonly sent: number }[],
): readonly MetricFamily[] => {
  const stats = perTurn(readStats)
  const byApi = (toSamples: (count: ApiCounts) => Iterable<MetricSample>) => (): MetricSample[] =>
    Object.entries(counters).flatMap(([api, counts]) =>
      Array.from(toSamples(counts), one => ({ ...one, labels: { api, ...one.labels } })),
    )
  const counter = (name: string, help: string, samples: () => Iterable<MetricSample>): MetricFamily => ({
    name,
    help,
    type: 'counter',
    samples,
  })
  const gauge = (name: string, help: string, read: (figures: SpoolCounts) => number): MetricFamily =>
    single('gauge', name, help, () => read(stats()))
  const total = (name: string, help: string, read: (figures: SpoolCounts) => number): MetricFamily =>
    single('counter', name, help, () => read(stats()))
  return [
    counter(
      'collector_requests_total',
      'Requests of intake.',
      byApi(({ requests }) => [{ value: requests }]),
    ),
    counter(
      'collector_failures_total',
      'Requests of intake that were answered with an error, or not at all.',
      byApi(({ failures }) => [{ value: failures }]),
    ),
    counter('collector_events_received_total', 'Events received; the type where it is known.', byApi(receivedSamples)),
    counter('collector_events_accepted_total', 'Events kept by the spool.', byApi(acceptedSamples)),
    counter(
      'collector_events_filtered_total',
      'Events dropped by a filter.',
      byApi(({ filtered }) => [{ value: filtered }]),
    ),
    counter('collector_events_rejected_total', 'Events not kept, by reason.', byApi(rejectedSamples)),
    counter(
      'collector_events_unknown_total',
      'Events of a failed write that may have been kept: their requests got no answer.',
      byApi(({ unknown }) => [{ value: unknown }]),
    ),
    total('collector_events_written_total', 'Events on the local disk.', ({ writtenEvents }) => writtenEvents),
    counter('collector_events_forwarded_total', 'Events that the broker has.', () =>
      forwarded().map(({ type, sent }) => ({ labels: { type }, value: sent })),
    ),
    gauge('collector_accepting', '1 while events are taken.', ({ accepting }) => Number(accepting)),
    gauge('collector_flush_enabled', '1 while files are carried to the file system.', figures =>
      Number(figures.flushEnabled),
    ),
    gauge('collector_spool_queued_events', 'Events that wait to be on disk.', ({ queuedEvents }) => queuedEvents),
    gauge('collector_spool_bytes', 'Bytes of local files that wait.', ({ pendingBytes }) => pendingBytes),
    gauge('collector_spool_files', 'Local files that wait.', ({ pendingFiles }) => pendingFiles),
    gauge('collector_spool_oldest_seconds', 'Age of the oldest event that waits.', figures => figures.oldestSeconds),
    gauge('collector_idempotency_keys', 'Idempotency keys that are remembered.', figures => figures.idempotencyKeys),
    gauge(
      'collector_idempotency_seconds',
      'The span of time that those cover: a request repeated later may count twice.',
      figures => figures.idempotencySeconds,
    ),
    gauge('collector_quarantined_files', 'Files set aside.', ({ quarantinedFiles }) => quarantinedFiles),
    gauge('collector_lost_segments', 'Segments whose file is gone.', ({ lostSegments }) => lostSegments.length),
    gauge('collector_lost_events', 'Events in them, as far as that is known.', ({ lostEvents }) => lostEvents),
    gauge(
      'collector_taken_files',
      'Files whose RENAME had no answer and that are not seen since.',
      ({ takenFiles }) => takenFiles,
    ),
    gauge('collector_taken_events', 'Events in them.', ({ takenEvents }) => takenEvents),
    total('collector_hdfs_flushes_total', 'Files carried to the file system.', ({ flushes }) => flushes),
    total('collector_hdfs_events_total', 'Events in them.', ({ flushedEvents }) => flushedEvents),
    total('collector_hdfs_errors_total', 'Commits that failed.', ({ flushErrors }) => flushErrors),
    total('collector_hdfs_retries_total', 'Commits begun again.', ({ flushRetries }) => flushRetries),
    {
      name: 'collector_ack_seconds',
      help: 'Time until the answer; quantiles of the newest requests.',
      type: 'summary',
      samples: byApi(ackSamples),
    },
    {
      name: 'collector_fsync_seconds',
      help: 'Time of a group sync to the disk; quantiles of the newest ones.',
      type: 'summary',
      samples: () => {
        const figures = stats()
        return newestSummary(figures.fsyncs, figures.fsyncTotalMs, figures.fsyncMs)
      },
    },
    histogram('collector_ack_duration_seconds', 'Time until the answer.', byApi(ackHistogram)),
    histogram('collector_fsync_duration_seconds', 'Time of a group sync to the disk.', () => {
      const figures = stats()
      return toHistogramSamples({ count: figures.fsyncs, totalMs: figures.fsyncTotalMs, counts: figures.fsyncCounts })
    }),
  ]
}

function* acceptedSamples({ byType }: ApiCounts): Iterable<MetricSample> {
  for (const [type, value] of byType) yield { labels: { type }, value }
}

function* receivedSamples(count: ApiCounts): Iterable<MetricSample> {
  yield* acceptedSamples(count)
  yield { labels: { type: unknownType }, value: count.received - count.accepted }
}

function* rejectedSamples(count: ApiCounts): Iterable<MetricSample> {
  for (const reason of ['malformed', 'lost', 'errored', 'ignored'] as const) {
    yield { labels: { type: unknownType, reason }, value: count[reason] }
  }
}

const ackSamples = ({ latency }: ApiCounts): readonly MetricSample[] => {
  const { count, totalMs, p50Ms, p95Ms, p99Ms } = latency.summary()
  return toSummarySamples({
    count,
    sum: totalMs / 1_000,
    quantiles: { '0.5': p50Ms / 1_000, '0.95': p95Ms / 1_000, '0.99': p99Ms / 1_000 },
  })
}

const ackHistogram = ({ latency }: ApiCounts): readonly MetricSample[] => {
  const { count, totalMs } = latency.summary()
  return toHistogramSamples({ count, totalMs, counts: latency.counts() })
}

import type { RuntimeFigures } from '../beans/catalog/server.ts'
import type { GatewayFigures } from '../beans/gateway-figures.ts'
import { type MetricFamily, type MetricSample, single, toHistogramSamples, toSummarySamples } from '../beans/metric.ts'
import { perTurn } from '../beans/per-turn.ts'
import { toQuantiles } from '../beans/quantile.ts'
import type { ApiCounters, CollectorCounters } from '../collector/counters.ts'
import { apis } from '../spool/batch.ts'
import type { SpoolStats } from '../spool/spool.ts'
import { countOpenFiles } from './open-files.ts'

/** Events whose name is not known: they could not be read, or were not looked at. */
const unknownType = '(unknown)'
const quantiles = [0.5, 0.95, 0.99] as const

/** Figures of the collector and its spool; event names are bounded where they are counted. */
export const collectorMetrics = (
  counters: CollectorCounters,
  readStats: () => SpoolStats,
  forwarded: () => readonly { readonly type: string; readonly sent: number }[],
): readonly MetricFamily[] => {
  const stats = perTurn(readStats)
  const byApi = (toSamples: (count: ApiCounters) => Iterable<MetricSample>) => (): MetricSample[] =>
    apis.flatMap(api => Array.from(toSamples(counters[api]), one => ({ ...one, labels: { api, ...one.labels } })))
  const counter = (name: string, help: string, samples: () => Iterable<MetricSample>): MetricFamily => ({
    name,
    help,
    type: 'counter',
    samples,
  })
  const gauge = (name: string, help: string, read: (figures: SpoolStats) => number): MetricFamily =>
    single('gauge', name, help, () => read(stats()))
  const total = (name: string, help: string, read: (figures: SpoolStats) => number): MetricFamily =>
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
        return summaryOf(figures.fsyncs, figures.fsyncTotalMs, figures.fsyncMs)
      },
    },
    histogram('collector_ack_duration_seconds', 'Time until the answer.', byApi(ackHistogram)),
    histogram('collector_fsync_duration_seconds', 'Time of a group sync to the disk.', () => {
      const figures = stats()
      return toHistogramSamples({ count: figures.fsyncs, totalMs: figures.fsyncTotalMs, counts: figures.fsyncCounts })
    }),
  ]
}

/** Of all there was, so that quantiles can be taken over servers and over time. */
const histogram = (name: string, help: string, samples: () => Iterable<MetricSample>): MetricFamily => ({
  name,
  help,
  type: 'histogram',
  samples,
})

/** Figures of the gateway. */
export const gatewayMetrics = (figures: GatewayFigures): readonly MetricFamily[] => [
  {
    name: 'gateway_requests_total',
    help: 'Requests of the gateway.',
    type: 'counter',
    samples: () =>
      figures
        .requests()
        .map(({ op, cluster, code, count }) => ({ labels: { op, cluster, code: String(code) }, value: count })),
  },
  {
    name: 'gateway_bytes_total',
    help: 'Bytes of files: out to clients, in from them.',
    type: 'counter',
    samples: () => [
      { labels: { dir: 'in' }, value: figures.bytes.in },
      { labels: { dir: 'out' }, value: figures.bytes.out },
    ],
  },
  single('gauge', 'gateway_reads', 'Reads of files and directories that go on.', () => figures.reads.now),
  single(
    'counter',
    'gateway_reads_refused_total',
    'Reads refused because too many went on.',
    () => figures.reads.refused,
  ),
  {
    name: 'gateway_upstream_seconds',
    help: 'Time of a call to a file system until its first answer; quantiles of the newest ones.',
    type: 'summary',
    samples: () => {
      const { count, totalMs, newestMs } = figures.upstream()
      return summaryOf(count, totalMs, newestMs)
    },
  },
  histogram('gateway_upstream_duration_seconds', 'Time of a call to a file system until its first answer.', () =>
    toHistogramSamples(figures.upstream()),
  ),
]

/** Figures of the process, under the names that dashboards for Node know. */
export const processMetrics = (
  read: () => RuntimeFigures,
  { version, startedAt }: { readonly version: string; readonly startedAt: number },
): readonly MetricFamily[] => {
  const runtime = perTurn(read)
  const gauge = (name: string, help: string, pick: (figures: RuntimeFigures) => number): MetricFamily =>
    single('gauge', name, help, () => pick(runtime()))
  return [
    { name: 'sluice_info', help: 'What runs.', type: 'gauge', samples: () => [{ labels: { version }, value: 1 }] },
    single('counter', 'process_cpu_seconds_total', 'CPU time.', () => {
      const { cpuUserMs, cpuSystemMs } = runtime()
      return (cpuUserMs + cpuSystemMs) / 1_000
    }),
    single('gauge', 'process_start_time_seconds', 'Start, since the epoch.', () => startedAt / 1_000),
    {
      name: 'process_open_fds',
      help: 'Open files, sockets among them.',
      type: 'gauge',
      samples: () => [countOpenFiles()].filter(count => count !== undefined).map(value => ({ value })),
    },
    gauge('process_resident_memory_bytes', 'Memory of the process.', ({ residentBytes }) => residentBytes),
    gauge('nodejs_heap_size_used_bytes', 'Memory of objects.', ({ heapUsedBytes }) => heapUsedBytes),
    gauge('nodejs_external_memory_bytes', 'Memory outside the heap.', ({ externalBytes }) => externalBytes),
    gauge('nodejs_eventloop_lag_mean_seconds', 'Mean delay of timers.', figures => figures.eventLoopMeanMs / 1_000),
    gauge('nodejs_eventloop_lag_max_seconds', 'Longest delay of a timer.', figures => figures.eventLoopMaxMs / 1_000),
    gauge('nodejs_eventloop_lag_p99_seconds', 'Delay of timers.', figures => figures.eventLoopP99Ms / 1_000),
    gauge('nodejs_eventloop_utilization', 'Share of time it was busy.', figures => figures.eventLoopUtilization),
  ]
}

function* acceptedSamples({ byType }: ApiCounters): Iterable<MetricSample> {
  for (const [type, value] of byType) yield { labels: { type }, value }
}

function* receivedSamples(count: ApiCounters): Iterable<MetricSample> {
  yield* acceptedSamples(count)
  yield { labels: { type: unknownType }, value: count.received - count.accepted }
}

function* rejectedSamples(count: ApiCounters): Iterable<MetricSample> {
  for (const reason of ['malformed', 'lost', 'errored', 'ignored'] as const) {
    yield { labels: { type: unknownType, reason }, value: count[reason] }
  }
}

const ackSamples = ({ latency }: ApiCounters): readonly MetricSample[] => {
  const { count, totalMs, p50Ms, p95Ms, p99Ms } = latency.summary()
  return toSummarySamples({
    count,
    sum: totalMs / 1_000,
    quantiles: { '0.5': p50Ms / 1_000, '0.95': p95Ms / 1_000, '0.99': p99Ms / 1_000 },
  })
}

const ackHistogram = ({ latency }: ApiCounters): readonly MetricSample[] => {
  const { count, totalMs } = latency.summary()
  return toHistogramSamples({ count, totalMs, counts: latency.counts() })
}

const summaryOf = (count: number, totalMs: number, newestMs: readonly number[]): readonly MetricSample[] => {
  const values = toQuantiles(newestMs, quantiles)
  return toSummarySamples({
    count,
    sum: totalMs / 1_000,
    quantiles: Object.fromEntries(quantiles.map((quantile, i) => [String(quantile), (values[i] ?? 0) / 1_000])),
  })
}

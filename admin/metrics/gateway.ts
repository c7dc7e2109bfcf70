import type { GatewayFigures } from '../../src/gateway/figures.ts'
import { family, type MetricFamily, newestSummary, single, toHistogramSamples } from './metric.ts'

/** Figures of the gateway. */
export const gatewayMetrics = ({ upstream, ...figures }: GatewayFigures): readonly MetricFamily[] => [
  family('counter', 'gateway_requests_total', 'Requests of the gateway.', () =>
    figures
      .requests()
      .map(({ op, cluster, code, count }) => ({ labels: { op, cluster, code: String(code) }, value: count })),
  ),
  family('counter', 'gateway_bytes_total', 'Bytes of files: out to clients, in from them.', () => [
    { labels: { dir: 'in' }, value: figures.bytes.in },
    { labels: { dir: 'out' }, value: figures.bytes.out },
  ]),
  single('gauge', 'gateway_reads', 'Reads of files and directories in progress.', () => figures.reads.now),
  single(
    'counter',
    'gateway_reads_refused_total',
    'Reads refused because too many were in progress.',
    () => figures.reads.refused,
  ),
  single('gauge', 'gateway_readers', 'Processes that read files.', () => figures.readers.now),
  single(
    'counter',
    'gateway_readers_ended_total',
    'Processes that read files and ended unexpectedly.',
    () => figures.readers.ended,
  ),
  family(
    'summary',
    'gateway_upstream_seconds',
    'Time of a call to a file system until its first answer; quantiles of the newest ones.',
    () => newestSummary(upstream.count, upstream.totalMs, upstream.newest),
  ),
  family(
    'histogram',
    'gateway_upstream_duration_seconds',
    'Time of a call to a file system until its first answer.',
    () => toHistogramSamples(upstream.count, upstream.totalMs, upstream.counts()),
  ),
]

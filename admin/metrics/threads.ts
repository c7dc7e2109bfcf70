import type { ThreadFigures } from '../../src/collector/problems/thread-problems.ts'
import { type MetricFamily, single } from './metric.ts'

/** Threads that take connections; the main thread does with `server.threads=1`. */
export const threadMetrics = (read: () => ThreadFigures | undefined): readonly MetricFamily[] => [
  single(
    'gauge',
    'sluice_edge_threads_configured',
    'Threads that should take connections; 0: the main thread does.',
    () => read()?.configured ?? 0,
  ),
  single('gauge', 'sluice_edge_threads', 'Threads that take connections.', () => read()?.living ?? 0),
  single(
    'counter',
    'sluice_edge_threads_ended_total',
    'Threads that accepted connections and ended unexpectedly.',
    () => read()?.ended ?? 0,
  ),
]

import { readdirSync, statSync } from 'node:fs'
import { perTurn } from '../../src/beans/per-turn.ts'
import { readMaxOpenFiles } from '../../src/http/edge/connection-budget.ts'
import type { RuntimeFigures } from '../runtime.ts'
import { family, type MetricFamily, single } from './metric.ts'

/** Figures of the process, under the names that dashboards for Node know. */
export const processMetrics = (
  read: () => RuntimeFigures,
  { version, startedAt }: { readonly version: string; readonly startedAt: number },
): readonly MetricFamily[] => {
  const runtime = perTurn(read)
  const maxOpenFiles = readMaxOpenFiles()
  const gauge = (name: string, help: string, pick: (figures: RuntimeFigures) => number): MetricFamily =>
    single('gauge', name, help, () => pick(runtime()))
  return [
    family('gauge', 'sluice_info', 'The version that runs.', () => [{ labels: { version }, value: 1 }]),
    single('counter', 'process_cpu_seconds_total', 'CPU time.', () => {
      const { cpuUserMs, cpuSystemMs } = runtime()
      return (cpuUserMs + cpuSystemMs) / 1_000
    }),
    single('gauge', 'process_start_time_seconds', 'Start, since the epoch.', () => startedAt / 1_000),
    family('gauge', 'process_open_fds', 'Open files, sockets among them.', () =>
      [countOpenFiles()].filter(count => count !== undefined).map(value => ({ value })),
    ),
    family('gauge', 'process_max_fds', 'Files that may be open.', () =>
      [maxOpenFiles].filter(count => count !== undefined).map(value => ({ value })),
    ),
    gauge('process_resident_memory_bytes', 'Memory of the process.', ({ residentBytes }) => residentBytes),
    gauge('nodejs_heap_size_used_bytes', 'Memory of objects.', ({ heapUsedBytes }) => heapUsedBytes),
    gauge('nodejs_external_memory_bytes', 'Memory outside the heap.', ({ externalBytes }) => externalBytes),
    gauge('nodejs_eventloop_lag_mean_seconds', 'Mean delay of timers.', figures => figures.eventLoopMeanMs / 1_000),
    gauge('nodejs_eventloop_lag_max_seconds', 'Longest delay of a timer.', figures => figures.eventLoopMaxMs / 1_000),
    gauge('nodejs_eventloop_lag_p99_seconds', 'Delay of timers.', figures => figures.eventLoopP99Ms / 1_000),
    gauge('nodejs_eventloop_utilization', 'Share of time it was busy.', figures => figures.eventLoopUtilization),
  ]
}

/** Open files, sockets included; undefined if the system does not say. */
const countOpenFiles = (): number | undefined => {
  try {
    // Since Linux 6.2 its size is their number. Before, they are listed; one is the directory that is read here.
    return statSync('/proc/self/fd').size || readdirSync('/proc/self/fd').length - 1
  } catch {
    return undefined
  }
}

import { perTurn } from '../../src/beans/per-turn.ts'
import type { CompactionView } from '../catalog/compaction.ts'
import { type MetricFamily, single } from './metric.ts'

const figures: readonly (readonly ['counter' | 'gauge', string, string, (view: CompactionView) => number])[] = [
  [
    'gauge',
    'collector_compaction_waiting_partitions',
    'Partitions, closed hours of tables, with files to merge that the newest pass has found, and not merged yet.',
    view => view.waitingHours,
  ],
  [
    'gauge',
    'collector_compaction_failing',
    'Tables and hours that failed in the last pass, at most 20.',
    view => view.failing.length,
  ],
  [
    'gauge',
    'collector_compaction_last_pass_timestamp_seconds',
    'When the last pass was over, in seconds since the epoch; 0 before.',
    view => view.lastPassAt / 1_000,
  ],
  ['counter', 'collector_compaction_passes_total', 'Passes over the tables.', view => view.passes],
  ['counter', 'collector_compaction_failures_total', 'Tables and hours that failed.', view => view.failures],
  [
    'counter',
    'collector_compaction_partitions_total',
    'Partitions, hours of tables, whose files were merged.',
    view => view.hours,
  ],
  ['counter', 'collector_compaction_files_total', 'Files that became larger ones.', view => view.files],
  ['counter', 'collector_compaction_new_files_total', 'The larger ones.', view => view.newFiles],
  ['counter', 'collector_compaction_rows_total', 'Rows of those files, repeats included.', view => view.rows],
  [
    'counter',
    'collector_compaction_repeats_total',
    'Rows that were dropped: each repeated an event of another row (collector.event-ids.column).',
    view => view.repeats,
  ],
  [
    'counter',
    'collector_compaction_saved_bytes_total',
    'Bytes that the larger files have less than the others had.',
    view => view.savedBytes,
  ],
  [
    'counter',
    'collector_retention_partitions_total',
    'Partitions, hours of tables, that were beyond their retention and went.',
    view => view.removedHours,
  ],
  ['counter', 'collector_retention_files_total', 'Files that went with them.', view => view.removedFiles],
  ['counter', 'collector_retention_rows_total', 'Rows in them.', view => view.removedRows],
  ['counter', 'collector_retention_bytes_total', 'Bytes of these files.', view => view.removedBytes],
]

/** What the hourly compaction has done. */
export const compactionMetrics = (read: () => CompactionView): readonly MetricFamily[] => {
  const view = perTurn(read)
  return figures.map(([type, name, help, of]) => single(type, name, help, () => of(view())))
}

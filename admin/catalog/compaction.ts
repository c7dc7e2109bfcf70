import { attribute, type Bean, defineBean } from '../../src/beans/bean.ts'
import { perTurn } from '../../src/beans/per-turn.ts'
import type { ValueType } from '../../src/beans/value.ts'

/** What the bean and the metrics show of the hourly compaction; times in ms since the epoch. */
export type CompactionView = {
  readonly merges: boolean
  readonly isRunning: boolean
  readonly passes: number
  readonly lastPassAt: number
  readonly lastPassSeconds: number
  readonly nextPassAt: number
  readonly waitingHours: number
  readonly hours: number
  readonly files: number
  readonly newFiles: number
  readonly rows: number
  readonly repeats: number
  readonly savedBytes: number
  readonly removedHours: number
  readonly removedFiles: number
  readonly removedRows: number
  readonly removedBytes: number
  readonly failures: number
  readonly failing: readonly {
    readonly table: string | undefined
    readonly hour: number | undefined
    readonly reason: string
  }[]
  readonly latest: readonly {
    readonly table: string
    readonly hour: number
    readonly filesBefore: number
    readonly filesAfter: number
    readonly rows: number
    readonly repeats: number
    readonly bytesBefore: number
    readonly bytesAfter: number
  }[]
}

type Row = readonly [name: string, type: ValueType, description: string, read: (view: CompactionView) => unknown]

const rows: readonly Row[] = [
  ['Mode', 'string', 'As of collector.compaction.mode: off or hourly.', view => (view.merges ? 'hourly' : 'off')],
  ['Running', 'boolean', 'Whether a pass over the tables is under way.', view => view.isRunning],
  [
    'WaitingHours',
    'long',
    'Closed hours with files to merge that the newest pass has found, over all tables, and not merged yet.',
    view => view.waitingHours,
  ],
  ['Hours', 'long', 'Hours whose files were merged since the start, over all tables.', view => view.hours],
  ['Files', 'long', 'Files that became larger ones since the start.', view => view.files],
  ['NewFiles', 'long', 'The larger ones.', view => view.newFiles],
  ['Rows', 'long', 'Rows of those files, repeats included.', view => view.rows],
  [
    'Repeats',
    'long',
    'Rows that were dropped: each repeated an event of another row (collector.event-ids.column).',
    view => view.repeats,
  ],
  ['SavedBytes', 'long', 'Bytes that the larger ones have less than the others had.', view => view.savedBytes],
  [
    'RemovedHours',
    'long',
    'Hours that were beyond their retention and went since the start.',
    view => view.removedHours,
  ],
  ['RemovedFiles', 'long', 'Files that went with them.', view => view.removedFiles],
  ['RemovedRows', 'long', 'Rows in them.', view => view.removedRows],
  ['RemovedBytes', 'long', 'Bytes of these files.', view => view.removedBytes],
  ['Passes', 'long', 'Passes since the start.', view => view.passes],
  ['LastPass', 'long', 'When the last one was over, in ms since the epoch; 0 before.', view => view.lastPassAt],
  ['LastPassSeconds', 'double', 'How long it took.', view => view.lastPassSeconds],
  [
    'NextPass',
    'long',
    'When the next one is due, in ms since the epoch; 0 with compaction off and without retention.',
    view => view.nextPassAt,
  ],
  [
    'Latest',
    'list',
    'The hours merged last, at most 20, the newest first: table, hour (ISO 8601, UTC), files, newFiles, rows, repeats, bytes, newBytes.',
    view =>
      view.latest.map(({ table, hour, filesBefore, filesAfter, rows, repeats, bytesBefore, bytesAfter }) => ({
        table,
        hour: toIsoHour(hour),
        files: filesBefore,
        newFiles: filesAfter,
        rows,
        repeats,
        bytes: bytesBefore,
        newBytes: bytesAfter,
      })),
  ],
  ['Failures', 'long', 'Tables and hours that failed since the start.', view => view.failures],
  [
    'Failing',
    'list',
    'What failed in the last pass, at most 20: table, hour (ISO 8601, UTC) and reason; an empty table is the pass itself, and an empty hour the whole table.',
    view => view.failing.map(({ table = '', hour, reason }) => ({ table, hour: toIsoHour(hour), reason })),
  ],
]

const toIsoHour = (hour: number | undefined): string =>
  hour === undefined ? '' : new Date(hour * 3_600_000).toISOString()

/** The merging of files of tables, and the removal of old ones, once an hour. */
export const compactionBean = (vendor: string, read: () => CompactionView): Bean => {
  const view = perTurn(read)
  return defineBean({
    name: `${vendor}.metrics.collector:name=Compaction`,
    description:
      'The files of closed hours of tables made one, once an hour (collector.compaction.mode), and those beyond collector.retention removed.',
    attributes: Object.fromEntries(
      rows.map(([name, type, description, of]) => [name, attribute(type, description, () => of(view()))]),
    ),
  })
}

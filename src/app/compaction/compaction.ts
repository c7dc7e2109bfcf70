import {
  createHourlyCompaction,
  type HourlyCompaction,
  type HourlySettings,
} from '../../compaction/hourly/hourly-compaction.ts'
import { createStartPassProcess } from '../../compaction/hourly/pass-process.ts'
import type { Settings } from '../../config/table.ts'
import { siblingModule } from '../../runtime/module-url.ts'
import { encodeEventName } from '../../spool/bucket.ts'
import type { AppParts } from '../app-type.ts'
import type { Shared } from '../shared.ts'

type CompactionParts = Pick<Shared, 'live' | 'logger'> &
  Pick<AppParts, 'startPass' | 'now'> & {
    /** Undefined before its spool is open. */
    readonly collectorId: () => string | undefined
  }

/** Makes what merges the files of tables, and removes old ones, in a process of its own; without work there is no process. */
export const createCompaction = ({
  live,
  logger,
  startPass,
  now = Date.now,
  collectorId,
}: CompactionParts): HourlyCompaction => {
  const start =
    startPass ??
    createStartPassProcess({
      module: siblingModule(import.meta.url, 'compaction-process'),
      setup: () => live.current,
      logger,
    })
  const compaction = createHourlyCompaction({
    settings: live.of(toHourlySettings),
    startProcess: (scope, onNews) => start({ ...scope, collectorId: collectorId() }, onNews),
    now,
    log: logger,
  })
  live.onChange(() => () => compaction.look())
  return compaction
}

const toHourlySettings = (settings: Settings): HourlySettings => ({
  merges: settings['collector.compaction.mode'] === 'hourly',
  retention: new Map(
    Object.entries(settings['collector.retention']).map(([type, days]) => [
      // No directory of a type has this name.
      type === '*' ? type : encodeEventName(type),
      days === 'forever' ? Number.POSITIVE_INFINITY : days,
    ]),
  ),
  afterMs: settings['collector.compaction.after-minutes'] * 60_000,
  targetBytes: settings['collector.compaction.target-bytes'],
})

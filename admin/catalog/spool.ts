import { attribute, type Bean, defineBean } from '../../src/beans/bean.ts'
import { perTurn } from '../../src/beans/per-turn.ts'
import type { ValueType } from '../../src/beans/value.ts'

/** What the spool's bean shows, name by name; a test compares the names with the spool's own. */
export type SpoolFigures = { readonly [Row in (typeof figures)[number] as Row[0]]: TypeOf[Row[1]] }
type TypeOf = {
  readonly string: string
  readonly boolean: boolean
  readonly long: number
  readonly double: number
  readonly map: Readonly<Record<string, StageFigures>>
  readonly list: readonly TroubleFigures[]
}
type StageFigures = Readonly<Record<'files' | 'events' | 'bytes' | 'oldestSeconds', number>>
/** `since` in ms since the epoch. */
export type TroubleFigures = { readonly work: string; readonly reason: string; readonly since: number }

const figures = [
  ['collectorId', 'string', 'Id of this spool; part of the names of its files.'],
  ['accepting', 'boolean', 'Whether events are taken.'],
  ['refusal', 'string', 'Why not; empty while they are.'],
  ['flushEnabled', 'boolean', 'Whether files are carried to the file system.'],
  ['freeBytes', 'long', 'Free space of its disk.'],
  ['minFreeBytes', 'long', 'Free space below which events are refused.'],
  ['drained', 'boolean', 'Whether it takes no more events, for good, and lets everything go to the file system.'],
  ['queuedEvents', 'long', 'Events that wait to be on disk.'],
  ['queuedBytes', 'long', 'Their bytes.'],
  ['writtenEvents', 'long', 'Events kept since the start.'],
  ['writtenBytes', 'long', 'Their bytes in the log.'],
  ['erroredEvents', 'long', 'Events whose write failed.'],
  ['unknownEvents', 'long', 'Events whose write failed but that may be on disk; their requests got no response.'],
  ['droppedEvents', 'long', 'Events refused because the spool was full.'],
  ['ignoredEvents', 'long', 'Events refused while it was closing or drained.'],
  ['pendingFiles', 'long', 'Sealed files that are not in the file system.'],
  ['pendingEvents', 'long', 'Events in them.'],
  ['pendingBytes', 'long', 'Their bytes.'],
  ['openEvents', 'long', 'Events in segments that are not sealed.'],
  [
    'waitingFiles',
    'long',
    'Segments and sealed files with acknowledged events on their way to the file system; without what is set aside.',
  ],
  ['waitingEvents', 'long', 'Events in them.'],
  ['waitingBytes', 'long', 'Their bytes on the local disk.'],
  [
    'stages',
    'map',
    'All that is acknowledged and not known to be in the file system, by stage: log (the open segment), sealing, commit, quarantine, taken.',
  ],
  ['troubles', 'list', 'Failing work that is retried: which, why, and since when (ms since the epoch).'],
  ['lostEvents', 'long', 'Events in segments whose file is gone, as far as that is known.'],
  ['quarantinedFiles', 'long', 'Files set aside with a reason.'],
  ['retriedFiles', 'long', 'Those of them that are retried by themselves.'],
  ['quarantinedEvents', 'long', 'Events in them.'],
  [
    'takenFiles',
    'long',
    'Files whose RENAME had no answer, and that are not seen in the file system since; kept aside.',
  ],
  ['takenEvents', 'long', 'Events in them.'],
  ['placedFiles', 'long', 'Files of tables that wait for the next snapshot, at their places in the file system.'],
  ['placedEvents', 'long', 'Events in them.'],
  ['snapshots', 'long', 'Snapshots of tables since the start.'],
  ['snapshotErrors', 'long', 'Snapshots that failed; each is retried.'],
  ['lastSnapshotError', 'string', 'Why the last one failed, with its table; empty while none fails.'],
  ['snapshotSeconds', 'double', 'Time since the last snapshot; 0 before the first.'],
  ['flushes', 'long', 'Files carried to the file system since the start.'],
  ['flushedEvents', 'long', 'Events in them.'],
  ['totalFlushedEvents', 'long', 'Events carried to the file system over all runs of this spool.'],
  ['flushErrors', 'long', 'Commits that failed.'],
  ['flushRetries', 'long', 'Commits begun again.'],
  ['lastFlushError', 'string', 'Why the last commit failed; empty when it did not.'],
  ['oldestSeconds', 'double', 'Age of the oldest event that is not in the file system, quarantine included.'],
  ['lateSeconds', 'double', 'At this age an event is late: it should be in the file system.'],
  ['idempotencyKeys', 'long', 'Idempotency keys that are remembered.'],
  ['idempotencySeconds', 'double', 'The span of time that those cover.'],
  ['eventIds', 'long', 'Ids of events that are remembered.'],
  ['eventIdSeconds', 'double', 'The span of time that those cover.'],
  ['idempotencyProblem', 'string', 'Which keys and ids of earlier runs are missing; empty where all are there.'],
  ['fsyncs', 'long', 'Groups of events that were synced to the disk.'],
  ['fsyncTotalMs', 'double', 'How long those syncs took, all together, in ms.'],
] as const satisfies readonly (readonly [string, ValueType, string])[]

/** Everything that the spool knows about itself. */
export const spoolBean = (vendor: string, stats: () => SpoolFigures): Bean => {
  const current = perTurn(stats)
  const rows = figures.map(([name, type, description]) => [
    `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    attribute(type, description, () => current()[name]),
  ])
  return defineBean({
    name: `${vendor}.metrics.collector:name=Spool`,
    description: 'The log on the local disk between intake and file system.',
    attributes: Object.fromEntries(rows),
  })
}

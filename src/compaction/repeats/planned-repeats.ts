import type { LoadedTable } from '../../tables/catalog.ts'
import { hourText } from '../closed-hour.ts'
import { mayRepeat } from '../event-ids.ts'
import { groupSources } from '../group-sources.ts'
import { toHourTarget } from '../hour-target.ts'
import { createKnownFiles } from '../known-files.ts'
import { UnlikeKinds } from '../merge-kinds.ts'
import type { CompactionPlan } from '../plan-compaction.ts'
import { UnfitSource } from '../source-files.ts'
import { type FindRepeatsOptions, findRepeats, type RepeatedRow } from './find-repeats.ts'

/**
 * The rows that a compaction by this plan would drop, hour by hour.
 * @param onLeft called with the reason where it would leave an hour as it is
 * @throws TableError the table has a type that is not written. Rejects with `FileSystemError`
 */
export async function* findPlannedRepeats(
  options: FindRepeatsOptions,
  table: LoadedTable,
  { hours }: Pick<CompactionPlan, 'hours'>,
  onLeft: (reason: string) => void,
): AsyncGenerator<RepeatedRow, void, undefined> {
  for (const { hour, files, besides } of hours) {
    if (!besides || !files.some(mayRepeat)) continue
    try {
      const target = toHourTarget(table, hour)
      const known = createKnownFiles(besides, files)
      for (const group of await groupSources(options.fileSystem, table.place, files, target)) {
        yield* findRepeats(options, table.place, { target, files: group.files, ...known.of(group.files) })
        // What a compaction makes of them has their events.
        known.replace(group.files, group.files)
      }
    } catch (error) {
      if (!(error instanceof UnfitSource || error instanceof UnlikeKinds)) throw error
      onLeft(`${hourText(hour)}: ${error.message}`)
    }
  }
}

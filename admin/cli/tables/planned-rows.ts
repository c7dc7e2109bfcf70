import type { FindRepeatsOptions } from '../../../src/compaction/repeats/find-repeats.ts'
import type { LoadedTable } from '../../../src/tables/catalog.ts'
import type { HourRange } from '../../../src/tables/replace/live-files.ts'
import { type ListedRepeats, listRepeats } from './repeat-rows.ts'

/** The rows that a compaction would drop now. */
export type PlannedRows = ListedRepeats & {
  /** Hours that it would leave as they are, each with the reason. */
  readonly left: readonly string[]
  /** Why there can be none, where the table is the reason. */
  readonly reason?: string
}

/** As `sluice compact` has it; which rows are dropped is the same with any other. */
const targetBytes = 512 * 1024 * 1024

/** Rejects with `FileSystemError`. @throws TableError */
export const listPlanned = async (
  options: FindRepeatsOptions,
  table: LoadedTable,
  { hours, limit }: { readonly hours: HourRange; readonly limit: number },
): Promise<PlannedRows> => {
  const [{ planCompaction }, { findPlannedRepeats }, { findIdField }] = await Promise.all([
    import('../../../src/compaction/plan-compaction.ts'),
    import('../../../src/compaction/repeats/planned-repeats.ts'),
    import('../../../src/compaction/event-ids.ts'),
  ])
  if (!findIdField(table.metadata.schema.fields))
    return { repeats: 0, rows: [], left: [], reason: 'it has no ids of events (`collector.event-ids.column`)' }
  const left: string[] = []
  const plan = await planCompaction(options.fileSystem, table, { ...hours, targetBytes })
  const found = findPlannedRepeats(options, table, plan, reason => void left.push(reason))
  return { ...(await listRepeats(options.fileSystem, table, found, limit)), left }
}

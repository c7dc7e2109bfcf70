import type { FindRepeatsOptions } from '../../../src/compaction/repeats/find-repeats.ts'
import type { LoadedTable } from '../../../src/tables/catalog.ts'
import type { Snapshot } from '../../../src/tables/metadata.ts'
import { repeatsKey } from '../../../src/tables/replace/replace-files.ts'
import { CliError, usageError } from '../command/failure.ts'
import { type ListedRepeats, listRepeats } from './repeat-rows.ts'

/** The rows that a snapshot dropped; or why they cannot be listed any more. */
export type DroppedRows = ListedRepeats & { readonly gone?: string }

/** How many rows a compaction dropped, by the summary of its snapshot. */
export const repeatsOf = ({ summary }: Snapshot): number => Number(summary.get(repeatsKey) ?? 0)

/**
 * @param wanted an id, or `latest`: the newest that dropped rows
 * @returns undefined where no snapshot that the table has dropped rows
 * @throws CliError `usage`, `not-found`
 */
export const findSnapshot = (
  { metadata, place }: Pick<LoadedTable, 'metadata' | 'place'>,
  wanted: string,
): Snapshot | undefined => {
  const { snapshots } = metadata
  if (wanted === 'latest')
    return snapshots
      .filter(one => repeatsOf(one) > 0)
      .sort((a, b) => b.sequenceNumber - a.sequenceNumber)
      .at(0)
  if (!/^\d{1,19}$/.test(wanted)) throw usageError(`--snapshot ${wanted.slice(0, 80)}: expected an id, or latest`)
  const found = snapshots.find(({ id }) => id === BigInt(wanted))
  if (found) return found
  const hint = 'It may have expired; `sluice table history` lists those that the table has.'
  throw new CliError(`${place.path} has no snapshot ${wanted}`, { code: 'not-found', hint })
}

/** Rejects with UnfitSource and TableError for what is damaged, and with `FileSystemError`. */
export const listDropped = async (
  options: FindRepeatsOptions,
  table: LoadedTable,
  snapshot: Snapshot,
  limit: number,
): Promise<DroppedRows> => {
  const [{ findDropped }, { findRepeats }, { hasCode }] = await Promise.all([
    import('../../../src/compaction/repeats/dropped-repeats.ts'),
    import('../../../src/compaction/repeats/find-repeats.ts'),
    import('../../../src/filesystem/cluster/steps.ts'),
  ])
  const { fileSystem } = options
  const repeats = repeatsOf(snapshot)
  if (repeats === 0) return { repeats, rows: [] }
  try {
    const dropped = await findDropped(fileSystem, table, snapshot)
    if (!dropped) return { repeats, rows: [], gone: `the snapshot before it, ${snapshot.parentId}, has expired` }
    const found = await listRepeats(fileSystem, table, findRepeats(options, table.place, dropped), limit)
    if (found.repeats === repeats) return found
    throw new CliError(`expected the ${repeats} rows that the snapshot dropped, found ${found.repeats}`, {
      code: 'damaged',
    })
  } catch (error) {
    const isMissing = [error, (error as Error).cause].some(one => hasCode(one, 'not-found'))
    if (!isMissing) throw error
    return { repeats, rows: [], gone: (error as Error).message }
  }
}

import { FormatError, SluiceError } from '../../../errors.ts'
import { FileSystemError } from '../../../filesystem/filesystem.ts'
import type { LoadedTable } from '../../../tables/catalog.ts'
import { readSnapshotFiles } from '../../../tables/snapshot-files.ts'
import { countPartitions, type PartitionsView } from '../../../tables/view/partitions.ts'
import { sumFigures, type TableFigures } from '../../../tables/view/table-view.ts'
import { type FilesAndTables, manifestReadLimits } from '../../tables/table-directories.ts'

/** What the page of a table shows of it. */
export type TableFacts = {
  readonly table: LoadedTable
  readonly figures: TableFigures
  /** Absent where files are not put apart. */
  readonly partitions: PartitionsView | undefined
}

/** Partitions that are shown: a week of hours. */
const maxPartitionsShown = 168

/** ms that manifests are read for partitions. */
const countMs = 1_000

type FactsOptions = { readonly now: () => number; readonly signal: AbortSignal }

/**
 * What to show of a directory that is a table, or why that is unknown: an error of the table does not affect the
 * listing beside it. Undefined for any other directory.
 */
export const readTableFacts = async (
  { fileSystem, tables }: FilesAndTables,
  path: string,
  { now, signal }: FactsOptions,
): Promise<TableFacts | { readonly fault: Error } | undefined> => {
  try {
    const table = await tables.load(path, signal)
    if (table === undefined) return undefined
    const files = readSnapshotFiles(fileSystem, table.place, manifestReadLimits)
    const manifests = await files.manifests(table.metadata.current)
    const startedAt = now()
    const isPut = table.metadata.specs.some(({ fields }) => fields.length > 0)
    const partitions = isPut
      ? await countPartitions({
          table,
          manifests: manifests.filter(({ hasData }) => hasData),
          read: manifest => {
            signal.throwIfAborted()
            return files.entries(manifest)
          },
          isOver: () => now() - startedAt >= countMs,
          most: maxPartitionsShown,
        })
      : undefined
    return { table, figures: sumFigures(table.metadata, manifests), partitions }
  } catch (error) {
    const isAway = error instanceof FileSystemError && error.code === 'unavailable'
    if (!signal.aborted && !isAway && (error instanceof SluiceError || error instanceof FormatError))
      return { fault: error }
    throw error
  }
}

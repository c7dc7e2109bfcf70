import type { FileSystem } from '../filesystem/filesystem.ts'
import type { LoadedTable } from '../tables/catalog.ts'
import { type HourRange, type LiveFile, readLiveFiles } from '../tables/replace/live-files.ts'
import { readSnapshotFiles } from '../tables/snapshot-files.ts'

/** An hour of a table with files that are to become fewer. */
export type HourPlan = {
  /** Hours since the epoch. */
  readonly hour: number
  /** Two at least. */
  readonly files: readonly LiveFile[]
}

export type CompactionPlan = {
  /** The oldest first. */
  readonly hours: readonly HourPlan[]
  /** Files of these hours that stay because rows of them were deleted, another format has them, or the table has them more than once. */
  readonly left: readonly LiveFile[]
}

/** A file of this part of the target size is large enough. */
const enough = 0.75

/**
 * Finds the files of some hours that are too small.
 * @param targetBytes of a file
 * @throws TableError a table that is not partitioned by the hour of a date. Rejects with `FileSystemError`
 */
export const planCompaction = async (
  fileSystem: FileSystem,
  table: LoadedTable,
  { targetBytes, ...range }: HourRange & { readonly targetBytes: number },
): Promise<CompactionPlan> => {
  const live = await readLiveFiles(readSnapshotFiles(fileSystem, table.place), table, range)
  const byUri = Map.groupBy(live, ({ uri }) => uri)
  const isLeft = ({ uri, isParquet, hasDeletes }: LiveFile): boolean =>
    !isParquet || hasDeletes || byUri.get(uri)?.length !== 1
  const small = live.filter(file => !isLeft(file) && file.bytes < targetBytes * enough)
  const hours = Array.from(
    Map.groupBy(small, ({ hour }) => hour),
    ([hour, files]) => ({ hour, files }),
  )
  return { hours: hours.filter(({ files }) => files.length > 1), left: live.filter(isLeft) }
}

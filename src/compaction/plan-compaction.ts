import type { FileSystem } from '../filesystem/filesystem.ts'
import type { LoadedTable } from '../tables/catalog.ts'
import { type HourRange, type LiveFile, readLiveFiles } from '../tables/replace/live-files.ts'
import { isMerged } from '../tables/replace/merged-name.ts'
import { readSnapshotFiles } from '../tables/snapshot-files.ts'
import { byArrival, findIdField, mayRepeat } from './event-ids.ts'

/** An hour of a table with files that are to become fewer, or in which repeats are looked for. */
export type HourPlan = {
  /** Hours since the epoch. */
  readonly hour: number
  /** Two at least, or one that may have repeats. */
  readonly files: readonly LiveFile[]
  /** What it has besides, where the table has ids of events; else undefined. */
  readonly besides: Besides | undefined
}

export type Besides = {
  /** Files that stay, and whose events are not to be repeated. */
  readonly files: readonly LiveFile[]
  /** All files of the hour that compactions made, as the metadata names them. */
  readonly merged: ReadonlySet<string>
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
 * Finds the files of some hours that are too small, or may have repeats.
 * @param targetBytes of a file
 * @throws TableError a table that is not partitioned by the hour of a date. Rejects with `FileSystemError`
 */
export const planCompaction = async (
  fileSystem: FileSystem,
  table: LoadedTable,
  { targetBytes, ...range }: HourRange & { readonly targetBytes: number },
): Promise<CompactionPlan> => {
  const ids = findIdField(table.metadata.schema.fields)
  const live = await readLiveFiles(readSnapshotFiles(fileSystem, table.place), table, range, ids?.id)
  const byUri = Map.groupBy(live, ({ uri }) => uri)
  const isLeft = ({ uri, isParquet, hasDeletes }: LiveFile): boolean =>
    !isParquet || hasDeletes || byUri.get(uri)?.length !== 1
  const isSource = (file: LiveFile): boolean => file.bytes < targetBytes * enough || mayRepeat(file)
  const hours: HourPlan[] = []
  for (const [hour, all] of Map.groupBy(live, file => file.hour)) {
    const usable = all.filter(file => !isLeft(file))
    const files = usable.filter(isSource)
    if (files.length < 2 && !files.some(mayRepeat)) continue
    hours.push(
      ids
        ? { hour, files: files.sort(byArrival), besides: toBesides(all, usable, isSource) }
        : { hour, files, besides: undefined },
    )
  }
  return { hours, left: live.filter(isLeft) }
}

const toBesides = (
  all: readonly LiveFile[],
  usable: readonly LiveFile[],
  isSource: (file: LiveFile) => boolean,
): Besides => ({
  files: usable.filter(file => !isSource(file) && file.hasValues),
  merged: new Set(all.filter(({ uri }) => isMerged(uri)).map(({ uri }) => uri)),
})

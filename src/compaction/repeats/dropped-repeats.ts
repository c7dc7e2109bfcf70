import type { FileSystem } from '../../filesystem/filesystem.ts'
import type { LoadedTable } from '../../tables/catalog.ts'
import type { Snapshot } from '../../tables/metadata.ts'
import { hourFieldOf, type LiveFile, readLiveFiles } from '../../tables/replace/live-files.ts'
import { isMerged } from '../../tables/replace/merged-name.ts'
import { readSnapshotFiles } from '../../tables/snapshot-files.ts'
import { TableError } from '../../tables/table-error.ts'
import { byArrival, findIdField } from '../event-ids.ts'
import { toHourTarget } from '../hour-target.ts'
import type { RepeatedGroup } from './find-repeats.ts'

/**
 * The files from which a snapshot of a compaction dropped repeats, as its parent has them; undefined where that was forgotten,
 * and the files with it.
 * @throws TableError it is no snapshot of a compaction. Rejects with `FileSystemError`
 */
export const findDropped = async (
  fileSystem: FileSystem,
  table: LoadedTable,
  snapshot: Snapshot,
): Promise<RepeatedGroup | undefined> => {
  const { metadata, metadataUri, place } = table
  const before = metadata.snapshots.find(({ id }) => id === snapshot.parentId)
  if (!before) return undefined
  const files = readSnapshotFiles(fileSystem, place)
  const { fieldId } = hourFieldOf(metadata, metadataUri)
  const removed = new Set<string>()
  let hour = Number.NaN
  for (const manifest of await files.manifests(snapshot)) {
    // A compaction carries no entry on of a file that was removed before.
    if (!manifest.hasData || manifest.addedSnapshotId !== snapshot.id) continue
    for (const { file, partition } of await files.removed(manifest)) {
      removed.add(file.text('file_path'))
      hour = Number(partition.get(fieldId) ?? Number.NaN)
    }
  }
  if (removed.size === 0 || !Number.isInteger(hour))
    throw new TableError(metadataUri, `expected files of an hour that the snapshot ${snapshot.id} replaced, found none`)
  const ids = findIdField(metadata.schema.fields)
  const base = { ...table, metadata: { ...metadata, current: before } }
  const live = await readLiveFiles(files, base, { from: hour, to: hour + 1 }, ids?.id)
  const isBeside = ({ uri, isParquet, hasDeletes, hasValues }: LiveFile): boolean =>
    isParquet && !hasDeletes && hasValues && isMerged(uri) && !removed.has(uri)
  return {
    target: toHourTarget(table, hour),
    files: live.filter(({ uri }) => removed.has(uri)).sort(byArrival),
    // Others that were not read, and came meanwhile, no compaction has made.
    beside: live.filter(isBeside),
  }
}

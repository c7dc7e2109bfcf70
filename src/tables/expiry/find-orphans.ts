import type { LoadedTable } from '../catalog.ts'
import type { MetadataFiles } from '../metadata-versions.ts'
import { toPathOrUri, toUri } from '../table-place.ts'

/** A younger file may be one that is being written; clocks of file systems and servers differ by less. */
export const leastAgeMs = 3_600_000

/**
 * Files that commits left which were cut short, or lost against another writer: of Sluice's own names, and no snapshot has
 * them, or will. The commit of a file whose sequence number the table has reached cannot come any more: it expects the
 * table as it was before. So it does not matter which collector wrote it, or whether that one will wake up again.
 * @param referenced manifests and their lists that snapshots have, or had, as metadata names them
 * @param now ms since the epoch
 * @returns as metadata would name them
 */
export const findOrphans = (
  { ofCommits }: Pick<MetadataFiles, 'ofCommits'>,
  { place, metadata }: LoadedTable,
  referenced: Iterable<string>,
  now: number,
): readonly string[] => {
  const known = new Set(Array.from(referenced, uri => toPathOrUri(place, uri)))
  const isOver = (sequenceNumber: number): boolean => sequenceNumber <= metadata.lastSequenceNumber
  return ofCommits
    .filter(({ sequenceNumber, modificationTime }) => isOver(sequenceNumber) && now - modificationTime > leastAgeMs)
    .filter(({ path }) => !known.has(path))
    .map(({ path }) => toUri(place, path.slice(place.path.length + 1)))
}

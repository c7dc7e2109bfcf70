/**
 * Data files of replacements that were killed, or had no answer, by their leases (`replace/lease.ts`):
 *
 *     leases that are over, or are ended by raising the number of the table ─▶ commit ─▶ their files that no snapshot has ─▶ the lease
 *
 * Killed anywhere, the next expiry finds the lease, and continues.
 */
import { hasCode } from '../../filesystem/cluster/steps.ts'
import type { FileStatus, FileSystem } from '../../filesystem/filesystem.ts'
import { baseName } from '../../filesystem/path.ts'
import { isTemporaryName } from '../../filesystem/temporary-name.ts'
import type { LoadedTable } from '../catalog.ts'
import type { ManifestFile } from '../manifests.ts'
import type { LeaseFile, MetadataFiles } from '../metadata-versions.ts'
import { leaseLength, readLease } from '../replace/lease.ts'
import { mergerOf } from '../replace/merged-name.ts'
import type { SnapshotFiles } from '../snapshot-files.ts'
import { type TablePlace, toUri } from '../table-place.ts'
import { leastAgeMs } from './find-orphans.ts'

/** No replacement is expected to take so long; one that does is refused, and made again. */
const leaseAgeMs = 24 * 3_600_000

export type EndedLeases = {
  readonly leases: readonly (LeaseFile & { readonly directory: string })[]
  /** The sequence number with which the table has to be committed for them; not higher where it has reached it. */
  readonly sequenceNumber: number
}

/**
 * Leases that end with a commit on a table. A catalog service keeps the number itself: there they end once snapshots have
 * reached it. Rejects with `FileSystemError`.
 * @param now ms since the epoch
 */
export const endLeases = async (
  fileSystem: FileSystem,
  { leases }: Pick<MetadataFiles, 'leases'>,
  table: LoadedTable,
  now: number,
): Promise<EndedLeases> => {
  const { lastSequenceNumber } = table.metadata
  // A higher one is of a table that was here before.
  const highest = table.version === undefined ? lastSequenceNumber : lastSequenceNumber + leaseLength
  const ended: EndedLeases['leases'][number][] = []
  for (const lease of leases) {
    const ageMs = now - lease.modificationTime
    const isOver = lease.last <= lastSequenceNumber
    if (isOver ? ageMs <= leastAgeMs : ageMs <= leaseAgeMs || lease.last > highest) continue
    const directory = await readLease(fileSystem, lease.path, table)
    if (directory !== undefined) ended.push({ ...lease, directory })
  }
  return { leases: ended, sequenceNumber: Math.max(lastSequenceNumber, ...ended.map(({ last }) => last)) }
}

/**
 * Names of files of leases that snapshots have. Each name is of one file: so it counts wherever the metadata says that it is.
 * Rejects with `FileSystemError`.
 * @param manifests of all snapshots that stay
 */
export const findKeptNames = async (
  { leases }: EndedLeases,
  files: Pick<SnapshotFiles, 'entries'>,
  manifests: Iterable<ManifestFile>,
): Promise<ReadonlySet<string>> => {
  const kept = new Set<string>()
  if (leases.length === 0) return kept
  for (const manifest of manifests)
    for (const { file } of await files.entries(manifest)) {
      const name = baseName(file.text('file_path'))
      if (leases.some(({ id }) => name.startsWith(id))) kept.add(name)
    }
  return kept
}

export type LeftDataOptions = {
  readonly fileSystem: FileSystem
  readonly place: TablePlace
  /** As {@link findKeptNames} has found them. */
  readonly kept: ReadonlySet<string>
  /** ms since the epoch */
  readonly now: number
}

/** The files of leases that are over, each lease behind its own; as metadata would name them. Rejects with `FileSystemError` */
export const findLeftData = async (
  { leases }: EndedLeases,
  { fileSystem, place, kept, now }: LeftDataOptions,
): Promise<ReadonlySet<string>> => {
  const found = new Set<string>()
  for (const { id, directory, path: lease } of leases) {
    const isLeft = ({ path, isDirectory, modificationTime }: FileStatus): boolean => {
      const name = baseName(path)
      if (isDirectory || kept.has(name)) return false
      return isTemporaryName(name) ? now - modificationTime > leastAgeMs : mergerOf(path) === id
    }
    for (const path of [...(await listSome(fileSystem, directory, isLeft)), lease])
      found.add(toUri(place, path.slice(place.path.length + 1)))
  }
  return found
}

const listSome = async (
  fileSystem: FileSystem,
  directory: string,
  isWanted: (status: FileStatus) => boolean,
): Promise<readonly string[]> => {
  const paths: string[] = []
  try {
    for await (const part of fileSystem.listStatus(directory))
      for (const status of part) if (isWanted(status)) paths.push(status.path)
  } catch (error) {
    // No file was written.
    if (!hasCode(error, 'not-found')) throw error
  }
  return paths
}

/**
 * The lease of a replacement, by which an expiry finds the data files that it leaves where it is killed:
 *
 *     metadata/compact-<last>-<id>.lease     text: the table's UUID, a space, and the directory, below `data/`, of files of that id
 *
 * It is there before the first of them, and goes behind the last try. A try loads the table, and ends where the sequence number of that has
 * reached `last`; its commit succeeds only on the table that it loaded or, by a catalog service, with a number that the table has not
 * reached. So once the table has reached `last` no commit can follow, however long the process slept: a file that no snapshot has then
 * will never be in one, since no other process refers to a file that it found. An expiry does not wait for that: it commits the number
 * itself. Clocks only say when it begins to look.
 *
 * A process that sleeps before it writes a file, wakes up behind the expiry, and is killed before it deletes that file, leaves it.
 */
import { Buffer } from 'node:buffer'
import { hasCode } from '../../filesystem/cluster/steps.ts'
import type { FileSystem } from '../../filesystem/filesystem.ts'
import type { LoadedTable } from '../catalog.ts'
import { type LeaseName, nameLease } from '../commit-names.ts'
import { createCommitFiles, readFileWhole } from '../files.ts'
import { TableError } from '../table-error.ts'
import { toTablePath, toUri } from '../table-place.ts'

/** So many snapshots a table may get during a replacement: those of an hour at three a second. */
export const leaseLength = 10_000

export type TakenLease = Pick<LeaseName, 'last'> & {
  /** Called when no file is left that no snapshot has. An expiry does the same for a lease that stays. */
  readonly end: () => Promise<void>
}

type OfTable = Pick<LoadedTable, 'place' | 'metadata'>

/**
 * Rejects with `FileSystemError`.
 * @param id of the replacement, and of no other
 * @param directory below `data/`
 */
export const takeLease = async (
  fileSystem: FileSystem,
  { place, metadata }: OfTable,
  { id, directory }: { readonly id: string; readonly directory: string },
): Promise<TakenLease> => {
  const last = metadata.lastSequenceNumber + leaseLength
  const { write, discard } = createCommitFiles(fileSystem, place)
  await write(nameLease({ id, last }), Buffer.from(`${metadata.uuid} ${directory}`))
  return { last, end: discard }
}

/** @returns the directory of its files; undefined where the lease is gone by now, or is of a table that was here before */
export const readLease = async (
  fileSystem: FileSystem,
  path: string,
  { place, metadata }: OfTable,
): Promise<string | undefined> => {
  try {
    const text = (await readFileWhole(fileSystem, path, 10_000)).toString('utf8')
    const prefix = `${metadata.uuid} `
    return text.startsWith(prefix) ? toTablePath(place, toUri(place, `data/${text.slice(prefix.length)}`)) : undefined
  } catch (error) {
    if (error instanceof TableError || hasCode(error, 'not-found')) return undefined
    throw error
  }
}

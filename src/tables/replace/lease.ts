/**
 * The lease of a replacement, by which an expiry finds the data files that it leaves where it is killed:
 *
 *     metadata/compact-<last>-<id>.lease     text: `<UUID of the table> <who has it> <directory>`: below `data/`, of files of that id
 *
 * It is there before the first of them, and goes behind the last try. A try loads the table, and ends where the sequence number of that has
 * reached `last`; its commit succeeds only on the table that it loaded or, by a catalog service, with a number that the table has not
 * reached. So once the table has reached `last` no commit can follow, however long the process slept: a file that no snapshot has then
 * will never be in one, since no other process refers to a file that it found. An expiry does not wait for that: it commits the number
 * itself. Clocks only say when it begins to look. Who has the table, `directory` or `service`, counts the numbers: an expiry that takes
 * another one's word does not see the commits.
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

type OfTable = Pick<LoadedTable, 'place' | 'metadata' | 'version'>

/** What a lease of a table begins with. */
const toPrefix = ({ metadata, version }: OfTable): string =>
  `${metadata.uuid} ${version === undefined ? 'service' : 'directory'} `

/**
 * Rejects with `FileSystemError`.
 * @param id of the replacement, and of no other
 * @param directory below `data/`
 */
export const takeLease = async (
  fileSystem: FileSystem,
  table: OfTable,
  { id, directory }: { readonly id: string; readonly directory: string },
): Promise<TakenLease> => {
  const last = table.metadata.lastSequenceNumber + leaseLength
  const { write, discard } = createCommitFiles(fileSystem, table)
  await write(nameLease({ id, last }), Buffer.from(`${toPrefix(table)}${directory}`))
  return { last, end: discard }
}

/** @returns the directory of its files; undefined where the lease is gone by now, or is of a table that was here before, or of another catalog */
export const readLease = async (fileSystem: FileSystem, path: string, table: OfTable): Promise<string | undefined> => {
  try {
    const text = (await readFileWhole(fileSystem, path, 10_000)).toString('utf8')
    const prefix = toPrefix(table)
    if (!text.startsWith(prefix)) return undefined
    return toTablePath(table.place, toUri(table.place, `data/${text.slice(prefix.length)}`))
  } catch (error) {
    if (error instanceof TableError || hasCode(error, 'not-found')) return undefined
    throw error
  }
}

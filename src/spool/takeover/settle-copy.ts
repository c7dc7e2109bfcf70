/**
 * What becomes of a spool that has a copy in HDFS, before anything of it is sealed or committed: is the copy still its own, and
 * does it belong where it is? By other settings (`collector.ack`, the output directory, the cluster) it would stay there, look
 * like that of a lost collector, and be taken. Then it is withdrawn, as it would be taken: by a RENAME, so that of two that
 * try one wins.
 *
 *     the note says its next name ─▶ RENAME _log/<id> → _log/<id>.withdrawn-<random> ─▶ noted ─▶ deleted ─▶ the note goes
 */
import { randomBytes } from 'node:crypto'
import type { Disk } from '../../disk/disk.ts'
import { hasCode } from '../../filesystem/cluster/steps.ts'
import { directoriesOf } from '../../filesystem/facets.ts'
import { type FileSystem, FileSystemError } from '../../filesystem/filesystem.ts'
import { findStatus } from '../../filesystem/find-status.ts'
import { parentPath } from '../../filesystem/path.ts'
import type { Logger } from '../../log/log.ts'
import { type CopyNote, madePath, readCopyNote, withdrawnPath, writeCopyNote } from '../replica/copy-note.ts'
import { toLogDirectory } from '../replica/log-directory.ts'
import { adoptedDirectory } from './adoptions.ts'
import { findNoted, type NotedPlaces } from './noted-place.ts'
import { findKept, isTakenFrom } from './owners.ts'
import { setAsideIf } from './set-aside.ts'
import { listAt } from './take.ts'

/** Where copies are, by the settings of today. */
export type CopyPlaces = NotedPlaces & {
  /** That holds the copy; undefined where there is to be none. */
  readonly outputDirectory: string | undefined
}

/** Whether the copy of a spool is its own is not known, and it does not belong where it is: nothing may be committed. */
export class CopyNotWithdrawn extends Error {
  override readonly name = 'CopyNotWithdrawn'

  constructor(place: string, reason: string, todo: string, cause?: unknown) {
    super(
      `The log of this collector is in ${place} as well, where it does not belong by the settings, and other collectors take it over: ${reason}. Nothing is taken or committed until it is withdrawn. ${todo}`,
      { cause },
    )
  }
}

/**
 * Settles it: sets the spool aside where another collector has taken its log, and withdraws a copy that does not belong
 * where it is. Where HDFS does not answer, and the copy is where it belongs, nothing is known, and nothing is done.
 * @returns the id of what was set aside
 * @throws CopyNotWithdrawn
 */
export const settleCopy = async (disk: Disk, places: CopyPlaces, log: Logger): Promise<string | undefined> => {
  await endWithdrawal(disk, places.fileSystem, log)
  const aside = await setAsideIf(disk, id => isTaken(disk, id, places), log)
  await endWithdrawal(disk, places.fileSystem, log)
  return aside
}

const isTaken = async (disk: Disk, id: string, places: CopyPlaces): Promise<boolean> => {
  const note = await readCopyNote(disk)
  if (note === undefined) return false
  const { fileSystem, outputDirectory } = places
  const own = outputDirectory === undefined ? undefined : `${toLogDirectory(outputDirectory)}/${id}`
  const noted = await findNoted(disk, note, places)
  const hasBegun = note.withdrawnTo !== undefined
  if (own !== undefined && own === noted.path && !hasBegun) return await isGone(fileSystem, own)
  try {
    // A copy that is whole is the one of the note, by another name: a spool has one at a time.
    if (own !== undefined && !hasBegun && (await isWhole(fileSystem, own))) {
      if (own !== note.directory) await writeCopyNote(disk, { directory: own })
      return false
    }
    const here = own ?? note.directory
    const path = noted.path ?? ((await isWhole(fileSystem, here)) ? here : undefined)
    if (path !== undefined) return !(await withdraw(disk, { ...note, directory: path }, fileSystem))
    if (isTakenFrom(await listAt(fileSystem, parentPath(here)), id)) return true
  } catch (error) {
    if (!(error instanceof FileSystemError)) throw error
    const todo =
      'Start again when it answers; to take events meanwhile, set the settings back, with collector.replicated.when-unavailable local'
    throw new CopyNotWithdrawn(noted.place, error.message, todo, error)
  }
  const todo = `Name it in clusters or set namenode.url back, or, where it is gone for good, delete ${disk.directory}/${madePath}`
  throw new CopyNotWithdrawn(noted.place, 'no setting names that cluster', todo)
}

const isGone = async (fileSystem: FileSystem, directory: string): Promise<boolean> => {
  try {
    return (await findStatus(fileSystem, directory)) === undefined
  } catch {
    return false
  }
}

/** The ledger comes last, and after the note of this disk. */
const isWhole = async (fileSystem: FileSystem, directory: string): Promise<boolean> =>
  (await findStatus(fileSystem, `${directory}/ledger`)) !== undefined

/** @returns whether it was still ours. Rejects with `FileSystemError`. */
const withdraw = async (
  disk: Disk,
  { directory, withdrawnTo = `${directory}.withdrawn-${randomBytes(4).toString('hex')}` }: CopyNote,
  fileSystem: FileSystem,
): Promise<boolean> => {
  // Under a name of its own: found there later, it is this copy, and no other one.
  await writeCopyNote(disk, { directory, withdrawnTo })
  await directoriesOf(fileSystem)
    .rename(directory, withdrawnTo)
    .catch((error: unknown) => {
      // An attempt before may have done it, or another collector has.
      if (!hasCode(error, 'not-found')) throw error
    })
  if (!(await findStatus(fileSystem, withdrawnTo))) return false
  await disk.rename(madePath, withdrawnPath)
  await disk.fsyncDir('.')
  return true
}

/** Nothing depends on the rest of the work, except for the note, which goes last. */
const endWithdrawal = async (disk: Disk, fileSystem: FileSystem, log: Logger): Promise<void> => {
  const { directory, withdrawnTo } = (await readCopyNote(disk, withdrawnPath)) ?? {}
  if (directory === undefined || withdrawnTo === undefined) return
  // What it had of other collectors is in HDFS, and theirs who look there.
  await disk.removeDirectory(adoptedDirectory)
  try {
    await fileSystem.delete(withdrawnTo, { recursive: true })
    const kept = findKept(await listAt(fileSystem, parentPath(directory)), directory)
    if (kept.length > 0)
      log.warn(
        { logs: kept },
        'logs that this collector had taken over remain in HDFS; another collector with collector.ack replicated and this output directory delivers them',
      )
  } catch (error) {
    const { message } = error as Error
    log.warn(
      { directory: withdrawnTo, reason: message, err: error },
      'a withdrawn log could not be deleted; delete it by hand',
    )
  }
  await disk.unlink(withdrawnPath)
  await disk.fsyncDir('.')
  log.warn({ directory }, 'the settings no longer keep the log of this collector there; it was withdrawn')
}

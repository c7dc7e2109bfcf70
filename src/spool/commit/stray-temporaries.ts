import type { Current } from '../../current.ts'
import { FileSystemError } from '../../filesystem/filesystem.ts'
import { baseName } from '../../filesystem/path.ts'
import { isTemporaryName } from '../../filesystem/temporary-name.ts'
import type { Logger } from '../../log/log.ts'
import { toOwnName } from '../files/target-path.ts'
import { isDue } from '../heartbeat/due.ts'
import type { Outage } from '../heartbeat/outage.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { isOnItsWay } from '../ledger/table/file-figures.ts'
import type { SpoolSettings } from '../spool-settings.ts'
import type { CommitContext } from './commit.ts'
import { isAway } from './is-away.ts'
import { longestRetryMs } from './retry-pause.ts'

/** How often strays of our own are searched for. */
const cleanEveryMs = 3_600_000

/**
 * The age at which an upload is a stray: its sender may be a process that was thought to be gone, or the one that
 * continues our work.
 */
const strayAfterMs = 3_600_000

/** Clears up what of our own is left in the file system: our temporary directory, and uploads below the output directory. */
export type StrayTemporaries = {
  /** Removes what no commit knows; once an hour. */
  clean(): Promise<void>
  /** Removes it, with what no commit knows: nothing goes through it any more. */
  leave(): Promise<void>
}

export type StrayTemporariesOptions = Omit<CommitContext, 'disk' | 'ledger'> & {
  readonly ledger: Ledger
  readonly collectorId: string
  readonly settings: Current<Pick<SpoolSettings, 'outputDirectory'>>
  /** Hears whether the file system answers, unless commits fail: they know better then. */
  readonly away: Pick<Outage, 'failed' | 'worked'>
  readonly doCommitsFail: () => boolean
  readonly log: Logger
}

export const createStrayTemporaries = (options: StrayTemporariesOptions): StrayTemporaries => {
  const { ledger, fileSystem, temporaryDirectory, uploading, doubtful, now, signal, away, log } = options
  const { collectorId, settings } = options
  let cleanAt = 0

  const isKnown = (temporary: string): boolean =>
    uploading.has(temporary) || doubtful.has(temporary) || ledger.state.files.isMoving(temporary)

  const settleDoubts = async (): Promise<void> => {
    const doubts = [...doubtful].filter(path => !uploading.has(path))
    if (doubts.length === 0) return
    // Once the ledger takes an entry, even none, its file says what its state says: nothing is in doubt any more.
    await ledger.append()
    for (const path of doubts) doubtful.delete(path)
  }

  const removeFiles = async (): Promise<void> => {
    try {
      for await (const part of fileSystem.listStatus(temporaryDirectory)) {
        for (const { path } of part) {
          // Asked again for each path: a commit may have begun since.
          if (isKnown(path)) continue
          await fileSystem.delete(path)
          log.info({ file: path }, 'stray temporary file removed')
        }
      }
    } catch (error) {
      if (!(error instanceof FileSystemError && error.code === 'not-found')) throw error
    }
  }

  /** Of a file on its way: its commit gives up by itself what was begun before. Of a probe none is that old. */
  const isLeftOver = (path: string, age: number): boolean => {
    if (age < strayAfterMs) return false
    const own = toOwnName(path, collectorId)
    if (own === undefined) return isTemporaryName(baseName(path))
    const record = ledger.state.files.get(own)
    return !record || !isOnItsWay(record.state)
  }

  const giveUpUploads = async (): Promise<void> => {
    const directory = settings().outputDirectory
    const count = await fileSystem.uploads?.giveUp(directory, isLeftOver, { signal })
    if (count) log.info({ directory, uploads: count }, 'uploads that were left over are given up')
  }

  const clean = async (): Promise<void> => {
    if (!isDue(now(), cleanAt, cleanEveryMs)) return
    await settleDoubts()
    try {
      await removeFiles()
      await giveUpUploads()
      cleanAt = now() + cleanEveryMs
    } catch (error) {
      cleanAt = now() + longestRetryMs
      if (isAway(error)) return away.failed(error.message)
      throw error
    }
    // Data nodes may be away while the name node answers.
    if (!options.doCommitsFail()) away.worked()
  }

  return {
    clean,
    leave: async () => {
      cleanAt = 0
      const { promise: aborted, resolve: abort } = Promise.withResolvers<void>()
      signal.addEventListener('abort', () => abort())
      // A leftover that cannot be removed does no harm.
      const removed = clean()
        .then(() => fileSystem.delete(temporaryDirectory))
        .catch(() => {})
      await Promise.race([removed, aborted])
    },
  }
}

import { FileSystemError } from '../../filesystem/filesystem.ts'
import type { Logger } from '../../log/log.ts'
import { isDue } from '../heartbeat/due.ts'
import type { Outage } from '../heartbeat/outage.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { CommitContext } from './commit.ts'
import { isAway } from './is-away.ts'
import { longestRetryMs } from './retry-pause.ts'

/** How often strays of our own are looked for in the temporary directory. */
const cleanEveryMs = 3_600_000

/** Clears up our own temporary directory in the file system. */
export type StrayTemporaries = {
  /** Removes files in it that no commit knows; once an hour. */
  clean(): Promise<void>
  /** Removes it, with what no commit knows: nothing goes through it any more. */
  leave(): Promise<void>
}

export type StrayTemporariesOptions = Omit<CommitContext, 'disk' | 'ledger'> & {
  readonly ledger: Ledger
  /** Hears whether the file system answers, unless commits fail: they know better then. */
  readonly away: Pick<Outage, 'failed' | 'worked'>
  readonly doCommitsFail: () => boolean
  readonly log: Logger
}

export const createStrayTemporaries = (options: StrayTemporariesOptions): StrayTemporaries => {
  const { ledger, fileSystem, temporaryDirectory, uploading, doubtful, now, signal, away, log } = options
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

  const clean = async (): Promise<void> => {
    if (!isDue(now(), cleanAt, cleanEveryMs)) return
    await settleDoubts()
    try {
      for await (const part of fileSystem.listStatus(temporaryDirectory)) {
        for (const { path } of part) {
          // Asked for each path anew: a commit may have begun since.
          if (isKnown(path)) continue
          await fileSystem.delete(path)
          log.info({ file: path }, 'stray temporary file removed')
        }
      }
      cleanAt = now() + cleanEveryMs
    } catch (error) {
      const isEmpty = error instanceof FileSystemError && error.code === 'not-found'
      cleanAt = now() + (isEmpty ? cleanEveryMs : longestRetryMs)
      if (isAway(error)) return away.failed(error.message)
      if (!isEmpty) throw error
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
      // What cannot be removed is in nobody's way.
      const removed = clean()
        .then(() => fileSystem.delete(temporaryDirectory))
        .catch(() => {})
      await Promise.race([removed, aborted])
    },
  }
}

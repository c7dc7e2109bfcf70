import type { Logger } from '../../log/log.ts'
import type { Stages } from '../heartbeat/stages.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { createQuarantineMoves, type QuarantineMoves } from '../quarantine/quarantine-moves.ts'
import type { CommitContext } from './commit.ts'
import { createFlusher, type Flusher, type FlusherOptions } from './flusher.ts'
import { createReaper, type ReaperOptions } from './reaper.ts'
import { createStrayTemporaries, type StrayTemporaries } from './stray-temporaries.ts'

export type CommittingOptions = Omit<ReaperOptions, 'ledger'> &
  Pick<CommitContext, 'fileSystem' | 'temporaryDirectory'> &
  Pick<FlusherOptions, 'isUnmade'> & {
    readonly ledger: Ledger
    readonly random: () => number
    readonly stages: Pick<Stages, 'away' | 'commit'>
    readonly log: Logger
  }

/** What takes sealed files to the file system, and clears up behind that. */
export type Committing = {
  readonly flusher: Flusher
  readonly moves: QuarantineMoves
  readonly strays: StrayTemporaries
  /** Removes local copies of committed files: those kept long enough, or all of them. */
  readonly reap: (all: boolean) => Promise<void>
  /** Gives up what is under way in the file system. */
  readonly abort: () => void
}

export const createCommitting = (options: CommittingOptions): Committing => {
  const { disk, ledger, fileSystem, temporaryDirectory, now, random, stages, log, ...reaping } = options
  const aborter = new AbortController()
  const context: CommitContext = {
    disk,
    ledger,
    fileSystem,
    temporaryDirectory,
    uploading: new Set(),
    doubtful: new Set(),
    now,
    signal: aborter.signal,
  }
  const moves = createQuarantineMoves(disk, ledger, log)
  const { isUnmade } = options
  const flusher = createFlusher({ context, moves, log, ledger, random, stages, invariant: reaping.invariant, isUnmade })
  const doCommitsFail = (): boolean => flusher.hasFailed
  return {
    flusher,
    moves,
    strays: createStrayTemporaries({ ...context, ledger, away: stages.away, doCommitsFail, log }),
    reap: createReaper({ disk, ledger, now, ...reaping }),
    abort: () => aborter.abort(),
  }
}

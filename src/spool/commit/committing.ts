import type { Current } from '../../current.ts'
import type { Logger } from '../../log/log.ts'
import type { Stages } from '../heartbeat/stages.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { createQuarantineMoves, type QuarantineMoves } from '../quarantine/quarantine-moves.ts'
import type { SpoolSettings } from '../spool-settings.ts'
import { createAppendToTable } from '../tables/append-to-table.ts'
import type { TableDesk } from '../tables/table-desk.ts'
import { createTableUpkeep, type TableUpkeep } from '../tables/upkeep.ts'
import type { CommitStats } from './carry-file.ts'
import type { CommitContext } from './commit.ts'
import { createFlusher, type Flusher } from './flusher.ts'
import { createReaper, type ReaperOptions } from './reaper.ts'
import { createStrayTemporaries, type StrayTemporaries } from './stray-temporaries.ts'
import { createTableCommits, type TableCommits } from './table-commits.ts'

export type CommittingOptions = Omit<ReaperOptions, 'ledger' | 'keepCommittedMs'> &
  Pick<CommitContext, 'fileSystem' | 'temporaryDirectory' | 'isUnmade'> & {
    readonly ledger: Ledger
    readonly random: () => number
    readonly stages: Pick<Stages, 'away' | 'commit' | 'tables'>
    readonly collectorId: string
    readonly tables: TableDesk
    readonly settings: Current<
      Pick<SpoolSettings, 'catalog' | 'keepCommittedMs' | 'keepSnapshotsMs' | 'outputDirectory' | 'snapshotMs'>
    >
    readonly log: Logger
  }

/** Delivers sealed files to the file system, and cleans up afterwards. */
export type Committing = {
  readonly flusher: Flusher
  /** What makes them part of their tables, then. */
  readonly tables: TableCommits
  /** What forgets old snapshots of these. */
  readonly upkeep: TableUpkeep
  readonly moves: QuarantineMoves
  readonly strays: StrayTemporaries
  /** Removes local copies of committed files: those kept long enough, or all of them. */
  readonly reap: (all: boolean) => Promise<void>
  /** Gives up what is under way in the file system. */
  readonly abort: () => void
}

export const createCommitting = (options: CommittingOptions): Committing => {
  const { disk, ledger, fileSystem, temporaryDirectory, now, random, stages, log, collectorId, ...rest } = options
  const { tables: desk, settings, ...reaping } = rest
  const aborter = new AbortController()
  const context: CommitContext = {
    disk,
    ledger,
    fileSystem,
    temporaryDirectory,
    uploading: new Set(),
    doubtful: new Set(),
    hasCatalog: () => settings().catalog !== undefined,
    isUnmade: options.isUnmade,
    now,
    signal: aborter.signal,
  }
  const moves = createQuarantineMoves(disk, ledger, log)
  const stats: CommitStats = { flushes: 0, flushedEvents: 0, errors: 0, retries: 0, lastError: '' }
  const flusher = createFlusher({
    context,
    stats,
    moves,
    log,
    ledger,
    random,
    stages,
    invariant: reaping.invariant,
  })
  const { signal } = context
  const upkeep = createTableUpkeep({ desk, fileSystem, keepMs: () => settings().keepSnapshotsMs, log })
  const tables = createTableCommits({
    ledger,
    append: createAppendToTable({ desk, upkeep, disk, fileSystem, collectorId, signal }),
    moves,
    outage: stages.tables,
    log,
    stats,
    snapshotMs: () => settings().snapshotMs,
    now,
    random,
    signal,
  })
  const doCommitsFail = (): boolean => flusher.hasFailed
  return {
    flusher,
    tables,
    upkeep,
    moves,
    strays: createStrayTemporaries({
      ...context,
      ledger,
      collectorId,
      settings,
      away: stages.away,
      doCommitsFail,
      log,
    }),
    reap: createReaper({ disk, ledger, now, keepCommittedMs: () => settings().keepCommittedMs, ...reaping }),
    abort: () => {
      aborter.abort()
      desk.giveUp()
    },
  }
}

import type { LedgerState } from '../ledger/ledger-state.ts'
import type { Log } from '../log/log.ts'
import type { QuarantineMoves } from '../quarantine/quarantine-moves.ts'
import type { SealQueue } from '../seal/seal-queue.ts'
import type { Flusher, FlushReport } from './flusher.ts'
import type { TableCommits } from './table-commits.ts'

export type LeftBelowParts = {
  readonly log: Pick<Log, 'openSince'>
  readonly sealEverything: () => Promise<void>
  readonly sealQueue: Pick<SealQueue, 'stuck'>
  readonly moves: Pick<QuarantineMoves, 'requeue'>
  readonly flusher: Pick<Flusher, 'flush'>
  readonly tables: Pick<TableCommits, 'commit'>
  readonly state: LedgerState
  readonly now: () => number
}

/** Makes what seals and commits all that has waited so long, in ms, quarantined files too, whether flushing is enabled or not. */
export const createLeftBelow = (parts: LeftBelowParts) => {
  const { log, sealEverything, sealQueue, moves, flusher, tables, state, now } = parts
  const { waiting } = state.files.figures
  return async (olderThanMs = 0): Promise<FlushReport> => {
    // Everything is everything: the clock may have been set back since.
    const leftBelow = { before: olderThanMs === 0 ? Number.POSITIVE_INFINITY : now() - olderThanMs }
    if (log.openSince <= leftBelow.before) await sealEverything()
    const unsealed = sealQueue.stuck
    await moves.requeue(leftBelow.before, 'all')
    // The pass under way, if any, may have started before; the second one takes what it did not see.
    const first = await flusher.flush(leftBelow)
    const second = waiting.files > 0 && first.failures === 0 ? await flusher.flush(leftBelow) : undefined
    const third = await tables.commit(true)
    return {
      files: first.files + (second?.files ?? 0) + third.files,
      bytes: first.bytes + (second?.bytes ?? 0) + third.bytes,
      failures: unsealed + first.failures + (second?.failures ?? 0) + third.failures,
    }
  }
}

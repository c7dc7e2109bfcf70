import type { Current } from '../current.ts'
import type { Committing } from './commit/committing.ts'
import { hasPassed } from './heartbeat/due.ts'
import type { Step } from './heartbeat/heartbeat.ts'
import type { SpaceWatch } from './heartbeat/space-watch.ts'
import type { Stages } from './heartbeat/stages.ts'
import { isCarrying, type LedgerState } from './ledger/ledger-state.ts'
import type { BrokenEnds } from './log/broken-ends.ts'
import type { Log } from './log/log.ts'
import { createQuarantineRetry } from './quarantine/quarantine-retry.ts'
import type { Replica } from './replica/replica.ts'
import type { SealQueue } from './seal/seal-queue.ts'
import type { SpoolSettings } from './spool-settings.ts'

export type HeartParts = Pick<Committing, 'flusher' | 'tables' | 'upkeep' | 'moves' | 'strays' | 'reap'> & {
  readonly state: LedgerState
  readonly log: Log
  readonly ends: BrokenEnds
  readonly sealQueue: SealQueue
  readonly space: SpaceWatch
  readonly stages: Stages
  readonly settings: Current<Pick<SpoolSettings, 'maxUncommittedMs'>>
  readonly now: () => number
  /** Whether a segment may end now that is not full. */
  readonly mayRoll: () => boolean
  readonly noteDestination: () => Promise<void>
  /** Only for a spool that is replicated to HDFS. */
  readonly replica: Replica | undefined
}

const manyFiles = 1_000
const reapManyEveryMs = 10_000

/** The periodic work of a spool, in the lanes of `heartbeat.ts`. */
export const toLanes = (parts: HeartParts): readonly (readonly Step[])[] => {
  const { state, log, ends, sealQueue, space, stages, settings, now, flusher, tables, upkeep } = parts
  const { moves, strays, reap, replica } = parts
  const { waiting } = state.files.figures

  /** Whether what is noted is safe against the loss of this machine, where that is promised. */
  const isInStep = (): boolean => replica?.isInStep ?? true

  const recover = async (): Promise<void> => {
    await ends.note()
    // What opens a segment again is for events only.
    if (!state.drained) await log.recover()
  }

  /** Ends the open segment when a flush is due, or it is old enough. */
  const rollDue = async (): Promise<void> => {
    await log.rollDue()
    const since = log.openSince
    if (since > 0 && hasPassed(now(), since, settings().maxUncommittedMs)) await log.roll()
  }

  /** Nothing will follow the open segment. */
  const rollLast = async (): Promise<void> => {
    if (log.openSince > 0) await log.roll()
  }

  const sealDue = async (): Promise<void> => {
    await parts.noteDestination()
    if (state.drained) await rollLast()
    else if (parts.mayRoll()) await rollDue()
    if (sealQueue.length > 0 && isInStep()) await sealQueue.run()
  }

  /** In a lane of its own: what is sealed goes up although more is being sealed. */
  const commitDue = async (): Promise<void> => {
    if (isCarrying(state) && waiting.files > 0 && flusher.isDue && isInStep()) await flusher.flush()
  }

  const tablesDue = async (): Promise<void> => {
    if (isCarrying(state) && isInStep()) await tables.commit()
  }

  const upkeepDue = async (): Promise<void> => {
    if (isCarrying(state) && isInStep()) await upkeep.run()
    if (!upkeep.hasFailed) stages.upkeep.worked()
  }

  const refused = createQuarantineRetry({ state, now, release: name => moves.release(name) })
  const retryDue = async (): Promise<void> => {
    if (isCarrying(state) && !flusher.isStuck && isInStep()) await refused.run()
  }

  const cleanDue = async (): Promise<void> => {
    // What HDFS alone has noted as sent is known here once the copy was looked at.
    if (isCarrying(state) && isInStep()) await strays.clean()
  }

  return [
    [{ run: createAttachDue(parts), outage: stages.cleanup, endsOutage: false }],
    [{ run: () => space.check(), outage: stages.space }],
    [{ run: recover, outage: stages.ledger }],
    [{ run: sealDue, outage: stages.sealing, endsOutage: false }],
    [
      { run: retryDue, outage: stages.commit, endsOutage: false },
      { run: commitDue, outage: stages.commit, endsOutage: false },
      { run: cleanDue, outage: stages.strays },
    ],
    [{ run: tablesDue, outage: stages.tables, endsOutage: false }],
    [{ run: upkeepDue, outage: stages.upkeep, endsOutage: false }],
    [{ run: () => reap(false), outage: stages.cleanup }],
    [{ run: async () => stages.remind(), outage: stages.cleanup, endsOutage: false }],
  ]
}

/** Attaches what is new of a spool in HDFS, and releases what is not needed there any longer. */
const createAttachDue = ({ state, now, replica }: Pick<HeartParts, 'state' | 'now' | 'replica'>) => {
  const { waiting } = state.files.figures
  let reapedAt = 0
  return async (): Promise<void> => {
    await replica?.attach()
    // It goes through all files that wait: not at each beat where these are many.
    if (waiting.files > manyFiles && !hasPassed(now(), reapedAt, reapManyEveryMs)) return
    reapedAt = now()
    await replica?.reap(state)
  }
}

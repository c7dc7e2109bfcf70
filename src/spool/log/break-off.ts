import { OutcomeUnknown } from '../../errors.ts'
import { type Group, tellWaiters } from './groups.ts'
import type { LogDoor } from './log-door.ts'
import { type LogFailure, toLogRefusal } from './log-failure.ts'
import type { LogTally } from './log-tally.ts'

/** What a log is broken off with. */
export type BreakOffParts = {
  readonly door: Pick<LogDoor, 'takeAll'>
  readonly tally: Pick<LogTally, 'settle'>
  readonly failure: Pick<LogFailure, 'begin'>
  /** Ends the open segment at its last acknowledged byte; rejects where that cannot be made safe. */
  readonly endBroken: () => Promise<void>
  readonly segment: { readonly number: number }
}

/**
 * Makes what follows a failed write or sync. It is never repeated: what the disk then holds is unknown (R5). The segment
 * ends there, and what was taken, or waits, is refused.
 */
export const createBreakOff = ({ door, tally, failure, endBroken, segment }: BreakOffParts) => {
  const refuse = (groups: readonly Group[], as: 'erroredEvents' | 'unknownEvents', reason: Error): void => {
    for (const group of groups) tally.settle(group, as)
    tellWaiters(groups, waiter => waiter.failed(reason))
  }

  return async (taken: readonly Group[], error: unknown): Promise<void> => {
    failure.begin(error, segment.number)
    const refusal = toLogRefusal('Nothing of the request was kept: the spool could not be written', error)
    try {
      // First the segment's end is made safe: a client that hears 503 may send the same again.
      await endBroken()
      refuse(taken, 'erroredEvents', refusal)
    } catch (cause) {
      failure.begin(cause, segment.number)
      const message = 'A write to the spool failed, and what it left could not be cut off'
      refuse(taken, 'unknownEvents', new OutcomeUnknown(message, { cause: error }))
    }
    // Nothing of these was written.
    refuse(door.takeAll(), 'erroredEvents', refusal)
  }
}

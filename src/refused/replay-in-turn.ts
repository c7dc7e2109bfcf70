import type { ReplayOutcome } from './refused-answers.ts'
import type { RefusedRecord } from './refused-record.ts'
import type { TimeLimit } from './time-limit.ts'

/** How refused events are sent in again. */
export type ReplayTurns = TimeLimit & {
  readonly replay: (record: RefusedRecord) => Promise<ReplayOutcome>
}

/**
 * Sends refused events in again, one after the other in order of arrival. One that cannot be sent in stops no other,
 * unless the collector takes nothing or the time is over: then the rest is answered in the same way, and so is one that
 * may get in yet: its key makes the next try harmless. The first one is always tried.
 * @returns by their ids
 */
export const replayInTurn = async (
  records: readonly RefusedRecord[],
  { replay, isOver, wait }: ReplayTurns,
): Promise<ReadonlyMap<string, ReplayOutcome>> => {
  const outcomes = new Map<string, ReplayOutcome>()
  let failure: ReplayOutcome | undefined
  for (const record of records.toSorted(byArrival)) {
    const { id } = record
    const outcome = failure === undefined ? await wait(replay(record)) : failure
    outcomes.set(id, { ...(outcome ?? timeOver), id })
    if (outcome?.outcome === 'failed') failure ??= outcome
    else if (isOver()) failure ??= timeOver
  }
  return outcomes
}

/** The answer for one for which there was no time. */
export const timeOver: ReplayOutcome = {
  id: '',
  accepted: 0,
  outcome: 'failed',
  detail: 'The call took too long; repeat it with these ids',
}

/** Events of one request arrived together, and are in its order. */
const byArrival = (a: RefusedRecord, b: RefusedRecord): number =>
  a.when - b.when || (a.position ?? -1) - (b.position ?? -1) || (a.id < b.id ? -1 : 1)

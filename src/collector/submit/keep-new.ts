import { SluiceError } from '../../errors.ts'
import type { Waiter } from '../../runtime/deferred.ts'
import { eventIdAt, eventIdBytes } from '../../spool/event-ids.ts'
import type { KnownIds, Spool } from '../../spool/spool.ts'
import { maxFailedPredecessors } from './idempotency.ts'
import { type AftermathParts, followFailed, type Keep } from './keep.ts'
import { isToBeKept, type Keepable, type Prepared } from './prepare.ts'
import type { Report } from './submission.ts'

/** What leaves events out that were kept before. */
export type KeepNewParts = Pick<AftermathParts, 'counters'> & {
  readonly spool: Pick<Spool, 'recallIds'>
  readonly keep: Keep
}

/**
 * Keeps of a request what is new: events whose ids are kept already are left out, and so is the second of two with one id.
 * The client hears what it would have heard without. An id that is on its way in another request is waited for: that
 * event is left out when the other one was kept, and taken when it was not. Nothing of a request is on its way while it
 * waits, so that two of them never wait for one another.
 */
export const createKeepNew = ({ spool, counters, keep }: KeepNewParts): Keep => {
  const keepFresh = (prepared: Keepable, eventIds: Uint8Array, failed: number, waiter: Waiter<Report>): void => {
    const known = spool.recallIds(eventIds)
    if (known.ahead !== undefined) {
      void known.ahead.then(areKept => {
        const failures = areKept ? failed : failed + 1
        if (failures < maxFailedPredecessors) keepFresh(prepared, eventIds, failures, waiter)
        else giveUp(prepared, waiter)
      })
      return
    }
    const fresh = withoutRepeated(prepared, eventIds, known)
    const { batch } = fresh
    counters[prepared.api].record('duplicates', prepared.batch.events.length - (batch?.events.length ?? 0))
    if (isToBeKept(fresh)) keep(fresh, waiter)
    else waiter.done(fresh.report)
  }
  const giveUp = (prepared: Keepable, waiter: Waiter<Report>): void => {
    const error = new SluiceError('overloaded', 'Requests with events of these ids keep failing; retry later')
    followFailed({ counters }, prepared, error)
    waiter.failed(error)
  }
  return (prepared, waiter) => {
    const { eventIds } = prepared.batch
    if (eventIds === undefined) keep(prepared, waiter)
    else keepFresh(prepared, eventIds, 0, waiter)
  }
}

/** What is left of a request without the events that are kept, and those that it has twice. */
const withoutRepeated = (prepared: Keepable, eventIds: Uint8Array, { kept }: KnownIds): Prepared => {
  const repeated = new Set(kept)
  const seen = new Set<string>()
  for (let i = 0; i < prepared.batch.events.length; i++) {
    const id = eventIdAt(eventIds, i)
    if (id === undefined) continue
    if (seen.has(id)) repeated.add(i)
    seen.add(id)
  }
  if (repeated.size === 0) return prepared
  const { batch, mismatches, indexes = [], report, isReplay } = prepared
  const positions = [...batch.events.keys()].filter(i => !repeated.has(i))
  const events = batch.events.filter((_, i) => !repeated.has(i))
  const left = new Set(positions.map(i => indexes[i]))
  return {
    ...prepared,
    batch: events.length === 0 ? undefined : { ...batch, events, eventIds: pick(eventIds, positions) },
    report: isReplay ? { ...report, duplicates: repeated.size } : report,
    mismatches: mismatches.filter(({ index }) => left.has(index)),
  }
}

const pick = (eventIds: Uint8Array, positions: readonly number[]): Uint8Array => {
  const picked = new Uint8Array(positions.length * eventIdBytes)
  for (const [i, position] of positions.entries()) {
    const start = position * eventIdBytes
    picked.set(eventIds.subarray(start, start + eventIdBytes), i * eventIdBytes)
  }
  return picked
}

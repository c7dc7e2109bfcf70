import { eventIdTextAt } from '../event-ids.ts'
import type { DecodedEvent } from '../events/decode-events.ts'
import type { Damage } from '../ledger/damage-list.ts'
import { tableAway } from '../parquet/table-columns.ts'
import type { KeptBatch } from '../segment/record.ts'
import { type Buckets, TableRefuses } from './buckets.ts'

/** What is set aside of a segment, and why. */
export type Bad = Pick<Damage, 'events' | 'reason' | 'torn' | 'withheld' | 'refused'>

/** How the events of a batch are read. */
type Decode = (batch: KeptBatch) => Iterable<DecodedEvent, undefined>

/**
 * Adds the events of a batch, up to the first one that cannot be read. What an event cannot be read or taken for is its own fault;
 * what fails while a file is written is the seal's.
 * @param settled where it is decided for good about what could not be taken the first time: types that their tables refused then
 * @throws an error with the code {@link tableAway} where the segment has to wait
 */
export const addEvents = (
  decode: Decode,
  batch: KeptBatch,
  buckets: Buckets,
  caller: number,
  settled?: readonly string[],
): Bad | undefined => {
  const bytes = batch.body.length / batch.events.length
  let failures = 0
  let reason = ''
  const refused = new Set<string>()
  let done = 0
  const ids = buckets.takesIds ? batch.eventIds : undefined
  let event: DecodedEvent | undefined
  const events = decode(batch)[Symbol.iterator]()
  for (;;) {
    try {
      event = events.next().value
    } catch (error) {
      if (!settled) failures += batch.events.length - done
      reason = (error as Error).message
      break
    }
    if (event === undefined) break
    done++
    try {
      buckets.add(event, batch.keptAt, bytes, caller, ids && eventIdTextAt(ids, done - 1))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === tableAway) throw error
      const { head } = event
      const { message } = error as Error
      if (settled && (!(error instanceof TableRefuses) || settled.includes(head.name))) continue
      failures++
      if (error instanceof TableRefuses) refused.add(head.name)
      reason = error instanceof TableRefuses ? message : `Event ${head.index}: ${message}`
    }
    buckets.packFull()
  }
  if (failures === 0) return undefined
  return { events: failures, reason, ...(refused.size > 0 ? { refused: [...refused] } : {}) }
}

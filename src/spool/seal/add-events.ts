import type { DecodedEvent } from '../events/decode-events.ts'
import type { Damage } from '../ledger/damage-list.ts'
import type { KeptBatch } from '../segment/record.ts'
import type { Buckets } from './buckets.ts'

/** What is set aside of a segment, and why. */
export type Bad = Pick<Damage, 'events' | 'reason' | 'torn' | 'withheld'>

/** How the events of a batch are read. */
type Decode = (batch: KeptBatch) => Iterable<DecodedEvent>

/** What an event cannot be read or taken for is its own fault; what fails while a file is written is the seal's. */
export const addEvents = (decode: Decode, batch: KeptBatch, buckets: Buckets, caller: number): Bad | undefined => {
  const bytes = batch.body.length / batch.events.length
  let failures = 0
  let reason = ''
  const note = (events: number, why: string): void => {
    failures += events
    reason = why
  }
  for (const event of decodable(decode, batch, note)) {
    try {
      buckets.add(event, batch.keptAt, bytes, caller)
    } catch (error) {
      note(1, `Event ${event.head.index}: ${(error as Error).message}`)
    }
    buckets.packFull()
  }
  return failures > 0 ? { events: failures, reason } : undefined
}

/** The events of a batch up to the first one that cannot be read. */
function* decodable(
  decode: Decode,
  batch: KeptBatch,
  note: (events: number, why: string) => void,
): Generator<DecodedEvent> {
  let done = 0
  try {
    for (const event of decode(batch)) {
      yield event
      done++
    }
  } catch (error) {
    note(batch.events.length - done, (error as Error).message)
  }
}

import type { EventHead } from '../batch.ts'
import { eventIdBytes } from '../event-ids.ts'
import type { KeptBatch } from '../segment/record.ts'

/** A batch with some of its events, each with its id. */
export const pickEvents = (batch: KeptBatch, isWanted: (event: EventHead) => boolean): KeptBatch => {
  const { events, eventIds } = batch
  const positions = events.flatMap((event, position) => (isWanted(event) ? [position] : []))
  const picked = { ...batch, events: events.filter(isWanted) }
  if (eventIds === undefined) return picked
  const ids = positions.map(position => eventIds.subarray(position * eventIdBytes, (position + 1) * eventIdBytes))
  return { ...picked, eventIds: Buffer.concat(ids) }
}

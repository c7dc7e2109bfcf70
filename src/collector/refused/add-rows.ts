import type { Batch, EventHead } from '../../spool/batch.ts'
import { eventIdBytes } from '../../spool/event-ids.ts'
import { toRefusedName } from '../../spool/refused.ts'
import { createBodyWriter } from './body-writer.ts'
import type { RefusedRow } from './refused-row.ts'
import { sliceEvents } from './slice-events.ts'

/** Rewrites a batch with rows of refused events after its events, so that all of them are kept, or nothing. */
export const addRows = (batch: Batch, rows: readonly RefusedRow[]): Batch => {
  const heads = new Map(batch.events.map(head => [head.index, head]))
  const events: EventHead[] = []
  const body = createBodyWriter(batch.format)
  for (const slice of sliceEvents(batch, heads.keys())) {
    const head = heads.get(slice.index)
    if (head === undefined) continue
    body.event(slice)
    events.push({ ...head, index: events.length })
  }
  for (const row of rows) {
    body.row(row)
    events.push(toRefusedHead(row, events.length))
  }
  return { ...batch, ...withIdsFor(batch, rows), events, body: body.finish() }
}

/** A row is an event with the time of its request's arrival. */
export const toRefusedHead = ({ type, when }: RefusedRow, index: number): EventHead => ({
  index,
  name: toRefusedName(type),
  date: when,
  granularity: 'HOURLY',
})

/** Rows have no ids. */
const withIdsFor = ({ eventIds }: Batch, rows: readonly RefusedRow[]): Pick<Batch, 'eventIds'> =>
  eventIds === undefined ? {} : { eventIds: Buffer.concat([eventIds, new Uint8Array(rows.length * eventIdBytes)]) }

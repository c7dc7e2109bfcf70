import type { Batch, EventHead } from '../../spool/batch.ts'
import { toRefusedName } from '../../spool/refused.ts'
import { createRefusedId } from '../../spool/refused-id.ts'
import type { Mismatch } from '../parsed.ts'
import { schemaMismatch } from '../submit/submission.ts'
import { createBodyWriter } from './body-writer.ts'
import { type RefusedRow, toEventTarget, toSentMembers } from './refused-row.ts'
import { contentTypes, sliceEvents } from './slice-events.ts'

/**
 * Rewrites a batch with rows of refused events in place of those that are set aside, so that these are kept with the
 * others or not at all, in full, however much is kept of refused ones.
 * @param aside those that do not fit @param toPosition the place in the request of one in the body
 */
export const setAside = (batch: Batch, aside: readonly Mismatch[], toPosition: (index: number) => number): Batch => {
  const misfits = new Map(aside.map(one => [one.index, one]))
  const heads = new Map(batch.events.map(head => [head.index, head]))
  const events: EventHead[] = []
  const body = createBodyWriter(batch.format)
  for (const slice of sliceEvents(batch, heads.keys())) {
    const head = heads.get(slice.index)
    const misfit = misfits.get(slice.index)
    if (head === undefined) continue
    if (misfit === undefined) body.event(slice)
    else body.row({ ...toRow(batch, head, misfit, slice.bytes()), position: toPosition(slice.index) })
    events.push({ ...(misfit === undefined ? head : toRowHead(batch, head)), index: events.length })
  }
  return { ...batch, events, body: body.finish() }
}

/** A row has the time at which it was set aside; the event's own date is in its bytes. */
const toRowHead = ({ receivedAt }: Batch, { name, date, index }: EventHead): EventHead => ({
  index,
  name: toRefusedName(name),
  date: receivedAt ?? date,
  granularity: 'HOURLY',
})

const toRow = (batch: Batch, head: EventHead, { name, detail }: Mismatch, bytes: Uint8Array): RefusedRow => ({
  id: createRefusedId(batch.receivedAt ?? head.date, head.name),
  kind: 'set-aside',
  when: batch.receivedAt ?? head.date,
  api: batch.api,
  peer: batch.caller ?? '',
  code: schemaMismatch,
  detail,
  events: 1,
  type: name,
  method: 'POST',
  target: toEventTarget(head),
  contentType: contentTypes[batch.format],
  headers: '{}',
  bytes: bytes.length,
  isCut: false,
  isReplayable: true,
  ...toSentMembers(bytes),
})

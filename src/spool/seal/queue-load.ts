import type { Invariant } from '../invariants/invariants.ts'
import type { Tally } from '../ledger/table/file-figures.ts'
import type { SegmentLoad } from '../segment/segment-files.ts'

/** Counts what the segments of a queue hold; one without events does not count. */
export type QueueLoad = { readonly waiting: Readonly<Tally>; count(load: SegmentLoad, sign: 1 | -1): void }

export const createQueueLoad = (queue: { readonly length: number }, invariant: Invariant): QueueLoad => {
  const waiting: Tally = { files: 0, events: 0, bytes: 0 }
  return {
    waiting,
    count: ({ events, bytes }, sign) => {
      if (events === 0) return
      waiting.files += sign
      waiting.events += sign * events
      waiting.bytes += sign * bytes
      const isPossible = queue.length > 0 || (waiting.files === 0 && waiting.events === 0)
      invariant(isPossible, 'a queue without segments holds nothing', () => ({ ...waiting }))
    },
  }
}

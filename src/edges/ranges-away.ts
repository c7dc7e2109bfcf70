import { fromErrorFields } from '../errors.ts'
import type { Waiter } from '../runtime/deferred.ts'
import type { RangeMessage, ReceiptsMessage } from './event-messages.ts'
import type { FilledRange } from './range-writer.ts'

/** Ranges that were handed over, until their bytes are free. */
export type RangesAway = {
  add(range: FilledRange): void
  /** Notifies all waiters, in one pass. @param free takes memory that may be reused */
  hear(receipts: Pick<ReceiptsMessage, 'kept' | 'failed' | 'freed'>, free: (range: RangeMessage) => void): void
  /** Fails all remaining waiters. */
  fail(error: unknown): void
}

export const createRangesAway = (): RangesAway => {
  const ranges = new Map<number, FilledRange>()
  const tell = (id: number, first: number, count: number, how: (waiter: Waiter<void>) => void): void => {
    const waiters = ranges.get(id)?.waiters
    if (waiters === undefined) return
    for (let at = first; at < first + count; at++) {
      const waiter = waiters[at]
      // Each hears once.
      waiters[at] = undefined
      if (waiter !== undefined) how(waiter)
    }
  }
  return {
    add: range => void ranges.set(range.message.id, range),
    hear: ({ kept, failed, freed }, free) => {
      for (let i = 0; i < kept.length; i += 3) tell(kept[i] ?? 0, kept[i + 1] ?? 0, kept[i + 2] ?? 0, tellKept)
      for (const { range, first, count, error } of failed) {
        const thrown = fromErrorFields(error)
        tell(range, first, count, waiter => waiter.failed(thrown))
      }
      for (const id of freed) {
        const range = ranges.get(id)
        ranges.delete(id)
        if (range !== undefined) free(range.message)
      }
    },
    fail: error => {
      for (const [id, { waiters }] of ranges) tell(id, 0, waiters.length, waiter => waiter.failed(error))
      ranges.clear()
    },
  }
}

const tellKept = (waiter: Waiter<void>): void => waiter.done()

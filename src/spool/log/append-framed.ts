import type { FramedBatch } from '../segment/framed-batches.ts'
import type { RangeWaiter } from '../spool.ts'
import { HandedRange } from './handed-range.ts'
import type { LogDoor } from './log-door.ts'
import type { LogFailure } from './log-failure.ts'
import type { LogTally } from './log-tally.ts'

/** What batches of another thread go through. */
export type AppendFramedParts = {
  readonly door: Pick<LogDoor, 'addFramed'>
  readonly tally: Pick<LogTally, 'queue'>
  readonly failure: Pick<LogFailure, 'check'>
  /** Ends the segment where a batch belongs to another period. */
  readonly rollDue: (receivedAt: number | undefined) => void
  /** Whether batches count as kept once they wait. */
  readonly isKeptAtOnce: boolean
}

/** Makes what appends batches of another thread: see `Log.appendFramed`. */
export const createAppendFramed =
  ({ door, tally, failure, rollDue, isKeptAtOnce }: AppendFramedParts) =>
  (bytes: Uint8Array, batches: readonly FramedBatch[], waiter: RangeWaiter): void => {
    const range = new HandedRange(bytes, batches, waiter, isKeptAtOnce)
    for (const [position, { batch }] of batches.entries()) {
      rollDue(batch.receivedAt)
      try {
        failure.check()
        tally.queue(batch, door.addFramed(range, position))
      } catch (error) {
        range.refuse(position, [batch], error)
      }
    }
    range.added()
  }

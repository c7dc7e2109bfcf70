import type { Log } from '../log/log.ts'
import type { SealQueue } from './seal-queue.ts'

/** Makes what ends the open segment and seals all that waits. */
export const createSealEverything = (log: Pick<Log, 'roll'>, queue: SealQueue) => async (): Promise<void> => {
  await log.roll()
  queue.hurry()
  await queue.run()
  if (queue.length === 0) return
  // That pass may have been under way, and have looked at the queue before the segment joined it.
  queue.hurry()
  await queue.run()
}

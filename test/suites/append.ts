import type { Batch } from '../../src/spool/batch.ts'
import type { Log } from '../../src/spool/log/log.ts'

/** Appends to a log, with a promise in place of a waiter; throws what is refused at once. */
export const append = (log: Pick<Log, 'append'>, batch: Batch): Promise<void> => {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  log.append(batch, { done: resolve, failed: reject })
  return promise
}

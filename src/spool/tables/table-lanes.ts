import { createInterrupt } from '../../filesystem/interrupt.ts'
import { startTimeout } from '../../runtime/timers.ts'

/** Tables that are worked on beside each other: those that are slow do not hold up the others. */
export type TableLanes = {
  isBusy(table: string): boolean
  /**
   * Works on some tables, none of them busy. Ends when each is done, or slow: a slow one continues beside the tables
   * that follow.
   */
  run(tables: Iterable<string>, work: (table: string) => Promise<void>): Promise<void>
  /** Ends when no table is busy. */
  settle(): Promise<void>
}

export type TableLanesOptions = {
  readonly onSlow: (table: string) => void
  /** Nothing is waited for any more. */
  readonly signal: AbortSignal
}

/** Tables that are begun beside each other, slow ones apart. */
const atOnce = 4

/** Tables that are busy at a time, slow ones with them: each holds the statistics of its files. */
const maxBusy = 32

/** What takes longer is slow. */
export const slowTableMs = 10_000

export const createTableLanes = ({ onSlow, signal }: TableLanesOptions): TableLanes => {
  const busy = new Map<string, Promise<void>>()
  const { promise: aborted, resolve: abort } = Promise.withResolvers<void>()
  if (signal.aborted) abort()
  signal.addEventListener('abort', () => abort())
  // The signal lives as long as the server, and each commit waits with it.
  const interrupt = createInterrupt(aborted)

  const begin = (table: string, work: (table: string) => Promise<void>): Promise<void> => {
    const running = work(table).finally(() => busy.delete(table))
    busy.set(table, running)
    return running
  }

  const doneOrSlow = async (table: string, running: Promise<void>): Promise<void> => {
    const { promise: isSlow, resolve } = Promise.withResolvers<void>()
    const timer = startTimeout(() => {
      onSlow(table)
      resolve()
    }, slowTableMs)
    await interrupt.race(Promise.race([running, isSlow]))
    clearTimeout(timer)
  }

  return {
    isBusy: table => busy.has(table),
    run: async (tables, work) => {
      const queue = tables[Symbol.iterator]()
      const lane = async (): Promise<void> => {
        for (let next = queue.next(); !next.done && !signal.aborted; next = queue.next()) {
          while (busy.size >= maxBusy && !signal.aborted) await interrupt.race(Promise.race(busy.values()))
          await doneOrSlow(next.value, begin(next.value, work))
        }
      }
      await Promise.all(Array.from({ length: atOnce }, lane))
    },
    settle: async () => {
      while (busy.size > 0 && !signal.aborted) await interrupt.race(Promise.all(busy.values()))
    },
  }
}

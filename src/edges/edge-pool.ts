// node-only: worker threads
import type { ThreadFigures } from '../collector/problems/thread-problems.ts'
import { startTimeout } from '../runtime/timers.ts'
import { createEdgeLosses, type EdgeLossesOptions, type LostThread, otherCode } from './edge-losses.ts'
import type { EdgeState } from './edge-wire.ts'
import type { EdgeWorker } from './edge-worker.ts'

/** Edge threads by their numbers, from 1 on; one that ends is replaced at once. */
export type EdgePool = {
  /** Resolves when all of them take connections. @throws NodeJS.ErrnoException when one cannot */
  start(open: OpenWorker): Promise<void>
  /** Holds from now on, in those that are started later, too. */
  set(changes: Partial<EdgeState>): void
  /** Resolves when all that was set by now holds in all threads. */
  readonly inForce: () => Promise<void>
  /** From now on none is replaced, and each ends with its last connection. */
  drain(): void
  /** Resolves when all have ended; those that have not by then are made to. */
  ended(withinMs: number): Promise<void>
  readonly figures: ThreadFigures
}

/** Starts a thread, with what holds. */
export type OpenWorker = (row: number, state: EdgeState) => EdgeWorker

export type EdgePoolOptions = Omit<EdgeLossesOptions, 'now'> & {
  readonly state: EdgeState
  /** A thread is not there any more. */
  readonly onEnd: (row: number) => void
}

/** One that never worked is not started again all the time: it waits twice as long each time, from the first to the second. */
const retryMs = { first: 500, most: 10_000 } as const

const toReason = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Makes it, without a thread. */
export const createEdgePool = (options: EdgePoolOptions): EdgePool => {
  const { count, onEnd, isSameCode } = options
  const workers = new Map<number, EdgeWorker>()
  const listening = new Set<number>()
  let state = options.state
  let isDraining = false
  const now = () => ({ existing: workers.size, living: listening.size, isDraining })
  const losses = createEdgeLosses({ ...options, now })

  const lose = async (lost: LostThread, restart: () => void): Promise<void> => {
    if (!isDraining && (await losses.add(lost))) restart()
  }
  const keep = (open: OpenWorker, row: number, nextRetryMs: number = retryMs.first): EdgeWorker => {
    const worker = open(row, state)
    workers.set(row, worker)
    const onListening = async (): Promise<void> => {
      // The first ones have loaded what this thread has.
      const isSame = losses.figures.ended === 0 || (await isSameCode())
      if (!isSame) return worker.end(otherCode)
      if (workers.get(row) !== worker) return
      listening.add(row)
      losses.started()
    }
    void worker.listening.then(onListening, () => {})
    void worker.ended.then(reason => {
      workers.delete(row)
      const hasWorked = listening.delete(row)
      onEnd(row)
      return lose({ row, reason, hasWorked }, () => restart(open, row, hasWorked ? 0 : nextRetryMs))
    })
    return worker
  }
  const restart = (open: OpenWorker, row: number, afterMs: number): void => {
    const nextRetryMs = Math.min(Math.max(2 * afterMs, retryMs.first), retryMs.most)
    startTimeout(() => {
      if (isDraining) return
      try {
        keep(open, row, nextRetryMs)
      } catch (error) {
        void lose({ row, reason: toReason(error), hasWorked: false }, () => restart(open, row, nextRetryMs))
      }
    }, afterMs)
  }
  return {
    start: async open => {
      const rows = Array.from({ length: count }, (_, index) => index + 1)
      await Promise.all(rows.map(row => keep(open, row).listening))
    },
    set: changes => {
      state = { ...state, ...changes }
      for (const worker of workers.values()) worker.set(changes)
    },
    inForce: async () => void (await Promise.all([...workers.values()].map(worker => worker.inForce()))),
    drain: () => {
      isDraining = true
      for (const worker of workers.values()) worker.drain()
    },
    ended: async withinMs => {
      isDraining = true
      const limit = startTimeout(() => {
        for (const worker of workers.values()) worker.end('closed')
      }, withinMs)
      await Promise.all([...workers.values()].map(({ ended: end }) => end))
      clearTimeout(limit)
    },
    get figures() {
      return { configured: count, living: listening.size, ...losses.figures }
    },
  }
}

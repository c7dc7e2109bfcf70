// node-only: worker threads
import type { Logger } from '../log/log.ts'
import { startTimeout } from '../runtime/timers.ts'
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
  readonly living: number
}

/** Starts a thread, with what holds. */
export type OpenWorker = (row: number, state: EdgeState) => EdgeWorker

export type EdgePoolOptions = {
  readonly count: number
  readonly state: EdgeState
  readonly logger: Logger
  /** A thread is not there any more. */
  readonly onEnd: (row: number) => void
}

/** One that never worked is not started again all the time. */
const retryMs = 500

/** Makes it, without a thread. */
export const createEdgePool = ({ count, state: first, logger, onEnd }: EdgePoolOptions): EdgePool => {
  const workers = new Map<number, EdgeWorker>()
  let state = first
  let isDraining = false

  const keep = (open: OpenWorker, row: number): EdgeWorker => {
    const worker = open(row, state)
    workers.set(row, worker)
    let retryAfterMs = retryMs
    const onListening = (): void => {
      retryAfterMs = 0
    }
    void worker.listening.then(onListening, () => {})
    void worker.ended.then(reason => {
      workers.delete(row)
      onEnd(row)
      if (isDraining) return
      logger.error({ thread: row, reason }, 'an edge thread ended, and its connections with it: another one starts')
      startTimeout(() => isDraining || keep(open, row), retryAfterMs)
    })
    return worker
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
        for (const worker of workers.values()) worker.end()
      }, withinMs)
      await Promise.all([...workers.values()].map(({ ended }) => ended))
      clearTimeout(limit)
    },
    get living() {
      return workers.size
    },
  }
}

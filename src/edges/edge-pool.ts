// node-only: worker threads
import type { ThreadFigures } from '../collector/thread-problems.ts'
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
  readonly figures: ThreadFigures
}

/** Starts a thread, with what holds. */
export type OpenWorker = (row: number, state: EdgeState) => EdgeWorker

export type EdgePoolOptions = {
  readonly count: number
  readonly state: EdgeState
  readonly logger: Logger
  /** A thread is not there any more. */
  readonly onEnd: (row: number) => void
  /** Whether a thread that starts now runs the same code as this one. */
  readonly isSameCode: () => boolean
  /** No thread is left, and none can take its place: only a new process can go on. */
  readonly onLost: () => void
}

/** One that never worked is not started again all the time: it waits twice as long each time, from the first to the second. */
const retryMs = { first: 500, most: 10_000 } as const

const otherCode = 'the files of the server have changed since it started'
const advice = 'restart the server'

const toReason = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Makes it, without a thread. */
export const createEdgePool = (options: EdgePoolOptions): EdgePool => {
  const { count, logger, onEnd, isSameCode, onLost } = options
  const workers = new Map<number, EdgeWorker>()
  const listening = new Set<number>()
  let state = options.state
  let isDraining = false
  let ended = 0
  let lastEnd = ''
  let isReplacing = true

  const lose = (row: number, reason: string, restart: () => void): void => {
    ended++
    lastEnd = reason
    isReplacing &&= isSameCode()
    if (isReplacing) {
      logger.error({ thread: row, reason }, 'an edge thread ended, and its connections with it: another one starts')
      restart()
      return
    }
    logger.error({ thread: row, reason }, `an edge thread ended, and none takes its place: ${otherCode}; ${advice}`)
    if (workers.size === 0) onLost()
  }
  const keep = (open: OpenWorker, row: number, nextRetryMs: number = retryMs.first): EdgeWorker => {
    const worker = open(row, state)
    workers.set(row, worker)
    const onListening = (): void => {
      // The first ones have loaded what this thread has.
      if (ended === 0 || isSameCode()) listening.add(row)
      else worker.end(otherCode)
    }
    void worker.listening.then(onListening, () => {})
    void worker.ended.then(reason => {
      workers.delete(row)
      const hasWorked = listening.delete(row)
      onEnd(row)
      if (!isDraining) lose(row, reason, () => restart(open, row, hasWorked ? 0 : nextRetryMs))
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
        lose(row, toReason(error), () => restart(open, row, nextRetryMs))
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
      return { configured: count, living: listening.size, ended, lastEnd, isReplacing }
    },
  }
}

import { createInterrupt } from '../filesystem/interrupt.ts'
import type { RefusedFiles } from './refused-files.ts'

/** The time that a piece of work has. */
export type TimeLimit = {
  /** Whether it has taken long enough. */
  readonly isOver: () => boolean
  /** The result of a step; undefined if the time is over first: the step continues all the same. */
  readonly wait: <T>(step: Promise<T>) => Promise<T | undefined>
}

/** Says how time goes by. */
export type TimeLimitOptions = {
  /** Monotonic. */
  readonly nowMs: () => number
  /** Aborts after this many ms. */
  readonly timeout: (ms: number) => AbortSignal
}

/** Begins now. Work without waits checks the clock, because no timer fires meanwhile. */
export const startTimeLimit = (ms: number, { nowMs, timeout }: TimeLimitOptions): TimeLimit => {
  const endsAt = nowMs() + ms
  const signal = timeout(ms)
  const { promise, resolve } = Promise.withResolvers<undefined>()
  signal.addEventListener('abort', () => resolve(undefined), { once: true })
  const interrupt = createInterrupt(promise)
  return { isOver: () => signal.aborted || nowMs() > endsAt, wait: step => interrupt.race(step) }
}

/** Files that yield nothing more once the time is over, whatever they wait for. */
export const withinTime = (files: RefusedFiles, { wait }: TimeLimit): RefusedFiles => ({
  directories: async path => (await wait(files.directories(path))) ?? [],
  files: async path => (await wait(files.files(path))) ?? [],
  rows: async function* rowsWithinTime(path, mayBe) {
    const rows = files.rows(path, mayBe)
    try {
      for (let next = await wait(rows.next()); next && !next.done; next = await wait(rows.next())) yield next.value
    } finally {
      // Not waited for: it follows a step that may hang.
      rows.return().catch(() => {})
    }
  },
})

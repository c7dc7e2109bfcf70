import { startTimeout } from './timers.ts'

/** Calls once, after this many ms; returns the function that cancels it. */
export type Later = (ms: number, call: () => void) => () => void

/** The longest delay of a timer. */
const maxDelayMs = 2 ** 31 - 1

/** Timers that keep no process alive. */
export const laterByTimer: Later = (ms, call) => {
  const timer = startTimeout(call, Math.min(Math.max(ms, 0), maxDelayMs))
  timer.unref()
  return () => clearTimeout(timer)
}

/** The same, or a rejection when it takes longer. */
export const inTime = async <T>(
  given: Promise<T>,
  ms: number,
  later: Later,
  toError: (ms: number) => Error,
): Promise<T> => {
  const { promise: tooLate, reject } = Promise.withResolvers<never>()
  const stop = later(ms, () => reject(toError(ms)))
  try {
    return await Promise.race([given, tooLate])
  } finally {
    stop()
  }
}

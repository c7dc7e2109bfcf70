import { createInterrupt } from '../../filesystem/interrupt.ts'
import { startTimeout } from '../../runtime/timers.ts'
import { slowTableMs } from './table-lanes.ts'

/**
 * Asks a table something, and waits ten seconds at most. What takes longer is not begun a second time: the next call for that
 * table waits for its end first, as long again.
 * @throws Error there was no answer in that time, or it is given up
 */
export type InTime = <T>(table: string, ask: () => Promise<T>) => Promise<T>

/** @param signal nothing is waited for any more */
export const createInTime = (signal: AbortSignal): InTime => {
  const late = new Map<string, Promise<unknown>>()
  const { promise: aborted, reject: abort } = Promise.withResolvers<never>()
  const giveUp = (): void => abort(new Error('it is given up'))
  if (signal.aborted) giveUp()
  signal.addEventListener('abort', giveUp)
  // The signal lives as long as the server, and each question waits with it.
  const interrupt = createInterrupt(aborted)

  const wait = async <T>(table: string, running: Promise<T>): Promise<T> => {
    const { promise: isLate, reject } = Promise.withResolvers<never>()
    const timer = startTimeout(() => {
      late.set(table, running)
      reject(new Error(`it has not answered for ${slowTableMs / 1_000} seconds`))
    }, slowTableMs)
    try {
      return await interrupt.race(Promise.race([running, isLate]))
    } finally {
      clearTimeout(timer)
    }
  }
  return async (table, ask) => {
    const before = late.get(table)
    if (before) await wait(table, before)
    const running = ask()
    const forget = (): void => {
      if (late.get(table) === running) late.delete(table)
    }
    running.then(forget, forget)
    return await wait(table, running)
  }
}

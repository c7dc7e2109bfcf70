import { stat } from 'node:fs/promises'
import { startInterval } from '../../runtime/timers.ts'

/** How often watched files are looked at. */
const watchEveryMs = 5_000

/** Stops watching. */
export type StopWatching = () => void

/** Calls again and again, never two at a time; returns what ends it. */
export type Repeat = (look: () => Promise<void>) => StopWatching

/** Looks so often, and keeps no process alive. Looking, not listening: mounted secrets change by a swap of links. */
export const every =
  (ms: number): Repeat =>
  look => {
    let isBusy = false
    const timer = startInterval(() => {
      if (isBusy) return
      isBusy = true
      void look().finally(() => {
        isBusy = false
      })
    }, ms).unref()
    return () => clearInterval(timer)
  }

/** What changes with a file. @throws NodeJS.ErrnoException when it is not there */
export const toFingerprint = async (path: string): Promise<string> => {
  const { mtimeMs, ctimeMs, size, ino } = await stat(path)
  return `${mtimeMs}:${ctimeMs}:${size}:${ino}`
}

/** Calls `onChange` after one of the files was written, replaced or appeared; calls never overlap. */
export const watchFiles = async (
  paths: readonly string[],
  onChange: () => Promise<void>,
  everyMs = watchEveryMs,
): Promise<StopWatching> => {
  const look = (): Promise<readonly string[]> =>
    Promise.all(paths.map(path => toFingerprint(path).catch(() => 'not there')))
  let last = String(await look())
  return every(everyMs)(async () => {
    const now = String(await look())
    if (now === last) return
    last = now
    await onChange()
  })
}

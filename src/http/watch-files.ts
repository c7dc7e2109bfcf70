import { stat } from 'node:fs/promises'

/** How often watched files are looked at. Looking, not listening: mounted secrets change by a swap of links. */
export const watchEveryMs = 5_000

/** Stops watching. */
export type StopWatching = () => void

/** Calls `onChange` after one of the files was written, replaced or appeared; calls never overlap. */
export const watchFiles = async (
  paths: readonly string[],
  onChange: () => Promise<void>,
  everyMs = watchEveryMs,
): Promise<StopWatching> => {
  let last = await toFingerprint(paths)
  let isBusy = false
  const look = async (): Promise<void> => {
    if (isBusy) return
    isBusy = true
    try {
      const now = await toFingerprint(paths)
      if (now === last) return
      last = now
      await onChange()
    } finally {
      isBusy = false
    }
  }
  const timer = setInterval(() => void look(), everyMs).unref()
  return () => clearInterval(timer)
}

const toFingerprint = async (paths: readonly string[]): Promise<string> => {
  const states = await Promise.all(
    paths.map(async path => {
      const { mtimeMs, size, ino } = (await stat(path).catch(() => undefined)) ?? { mtimeMs: 0, size: 0, ino: 0 }
      return `${mtimeMs}:${size}:${ino}`
    }),
  )
  return states.join(' ')
}

import type { Logger } from '../../log/log.ts'
import { startTimeout } from '../../runtime/timers.ts'

/** Reports lines of the access log that are not written: the first at once, those of each later minute together. */
export type MissingLines = {
  readonly miss: (count: number) => void
  /** For an error that may have cost lines, an unknown number of them. */
  readonly fail: (error: unknown) => void
  /** Reports the rest. */
  close(): void
}

const tellEveryMs = 60_000

export const createMissingLines = (logger: Pick<Logger, 'warn'>): MissingLines => {
  let missing = 0
  let isDue = false
  let error: unknown
  let quiet: NodeJS.Timeout | undefined
  const tell = (): void => {
    if (!isDue) return
    logger.warn({ ...(error === undefined ? {} : { err: error }), missing }, 'lines of the access log are missing')
    missing = 0
    isDue = false
    error = undefined
    quiet = startTimeout(() => {
      quiet = undefined
      tell()
    }, tellEveryMs).unref()
  }
  const due = (): void => {
    isDue = true
    if (quiet === undefined) tell()
  }
  return {
    miss: count => {
      missing += count
      due()
    },
    fail: thrown => {
      error = thrown
      due()
    },
    close: () => {
      clearTimeout(quiet)
      tell()
      clearTimeout(quiet)
    },
  }
}

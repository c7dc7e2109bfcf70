import { isDue } from '../heartbeat/due.ts'

/** Waits between passes while the file system is unavailable: doubling, with jitter, up to the longest. */
const firstRetryMs = 1_000
export const longestRetryMs = 60_000

/** The longest while a caller waits for the spool to be empty. */
const longestDrainRetryMs = 5_000

/** The pause after a failed pass. */
export type RetryPause = {
  begin(): void
  /** The next one will be a short one again. */
  end(): void
  /** Whether it is over, if there was one. */
  readonly isOver: boolean
}

export type RetryPauseOptions = {
  readonly now: () => number
  /** From 0 to 1. */
  readonly random: () => number
  readonly isDrained: () => boolean
}

export const createRetryPause = ({ now, random, isDrained }: RetryPauseOptions): RetryPause => {
  let retryAt = 0
  let retryMs = firstRetryMs
  return {
    begin: () => {
      retryAt = now() + retryMs * (0.5 + random() / 2)
      retryMs = Math.min(retryMs * 2, isDrained() ? longestDrainRetryMs : longestRetryMs)
    },
    end: () => {
      retryAt = 0
      retryMs = firstRetryMs
    },
    get isOver() {
      return isDue(now(), retryAt, longestRetryMs)
    },
  }
}

import { createHistogram } from '../histogram.ts'

/** How many of the newest are kept. */
const maxSamples = 1_024

/** How long the syncs of the log took, in ms. */
export type SyncTimes = {
  add(ms: number): void
  readonly count: number
  readonly totalMs: number
  /** The newest, in no particular order. */
  readonly samples: readonly number[]
  /** All since the start, as of `histogram.ts`. */
  counts(): readonly number[]
}

export const createSyncTimes = (): SyncTimes => {
  const samples: number[] = []
  const histogram = createHistogram()
  let count = 0
  let totalMs = 0
  return {
    add: ms => {
      samples[count % maxSamples] = ms
      histogram.record(ms)
      count++
      totalMs += ms
    },
    get count() {
      return count
    },
    get totalMs() {
      return totalMs
    },
    samples,
    counts: () => histogram.counts(),
  }
}

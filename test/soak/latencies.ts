import { createHistogram, type Histogram } from '../bench/histogram.ts'

/** How much coarser than those of a benchmark: slots of 0.1 ms, because a machine that is busy takes its time. */
const factor = 10

/** Longer times, in ms, are not distinguished, and count as the longest of all. */
export const longestMs = 20_000

/** A {@link Histogram} for times of up to 20 s. */
export const createLatencies = (): Histogram => {
  const histogram = createHistogram()
  return {
    get count() {
      return histogram.count
    },
    get max() {
      return histogram.max * factor
    },
    record: ms => histogram.record(ms / factor),
    percentile: share => histogram.percentile(share) * factor,
  }
}

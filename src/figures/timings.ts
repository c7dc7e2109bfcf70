/** Durations since the start, in ms: how many, their sum, the newest of them, and all by size. */
export type Timings = {
  record(ms: number): void
  readonly count: number
  readonly totalMs: number
  /** The newest {@link maxNewest}, in no order. */
  readonly newest: readonly number[]
  /** For each of {@link bucketBoundsMs}, how many took at most so long. */
  counts(): readonly number[]
}

/** How many of the newest are kept, for percentiles. */
const maxNewest = 1_024

/** In ms; what took longer than the last is in the count of all alone. */
export const bucketBoundsMs = [0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000] as const

/** Nothing recorded yet. */
export const createTimings = (): Timings => {
  const newest: number[] = []
  /** Not added up: one duration costs one addition. */
  const own = new Float64Array(bucketBoundsMs.length + 1)
  let count = 0
  let totalMs = 0
  return {
    newest,
    get count() {
      return count
    },
    get totalMs() {
      return totalMs
    },
    record: ms => {
      newest[count++ % maxNewest] = ms
      totalMs += ms
      let i = 0
      while (i < bucketBoundsMs.length && ms > (bucketBoundsMs[i] ?? 0)) i++
      own[i] = (own[i] ?? 0) + 1
    },
    counts: () => {
      let sum = 0
      return bucketBoundsMs.map((_, i) => {
        sum += own[i] ?? 0
        return sum
      })
    },
  }
}

/** Durations counted by size, since the start. */
export type Histogram = {
  record(ms: number): void
  /** For each of {@link bucketBoundsMs}, how many took at most so long. */
  counts(): readonly number[]
}

/** In ms; what took longer than the last is in the count of all alone. */
export const bucketBoundsMs = [0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000] as const

export const createHistogram = (): Histogram => {
  /** Not added up: one duration costs one addition. */
  const own = new Float64Array(bucketBoundsMs.length + 1)
  return {
    record(ms) {
      let i = 0
      while (i < bucketBoundsMs.length && ms > (bucketBoundsMs[i] ?? 0)) i++
      own[i] = (own[i] ?? 0) + 1
    },
    counts() {
      let sum = 0
      return bucketBoundsMs.map((_, i) => {
        sum += own[i] ?? 0
        return sum
      })
    },
  }
}

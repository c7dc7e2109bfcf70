/** Durations since the start, in ms: how many, their sum, the newest of them, and all by size. */
export type Timings = {
  record(ms: number): void
  readonly count: number
  readonly totalMs: number
  /** The newest {@link maxNewest} of each row, in no order. */
  readonly newest: readonly number[]
  /** For each of {@link bucketBoundsMs}, how many took at most so long. */
  counts(): readonly number[]
}

/** How many of the newest are kept, for percentiles. */
const maxNewest = 1_024

/** In ms; what took longer than the last is in the count of all alone. */
export const bucketBoundsMs = [0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000] as const

/** Where a row has what: count, sum, one number for each bucket and one for what took longer, the newest. */
const [countAt, totalAt, bucketsAt] = [0, 1, 2]
const newestAt = bucketsAt + bucketBoundsMs.length + 1

/** Numbers of a row. */
export const timingsLength = newestAt + maxNewest

/**
 * Durations that several threads record, each in a row of its own; a reader adds up the rows.
 * @param own all zero at the start. @default of this thread alone
 * @param rows of all, `own` among them
 */
export const createTimings = (
  own: Float64Array = new Float64Array(timingsLength),
  rows: readonly Float64Array[] = [own],
): Timings => {
  const sum = (at: number): number => rows.reduce((total, row) => total + (row[at] ?? 0), 0)
  return {
    get newest() {
      return rows.flatMap(row => [...row.subarray(newestAt, newestAt + Math.min(row[countAt] ?? 0, maxNewest))])
    },
    get count() {
      return sum(countAt)
    },
    get totalMs() {
      return sum(totalAt)
    },
    record: ms => {
      const count = own[countAt] ?? 0
      own[newestAt + (count % maxNewest)] = ms
      own[countAt] = count + 1
      own[totalAt] = (own[totalAt] ?? 0) + ms
      let i = 0
      while (i < bucketBoundsMs.length && ms > (bucketBoundsMs[i] ?? 0)) i++
      own[bucketsAt + i] = (own[bucketsAt + i] ?? 0) + 1
    },
    counts: () => {
      let total = 0
      return bucketBoundsMs.map((_, i) => {
        total += sum(bucketsAt + i)
        return total
      })
    },
  }
}

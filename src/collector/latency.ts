import type { Durations } from '../figures/durations.ts'
import { toQuantiles } from '../figures/quantile.ts'
import { createTimings, type Timings, timingsLength } from '../figures/timings.ts'

/** Times in ms: count, extremes and moments since the start, percentiles of the last 1 024 of each thread. */
export type Latency = {
  record(ms: number): void
  summary(): LatencySummary
  /** The newest 1 024 of each thread, in no order. */
  values(): readonly number[]
  /** All since the start, as of `timings.ts`. */
  counts(): readonly number[]
}

/** All zero while nothing was recorded. Percentiles are measured values, not interpolated. */
export type LatencySummary = Durations & { readonly count: number; readonly totalMs: number }

const shares = [0.5, 0.75, 0.95, 0.98, 0.99, 0.999]

/** Where a row has what, in front of its timings. */
const [minAt, maxAt, meanAt, squaresAt, momentsLength] = [0, 1, 2, 3, 4]

/** Numbers of a row. */
export const latencyLength = momentsLength + timingsLength

/**
 * Times that several threads record, each in a row of its own; a reader puts the rows together.
 * @param own all zero at the start. @default of this thread alone
 * @param rows of all, `own` among them
 */
export const createLatency = (
  own: Float64Array = new Float64Array(latencyLength),
  rows: readonly Float64Array[] = [own],
): Latency => {
  const timingsOf = (row: Float64Array): Float64Array => row.subarray(momentsLength)
  const recorded = createTimings(timingsOf(own))
  const timings = createTimings(timingsOf(own), rows.map(timingsOf))
  const parts = rows.map(row => ({ row, timings: createTimings(timingsOf(row)) }))
  return {
    record(ms) {
      recorded.record(ms)
      const { count } = recorded
      if (count === 1 || ms < (own[minAt] ?? 0)) own[minAt] = ms
      if (count === 1 || ms > (own[maxAt] ?? 0)) own[maxAt] = ms
      const mean = own[meanAt] ?? 0
      // Welford's method: squares of large sums would lose the small differences.
      const delta = ms - mean
      const moved = mean + delta / count
      own[meanAt] = moved
      own[squaresAt] = (own[squaresAt] ?? 0) + delta * (ms - moved)
    },
    summary() {
      const { totalMs, newest } = timings
      const [p50Ms = 0, p75Ms = 0, p95Ms = 0, p98Ms = 0, p99Ms = 0, p999Ms = 0] = toQuantiles(newest, shares)
      const { count, squares, ...moments } = parts.map(toMoments).reduce(together, noMoments)
      const stdDevMs = count > 1 ? Math.sqrt(squares / (count - 1)) : 0
      return { count, totalMs, ...moments, stdDevMs, p50Ms, p75Ms, p95Ms, p98Ms, p99Ms, p999Ms }
    },
    counts: () => timings.counts(),
    values: () => timings.newest,
  }
}

type Moments = Pick<LatencySummary, 'count' | 'minMs' | 'maxMs' | 'meanMs'> & { readonly squares: number }

const noMoments: Moments = { count: 0, minMs: 0, maxMs: 0, meanMs: 0, squares: 0 }

const toMoments = ({ row, timings }: { readonly row: Float64Array; readonly timings: Timings }): Moments => {
  const [minMs = 0, maxMs = 0, meanMs = 0, squares = 0] = row
  return { count: timings.count, minMs, maxMs, meanMs, squares }
}

/** Those of two rows (Chan, Golub and LeVeque 1979). */
const together = (a: Moments, b: Moments): Moments => {
  if (a.count === 0 || b.count === 0) return a.count === 0 ? b : a
  const count = a.count + b.count
  const delta = b.meanMs - a.meanMs
  return {
    count,
    minMs: Math.min(a.minMs, b.minMs),
    maxMs: Math.max(a.maxMs, b.maxMs),
    meanMs: a.meanMs + (delta * b.count) / count,
    squares: a.squares + b.squares + (delta * delta * a.count * b.count) / count,
  }
}

import type { Durations } from '../figures/durations.ts'
import { toQuantiles } from '../figures/quantile.ts'
import { createTimings } from '../figures/timings.ts'

/** Times in ms: count, extremes and moments since the start, percentiles of the last 1 024. */
export type Latency = {
  record(ms: number): void
  summary(): LatencySummary
  /** The newest 1 024, in no order. */
  values(): readonly number[]
  /** All since the start, as of `timings.ts`. */
  counts(): readonly number[]
}

/** All zero while nothing was recorded. Percentiles are measured values, not interpolated. */
export type LatencySummary = Durations & { readonly count: number; readonly totalMs: number }

const shares = [0.5, 0.75, 0.95, 0.98, 0.99, 0.999]

/** Nothing recorded yet. */
export const createLatency = (): Latency => {
  const timings = createTimings()
  let minMs = 0
  let maxMs = 0
  // Welford's method: squares of large sums would lose the small differences.
  let meanMs = 0
  let squares = 0
  return {
    record(ms) {
      timings.record(ms)
      const { count } = timings
      minMs = count === 1 || ms < minMs ? ms : minMs
      maxMs = count === 1 || ms > maxMs ? ms : maxMs
      const delta = ms - meanMs
      meanMs += delta / count
      squares += delta * (ms - meanMs)
    },
    summary() {
      const { count, totalMs, newest } = timings
      const [p50Ms = 0, p75Ms = 0, p95Ms = 0, p98Ms = 0, p99Ms = 0, p999Ms = 0] = toQuantiles(newest, shares)
      return {
        count,
        totalMs,
        minMs,
        maxMs,
        meanMs,
        stdDevMs: count > 1 ? Math.sqrt(squares / (count - 1)) : 0,
        p50Ms,
        p75Ms,
        p95Ms,
        p98Ms,
        p99Ms,
        p999Ms,
      }
    },
    counts: () => timings.counts(),
    values: () => timings.newest,
  }
}

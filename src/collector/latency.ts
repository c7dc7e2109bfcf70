import type { Durations } from '../beans/timer.ts'
import { createHistogram } from '../histogram.ts'

/** Samples that percentiles are taken from: the newest ones. */
const sampleCount = 1_024

/** Times in ms: count, extremes and moments since the start, percentiles of the last 1 024. */
export type Latency = {
  record(ms: number): void
  summary(): LatencySummary
  /** The newest 1 024, in no order. */
  values(): readonly number[]
  /** All since the start, as of `histogram.ts`. */
  counts(): readonly number[]
}

/** All zero while nothing was recorded. Percentiles are measured values, not interpolated. */
export type LatencySummary = Durations & { readonly count: number; readonly totalMs: number }

/** Nothing recorded yet. */
export const createLatency = (): Latency => {
  const samples = new Float64Array(sampleCount)
  const histogram = createHistogram()
  let count = 0
  let totalMs = 0
  let minMs = 0
  let maxMs = 0
  // Welford's method: squares of large sums would lose the small differences.
  let meanMs = 0
  let squares = 0
  return {
    record(ms) {
      samples[count % sampleCount] = ms
      histogram.record(ms)
      count++
      totalMs += ms
      minMs = count === 1 || ms < minMs ? ms : minMs
      maxMs = count === 1 || ms > maxMs ? ms : maxMs
      const delta = ms - meanMs
      meanMs += delta / count
      squares += delta * (ms - meanMs)
    },
    summary() {
      const sorted = samples.slice(0, Math.min(count, sampleCount)).sort()
      const at = (share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
      return {
        count,
        totalMs,
        minMs,
        maxMs,
        meanMs,
        stdDevMs: count > 1 ? Math.sqrt(squares / (count - 1)) : 0,
        p50Ms: at(0.5),
        p75Ms: at(0.75),
        p95Ms: at(0.95),
        p98Ms: at(0.98),
        p99Ms: at(0.99),
        p999Ms: at(0.999),
      }
    },
    counts: () => histogram.counts(),
    values: () => [...samples.subarray(0, Math.min(count, sampleCount))],
  }
}

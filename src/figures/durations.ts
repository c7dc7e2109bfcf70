/** Durations in ms: extremes and moments since the start, percentiles of the newest samples. */
export type Durations = {
  readonly minMs: number
  readonly maxMs: number
  readonly meanMs: number
  readonly stdDevMs: number
  readonly p50Ms: number
  readonly p75Ms: number
  readonly p95Ms: number
  readonly p98Ms: number
  readonly p99Ms: number
  readonly p999Ms: number
}

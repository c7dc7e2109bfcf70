import { toQuantiles } from '../../src/figures/quantile.ts'
import { bucketBoundsMs } from '../../src/figures/timings.ts'

/** Those that summaries show. */
const quantiles = [0.5, 0.95, 0.99] as const

/** A figure for the monitoring system, under its own name and labels rather than a bean's. */
export type MetricFamily = {
  /** Letters, digits and `_`; `_total` at the end of a counter, its unit at the end of others. */
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'summary' | 'histogram'
  /** What it is now, one after another; bounded. @param scrape the same for all families that are read for one answer */
  samples(scrape?: object): Iterable<MetricSample>
}

/** One value. */
export type MetricSample = {
  /** Values that come from clients are bounded in number where they are counted. */
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
  /** Of a summary: `_sum` or `_count` instead of a quantile; of a histogram also `_bucket`. */
  readonly suffix?: '_sum' | '_count' | '_bucket'
}

/** A family whose samples are read again each time. */
export const family = (
  type: MetricFamily['type'],
  name: string,
  help: string,
  samples: MetricFamily['samples'],
): MetricFamily => ({ type, name, help, samples })

/** A family without labels. */
export const single = (type: 'counter' | 'gauge', name: string, help: string, read: () => number): MetricFamily =>
  family(type, name, help, () => [{ value: read() }])

/** The samples of one summary; quantiles by their share, in ms, absent while nothing was measured. */
export const toSummarySamples = (
  count: number,
  totalMs: number,
  quantiles: Readonly<Record<string, number>>,
): readonly MetricSample[] => [
  ...Object.entries(count === 0 ? {} : quantiles).map(([quantile, ms]) => ({
    labels: { quantile },
    value: ms / 1_000,
  })),
  { suffix: '_sum', value: totalMs / 1_000 },
  { suffix: '_count', value: count },
]

/** The samples of a summary whose quantiles are those of the newest times. */
export const newestSummary = (count: number, totalMs: number, newest: readonly number[]): readonly MetricSample[] => {
  const values = toQuantiles(newest, quantiles)
  return toSummarySamples(
    count,
    totalMs,
    Object.fromEntries(quantiles.map((quantile, i) => [String(quantile), values[i] ?? 0])),
  )
}

/**
 * The samples of one histogram, from which quantiles can be taken over servers and over time; seconds.
 * @param counts as of `timings.ts`
 */
export const toHistogramSamples = (
  count: number,
  totalMs: number,
  counts: readonly number[],
): readonly MetricSample[] => [
  ...bucketBoundsMs.map((bound, i) => toBucket(String(bound / 1_000), counts[i] ?? 0)),
  toBucket('+Inf', count),
  { suffix: '_sum', value: totalMs / 1_000 },
  { suffix: '_count', value: count },
]

const toBucket = (le: string, value: number): MetricSample => ({ labels: { le }, suffix: '_bucket', value })

import { toQuantiles } from '../../src/beans/quantile.ts'
import { bucketBoundsMs } from '../../src/histogram.ts'

/** Those that summaries show. */
const quantiles = [0.5, 0.95, 0.99] as const

/** A figure for the monitoring system, under its own name and labels rather than a bean's. */
export type MetricFamily = {
  /** Letters, digits and `_`; `_total` at the end of a counter, its unit at the end of others. */
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'summary' | 'histogram'
  /** What it is now; bounded. */
  samples(): Iterable<MetricSample>
}

/** One value. */
export type MetricSample = {
  /** Values that come from clients are bounded in number where they are counted. */
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
  /** Of a summary: `_sum` or `_count` instead of a quantile; of a histogram also `_bucket`. */
  readonly suffix?: '_sum' | '_count' | '_bucket'
}

/** A family without labels. */
export const single = (type: 'counter' | 'gauge', name: string, help: string, read: () => number): MetricFamily => ({
  name,
  help,
  type,
  samples: () => [{ value: read() }],
})

/** What a summary is made of; seconds. */
export type SummaryFigures = {
  readonly count: number
  readonly sum: number
  /** By quantile, such as `0.99`. */
  readonly quantiles: Readonly<Record<string, number>>
}

/** The samples of one summary; quantiles are absent while nothing was measured. */
export const toSummarySamples = (
  { count, sum, quantiles }: SummaryFigures,
  labels: Readonly<Record<string, string>> = {},
): readonly MetricSample[] => [
  ...(count === 0
    ? []
    : Object.entries(quantiles).map(([quantile, value]) => ({ labels: { ...labels, quantile }, value }))),
  { labels, suffix: '_sum', value: sum },
  { labels, suffix: '_count', value: count },
]

/** The samples of one histogram: times in ms become seconds. @param counts as of `histogram.ts` */
export const toHistogramSamples = (
  { count, totalMs, counts }: { readonly count: number; readonly totalMs: number; readonly counts: readonly number[] },
  labels: Readonly<Record<string, string>> = {},
): readonly MetricSample[] => [
  ...bucketBoundsMs.map((bound, i) => bucket(labels, String(bound / 1_000), counts[i] ?? 0)),
  bucket(labels, '+Inf', count),
  { labels, suffix: '_sum', value: totalMs / 1_000 },
  { labels, suffix: '_count', value: count },
]

const bucket = (labels: Readonly<Record<string, string>>, le: string, value: number): MetricSample => ({
  labels: { ...labels, le },
  suffix: '_bucket',
  value,
})

/** Of all there was, so that quantiles can be taken over servers and over time. */
export const histogram = (name: string, help: string, samples: () => Iterable<MetricSample>): MetricFamily => ({
  name,
  help,
  type: 'histogram',
  samples,
})

/** The samples of a summary whose quantiles are those of the newest times. */
export const newestSummary = (count: number, totalMs: number, newestMs: readonly number[]): readonly MetricSample[] => {
  const values = toQuantiles(newestMs, quantiles)
  return toSummarySamples({
    count,
    sum: totalMs / 1_000,
    quantiles: Object.fromEntries(quantiles.map((quantile, i) => [String(quantile), (values[i] ?? 0) / 1_000])),
  })
}

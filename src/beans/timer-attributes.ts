import type { Durations } from '../figures/durations.ts'
import type { Meter } from '../figures/meter.ts'
import { type Attribute, attribute } from './bean.ts'
import { meterAttributes } from './meter-attributes.ts'
import { perTurn } from './per-turn.ts'

/** The attributes of a timer: a meter of calls, and how long they took, in ms. */
export const timerAttributes = (calls: Meter, summary: () => Durations): Readonly<Record<string, Attribute>> => {
  const current = perTurn(summary)
  const duration = (description: string, pick: (durations: Durations) => number): Attribute =>
    attribute('double', description, () => pick(current()))
  return {
    ...meterAttributes(calls),
    LatencyUnit: attribute('string', 'Unit of the durations.', () => 'MILLISECONDS'),
    Min: duration('Shortest since the start.', ({ minMs }) => minMs),
    Max: duration('Longest since the start.', ({ maxMs }) => maxMs),
    Mean: duration('Mean since the start.', ({ meanMs }) => meanMs),
    StdDev: duration('Standard deviation since the start.', ({ stdDevMs }) => stdDevMs),
    '50thPercentile': duration('Median of the newest calls.', ({ p50Ms }) => p50Ms),
    '75thPercentile': duration('p75 of the newest calls.', ({ p75Ms }) => p75Ms),
    '95thPercentile': duration('p95 of the newest calls.', ({ p95Ms }) => p95Ms),
    '98thPercentile': duration('p98 of the newest calls.', ({ p98Ms }) => p98Ms),
    '99thPercentile': duration('p99 of the newest calls.', ({ p99Ms }) => p99Ms),
    '999thPercentile': duration('p99.9 of the newest calls.', ({ p999Ms }) => p999Ms),
  }
}

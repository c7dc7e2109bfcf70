import type { Histogram } from '../bench/histogram.ts'
import { createLatencies } from './latencies.ts'
import type { Sample } from './sample.ts'

/** What became of requests, for each sample and for each quarter of the run. */
export type Tally = {
  /** An answer to intake as it should be. */
  answered(latencyMs: number, events: number): void
  /** Anything else, from any part; `what` is for people. */
  failed(what: string): void
  /** The figures since the last call. */
  take(): Pick<Sample, 'p50Ms' | 'p99Ms' | 'maxMs' | 'acknowledged' | 'errors'>
  readonly errors: number
  /** The first of them. */
  readonly firstErrors: readonly string[]
  /** Latencies of intake in each quarter. */
  readonly quarters: readonly Histogram[]
}

/** More would only repeat. */
const maxKeptErrors = 20
const maxErrorLength = 500

/** Counts what happens; `quarter` says in which quarter of the run it is now. */
export const createTally = (quarter: () => 0 | 1 | 2 | 3): Tally => {
  const quarters = [0, 1, 2, 3].map(createLatencies)
  const firstErrors: string[] = []
  let period = { latencies: createLatencies(), acknowledged: 0, errors: 0 }
  let errors = 0
  return {
    answered(latencyMs, events) {
      period.latencies.record(latencyMs)
      quarters[quarter()]?.record(latencyMs)
      period.acknowledged += events
    },
    failed(what) {
      errors++
      period.errors++
      if (firstErrors.length < maxKeptErrors) firstErrors.push(what.slice(0, maxErrorLength))
    },
    take() {
      const { latencies, ...counts } = period
      period = { latencies: createLatencies(), acknowledged: 0, errors: 0 }
      return {
        p50Ms: latencies.percentile(0.5),
        p99Ms: latencies.percentile(0.99),
        maxMs: latencies.max,
        ...counts,
      }
    },
    get errors() {
      return errors
    },
    firstErrors,
    quarters,
  }
}

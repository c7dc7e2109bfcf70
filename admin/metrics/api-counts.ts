import type { MetricFamily, MetricSample } from './metric.ts'

/** Why events are not kept. */
export const reasons = ['malformed', 'lost', 'errored', 'ignored', 'throttled'] as const

/** The counts of one API, as far as its metrics look at it. */
export type ApiCounts = Readonly<
  Record<
    | 'requests'
    | 'failures'
    | 'received'
    | 'accepted'
    | 'filtered'
    | 'duplicates'
    | 'unknown'
    | 'replayed'
    | (typeof reasons)[number],
    number
  >
> & {
  readonly byType: ReadonlyMap<string, number>
  readonly latency: {
    summary(): Readonly<Record<'count' | 'totalMs' | 'p50Ms' | 'p95Ms' | 'p99Ms', number>>
    /** As of `timings.ts`. */
    counts(): readonly number[]
  }
}

/** Makes samples of each API's counts, with its name as a label. */
export const samplesByApi = (counters: Readonly<Record<string, ApiCounts>>) => {
  const books = createBooks(counters)
  return (toSamples: (count: ApiCounts) => Iterable<MetricSample>): MetricFamily['samples'] =>
    function* (scrape) {
      for (const [api, counts] of books(scrape)) {
        for (const one of toSamples(counts)) yield { ...one, labels: { api, ...one.labels } }
      }
    }
}

type Books = ReadonlyMap<string, ApiCounts>

/**
 * The counts of all APIs as of the moment at which a scrape first asks for them: it is cut into pieces, and events that
 * arrive between two of those would be in some of its figures and not in others.
 */
const createBooks = (counters: Readonly<Record<string, ApiCounts>>): ((scrape?: object) => Books) => {
  const taken = new WeakMap<object, Books>()
  return (scrape = {}) => {
    const books = taken.get(scrape) ?? new Map(Object.entries(counters).map(([api, counts]) => [api, copy(counts)]))
    taken.set(scrape, books)
    return books
  }
}

const copy = (counts: ApiCounts): ApiCounts => ({
  requests: counts.requests,
  failures: counts.failures,
  received: counts.received,
  accepted: counts.accepted,
  filtered: counts.filtered,
  duplicates: counts.duplicates,
  unknown: counts.unknown,
  replayed: counts.replayed,
  malformed: counts.malformed,
  lost: counts.lost,
  errored: counts.errored,
  ignored: counts.ignored,
  throttled: counts.throttled,
  byType: new Map(counts.byType),
  latency: counts.latency,
})

/**
 * The counts of the collector. For every API, at any time:
 *
 *     received = accepted + filtered + duplicates + rejected + unknown
 *     rejected = malformed + lost + errored + ignored + throttled
 *
 * accepted: kept by the spool; filtered: dropped by a filter, the client got 202; duplicates: left out because events
 * with their ids were kept before, whatever the outcome of the rest of the request; malformed: could not be read or
 * stored as sent, or refused because they do not fit their schema (a request that holds nothing readable counts as one
 * event); lost, errored, ignored: the request was answered 503 because a queue or disk was full, the disk failed, or
 * the server was shutting down; throttled: the request was answered 429, its sender being over its quota (a request
 * that is turned away unread counts as one event); unknown: the disk failed, and may hold them all the same, so that
 * the connection was closed without an answer. A replay of an idempotency key counts nothing but its request. An event
 * that was refused, and that the server sends in again later, is received once more, and among those `replayed` when it
 * is accepted then: senders have sent `received - replayed` events, and what was sent again in vain.
 */
import { type Api, apis } from '../spool/apis.ts'
import { isRefusedName, refusedTypeOf } from '../spool/refused.ts'
import { apiLength, counterRowBytes, placeOf, type Recorded, recorded, toCounterRows } from './counter-rows.ts'
import { createLatency, type Latency } from './latency.ts'

/** Event names that are counted on their own; the others share {@link otherTypes}. */
export const maxCountedTypes = 1_000
/** What the names beyond {@link maxCountedTypes} are counted under. */
export const otherTypes = '(other)'

/** A figure of one API since the start. */
export type CountName = Recorded | 'received' | 'rejected'

/** The outcomes of the requests of one API, since the start. */
export type ApiFigures = Readonly<Record<CountName, number>> & {
  /** ms from the start of the handler to the answer. */
  readonly latency: Omit<Latency, 'record'>
  /** Accepted events by event name, at most {@link maxCountedTypes} names. */
  readonly byType: ReadonlyMap<string, number>
  /** Bytes of the bodies that held them, by the same names; types of one body share by their numbers of events. */
  readonly bytesByType: ReadonlyMap<string, number>
  /** Events that did not fit their schema, kept or refused, by event name; as many names at most. */
  readonly mismatches: ReadonlyMap<string, number>
}

/** Where a door records the outcomes of the requests of one API. */
export type ApiCounters = ApiFigures & {
  record(kind: Recorded, count?: number): void
  /** Bytes of the bodies that held them, by the same names; types of one body share by their numbers of events. */
  recordKept(events: readonly { readonly name: string }[], bytes: number): void
  /** Events that do not fit their schema, beside what else becomes of them. */
  recordMismatches(events: readonly { readonly name: string }[]): void
  recordTime(ms: number): void
}

/** The counters of all APIs. */
export type CollectorCounters = Readonly<Record<Api, ApiCounters>>

/** The same, to be read. */
export type CollectorFigures = Readonly<Record<Api, ApiFigures>>

export type CountersOptions = {
  /** Of all threads, all zero at the start. @default one, of this thread alone */
  readonly rows?: readonly Float64Array[] | undefined
  /** Of this thread. @default 0 */
  readonly row?: number
  /** Takes the names of events that do not fit, where another thread counts names. @default they are counted here */
  readonly tellMisfits?: (api: Api, events: readonly { readonly name: string }[]) => void
}

/** Counters that several threads record, each in a row of its own; what is read is the sum of the rows. */
export const createCounters = ({
  rows = toCounterRows(new ArrayBuffer(counterRowBytes)),
  row = 0,
  tellMisfits,
}: CountersOptions = {}): CollectorCounters => {
  const counters: Partial<Record<Api, ApiCounters>> = {}
  for (const [i, api] of apis.entries()) {
    const parts = rows.map(one => one.subarray(i * apiLength, (i + 1) * apiLength))
    counters[api] = new Counters(parts, row, tellMisfits && (events => tellMisfits(api, events)))
  }
  return counters as CollectorCounters
}

/** One figure over all APIs. */
export const sumCounters = (counters: CollectorFigures, name: CountName): number =>
  apis.reduce((sum, api) => sum + counters[api][name], 0)

/** The numbers of one API; the hot path only adds. */
class Counters implements ApiCounters {
  readonly #rows: readonly Float64Array[]
  readonly #own: Float64Array
  readonly #tellMisfits: Counters['recordMismatches'] | undefined
  readonly latency: Latency
  readonly byType = new Map<string, number>()
  readonly bytesByType = new Map<string, number>()
  readonly mismatches = new Map<string, number>()

  constructor(rows: readonly Float64Array[], row: number, tellMisfits: Counters['recordMismatches'] | undefined) {
    const own = rows[row]
    if (own === undefined)
      throw new RangeError(`There are ${rows.length} rows of counters, and none with number ${row}`)
    this.#rows = rows
    this.#own = own
    this.#tellMisfits = tellMisfits
    this.latency = createLatency(
      own.subarray(recorded.length),
      rows.map(one => one.subarray(recorded.length)),
    )
  }

  #sum(kind: Recorded): number {
    const at = placeOf[kind]
    let sum = 0
    for (const row of this.#rows) sum += row[at] ?? 0
    return sum
  }

  get requests(): number {
    return this.#sum('requests')
  }

  get failures(): number {
    return this.#sum('failures')
  }

  get accepted(): number {
    return this.#sum('accepted')
  }

  get filtered(): number {
    return this.#sum('filtered')
  }

  get duplicates(): number {
    return this.#sum('duplicates')
  }

  get malformed(): number {
    return this.#sum('malformed')
  }

  get lost(): number {
    return this.#sum('lost')
  }

  get errored(): number {
    return this.#sum('errored')
  }

  get ignored(): number {
    return this.#sum('ignored')
  }

  get throttled(): number {
    return this.#sum('throttled')
  }

  get unknown(): number {
    return this.#sum('unknown')
  }

  get unread(): number {
    return this.#sum('unread')
  }

  get replays(): number {
    return this.#sum('replays')
  }

  get replayed(): number {
    return this.#sum('replayed')
  }

  get handedOver(): number {
    return this.#sum('handedOver')
  }

  get received(): number {
    return this.accepted + this.filtered + this.duplicates + this.rejected + this.unknown
  }

  get rejected(): number {
    return this.malformed + this.lost + this.errored + this.ignored + this.throttled
  }

  record(kind: Recorded, count = 1): void {
    const at = placeOf[kind]
    this.#own[at] = (this.#own[at] ?? 0) + count
  }

  recordKept(events: readonly { readonly name: string }[], bytes: number): void {
    this.record('accepted', events.length)
    const share = bytes / events.length
    let name = ''
    let run = 0
    // Neighbours mostly share their name: one map access per run instead of one per event.
    for (const event of events) {
      if (event.name === name) run++
      else {
        this.#addKept(name, run, share)
        name = event.name
        run = 1
      }
    }
    this.#addKept(name, run, share)
  }

  #addKept(name: string, run: number, share: number): void {
    if (run === 0) return
    // What is set aside is accepted, as an event of its type.
    const type = isRefusedName(name) ? refusedTypeOf(name) : name
    countType(this.byType, type, run)
    countType(this.bytesByType, type, run * share)
  }

  recordMismatches(events: readonly { readonly name: string }[]): void {
    if (this.#tellMisfits !== undefined) this.#tellMisfits(events)
    else for (const { name } of events) countType(this.mismatches, name, 1)
  }

  recordTime(ms: number): void {
    this.latency.record(ms)
  }
}

const countType = (byType: Map<string, number>, name: string, count: number): void => {
  const known = byType.has(name) || byType.size < maxCountedTypes ? name : otherTypes
  byType.set(known, (byType.get(known) ?? 0) + count)
}

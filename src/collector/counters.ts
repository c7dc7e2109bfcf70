/**
 * What the collector counts. For every API, at any time:
 *
 *     received = accepted + filtered + rejected + unknown
 *     rejected = malformed + lost + errored + ignored
 *
 * accepted: kept by the spool; filtered: dropped by a filter, the client was told 202; malformed: could not be read
 * or stored as sent, or refused because they do not fit their schema (a request that holds nothing readable counts as
 * one event); lost, errored, ignored: the request was answered 503 because a queue or disk was full, the disk failed, or
 * the server was shutting down (a request that is turned away unread counts as one event); unknown: the disk failed, and
 * may hold them all the same, so that the connection was closed without an answer. A replay of an idempotency
 * key counts nothing but its request.
 */
import { type Api, apis } from '../spool/batch.ts'
import { createLatency, type Latency } from './latency.ts'

/** Event names that are counted on their own; the others share {@link otherTypes}. */
export const maxCountedTypes = 1_000
/** What the names beyond {@link maxCountedTypes} are counted under. */
export const otherTypes = '(other)'

/** Figures of one API since the start; plain numbers so that the hot path only adds. */
export type ApiCounters = {
  requests: number
  /** Requests answered with an error status, or not at all. */
  failures: number
  received: number
  accepted: number
  filtered: number
  rejected: number
  malformed: number
  lost: number
  errored: number
  ignored: number
  unknown: number
  /** Those of lost, errored and ignored that were turned away unread: no parser saw them. */
  unread: number
  replays: number
  /** ms from the start of the handler to the answer. */
  readonly latency: Latency
  /** Accepted events by event name, at most {@link maxCountedTypes} names. */
  readonly byType: Map<string, number>
  /** Bytes of the bodies that they stood in, by the same names; types of one body share by their numbers of events. */
  readonly bytesByType: Map<string, number>
  /** Events that did not fit their schema, kept or refused, by event name; as many names at most. */
  readonly mismatches: Map<string, number>
}

/** The counters of all APIs. */
export type CollectorCounters = Readonly<Record<Api, ApiCounters>>

/** The fields of {@link ApiCounters} that can be summed. */
export type CountName = Exclude<keyof ApiCounters, 'latency' | 'byType' | 'bytesByType' | 'mismatches'>

/** Why events of a request answered 503 were not kept. */
export type RefusalKind = 'lost' | 'errored' | 'ignored'

/** All zero. */
export const createCounters = (): CollectorCounters => {
  const counters: Partial<Record<Api, ApiCounters>> = {}
  for (const api of apis) counters[api] = createApiCounters()
  return counters as CollectorCounters
}

/** One figure over all APIs. */
export const sumCounters = (counters: CollectorCounters, name: CountName): number =>
  apis.reduce((sum, api) => sum + counters[api][name], 0)

/**
 * Adds accepted events to the total and to their names.
 * @param bytes of the body, decompressed
 */
export const countAccepted = (
  counters: ApiCounters,
  events: readonly { readonly name: string }[],
  bytes: number,
): void => {
  counters.received += events.length
  counters.accepted += events.length
  const share = bytes / events.length
  const add = (name: string, run: number): void => {
    if (run === 0) return
    countType(counters.byType, name, run)
    countType(counters.bytesByType, name, run * share)
  }
  let name = ''
  let run = 0
  // Neighbours mostly share their name: one map access per run instead of one per event.
  for (const event of events) {
    if (event.name === name) run++
    else {
      add(name, run)
      name = event.name
      run = 1
    }
  }
  add(name, run)
}

/** Adds events that do not fit their schema, beside what else becomes of them. */
export const countMismatches = (counters: ApiCounters, events: readonly { readonly name: string }[]): void => {
  for (const { name } of events) countType(counters.mismatches, name, 1)
}

/** Adds events that could not be read. */
export const countMalformed = (counters: ApiCounters, events: number): void => {
  counters.received += events
  counters.rejected += events
  counters.malformed += events
}

/** Adds good events that were turned away. */
export const countRefused = (counters: ApiCounters, kind: RefusalKind, events: number): void => {
  counters.received += events
  counters.rejected += events
  counters[kind] += events
}

/** Adds good events of which nobody can say whether they were kept. */
export const countUnknown = (counters: ApiCounters, events: number): void => {
  counters.received += events
  counters.unknown += events
}

const countType = (byType: Map<string, number>, name: string, count: number): void => {
  const known = byType.has(name) || byType.size < maxCountedTypes ? name : otherTypes
  byType.set(known, (byType.get(known) ?? 0) + count)
}

const createApiCounters = (): ApiCounters => ({
  requests: 0,
  failures: 0,
  received: 0,
  accepted: 0,
  filtered: 0,
  rejected: 0,
  malformed: 0,
  lost: 0,
  errored: 0,
  ignored: 0,
  unknown: 0,
  unread: 0,
  replays: 0,
  latency: createLatency(),
  byType: new Map(),
  bytesByType: new Map(),
  mismatches: new Map(),
})

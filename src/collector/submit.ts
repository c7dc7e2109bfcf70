import { OutcomeUnknown, SluiceError } from '../errors.ts'
import type { Claim } from '../http/body/admission.ts'
import type { Waiter } from '../runtime/deferred.ts'
import type { Api } from '../spool/apis.ts'
import type { Batch, Outcome, Rejection } from '../spool/batch.ts'
import type { Spool } from '../spool/spool.ts'
import type { RequestContext } from './annotations.ts'
import type { ApiCounters, CollectorCounters, RefusalKind } from './counters.ts'
import { type Filters, isRequestFiltered } from './filters.ts'
import type { IdempotentRequest } from './idempotency.ts'
import type { Live } from './live/live.ts'
import { type Mismatch, maxListedRejections, type Parsed } from './parsed.ts'
import type { Validator } from './validation.ts'

/** A parsed request on its way to the spool. */
export type Submission = {
  readonly api: Api
  /** When it was there as a whole, ms since the epoch: by then its events are dated that have no date. */
  readonly receivedAt: number
  readonly parsed: Parsed
  readonly claim: Claim
  /** What the filters look at; Scribe has none. */
  readonly context?: RequestContext
  /** Address of a client without a context. */
  readonly peer?: string
  readonly idempotent?: IdempotentRequest | undefined
  /** Whether it is an error when nothing is accepted. @default false */
  readonly isStrict?: boolean
}

/**
 * What a client is told of a request. The mismatches of events that were kept stand among the errors, with the code
 * {@link schemaMismatch}: so they are remembered with an idempotency key, and count in its size.
 */
export type Report = Outcome & {
  /** Kept events that do not fit their schema; absent when there are none. */
  readonly mismatched?: number
  /** Halves of surrogate pairs that became U+FFFD; absent when there were none. */
  readonly loneSurrogates?: number
  /** Events with a date that looks like seconds where ms are expected; absent when there were none. */
  readonly likelySeconds?: number
}

/** The code of an event that does not fit the schema of its type. */
export const schemaMismatch = 'schema-mismatch'

/**
 * Filters, keeps and counts the events of one request.
 * @param waiter hears when they are as safe as `collector.ack` says, perhaps at once; or of a SluiceError `overloaded`,
 *   `draining` or `unavailable`: nothing was kept; or of OutcomeUnknown: nobody can say whether they were
 * @throws SluiceError `bad-event`: the only event is refused because it does not fit its schema
 */
export type Submit = (submission: Submission, waiter: Waiter<Report>) => void

/** What a submission goes through. */
export type SubmitParts = {
  readonly spool: Spool
  readonly counters: CollectorCounters
  readonly filters: Filters
  /** Takes what was kept, to forward some of it; never waits or throws. @default nothing is forwarded */
  readonly forward?: ((batch: Batch, context?: Pick<RequestContext, 'traceparent'>) => void) | undefined
  /** Shows what was kept to whoever looks. @default nobody does */
  readonly live?: Pick<Live, 'isWatched' | 'accept'> | undefined
  /** @default nothing is compared with schemas */
  readonly validate?: Validator | undefined
  /** Whether events that do not fit are refused. @default false */
  readonly refusesMismatches?: (() => boolean) | undefined
}

/**
 * The last step of all intake routes. Its append is reached without giving up control, so that an idempotency key
 * that was free at the call is free still.
 */
export const createSubmit = (parts: SubmitParts): Submit => {
  const { spool, counters, filters, validate } = parts
  return (submission, waiter) => {
    const { api, receivedAt, parsed, claim, context, peer, idempotent } = submission
    const { format, body } = parsed
    const refusesMismatches = parts.refusesMismatches?.() ?? false
    const passed = context ? withoutFiltered(filters, context, parsed.events) : parsed.events
    const count = counters[api]
    const mismatches = findMismatches(validate, parsed, passed)
    const events = refusesMismatches ? withoutMismatches(passed, mismatches) : passed
    // Filtered events count as accepted towards the client, who is not to know.
    const outcome = toReport(parsed, mismatches, refusesMismatches)
    count.record('filtered', parsed.events.length - passed.length)
    count.record('malformed', outcome.rejected)
    if (refusesMismatches) count.recordMismatches(mismatches)
    if (parsed.isSingle && outcome.rejected > 0) throw new SluiceError('bad-event', outcome.errors[0]?.detail ?? '')
    if (events.length === 0) {
      waiter.done(outcome)
      return
    }
    const batch: Batch = { api, caller: context?.clientAddress ?? peer, receivedAt, format, events, body }
    const kept = new Kept(parts, count, batch, context, refusesMismatches ? [] : mismatches, outcome, waiter)
    try {
      claim.addEvents(events.length)
      spool.keep(idempotent ? { ...batch, idempotency: { ...idempotent, outcome } } : batch, kept)
    } catch (error) {
      kept.failed(error)
    }
  }
}

/** What follows when events are kept, or are not. A class, not closures: each request makes one. */
class Kept implements Waiter<void> {
  readonly #parts: SubmitParts
  readonly #count: ApiCounters
  readonly #batch: Batch
  readonly #context: RequestContext | undefined
  readonly #mismatches: readonly Mismatch[]
  readonly #report: Report
  readonly #waiter: Waiter<Report>

  constructor(
    parts: SubmitParts,
    count: ApiCounters,
    batch: Batch,
    context: RequestContext | undefined,
    mismatches: readonly Mismatch[],
    report: Report,
    waiter: Waiter<Report>,
  ) {
    this.#parts = parts
    this.#count = count
    this.#batch = batch
    this.#context = context
    this.#mismatches = mismatches
    this.#report = report
    this.#waiter = waiter
  }

  done(): void {
    const { forward, live } = this.#parts
    const { events, body, caller } = this.#batch
    try {
      this.#count.recordKept(events, body.length)
      this.#count.recordMismatches(this.#mismatches)
      forward?.(this.#batch, this.#context)
      if (live?.isWatched) live.accept(this.#batch, caller ?? '')
    } catch (error) {
      this.#waiter.failed(error)
      return
    }
    this.#waiter.done(this.#report)
  }

  failed(error: unknown): void {
    this.#count.record(error instanceof OutcomeUnknown ? 'unknown' : toRefusalKind(error), this.#batch.events.length)
    this.#waiter.failed(error)
  }
}

/** Which counter a refused request belongs to. */
export const toRefusalKind = (error: unknown): RefusalKind => {
  if (!(error instanceof SluiceError)) return 'errored'
  if (error.code === 'overloaded') return 'lost'
  return error.code === 'draining' ? 'ignored' : 'errored'
}

const withoutFiltered = (filters: Filters, context: RequestContext, events: Parsed['events']): Parsed['events'] => {
  if (isRequestFiltered(filters, context)) return []
  const types = filters['event-type']
  return types.isEmpty ? events : events.filter(event => !types.matches(event.name))
}

/** The parsed values end here in any case: they must not outlive the wait for the disk. */
const findMismatches = (
  validate: Validator | undefined,
  { format, body, takeValues, mismatches }: Parsed,
  events: Parsed['events'],
): readonly Mismatch[] => {
  if (mismatches) return withinEvents(mismatches, events)
  const values = takeValues?.()
  return validate ? validate({ format, body, events, values }) : []
}

/** Those of events that no filter has dropped. */
const withinEvents = (mismatches: readonly Mismatch[], events: Parsed['events']): readonly Mismatch[] => {
  if (mismatches.length === 0) return mismatches
  const passed = new Set(events.map(({ index }) => index))
  return mismatches.filter(({ index }) => passed.has(index))
}

const withoutMismatches = (events: Parsed['events'], mismatches: readonly Mismatch[]): Parsed['events'] => {
  if (mismatches.length === 0) return events
  const refused = new Set(mismatches.map(({ index }) => index))
  return events.filter(({ index }) => !refused.has(index))
}

const toReport = (parsed: Parsed, mismatches: readonly Mismatch[], areRefused: boolean): Report => {
  const { events, rejections, loneSurrogates = 0 } = parsed
  const plain = { accepted: events.length, rejected: rejections.count, errors: rejections.errors }
  const { likelySeconds } = rejections
  const dated = likelySeconds === 0 ? plain : { ...plain, likelySeconds }
  const report = loneSurrogates === 0 ? dated : { ...dated, loneSurrogates }
  if (mismatches.length === 0) return report
  const listed = mismatches.slice(0, maxListedRejections - rejections.errors.length)
  const found = listed.map((mismatch): Rejection => {
    return { index: toRequestIndex(mismatch.index, parsed), code: schemaMismatch, detail: mismatch.detail }
  })
  const errors = [...rejections.errors, ...found].sort((a, b) => a.index - b.index)
  if (!areRefused) return { ...report, errors, mismatched: mismatches.length }
  const { length } = mismatches
  return { ...report, accepted: events.length - length, rejected: rejections.count + length, errors }
}

/**
 * The position in the request of an event in the body. They differ in bodies that were written anew, which hold the
 * good events only; the events of all others keep their positions, and the last one stands beyond their number.
 */
const toRequestIndex = (position: number, { events, rejections }: Parsed): number => {
  if (events.at(-1)?.index !== events.length - 1) return position
  let index = position
  for (const refused of rejections.indexes) {
    if (refused > index) break
    index++
  }
  return index
}

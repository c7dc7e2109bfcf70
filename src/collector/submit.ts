import { SluiceError } from '../errors.ts'
import type { Api, Batch, Outcome } from '../spool/batch.ts'
import type { Spool } from '../spool/spool.ts'
import type { Ticket } from './admission.ts'
import type { RequestContext } from './annotations.ts'
import { type CollectorCounters, countAccepted, countMalformed, countRefused, type RefusalKind } from './counters.ts'
import { type Filters, isRequestFiltered } from './filters.ts'
import type { IdempotentRequest } from './idempotency.ts'
import type { Parsed } from './parsed.ts'

/** A parsed request on its way to the spool. */
export type Submission = {
  readonly api: Api
  readonly parsed: Parsed
  readonly ticket: Ticket
  /** What the filters look at; Scribe has none. */
  readonly context?: RequestContext
  readonly idempotent?: IdempotentRequest
}

/** Filters, keeps and counts the events of one request; resolves when they are as safe as `collector.ack` says. */
export type Submit = (submission: Submission) => Promise<Outcome>

/**
 * The last step of all intake routes. Its append is reached without giving up control, so that an idempotency key
 * that was free at the call is free still.
 * @throws SluiceError `overloaded`, `draining` or `unavailable`: nothing was kept
 */
export const createSubmit = (parts: {
  readonly spool: Spool
  readonly counters: CollectorCounters
  readonly filters: Filters
  /** Takes what was kept, to forward some of it; never waits or throws. @default nothing is forwarded */
  readonly forward?: ((batch: Batch) => void) | undefined
}): Submit => {
  const { spool, counters, filters, forward } = parts
  return async ({ api, parsed, ticket, context, idempotent }) => {
    const { format, body, rejections } = parsed
    const events = context ? withoutFiltered(filters, context, parsed.events) : parsed.events
    const count = counters[api]
    // Filtered events count as accepted towards the client, who is not to know.
    const outcome = { accepted: parsed.events.length, rejected: rejections.count, errors: rejections.errors }
    count.received += parsed.events.length - events.length
    count.filtered += parsed.events.length - events.length
    countMalformed(count, rejections.count)
    if (events.length === 0) return outcome
    const batch: Batch = { api, format, events, body }
    try {
      ticket.addEvents(events.length)
      await spool.append(idempotent ? { ...batch, idempotency: { ...idempotent, outcome } } : batch)
    } catch (error) {
      countRefused(count, toRefusalKind(error), events.length)
      throw error
    }
    countAccepted(count, events)
    forward?.(batch)
    return outcome
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

import { OutcomeUnknown, SluiceError } from '../../errors.ts'
import type { Waiter } from '../../runtime/deferred.ts'
import type { Batch } from '../../spool/batch.ts'
import type { Durability } from '../../spool/replica/replica-status.ts'
import type { Spool } from '../../spool/spool.ts'
import type { RequestContext } from '../annotations.ts'
import type { RefusalKind } from '../counter-rows.ts'
import type { CollectorCounters } from '../counters.ts'
import type { Live } from '../live/live.ts'
import type { Mismatch } from '../parsed.ts'
import type { Keepable } from './prepare.ts'
import type { Report } from './submission.ts'

/** Keeps a request, and counts what becomes of it. The waiter hears of it, perhaps at once; it throws nothing. */
export type Keep = (prepared: Keepable, waiter: Waiter<Report>) => void

/** What hears of batches that the spool has kept, or has not. */
export type AftermathParts = {
  readonly counters: CollectorCounters
  /** Takes what was kept, to forward some of it; never waits or throws. @default nothing is forwarded */
  readonly forward?: ((batch: Batch, context?: Pick<RequestContext, 'traceparent'>) => void) | undefined
  /** Shows kept events to viewers. @default no viewers */
  readonly live?: Pick<Live, 'isWatched' | 'accept'> | undefined
}

/** A batch that was kept, with what else is known of its request. */
export type KeptRequest = Pick<Keepable, 'batch' | 'context' | 'isReplay' | 'rest'> & {
  /** Events of the batch that do not fit their schemas. */
  readonly mismatches: readonly Pick<Mismatch, 'name'>[]
}

/** What follows when events are kept: they are counted, forwarded, and shown. */
export const followKept = (
  { counters, forward, live }: AftermathParts,
  { batch, context, mismatches, isReplay, rest = 0 }: KeptRequest,
): void => {
  const { api, body, caller } = batch
  const count = counters[api]
  const events = rest === 0 ? batch.events : batch.events.slice(0, -rest)
  count.recordKept(events, body.length)
  count.recordMismatches(mismatches)
  if (isReplay) count.record('replayed', events.length)
  forward?.(batch, context)
  if (live?.isWatched) live.accept(batch, caller ?? '')
}

/** What follows when they are not: they are counted. */
export const followFailed = (
  { counters }: AftermathParts,
  { batch: { api, events }, rest = 0 }: Pick<KeptRequest, 'batch' | 'rest'>,
  error: unknown,
): void =>
  counters[api].record(error instanceof OutcomeUnknown ? 'unknown' : toRefusalKind(error), events.length - rest)

/** The report for a client whose events are on this disk alone says so. */
export const withDurability = (report: Report, durability: Durability): Report =>
  durability === 'full' ? report : { ...report, durability }

type KeepParts = AftermathParts & { readonly spool: Pick<Spool, 'keep' | 'durability'> }

/** Keeps batches in the spool of this thread. */
export const createKeep =
  (parts: KeepParts): Keep =>
  (prepared, waiter) => {
    const kept = new Kept(parts, prepared, waiter)
    try {
      parts.spool.keep(prepared.batch, kept)
    } catch (error) {
      kept.failed(error)
    }
  }

/** A class, not closures: each request makes one. */
class Kept implements Waiter<void> {
  readonly #parts: KeepParts
  readonly #prepared: Keepable
  readonly #waiter: Waiter<Report>

  constructor(parts: KeepParts, prepared: Keepable, waiter: Waiter<Report>) {
    this.#parts = parts
    this.#prepared = prepared
    this.#waiter = waiter
  }

  done(): void {
    try {
      followKept(this.#parts, this.#prepared)
    } catch (error) {
      this.#waiter.failed(error)
      return
    }
    this.#waiter.done(withDurability(this.#prepared.report, this.#parts.spool.durability))
  }

  failed(error: unknown): void {
    followFailed(this.#parts, this.#prepared, error)
    this.#waiter.failed(error)
  }
}

/** Which counter a refused request belongs to. */
export const toRefusalKind = (error: unknown): RefusalKind => {
  if (!(error instanceof SluiceError)) return 'errored'
  if (error.code === 'overloaded') return 'lost'
  if (error.code === 'rate-limited') return 'throttled'
  return error.code === 'draining' ? 'ignored' : 'errored'
}

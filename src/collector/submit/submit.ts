import type { Waiter } from '../../runtime/deferred.ts'
import { type ConcludeParts, conclude } from './conclude.ts'
import type { IdempotentRequest, Submitted } from './idempotency.ts'
import type { Keeper } from './keeper.ts'
import { type PrepareParts, prepare } from './prepare.ts'
import type { Report, Submission } from './submission.ts'

/**
 * Filters, keeps and counts the events of one request, whatever its key.
 * @param waiter resolved when they are as safe as `collector.ack` says, perhaps at once; or rejected with a SluiceError
 * `overloaded`, `draining` or `unavailable`: nothing was kept; or with OutcomeUnknown: it is unknown whether they were
 * kept
 * @throws SluiceError `bad-event`: the only event is refused because it does not fit its schema
 */
export type Submit = (submission: Submission, waiter: Waiter<Report>) => void

/** The same unless the key is known. It throws nothing. */
export type SubmitOnce = (request: IdempotentRequest, submission: Submission, waiter: Waiter<Submitted>) => void

/** What a submission goes through. */
export type SubmitParts = PrepareParts & Pick<ConcludeParts, 'counters'> & { readonly keeper: Keeper }

/**
 * The last step of all intake routes. The spool beside it is reached without giving up control, so that an idempotency key
 * that was free at the call is free still.
 */
export const createSubmit = (parts: SubmitParts): { readonly submit: Submit; readonly submitOnce: SubmitOnce } => {
  const { keeper, counters } = parts
  const { keep } = keeper
  return {
    submit: (submission, waiter) => conclude({ counters, keep }, prepare(parts, submission), submission.claim, waiter),
    submitOnce: (request, submission, waiter) =>
      keeper.keepOnce(request, submission.claim, () => prepare(parts, submission), waiter),
  }
}

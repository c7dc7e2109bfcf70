import { SluiceError } from '../../errors.ts'
import type { Claim } from '../../http/body/admission.ts'
import type { Waiter } from '../../runtime/deferred.ts'
import type { CollectorCounters } from '../counters.ts'
import { followFailed, type Keep } from './keep.ts'
import { isToBeKept, type Prepared } from './prepare.ts'
import type { Report } from './submission.ts'

/** What keeps what was prepared, and counts what is known by then. */
export type ConcludeParts = { readonly counters: CollectorCounters; readonly keep: Keep }

/** Counts and keeps a request. @throws SluiceError `bad-event`: the only event does not fit its schema */
export const conclude = (
  { counters, keep }: ConcludeParts,
  prepared: Prepared,
  claim: Pick<Claim, 'addEvents'>,
  waiter: Waiter<Report>,
): void => {
  const { api, report, filtered, refused, isSingle } = prepared
  const count = counters[api]
  count.record('filtered', filtered)
  count.record('malformed', report.rejected)
  count.recordMismatches(refused)
  if (isSingle && report.rejected > 0) throw new SluiceError('bad-event', report.errors[0]?.detail ?? '')
  if (!isToBeKept(prepared)) {
    waiter.done(report)
    return
  }
  try {
    claim.addEvents(prepared.batch.events.length)
  } catch (error) {
    followFailed({ counters }, prepared, error)
    waiter.failed(error)
    return
  }
  keep(prepared, waiter)
}

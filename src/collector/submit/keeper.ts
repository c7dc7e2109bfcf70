import { SluiceError } from '../../errors.ts'
import type { Claim } from '../../http/body/admission.ts'
import { toPromise, type Waiter } from '../../runtime/deferred.ts'
import type { Spool } from '../../spool/spool.ts'
import { conclude } from './conclude.ts'
import { type IdempotentRequest, type Submitted, submitOnce } from './idempotency.ts'
import { type AftermathParts, createKeep, type Keep } from './keep.ts'
import { createKeepNew } from './keep-new.ts'
import { isToBeKept, type Prepared } from './prepare.ts'

/** Where a door hands over what it takes: the spool beside it, or the desk of another thread. */
export type Keeper = {
  readonly keep: Keep
  /**
   * Keeps a request unless its key is known: see `idempotency.ts`. It throws nothing.
   * @param prepare is called once, at once: what is refused is copied while the body is there
   */
  keepOnce(request: IdempotentRequest, claim: EventClaim, prepare: () => Prepared, waiter: Waiter<Submitted>): void
  /** Looks whether events are taken now. @throws SluiceError what an event would be refused with */
  check(): void | Promise<void>
}

/** What a request needs for its events. */
export type EventClaim = Pick<Claim, 'addEvents'>

/** Keeps in the spool of this thread. */
export const createKeeper = (
  parts: AftermathParts & { readonly spool: Pick<Spool, 'keep' | 'recall' | 'recallIds' | 'stats' | 'durability'> },
): Keeper => {
  const { spool, counters } = parts
  const keep = createKeepNew({ spool, counters, keep: createKeep(parts) })
  return {
    keep,
    keepOnce: (request, claim, prepare, waiter) => {
      let prepared: Prepared
      try {
        prepared = withKey(prepare(), request)
      } catch (error) {
        waiter.failed(error)
        return
      }
      const ahead = (): Promise<boolean> | undefined => {
        const eventIds = prepared.batch?.eventIds
        return eventIds && spool.recallIds(eventIds).ahead
      }
      const submit = () =>
        toPromise<Submitted['outcome']>(first => conclude({ counters, keep }, prepared, claim, first))
      submitOnce(spool, request, { ahead, submit }).then(
        submitted => waiter.done(submitted),
        error => waiter.failed(error),
      )
    },
    check: () => checkAccepting(spool),
  }
}

/** @throws SluiceError while the spool takes nothing */
export const checkAccepting = (spool: Pick<Spool, 'stats'>): void => {
  const { accepting, refusal } = spool.stats()
  if (!accepting) throw new SluiceError('overloaded', refusal)
}

const withKey = (prepared: Prepared, request: IdempotentRequest): Prepared => {
  if (!isToBeKept(prepared)) return prepared
  const idempotency = { ...request, outcome: prepared.report }
  return { ...prepared, batch: { ...prepared.batch, idempotency } }
}

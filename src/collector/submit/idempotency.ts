import { createHash } from 'node:crypto'
import { SluiceError } from '../../errors.ts'
import type { Outcome } from '../../spool/batch.ts'
import type { Spool } from '../../spool/spool.ts'

/** A request that counts once however often it is sent. */
export type IdempotentRequest = { readonly key: string; readonly fingerprint: string }

/** Requests ahead of this one that may fail one after another before it is refused, to be retried later. */
export const maxFailedPredecessors = 8

/** A digest that grows with the body. */
export type Fingerprint = { update(bytes: Uint8Array): Fingerprint; digest(): string }

/** Begins the digest of everything that decides what becomes of a request; the body as sent follows. */
export const fingerprintOf = (circumstances: readonly (string | undefined)[]): Fingerprint => {
  const hash = createHash('sha256').update(JSON.stringify(circumstances))
  const fingerprint: Fingerprint = {
    update: bytes => {
      hash.update(bytes)
      return fingerprint
    },
    digest: () => hash.digest('base64url'),
  }
  return fingerprint
}

/** The outcome of a request, and whether it was the first with its key. */
export type Submitted = { readonly outcome: Outcome; readonly isReplay: boolean }

/** How a request is submitted whose key is free. */
export type SubmitSteps = {
  /**
   * Resolves when nothing is on its way any more that it has to wait for besides, to whether all of that was kept; undefined
   * where it need not wait.
   */
  readonly ahead: () => Promise<boolean> | undefined
  /** Has to reach `Spool.append` before it first gives up control: the key is free until then. */
  readonly submit: () => Promise<Outcome>
}

/**
 * Submits a request unless its key is known: then it waits for the first one and gives that one's outcome.
 * @throws SluiceError `key-reused`: first used with another body; `overloaded`: too many failed before
 */
export const submitOnce = async (
  spool: Pick<Spool, 'recall'>,
  request: IdempotentRequest,
  { ahead, submit }: SubmitSteps,
): Promise<Submitted> => {
  for (let failed = 0; failed < maxFailedPredecessors; ) {
    const known = spool.recall(request.key)
    if (known === undefined) {
      const landing = ahead()
      if (landing === undefined) return { outcome: await submit(), isReplay: false }
      // Meanwhile the key may have been used.
      if (!(await landing)) failed++
      continue
    }
    if (!known.matches(request.fingerprint)) {
      throw new SluiceError('key-reused', 'The Idempotency-Key was first used with another body or other parameters')
    }
    try {
      return { outcome: await known.outcome, isReplay: true }
    } catch {
      // That request has its own answer; the key is free again, unless the next one in line was quicker.
      failed++
    }
  }
  throw new SluiceError('overloaded', 'Requests with this Idempotency-Key keep failing; retry later')
}

import type { Later } from '../runtime/later.ts'
import type { GivenToken } from './token-calls.ts'

/** Fetches of tokens, one at a time for each user. */
export type TokenFetches = {
  /** Fetches one, once for all who wait for it. */
  start(user: string | undefined): Promise<GivenToken>
  /** Why the last fetch failed, for a moment. */
  failureOf(user: string | undefined): { readonly error: unknown } | undefined
}

/** A failure is an answer for so long, so that a KDC that is unavailable is not asked for each call. */
export const failureMs = 1_000

export const createTokenFetches = (
  fetch: (user: string | undefined) => Promise<GivenToken>,
  later: Later,
): TokenFetches => {
  const fetching = new Map<string | undefined, Promise<GivenToken>>()
  const failures = new Map<string | undefined, { readonly error: unknown }>()
  return {
    start: user => {
      const running = fetching.get(user)
      if (running) return running
      const started = fetch(user).catch((error: unknown) => {
        failures.set(user, { error })
        later(failureMs, () => failures.delete(user))
        throw error
      })
      const settled = started.finally(() => fetching.delete(user))
      settled.catch(() => {})
      fetching.set(user, settled)
      return settled
    },
    failureOf: user => failures.get(user),
  }
}

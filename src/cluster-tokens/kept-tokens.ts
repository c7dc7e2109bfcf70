/**
 * The delegation tokens with which one cluster is called (Hadoop's "WebHDFS REST API", section "Delegation Token
 * Operations"): one for this server and one for each user on whose behalf it calls.
 *
 *     GETDELEGATIONTOKEN ─▶ token ─▶ calls, until three quarters of its life are over
 *                             ▲              │
 *                             └─ renewed ◀───┤ RENEWDELEGATIONTOKEN says a later end
 *                               replaced ◀───┤ it does not, or the token is not taken any more
 *                             given back ◀───┘ CANCELDELEGATIONTOKEN: at the stop, or when its user has not come again
 *
 * The clock of the cluster is not trusted to agree with ours: a token says when it was issued, so only differences count.
 */
import type { HeldTokens } from '../filesystem/webhdfs/credentials.ts'
import { inTime, type Later, laterByTimer } from '../runtime/later.ts'
import { outsideTraces } from '../tracing/current-trace.ts'
import { createTokenCalls, type GivenToken, type TokenCallsOptions, unavailable } from './token-calls.ts'
import { createTokenFetches, failureMs } from './token-fetches.ts'

/** Gives tokens that it keeps alive. */
export type KeptTokens = HeldTokens & {
  /** Gives all of them back. Never rejects. */
  close(): Promise<void>
}

export type KeptTokensOptions = Omit<TokenCallsOptions, 'now' | 'log'> & {
  readonly log: TokenCallsOptions['log'] & {
    warn(fields: Readonly<Record<string, unknown>>, message: string): void
  }
  /** Monotonic, in ms. @default performance.now */
  readonly now?: () => number
  /** @default a timer that keeps no process alive */
  readonly later?: Later
}

/** After this part of its life a token is renewed. */
const renewAfter = 0.75
/** A caller waits at most so long for a token. */
const patienceMs = 15_000
/** The longest time between two attempts to renew. */
const maxRetryMs = 60_000
/** Giving tokens back must not hold up a stop. */
const giveBackMs = 5_000

/** A token in use. */
type Kept = Omit<GivenToken, 'endsAt'> & {
  endsAt: number
  /** Since it was last renewed. */
  isUsed: boolean
  stop: () => void
}

/** Keeps the tokens of one cluster. Nothing is asked of it before the first {@link HeldTokens.get}. */
export const createKeptTokens = (options: KeptTokensOptions): KeptTokens => {
  const { log, now = () => performance.now(), later = laterByTimer } = options
  const cluster = createTokenCalls({ ...options, now })
  const kept = new Map<string | undefined, Kept>()
  let isClosed = false

  const giveBack = (one: GivenToken): Promise<void> => cluster.cancel(one, giveBackMs)
  /** A new one takes the place of the present one. */
  const fetches = createTokenFetches(async user => {
    const one = await cluster.fetch(user)
    keep(user, { ...one, isUsed: true, stop: () => {} })
    log.info({ user, lifeMs: Math.round(one.endsAt - now()) }, 'a delegation token was fetched')
    return one
  }, later)
  const keep = (user: string | undefined, one: Kept): void => {
    kept.get(user)?.stop()
    if (isClosed) return void giveBack(one)
    kept.set(user, one)
    schedule(user, one, (one.endsAt - now()) * renewAfter)
  }
  const drop = (user: string | undefined, one: Kept): void => {
    one.stop()
    if (kept.get(user) === one) kept.delete(user)
  }
  const schedule = (user: string | undefined, one: Kept, ms: number): void => {
    // The request that came for it first has nothing to do with what becomes of it.
    one.stop = later(ms, () => outsideTraces(() => void look(user, one)))
  }

  /** Renews it, or replaces it where it has had its time. It stays until there is another. */
  const look = async (user: string | undefined, one: Kept): Promise<void> => {
    // It cannot be renewed any more. The next call fetches another, or fails with the reason.
    if (one.endsAt <= now()) return drop(user, one)
    if (user !== undefined && !one.isUsed) {
      drop(user, one)
      return await giveBack(one)
    }
    one.isUsed = false
    try {
      const endsAt = await cluster.renew(one)
      if (kept.get(user) !== one || isClosed) return
      if (endsAt <= one.endsAt) return void (await fetches.start(user))
      one.endsAt = endsAt
      schedule(user, one, (endsAt - now()) * renewAfter)
    } catch (err) {
      log.warn({ err, user }, 'a delegation token could not be renewed')
      if (kept.get(user) === one)
        schedule(user, one, Math.min(maxRetryMs, Math.max(failureMs, (one.endsAt - now()) / 4)))
    }
  }

  return {
    get: async user => {
      const known = kept.get(user)
      if (known && known.endsAt > now()) {
        known.isUsed = true
        return known.token
      }
      const failure = fetches.failureOf(user)
      if (failure) throw failure.error
      const { token } = await inTime(fetches.start(user), patienceMs, later, toTooLate)
      return token
    },
    refused: (user, token) => {
      const known = kept.get(user)
      // One that was fetched just now is as good as the next: a cluster that takes none must not be asked for each call.
      if (known?.token !== token || now() - known.since < failureMs) return
      log.warn({ user }, 'a delegation token was refused; a new one is fetched')
      drop(user, known)
    },
    close: async () => {
      isClosed = true
      const all = [...kept]
      for (const [user, one] of all) drop(user, one)
      const given = Promise.all(all.map(([, one]) => giveBack(one)))
      await inTime(given, giveBackMs, later, toTooLate).catch(() => {})
    },
  }
}

const toTooLate = (ms: number): Error => unavailable(`no delegation token came within ${ms} ms`)

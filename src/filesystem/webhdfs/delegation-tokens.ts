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
import { isRecord } from '../../is-record.ts'
import { outsideTraces } from '../../tracing/current-trace.ts'
import { FileSystemError } from '../filesystem.ts'
import type { WebHdfsClient } from './client.ts'
import type { Credentials } from './credentials.ts'
import { isRefusedProof } from './errors.ts'
import { get, hasCode, put } from './operations.ts'

/** Gives tokens. */
export type DelegationTokens = {
  /**
   * The token of `user`, or of this server without one; fetched where there is none.
   * Rejects with `FileSystemError`: `denied` where this server must not act for that user, else `unavailable`.
   */
  get(user: string | undefined): Promise<string>
  /** Hears that the cluster does not take this token of `user` any more. */
  refused(user: string | undefined, token: string): void
}

/** Gives tokens that it keeps alive. */
export type KeptTokens = DelegationTokens & {
  /** Gives all of them back. Never rejects. */
  close(): Promise<void>
}

export type KeptTokensOptions = {
  /** Calls by ticket. */
  readonly client: WebHdfsClient
  /** The principal of this server, which renews. */
  readonly renewer: string
  readonly log: {
    info(fields: Readonly<Record<string, unknown>>, message: string): void
    warn(fields: Readonly<Record<string, unknown>>, message: string): void
  }
  /** When a token was issued, by the clock of the cluster, in ms. @throws for what is none */
  readonly issueDateOf: (token: string) => number
  /** Monotonic, in ms. @default performance.now */
  readonly now?: () => number
  /** Calls once, later; returns what prevents it. @default a timer that keeps no process alive */
  readonly later?: (ms: number, call: () => void) => () => void
}

/** After this part of its life a token is renewed. */
const renewAfter = 0.75
/** A failure is told to all who ask for so long, so that a KDC that is unavailable is not asked for each call. */
const failureMs = 1_000
/** Whoever asks waits at most so long for a token. */
const patienceMs = 15_000
/** The longest time between two attempts to renew. */
const maxRetryMs = 60_000
/** Giving tokens back must not hold up a stop. */
const giveBackMs = 5_000
/** The longest delay of a timer. */
const maxDelayMs = 2 ** 31 - 1

/** To do twice what they do does no harm. */
const calls = {
  get: { ...get, op: 'GETDELEGATIONTOKEN', path: '/', action: 'get a delegation token for' },
  renew: { ...put, op: 'RENEWDELEGATIONTOKEN', path: '/', action: 'renew the delegation token for', repeatable: true },
  cancel: {
    ...put,
    op: 'CANCELDELEGATIONTOKEN',
    path: '/',
    action: 'cancel the delegation token for',
    repeatable: true,
  },
} as const

/** A token, with its times by the monotonic clock of this process. */
type Kept = {
  readonly token: string
  /** What is added to our clock to have the cluster's. */
  readonly ahead: number
  /** When it came. */
  readonly since: number
  endsAt: number
  /** Since it was last renewed. */
  isUsed: boolean
  stop: () => void
}

/** Credentials of tokens. */
export const tokenCredentials = (tokens: DelegationTokens): Credentials => ({
  of: async user => ({ params: { delegation: await tokens.get(user) } }),
  refused: (user, { params: { delegation = '' } }, error) => {
    if (!isRefusedProof(error)) return false
    tokens.refused(user, delegation)
    return true
  },
})

/** Keeps the tokens of one cluster. Nothing is asked of it before the first {@link DelegationTokens.get}. */
export const createKeptTokens = (options: KeptTokensOptions): KeptTokens => {
  const { client, renewer, log, issueDateOf, now = () => performance.now(), later = setTimer } = options
  const kept = new Map<string | undefined, Kept>()
  const fetching = new Map<string | undefined, Promise<Kept>>()
  const failures = new Map<string | undefined, { readonly error: unknown }>()
  let isClosed = false

  const of = (user: string | undefined): WebHdfsClient => (user === undefined ? client : client.as(user))
  const renew = async ({ token, ahead }: Pick<Kept, 'token' | 'ahead'>): Promise<number> => {
    const json = await client.json({ ...calls.renew, params: { token } })
    if (isRecord(json) && typeof json['long'] === 'number') return json['long'] - ahead
    throw unexpected('its answer to RENEWDELEGATIONTOKEN has no time')
  }
  const giveBack = async ({ token }: Kept): Promise<void> => {
    try {
      await client.json({ ...calls.cancel, params: { token }, maxRetries: 0, timeoutMs: giveBackMs })
    } catch (err) {
      log.info({ err }, 'a delegation token could not be given back; it ends by itself')
    }
  }

  const fetch = async (user: string | undefined): Promise<Kept> => {
    const json = await of(user).json({ ...calls.get, params: { renewer } })
    const token = isRecord(json) && isRecord(json['Token']) ? json['Token']['urlString'] : undefined
    if (typeof token !== 'string') throw unexpected('its answer to GETDELEGATIONTOKEN has no token')
    const since = now()
    const one = { token, ahead: issueDateOf(token) - since, since }
    return { ...one, endsAt: await renew(one), isUsed: true, stop: () => {} }
  }
  /** Fetches one that takes the place of the present one, once for all who wait for it. */
  const replace = (user: string | undefined): Promise<Kept> => {
    const running = fetching.get(user)
    if (running) return running
    const started = fetch(user).then(
      one => {
        keep(user, one)
        log.info({ user, lifeMs: Math.round(one.endsAt - now()) }, 'a delegation token was fetched')
        return one
      },
      (error: unknown) => {
        failures.set(user, { error })
        later(failureMs, () => failures.delete(user))
        throw error
      },
    )
    const settled = started.finally(() => fetching.delete(user))
    settled.catch(() => {})
    fetching.set(user, settled)
    return settled
  }
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
    // Whoever came for it first has nothing to do with what becomes of it.
    one.stop = later(Math.min(Math.max(ms, 0), maxDelayMs), () => outsideTraces(() => void look(user, one)))
  }

  /** Renews it, or replaces it where it has had its time. It stays until there is another. */
  const look = async (user: string | undefined, one: Kept): Promise<void> => {
    // It cannot be renewed any more. Whoever comes next fetches another, and is told why there is none.
    if (one.endsAt <= now()) return drop(user, one)
    if (user !== undefined && !one.isUsed) {
      drop(user, one)
      return await giveBack(one)
    }
    one.isUsed = false
    try {
      const endsAt = await renew(one).catch(error => {
        if (hasCode(error, 'denied') || isRefusedProof(error)) return one.endsAt
        throw error
      })
      if (kept.get(user) !== one || isClosed) return
      if (endsAt <= one.endsAt) return void (await replace(user))
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
      const failure = failures.get(user)
      if (failure) throw failure.error
      const { token } = await inTime(replace(user), patienceMs, later)
      return token
    },
    refused: (user, token) => {
      const known = kept.get(user)
      // One that was fetched just now is as good as the next: a cluster that takes none must not be asked for each call.
      if (known?.token !== token || now() - known.since < failureMs) return
      log.warn({ user }, 'a delegation token was refused: another one is fetched')
      drop(user, known)
    },
    close: async () => {
      isClosed = true
      const all = [...kept]
      for (const [user, one] of all) drop(user, one)
      const given = Promise.all(all.map(([, one]) => giveBack(one)))
      await inTime(given, giveBackMs, later).catch(() => {})
    },
  }
}

/** The same, or a rejection when it takes longer. */
const inTime = async <T>(given: Promise<T>, ms: number, later: NonNullable<KeptTokensOptions['later']>): Promise<T> => {
  const { promise: tooLate, reject } = Promise.withResolvers<never>()
  const stop = later(ms, () => reject(unexpected(`no delegation token came within ${ms} ms`)))
  try {
    return await Promise.race([given, tooLate])
  } finally {
    stop()
  }
}

const setTimer = (ms: number, call: () => void): (() => void) => {
  const timer = setTimeout(call, ms)
  timer.unref()
  return () => clearTimeout(timer)
}

const unexpected = (reason: string): FileSystemError => new FileSystemError('unavailable', '/', reason)

import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../../log/log.ts'

/** Counts failed logins, by address. A valid token never waits: one caller cannot lock out another. */
export type FailedLogins = {
  /** One more from this address, and why, for the log; resolves when it may be answered. */
  note(from: string, why?: string): Promise<void>
  /** A valid token or ticket came from this address. */
  forget(from: string): void
  /** Answers what waits. */
  close(): void
}

export type FailedLoginsOptions = {
  readonly logger: Pick<Logger, 'warn'>
  /** Monotonic, in ms. */
  readonly now: () => number
  /** @default a timer that keeps no process alive */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<unknown>
}

/** An address may mistype so often before it waits, */
const freeFailures = 3
/** then so long, and twice as long each time, */
const firstWaitMs = 250
/** up to this. */
const maxWaitMs = 8_000
/** After this long without a failure an address starts over. */
const forgetMs = 15 * 60_000
/** Addresses that are remembered; the one that failed least recently makes room. */
const maxAddresses = 10_000
/** Answers that wait at a time; more are given at once, for they would cost memory. */
const maxWaiting = 1_000
/** At most one log line in this many ms; it says how many failures it covers. */
const logEveryMs = 1_000

export const createFailedLogins = ({ logger, now, wait = sleepQuietly }: FailedLoginsOptions): FailedLogins => {
  const addresses = new Map<string, { readonly failures: number; readonly at: number }>()
  const closed = new AbortController()
  let waiting = 0
  let notLogged = 0
  let loggedAt = Number.NEGATIVE_INFINITY

  const count = (from: string): number => {
    const known = addresses.get(from)
    const failures = (known !== undefined && now() - known.at < forgetMs ? known.failures : 0) + 1
    addresses.delete(from)
    addresses.set(from, { failures, at: now() })
    const [oldest] = addresses.keys()
    if (addresses.size > maxAddresses && oldest !== undefined) addresses.delete(oldest)
    return failures
  }
  const log = (from: string, failures: number, why: string): void => {
    notLogged++
    if (now() - loggedAt < logEveryMs) return
    logger.warn({ from, failures, count: notLogged }, `a login failed: ${why}`)
    notLogged = 0
    loggedAt = now()
  }
  return {
    note: async (from, why = 'the token is not known') => {
      const failures = count(from)
      log(from, failures, why)
      if (failures <= freeFailures || waiting >= maxWaiting) return
      waiting++
      await wait(Math.min(maxWaitMs, firstWaitMs * 2 ** (failures - freeFailures - 1)), closed.signal)
      waiting--
    },
    forget: from => void addresses.delete(from),
    close: () => closed.abort(),
  }
}

const sleepQuietly = (ms: number, signal: AbortSignal): Promise<unknown> =>
  sleep(ms, undefined, { signal, ref: false }).catch(() => {})

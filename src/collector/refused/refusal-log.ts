import type { Logger } from '../../log/log.ts'
import type { Api } from '../../spool/apis.ts'
import type { Sent } from '../live/feed.ts'
import type { RefusedRequest } from './refused-request.ts'

/** Lines in a second; further refusals are only counted. */
const maxLinesPerSecond = 5

/** Longest detail that is logged; it may quote what the client has sent. */
const maxDetailLength = 300

/** Events that were not accepted, as the log reports them. */
export type Refusal = {
  readonly api: Api
  /** Address of the client. */
  readonly peer: string
  /** Why, of the first one. */
  readonly code: string
  readonly detail: string
  /** How many of the request were refused. */
  readonly events: number
  /** What is stored of it; absent where it is counted alone. */
  readonly request?: RefusedRequest | undefined
  /** Of the trace that the request belongs to, where it names one. */
  readonly traceId?: string
}

/** Logs refusals, but few in a second: a broken sender must not fill the disk. */
export type LogRefusal = (refusal: Refusal) => void

/**
 * Reports refusals to the log and to live views, and stores them.
 * @param sent undefined if the body was not read
 * @returns resolves when the refused events are on disk, for which the answer waits; it never rejects
 */
export type TellRefusal = (refusal: Refusal, sent: Sent | undefined) => Promise<void> | void

/** @param nowMs monotonic */
export const createRefusalLog = (logger: Pick<Logger, 'warn'>, nowMs: () => number): LogRefusal => {
  let second = Number.NEGATIVE_INFINITY
  let lines = 0
  let unlogged = 0
  return ({ api, peer, code, detail, events, traceId }) => {
    const now = Math.floor(nowMs() / 1_000)
    if (now !== second) {
      second = now
      lines = 0
    }
    if (++lines > maxLinesPerSecond) {
      unlogged++
      return
    }
    const more = unlogged === 0 ? {} : { unlogged }
    unlogged = 0
    const trace = traceId === undefined ? {} : { traceId }
    const told = { api, peer, code, events, ...trace, detail: detail.slice(0, maxDetailLength), ...more }
    logger.warn(told, 'events were refused')
  }
}

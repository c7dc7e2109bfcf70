import { parseExact } from './exact-json.js'
import { toMessage } from './format.js'
import { ask, toProblem } from './rpc.js'

/**
 * What `GET /live` sends; ids rise while the server runs that started at `startedAt`.
 * @typedef {{ readonly startedAt: number, readonly id: number, readonly at: number, readonly api: string, readonly peer: string }} Head
 * @typedef {Head & { readonly kind: 'accepted', readonly type: string, readonly fields: unknown, readonly isCut: boolean }} Accepted
 * @typedef {{ readonly text?: string, readonly base64?: string, readonly bytes: number, readonly isCut: boolean }} Sent
 * @typedef {Head & { readonly kind: 'rejected', readonly code: string, readonly detail: string, readonly events: number, readonly sent: Sent | null }} Rejected
 * @typedef {Accepted | Rejected} LiveEvent
 * @typedef {{ readonly accepted: number, readonly rejected: number, readonly shown: number, readonly isSampled: boolean }} LiveFigures
 */

/** @typedef {{ readonly kind: 'connecting' | 'live' } | { readonly kind: 'lost', readonly why: string }} FeedState */

/** Time until the first new try after a connection was lost, and the longest; it doubles. */
const firstWaitMs = 1_000
const maxWaitMs = 30_000

/**
 * A connection that comes back when it was lost. The browser would try again by itself, but neither after a refusal nor
 * telling why.
 * @param {{ onEvent: (event: LiveEvent) => void, onFigures?: (figures: LiveFigures) => void, onState: (state: FeedState) => void }} options
 */
export const createLiveFeed = ({ onEvent, onFigures = () => {}, onState }) => {
  /** @type {EventSource | undefined} */
  let source
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer
  let failures = 0
  let startedAt = 0

  const close = () => {
    clearTimeout(timer)
    source?.close()
    source = undefined
  }
  /** @param {string} path */
  const connect = path => {
    close()
    const opened = new EventSource(path)
    source = opened
    /** @param {string} name @param {(data: any) => void} take */
    const on = (name, take) => opened.addEventListener(name, ({ data }) => take(parseExact(data)))
    on('hello', hello => {
      failures = 0
      startedAt = hello.startedAt
      onState({ kind: 'live' })
    })
    on('accepted', event => onEvent({ ...event, kind: 'accepted', startedAt }))
    on('rejected', event => onEvent({ ...event, kind: 'rejected', startedAt }))
    on('figures', onFigures)
    opened.addEventListener('error', () => void comeBack(opened, path))
  }
  /** @param {EventSource} lost @param {string} path */
  const comeBack = async (lost, path) => {
    lost.close()
    const why = await toReason(path)
    if (source !== lost) return
    onState({ kind: 'lost', why })
    timer = setTimeout(() => connect(path), Math.min(maxWaitMs, firstWaitMs * 2 ** failures++))
  }
  return {
    /** Begins anew with other parameters. @param {URLSearchParams} query */
    open: query => {
      onState({ kind: 'connecting' })
      connect(`/live?${query}`)
    },
    close,
  }
}

/** Why a connection was refused; the browser does not tell. @param {string} path */
const toReason = async path => {
  try {
    const response = await ask(path, {})
    if (!response.ok) return await toProblem(response)
    await response.body?.cancel()
    return 'The connection broke off'
  } catch (error) {
    return toMessage(error)
  }
}

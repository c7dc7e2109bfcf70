import { toErrorText } from '../elements/format.js'
import { parseExact } from '../server/exact-json.js'
import { askServer, toRpcProblem } from '../server/rpc.js'

/**
 * What `GET /live` sends, and the `where` that it was asked for; ids rise while the server runs that started at `startedAt`.
 * @typedef {{ readonly startedAt: number, readonly where: string, readonly id: number, readonly at: number, readonly api: string, readonly peer: string }} Head
 * @typedef {Head & { readonly kind: 'accepted', readonly type: string, readonly fields: unknown, readonly isCut: boolean }} Accepted
 * @typedef {{ readonly text?: string, readonly base64?: string, readonly bytes: number, readonly isCut: boolean }} Sent
 * @typedef {Head & { readonly kind: 'rejected', readonly code: string, readonly detail: string, readonly events: number, readonly sent: Sent | null }} Rejected
 * @typedef {Accepted | Rejected} LiveEvent
 * @typedef {{ readonly accepted: number, readonly rejected: number, readonly shown: number, readonly isSampled: boolean, readonly notLookedAt: number, readonly problem: string | null, readonly slowed: readonly { readonly by: string, readonly name: string, readonly requests: number }[] }} LiveFigures
 */

/** @typedef {{ readonly kind: 'connecting' | 'live' } | { readonly kind: 'lost' | 'refused', readonly why: string }} FeedState */

/** Time until the first new try after a connection was lost, and the longest; it doubles. */
const firstWaitMs = 1_000
const maxWaitMs = 30_000

/**
 * A connection that is restored when it was lost. The browser would retry by itself, but neither after a refusal nor
 * with a reason.
 * @param {{ onEvent: (event: LiveEvent) => void, onFigures?: (figures: LiveFigures) => void, onState: (state: FeedState) => void }} options
 */
export const createLiveFeed = ({ onEvent, onFigures = () => {}, onState }) => {
  /** @type {EventSource | undefined} */
  let source
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer
  let failures = 0
  let startedAt = 0
  let where = ''

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
    on('accepted', event => onEvent({ ...event, kind: 'accepted', startedAt, where }))
    on('rejected', event => onEvent({ ...event, kind: 'rejected', startedAt, where }))
    on('figures', onFigures)
    opened.addEventListener('error', () => void comeBack(opened, path))
  }
  /** @param {EventSource} lost @param {string} path */
  const comeBack = async (lost, path) => {
    lost.close()
    const { why, isFinal } = await toReason(path)
    if (source !== lost) return
    onState({ kind: isFinal ? 'refused' : 'lost', why })
    // The same question would have the same answer.
    if (isFinal) return
    timer = setTimeout(() => connect(path), Math.min(maxWaitMs, firstWaitMs * 2 ** failures++))
  }
  return {
    /** Starts over with other parameters. @param {URLSearchParams} query */
    open: query => {
      onState({ kind: 'connecting' })
      where = query.get('where') ?? ''
      connect(`/live?${query}`)
    },
    close,
  }
}

/** @param {FeedState} state */
export const toWords = state => {
  if (state.kind === 'lost') return `${state.why}; trying again`
  if (state.kind === 'refused') return state.why
  return state.kind === 'live' ? 'Live; times are UTC' : 'Connecting'
}

/** Why a connection was refused; the browser does not say. @param {string} path */
const toReason = async path => {
  try {
    const response = await askServer(path, {})
    if (!response.ok) return { why: await toRpcProblem(response), isFinal: response.status === 400 }
    await response.body?.cancel()
    return { why: 'The connection broke off', isFinal: false }
  } catch (error) {
    return { why: toErrorText(error), isFinal: false }
  }
}

import { toErrorText } from '../elements/format.js'

/** Time between polls, and the longest while the server does not answer. */
const everyMs = 2_000
const maxWaitMs = 30_000

/**
 * How the connection is: `live`, `paused` while the page is hidden, `unavailable` with the time of the next try,
 * `login`.
 * @typedef {{ readonly kind: 'live' | 'paused' | 'login' } | { readonly kind: 'unavailable', readonly why: string, readonly nextTryAt: number }} Link
 */

/**
 * Polls while the page is looked at. After a failure it waits twice as long each time, and says so.
 * @param {{ poll: () => Promise<'ok' | 'login'>, onLink: (link: Link) => void }} options
 */
export const createPoller = ({ poll, onLink }) => {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer
  let failures = 0
  let isPolling = false
  let isWanted = false

  const run = async () => {
    clearTimeout(timer)
    if (isPolling) {
      isWanted = true
      return
    }
    isPolling = true
    isWanted = false
    const waitMs = await once()
    isPolling = false
    if (isWanted) void run()
    else if (document.hidden) onLink({ kind: 'paused' })
    else if (waitMs !== undefined) timer = setTimeout(() => void run(), waitMs)
  }

  /** @returns {Promise<number | undefined>} how long to wait; undefined: until resumed */
  const once = async () => {
    try {
      const answer = await poll()
      failures = 0
      onLink({ kind: answer === 'ok' ? 'live' : 'login' })
      return answer === 'ok' ? everyMs : undefined
    } catch (error) {
      const waitMs = Math.min(maxWaitMs, everyMs * 2 ** failures++)
      onLink({ kind: 'unavailable', why: toErrorText(error), nextTryAt: Date.now() + waitMs })
      return waitMs
    }
  }

  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) return void run()
    clearTimeout(timer)
    if (!isPolling) onLink({ kind: 'paused' })
  })
  return {
    /** Polls now, whatever was planned. */
    now: () => void run(),
  }
}

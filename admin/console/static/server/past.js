import { h, setText } from '../elements/dom.js'
import { toMoment } from '../elements/format.js'

const minute = 60_000
const spans = /** @type {const} */ ([
  [10 * minute, '10 min'],
  [60 * minute, '1 h'],
  [360 * minute, '6 h'],
  [1_440 * minute, '24 h'],
])

/**
 * Chooses the span of time that charts show, and asks the server for what it remembers of it, as often as there is more.
 * @param {{ vendor: () => string, history: import('./history.js').History, onChoice: () => void }} options
 */
export const createPast = ({ vendor, history, onChoice }) => {
  let spanMs = 1_440 * minute
  let nextAt = 0
  let newest = 0
  const note = h('span', { class: 'hint' }, 'Times are UTC.')
  const buttons = spans.map(([ms, label]) =>
    h('button', { type: 'button', class: 'small', click: () => choose(ms) }, label),
  )
  const element = h(
    'div',
    { class: 'spans' },
    h('div', { role: 'group', 'aria-label': 'Time shown' }, ...buttons),
    note,
  )
  /** @param {number} ms */
  const choose = ms => {
    spanMs = ms
    nextAt = 0
    history.setSpan(ms)
    for (const [i, button] of buttons.entries()) button.setAttribute('aria-pressed', String(spans[i]?.[0] === ms))
    onChoice()
  }
  return {
    element,
    start: () => choose(spanMs),
    /** @returns {readonly import('./rpc.js').Call[]} */
    calls: () => {
      if (newest < nextAt) return []
      const since = Math.max(0, newest - spanMs)
      const params = { mbean: `${vendor()}.metrics:name=History`, operation: 'samples' }
      return [{ method: 'exec', params: { ...params, arguments: [since, Number.MAX_SAFE_INTEGER] } }]
    },
    /** @param {import('./rpc.js').Outcome | undefined} outcome */
    take: outcome => {
      if (!outcome || !('result' in outcome)) return
      const past = /** @type {import('./history.js').Past} */ (outcome.result)
      nextAt = newest + past.stepMs
      history.setPast(past)
    },
    /** @param {import('./figures.js').Figures} figures */
    show: ({ at, startedAt }) => {
      if (newest > at) nextAt = 0
      newest = at
      history.restart(startedAt)
      const isYoung = startedAt > at - spanMs
      setText(note, isYoung ? `Since the server started, ${toMoment(startedAt)}. Times are UTC.` : 'Times are UTC.')
    },
  }
}

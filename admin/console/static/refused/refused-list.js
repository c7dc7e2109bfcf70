import { h, setText } from '../elements/dom.js'
import { formatCount, toErrorText } from '../elements/format.js'
import { callLong } from '../server/rpc.js'
import { createRefusedActions } from './refused-actions.js'
import { createRefusedFilter } from './refused-filter.js'
import { createRefusedNotices } from './refused-notices.js'
import { toRefusedLink, toSearch } from './refused-query.js'
import { createRefusedTable } from './refused-table.js'

/** Rows that are asked for at once. */
const pageLength = 100

/** @typedef {import('./refused-query.js').RefusedPage} RefusedPage */

/**
 * Refused events by type, code and time, with what can be done with them.
 * @param {{ vendor: () => string, mbean: () => string, canOperate: () => boolean }} options
 */
export const createRefusedList = ({ vendor, mbean, canOperate }) => {
  /** Where the next page begins. @type {string | undefined} */
  let next
  /** Counts what was asked for: an answer that is not the last one's is late. */
  let asked = 0
  const filter = createRefusedFilter(() => {
    history.replaceState(null, '', toRefusedLink(filter.read()))
    void load()
  })
  const summary = h('p', { class: 'hint', role: 'status' }, 'Loading')
  const waiting = h('p', { class: 'hint', hidden: true })
  const notices = createRefusedNotices()
  const empty = h('div', { class: 'live-empty', hidden: true })
  const table = createRefusedTable({ onChoice: () => actions.showChoice() })
  const older = h('button', { type: 'button', hidden: true, click: () => void load(next) }, 'Show older ones')
  const actions = createRefusedActions({
    vendor,
    mbean,
    canOperate,
    onDone: () => void load(),
    chosen: table.chosen,
    wanted: filter.read,
  })
  const { buttons, flush, outcome } = actions
  const parts = [filter.element, summary, notices.element, waiting, buttons, outcome, empty, table.element]
  const last = h('div', { class: 'buttons' }, older)
  const element = h('section', { class: 'refused', 'aria-label': 'Refused events' }, ...parts, last)
  table.element.hidden = true
  buttons.hidden = true

  /** @param {RefusedPage} page @param {boolean} isMore */
  const show = (page, isMore) => {
    table.show(page.rows, isMore)
    notices.show(page, isMore)
    next = page.next
    const shown = table.shown()
    older.hidden = next === undefined
    table.element.hidden = shown === 0
    buttons.hidden = shown === 0
    setText(summary, toSummary(shown, next !== undefined))
    waiting.hidden = page.waiting === 0
    if (page.waiting > 0) waiting.replaceChildren(toWaitingText(page.waiting), flush)
    empty.hidden = shown > 0 || next !== undefined
    if (!empty.hidden) empty.replaceChildren(...toEmpty(filter.read(), page.waiting > 0))
  }
  /** @param {string} [before] where the page begins @default the newest */
  const load = async (before = '') => {
    const number = ++asked
    if (before === '') setText(summary, 'Looking through the files')
    try {
      const args = toSearch(filter.read(), Date.now(), before, pageLength)
      const page = await callLong('exec', { mbean: mbean(), operation: 'list', arguments: args })
      if (number === asked) show(/** @type {RefusedPage} */ (page), before !== '')
    } catch (error) {
      if (number === asked) setText(summary, toErrorText(error))
    }
  }
  return { element, filter, table, load, clear: actions.clear }
}

/** @param {number} shown @param {boolean} hasMore */
const toSummary = (shown, hasMore) => {
  if (shown === 0) return hasMore ? 'None so far; there is more to look through' : ''
  return `${formatCount(shown, 'refused event')}, the newest first${hasMore ? '; there are older ones' : ''}`
}

/** @param {number} events */
const toWaitingText = events =>
  `${formatCount(events, 'newer refused event')} ${events === 1 ? 'is' : 'are'} not in a file yet. `

/** What to do where there is nothing. @param {import('./refused-query.js').RefusedFilter} filter @param {boolean} isWaiting */
const toEmpty = (filter, isWaiting) => {
  if (Object.values(filter).some(value => value !== ''))
    return [h('p', {}, 'No refused event fits. ', h('a', { href: '#refused' }, 'Show all'))]
  return [
    h(
      'p',
      {},
      isWaiting ? 'No refused event is in a file yet.' : 'No refused events are stored: senders got everything in.',
    ),
    h(
      'p',
      { class: 'hint' },
      'An event that is refused for its content, or set aside by a contract, appears here with the reason and what was sent. ',
      h('a', { href: '#live?events=rejected' }, 'Live'),
      ' shows refusals at once; ',
      h('a', { href: '#types' }, 'Types'),
      ' shows what was accepted, and where its files are.',
    ),
  ]
}

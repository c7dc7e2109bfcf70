import { h, setText } from '../elements/dom.js'
import { asNumber, formatCount } from '../elements/format.js'
import { createLiveFeed } from '../live/live-feed.js'
import { toHref } from '../server/listeners.js'
import { createFirstEvent } from './first-event.js'
import { createTypeDetail } from './type-detail.js'
import { createTypeTable, toEscapedTopics } from './type-table.js'

/** The most types that the server lists at once. */
const maxTypes = 1_000
/** Events that arrived while the table was open, for the page of their type. */
const maxRecent = 200
/** Time without typing until a filter counts. */
const typingMs = 250

/**
 * All event types, and one of them closely.
 * @param {{ vendor: () => string, addresses: () => Promise<import('../server/listeners.js').Addresses>, pollNow: () => void }} options
 */
export const createTypesView = ({ vendor, addresses, pollNow }) => {
  /** @type {import('../server/listeners.js').Addresses} */
  let known = { collector: { url: location.origin, needsToken: false }, gateway: '' }
  /** @type {ReturnType<typeof createTypeDetail> | undefined} */
  let detail
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let typing
  let isOpen = false
  let isAsked = true
  /** @type {import('../live/live-feed.js').LiveEvent[]} */
  const recent = []

  const filter = h('input', {
    type: 'search',
    id: 'type-filter',
    placeholder: 'Part of a name',
    'aria-label': 'Filter types',
    spellcheck: 'false',
    autocomplete: 'off',
  })
  const count = h('p', { class: 'hint', role: 'status' }, 'Loading')
  const topics = h('p', { class: 'hint', hidden: true })
  const ask = () => {
    clearTimeout(typing)
    isAsked = true
    pollNow()
  }
  const table = createTypeTable({ onSort: ask })
  const first = createFirstEvent()
  const empty = h(
    'div',
    { class: 'live-empty', hidden: true },
    h('p', {}, 'No event has come yet. Send one:'),
    first.element,
  )
  const list = h(
    'section',
    { class: 'types', 'aria-label': 'Event types' },
    h('div', { class: 'search' }, filter),
    count,
    topics,
    empty,
    table.element,
  )
  const element = h('div', {}, list)
  table.element.hidden = true

  filter.addEventListener('input', () => {
    clearTimeout(typing)
    typing = setTimeout(ask, typingMs)
  })
  filter.addEventListener('keydown', event => {
    if (event.key === 'ArrowDown' || event.key === 'Enter') table.focus()
    else return
    event.preventDefault()
  })
  const feed = createLiveFeed({
    onEvent: event => {
      recent.push(event)
      if (recent.length > maxRecent) recent.shift()
      detail?.add(event)
    },
    onState: state => detail?.tell(state),
  })
  /** @param {string} eventType */
  const openDetail = eventType => {
    detail?.destroy()
    detail = createTypeDetail(eventType, { target: () => known.collector, toFiles })
    for (const event of recent) detail.add(event)
    element.replaceChildren(detail.element)
    scrollTo(0, 0)
    detail.focus()
  }
  /** @param {string} directory */
  const toFiles = directory => toHref(known.gateway, `/rest/1.0/hdfs?path=${encodeURIComponent(directory)}`)
  const closeDetail = () => {
    const left = detail?.eventType
    detail?.destroy()
    detail = undefined
    element.replaceChildren(list)
    if (left !== undefined) table.focus(left)
  }
  /** @param {import('../server/rpc.js').Outcome} outcome */
  const showList = outcome => {
    if (!('result' in outcome)) return setText(count, outcome.error.message)
    const { total, types } = /** @type {{ total: number, types: readonly import('./type-table.js').TypeLine[] }} */ (
      outcome.result
    )
    const isFiltered = filter.value.trim() !== ''
    const cut = total > types.length ? `; ${asNumber(types.length)} of them are shown, the filter finds the others` : ''
    setText(count, `${formatCount(total, isFiltered ? 'type fits' : 'type')}${cut}`)
    const escaped = toEscapedTopics(types)
    topics.hidden = escaped === ''
    setText(topics, escaped)
    empty.hidden = isFiltered || total > 0
    table.element.hidden = total === 0
    table.show(types, isAsked)
    isAsked = false
  }
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => detail?.repaint())
  return {
    element,
    focusSearch: () => {
      if (detail) location.hash = '#types'
      else filter.focus()
    },
    focusList: () => {
      location.hash = '#types'
    },
    /** @param {string} rest name of a type, empty: all of them */
    enter: async rest => {
      const isSame = isOpen && (detail?.eventType ?? '') === rest
      isOpen = true
      if (isSame) return
      known = await addresses().catch(() => known)
      if (!isOpen) return
      if (rest === '') closeDetail()
      else openDetail(rest)
      first.show(known.collector)
      feed.open(new URLSearchParams(rest === '' ? {} : { type: rest }))
      pollNow()
    },
    leave: () => {
      isOpen = false
      feed.close()
    },
    /** @returns {readonly import('../server/rpc.js').Call[]} */
    calls: () => {
      const mbean = `${vendor()}.metrics.collector:name=EventTypes`
      if (detail) return [{ method: 'exec', params: { mbean, operation: 'describe', arguments: [detail.eventType] } }]
      return [
        {
          method: 'exec',
          params: { mbean, operation: 'list', arguments: [filter.value.trim(), table.order(), maxTypes] },
        },
      ]
    },
    /** @param {readonly import('../server/rpc.js').Call[]} asked @param {readonly import('../server/rpc.js').Outcome[]} outcomes */
    show: (asked, [outcome]) => {
      const [text] = /** @type {readonly unknown[]} */ (asked[0]?.params?.['arguments'] ?? [])
      const isDetail = asked[0]?.params?.['operation'] === 'describe'
      // The user moved on while the server answered.
      if (!outcome || isDetail !== (detail !== undefined) || text !== (detail?.eventType ?? filter.value.trim())) return
      if (detail) detail.show(outcome)
      else showList(outcome)
    },
  }
}

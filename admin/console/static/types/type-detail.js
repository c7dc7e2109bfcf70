import { createChart } from '../charts/chart.js'
import { createScroll, createTable, h, setText } from '../elements/dom.js'
import { asNumber, toMoment } from '../elements/format.js'
import { toWords } from '../live/live-feed.js'
import { createLiveList } from '../live/live-list.js'
import { shownApis } from '../overview/apis.js'
import { toRefusedLink } from '../refused/refused-query.js'
import { toExactText } from '../server/exact-json.js'
import { toShare, typeColumns } from './type-table.js'

/**
 * What the bean `EventTypes` says of one type.
 * @typedef {{ readonly name: string, readonly type: string, readonly misfits: number, readonly lastMisfitAt?: number }} Column
 * @typedef {import('./type-table.js').TypeLine & {
 *   readonly byApi: Readonly<Record<string, number>>, readonly directory: string,
 *   readonly hours: { readonly at: readonly number[], readonly accepted: readonly number[] },
 *   readonly columns?: readonly Column[],
 * }} TypeDetail
 */

const hourSeconds = 3_600

/** @type {import('../charts/chart.js').ChartSpec} */
const hoursSpec = {
  id: 'hours',
  title: 'By hour',
  unit: 'events accepted in each hour, UTC',
  about: 'Events of this type that were accepted in each of the last 24 hours',
  lines: [{ key: 'accepted', label: 'in this hour', color: 1 }],
  format: asNumber,
  barSeconds: hourSeconds,
}

/**
 * One event type: its figures, its hours, its newest events, its fields, and where its files are.
 * @param {string} eventType
 * @param {{ target: () => import('./curl.js').Target, toFiles: (directory: string) => string | undefined }} options
 */
export const createTypeDetail = (eventType, { target, toFiles }) => {
  const heading = h('h2', { tabindex: '-1' }, eventType)
  const problem = h('p', { class: 'empty', role: 'status' }, 'Loading')
  const figures = typeColumns.slice(1).map(column => ({ column, value: h('dd') }))
  const byApi = h('dd')
  const topic = h('dd')
  const pairs = figures.flatMap(({ column, value }) => [h('dt', {}, column.head), value])
  const facts = h('dl', { class: 'pairs' }, ...pairs, h('dt', {}, 'By API'), byApi)
  const files = h('p', {})
  const refused = h('a', { href: toRefusedLink({ type: eventType }) }, 'Refused events of this type')
  const chart = createChart(hoursSpec)
  const fields = createFields()
  const about = h('div', { hidden: true }, h('div', { class: 'type-about' }, facts, chart.element), files)
  const elsewhere = h('p', {}, refused)
  const state = h('p', { class: 'live-state', role: 'status' })
  const hint = h('p', { class: 'hint' }, 'None has come since this page was opened; they appear here as they come.')
  const events = createLiveList({
    target,
    onChange: () => {
      hint.hidden = events.counts().shown > 0
    },
  })
  events.filter({ types: [eventType], text: '', where: '', onlyRefused: false })
  const element = h(
    'article',
    { class: 'type-page' },
    h('a', { class: 'back', href: '#types' }, '‹ All types'),
    heading,
    problem,
    about,
    elsewhere,
    h('section', { class: 'panel' }, h('h2', {}, 'Newest events'), state, hint, events.element),
    fields.element,
  )
  let directory = ''
  return {
    element,
    eventType,
    focus: () => heading.focus({ preventScroll: true }),
    /** @param {import('../live/live-feed.js').LiveEvent} event */
    add: event => {
      events.add(event)
      if (event.kind === 'accepted' && event.type === eventType) fields.see(event.fields)
    },
    /** @param {import('../live/live-feed.js').FeedState} next */
    tell: next => {
      setText(state, toWords(next))
      state.dataset['feed'] = next.kind
    },
    /** @param {import('../server/rpc.js').Outcome} outcome */
    show: outcome => {
      const isKnown = 'result' in outcome
      about.hidden = !isKnown
      problem.hidden = isKnown
      if (!isKnown) return setText(problem, outcome.error.message)
      const detail = /** @type {TypeDetail} */ (outcome.result)
      for (const { column, value } of figures) setText(value, column.toText(detail))
      setText(byApi, toApis(detail.byApi))
      if (detail.forwardedTo && topic.parentNode === null) facts.append(h('dt', {}, 'Topic at the broker'), topic)
      setText(topic, detail.forwardedTo?.topic ?? '')
      const times = detail.hours.at.map(at => at / 1_000 + hourSeconds / 2)
      chart.show({ times: () => times, column: () => detail.hours.accepted, restarts: () => [] })
      fields.show(detail.columns, detail.accepted)
      if (directory === detail.directory) return
      directory = detail.directory
      const href = toFiles(directory)
      if (href === undefined) files.replaceChildren('Files: ', h('code', {}, directory))
      else {
        const newest = h('a', { href: `${href}&show=newest` }, 'Newest rows')
        files.replaceChildren('Files: ', h('a', { href }, directory), ' · ', newest)
      }
    },
    repaint: chart.repaint,
    destroy: chart.destroy,
  }
}

/** @param {Readonly<Record<string, number>>} byApi */
const toApis = byApi => {
  const parts = Object.entries(byApi).map(([timer, count]) => {
    return `${shownApis.find(api => api.timer === timer)?.label ?? timer} ${asNumber(count)}`
  })
  return parts.join(', ') || '–'
}

/** The columns of Parquet files; for other files the fields of the events that arrived while the page was open. */
const createFields = () => {
  const body = h('tbody')
  const source = h('p', { class: 'hint' })
  const element = h(
    'section',
    { class: 'panel', hidden: true },
    h('h2', {}, 'Fields'),
    source,
    createScroll('Fields', createTable(['Field', 'Type', 'In _extra'], body, { numbersFrom: 2 })),
  )
  /** @type {Map<string, Set<string>>} */
  const seen = new Map()
  let last = ''
  /** @type {readonly Column[] | undefined} */
  let columns
  let accepted = 0
  const render = () => {
    const lines =
      columns?.map(column => toColumnLine(column, accepted)) ??
      Array.from(seen, ([name, types]) => [name, [...types].join(' or '), '–'])
    const text = JSON.stringify(lines)
    if (text === last) return
    last = text
    element.hidden = lines.length === 0
    setText(
      source,
      columns
        ? 'The columns of its Parquet files; values that a column cannot hold are in _extra.'
        : 'Those of the events above.',
    )
    body.replaceChildren(...lines.map(toRow))
  }
  return {
    element,
    /** @param {readonly Column[] | undefined} next @param {number} events accepted since the start */
    show: (next, events) => {
      columns = next
      accepted = events
      render()
    },
    /** @param {unknown} fields of an event */
    see: fields => {
      for (const [name, value] of Object.entries(fields ?? {})) {
        if (seen.size >= maxSeen && !seen.has(name)) continue
        seen.set(name, (seen.get(name) ?? new Set()).add(toKind(value)))
      }
      render()
    },
  }
}

/** Fields of events that are remembered. */
const maxSeen = 500

/** @param {unknown} value */
const toKind = value => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'list'
  return toExactText(value) === undefined ? typeof value : 'number'
}

/** @param {Column} column @param {number} accepted */
const toColumnLine = ({ name, type, misfits, lastMisfitAt }, accepted) => [
  name,
  type,
  `${toShare(misfits, accepted)}${lastMisfitAt ? `, the last ${toMoment(lastMisfitAt)}` : ''}`,
]

/** @param {readonly string[]} line */
const toRow = ([name = '', type = '', misfits = '']) =>
  h('tr', {}, h('th', { scope: 'row' }, name), h('td', {}, h('code', {}, type)), h('td', { class: 'number' }, misfits))

import { h, setText } from '../elements/dom.js'
import { asNumber } from '../elements/format.js'
import { matches } from './live-filter.js'
import { createLiveRow } from './live-row.js'

/** @typedef {import('./live-feed.js').LiveEvent} LiveEvent */
/** @typedef {{ readonly event: LiveEvent, readonly element: HTMLElement }} Row */

/** Events in the page, and events that are held back; of more the newest are kept. */
const maxRows = 500

/**
 * The newest events on top. Nothing moves under a reader: while they have scrolled down, point at a row, have one open
 * or the focus in it, or have paused, new ones wait behind a button.
 * @param {{ target: () => import('../types/curl.js').Target, onChange: () => void }} options
 */
export const createLiveList = ({ target, onChange }) => {
  /** @type {Row[]} newest first */
  let rows = []
  /** @type {LiveEvent[]} */
  let held = []
  let heldCount = 0
  let isPaused = false
  let isScheduled = false
  /** Earlier events were cleared away. */
  let cleared = { startedAt: 0, id: 0 }
  /** @type {import('./live-filter.js').LiveFilter} */
  let filter = { types: [], text: '', where: '', onlyRefused: false }
  const list = h('ol', { class: 'live-list', 'aria-label': 'Events' })
  const button = h('button', { type: 'button', class: 'live-new primary', hidden: true })
  const element = h('div', {}, list, button)

  /** @param {LiveEvent} event */
  const insert = event => {
    const at = rows.findIndex(row => toOrder(event, row.event) > 0)
    const row = { event, element: createLiveRow(event, target) }
    row.element.hidden = !matches(event, filter)
    list.insertBefore(row.element, rows[at]?.element ?? null)
    rows.splice(at < 0 ? rows.length : at, 0, row)
  }
  const release = () => {
    for (const event of held) insert(event)
    held = []
    heldCount = 0
    for (const row of rows.splice(maxRows)) row.element.remove()
    render()
  }
  const update = () => {
    isScheduled = false
    if (held.length > 0 && !isPaused && !isRead(list)) release()
    else render()
  }
  const schedule = () => {
    if (isScheduled) return
    isScheduled = true
    requestAnimationFrame(update)
  }
  const render = () => {
    button.hidden = heldCount === 0 || isPaused
    setText(button, `${asNumber(heldCount)} new event${heldCount === 1 ? '' : 's'}`)
    onChange()
  }
  button.addEventListener('click', ({ detail }) => {
    for (const open of list.querySelectorAll(':scope > li > details[open]')) open.removeAttribute('open')
    release()
    // After a key press the newest row is next. A mouse has no place to continue from.
    const first = rows.find(row => !row.element.hidden)?.element.querySelector('summary')
    if (detail === 0) first?.focus()
    scrollTo({ top: 0 })
  })
  for (const name of ['pointerleave', 'focusout', 'toggle']) list.addEventListener(name, schedule, true)
  addEventListener('scroll', schedule, { passive: true })
  return {
    element,
    /** @param {LiveEvent} event */
    add: event => {
      const isKnown = [...rows.map(row => row.event), ...held].some(one => toOrder(one, event) === 0)
      if (isKnown || toOrder(event, cleared) <= 0) return
      held.push(event)
      if (held.length > maxRows) held.shift()
      heldCount++
      schedule()
    },
    /** @param {import('./live-filter.js').LiveFilter} next */
    filter: next => {
      filter = next
      held = held.filter(event => matches(event, filter))
      heldCount = held.length
      for (const row of rows) row.element.hidden = !matches(row.event, filter)
      schedule()
    },
    /** @param {boolean} next */
    pause: next => {
      isPaused = next
      if (next) render()
      else release()
    },
    clear: () => {
      const all = [...rows.map(row => row.event), ...held]
      cleared = all.reduce((newest, one) => (toOrder(one, newest) > 0 ? one : newest), cleared)
      rows = []
      held = []
      heldCount = 0
      list.replaceChildren()
      render()
    },
    /** How many can be seen, and how many wait. */
    counts: () => ({ shown: rows.filter(row => !row.element.hidden).length, waiting: heldCount }),
    /** Closes the row that has the focus, and moves the focus. @param {string} key */
    move: key => moveFocus(list, key),
  }
}

/** Whether the user reads the list, and would lose his place. @param {HTMLElement} list */
export const isRead = list =>
  list.contains(document.activeElement) ||
  list.querySelector(':scope > li > details[open]') !== null ||
  (matchMedia('(hover: hover)').matches && list.matches(':hover')) ||
  list.getBoundingClientRect().top < Math.max(0, document.querySelector('.status')?.getBoundingClientRect().bottom ?? 0)

/**
 * Positive if the first arrived later.
 * @param {Pick<LiveEvent, 'startedAt' | 'id'>} a @param {Pick<LiveEvent, 'startedAt' | 'id'>} b
 */
const toOrder = (a, b) => a.startedAt - b.startedAt || a.id - b.id

/**
 * Moves between the lines of the list.
 * @param {HTMLElement} list @param {string} key
 * @returns {boolean} whether the key means something here
 */
const moveFocus = (list, key) => {
  const lines = /** @type {HTMLElement[]} */ ([
    ...list.querySelectorAll(':scope > li:not([hidden]) > details > summary'),
  ])
  const at = lines.findIndex(line => line.matches(':focus'))
  const step = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0
  if (at < 0 || step === 0) return false
  lines[at + step]?.focus()
  return true
}

import { createScroll, h } from '../elements/dom.js'
import { formatCount, toMoment } from '../elements/format.js'
import { toTypeText } from './refused-query.js'

/** @typedef {import('./refused-query.js').Refused} Refused */

/** The place of an event in its request, in words. @param {Refused} refused */
export const toPlaceText = ({ position, events, kind }) =>
  kind === 'rest'
    ? `and ${formatCount(events, 'more event')} of its request`
    : typeof position === 'number'
      ? `position ${position} of its request, from 0`
      : events === 1
        ? 'the whole request'
        : `the whole request, ${formatCount(events, 'event')}`

/**
 * Refused events as rows, each with a box to choose it.
 * @param {{ onChoice: () => void }} options
 */
export const createRefusedTable = ({ onChoice }) => {
  /** @type {Map<string, HTMLInputElement>} */
  const boxes = new Map()
  const body = h('tbody', { role: 'rowgroup' })
  const all = h('input', { type: 'checkbox', 'aria-label': 'Choose all that are shown' })
  const tell = () => {
    const chosen = [...boxes.values()].filter(({ checked }) => checked).length
    all.checked = chosen > 0 && chosen === boxes.size
    all.indeterminate = chosen > 0 && chosen < boxes.size
    onChoice()
  }
  all.addEventListener('change', () => {
    for (const box of boxes.values()) box.checked = all.checked
    tell()
  })
  // On narrow screens rows are not rows for CSS: the roles say that they are.
  const heads = ['When (UTC)', 'Type', 'Code', 'Why', 'From'].map(head =>
    h('th', { scope: 'col', role: 'columnheader' }, head),
  )
  const headRow = h('tr', { role: 'row' }, h('td', { role: 'cell' }, all), ...heads)
  const table = h('table', { role: 'table' }, h('thead', { role: 'rowgroup' }, headRow), body)
  /** @param {Refused} refused */
  const toRow = refused => {
    const { id, when, type, code, detail, peer, kind, isReplayed, notReplayable } = refused
    const moment = toMoment(when)
    const box = h('input', { type: 'checkbox', 'aria-label': `Choose ${toTypeText(type)} of ${moment}`, change: tell })
    boxes.set(id, box)
    const state = isReplayed ? 'sent again' : notReplayable === undefined ? '' : `cannot be replayed: ${notReplayable}`
    return h(
      'tr',
      { role: 'row', 'data-state': isReplayed ? 'ok' : 'error' },
      h('td', { role: 'cell' }, box),
      h('th', { scope: 'row', role: 'rowheader', class: 'moment' }, h('a', { href: `#refused/${id}` }, moment)),
      h('td', { role: 'cell', class: 'type-name' }, toTypeText(type)),
      h('td', { role: 'cell', class: 'code' }, h('strong', {}, kind === 'set-aside' ? 'set aside' : code)),
      h(
        'td',
        { role: 'cell', class: 'why' },
        detail,
        h('span', { class: 'rest' }, [toPlaceText(refused), state].filter(Boolean).join('; ')),
      ),
      h('td', { role: 'cell', class: 'peer' }, peer),
    )
  }
  return {
    element: createScroll('Refused events', table),
    /** @param {readonly Refused[]} rows @param {boolean} isMore whether those that are there stay */
    show: (rows, isMore) => {
      if (!isMore) {
        boxes.clear()
        body.replaceChildren()
      }
      body.append(...rows.map(toRow))
      tell()
    },
    chosen: () => [...boxes].filter(([, box]) => box.checked).map(([id]) => id),
    shown: () => boxes.size,
    /** @param {string} [id] @default the first */
    focus: id => {
      const row = id === undefined ? body : boxes.get(id)?.closest('tr')
      row?.querySelector('a')?.focus()
    },
  }
}

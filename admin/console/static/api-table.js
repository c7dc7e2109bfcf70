import { apis } from './apis.js'
import { h, setText } from './dom.js'
import { toNumber } from './format.js'

/** @typedef {import('./figures.js').ApiFigures} ApiFigures */

const columns = /** @type {const} */ ([
  ['Events/s', 'events'],
  ['Requests/s', 'requests'],
  ['Malformed/s', 'malformed'],
])

/** The figures of every API in one table. */
export const createApiTable = () => {
  const rows = apis.map(({ timer, label }) => {
    const cells = Array.from({ length: columns.length + 4 }, () => h('td', { class: 'number' }))
    return { timer, cells, element: h('tr', {}, h('th', { scope: 'row' }, label), ...cells) }
  })
  const heads = ['API', ...columns.map(([head]) => head), 'Requests', 'Half, ms', '95 %, ms', '99 %, ms']
  const element = h(
    'section',
    { class: 'panel' },
    h('h2', {}, 'Ways in'),
    h(
      'div',
      { class: 'scroll' },
      h(
        'table',
        {},
        h(
          'thead',
          {},
          h('tr', {}, ...heads.map((head, i) => h('th', { scope: 'col', class: i > 0 && 'number' }, head))),
        ),
        h('tbody', {}, ...rows.map(({ element: row }) => row)),
      ),
    ),
  )
  return {
    element,
    /** @param {import('./figures.js').Figures} figures @param {import('./history.js').History} history */
    show: (figures, history) => {
      element.hidden = figures.apis.size === 0
      for (const { timer, cells, element: row } of rows) {
        const api = figures.apis.get(timer)
        row.classList.toggle('idle', !api?.requests)
        const texts = [
          ...columns.map(([, what]) => toNumber(history.last(`${what}:${timer}`))),
          ...[api?.requests, api?.p50, api?.p95, api?.p99].map(toNumber),
        ]
        for (const [i, cell] of cells.entries()) setText(cell, texts[i] ?? '')
      }
    },
  }
}

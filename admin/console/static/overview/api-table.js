import { createScroll, createTable, h, setText } from '../elements/dom.js'
import { asNumber } from '../elements/format.js'
import { shownApis } from './apis.js'

const columns = /** @type {const} */ ([
  ['Events/s', 'events'],
  ['Requests/s', 'requests'],
  ['Malformed/s', 'malformed'],
])

/** The figures of every API in one table. */
export const createApiTable = () => {
  const rows = shownApis.map(({ timer, label }) => {
    const cells = Array.from({ length: columns.length + 4 }, () => h('td', { class: 'number' }))
    return { timer, cells, element: h('tr', {}, h('th', { scope: 'row' }, label), ...cells) }
  })
  const heads = ['API', ...columns.map(([head]) => head), 'Requests', 'Median, ms', 'p95, ms', 'p99, ms']
  const body = h('tbody', {}, ...rows.map(({ element: row }) => row))
  const table = createScroll('Ways in', createTable(heads, body, { numbersFrom: 1 }))
  const element = h('section', { class: 'panel' }, h('h2', {}, 'Ways in'), table)
  return {
    element,
    /** @param {import('../server/figures.js').Figures} figures @param {import('../server/history.js').History} history */
    show: (figures, history) => {
      element.hidden = figures.apis.size === 0
      for (const { timer, cells, element: row } of rows) {
        const api = figures.apis.get(timer)
        row.classList.toggle('idle', !api?.requests)
        const texts = [
          ...columns.map(([, what]) => asNumber(history.last(`${what}:${timer}`))),
          ...[api?.requests, api?.p50, api?.p95, api?.p99].map(asNumber),
        ]
        for (const [i, cell] of cells.entries()) setText(cell, texts[i] ?? '')
      }
    },
  }
}

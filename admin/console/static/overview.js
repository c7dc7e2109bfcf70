import { createApiTable } from './api-table.js'
import { createChart } from './chart.js'
import { eventsSpec, otherSpecs } from './chart-specs.js'
import { h } from './dom.js'
import { createHealthPanel } from './health.js'
import { createLatencyChart } from './latency-chart.js'

/** The charts, then the figures behind them, then what the server says of its health. */
export const createOverview = () => {
  const [acceptance, ...rest] = otherSpecs.map(createChart)
  const latency = createLatencyChart()
  const charts = [createChart(eventsSpec), ...(acceptance ? [acceptance] : []), latency, ...rest]
  const apiTable = createApiTable()
  const health = createHealthPanel()
  const element = h(
    'div',
    { class: 'overview' },
    h('p', { class: 'hint' }, 'The last ten minutes at most, while this page is open. Times are UTC.'),
    h('div', { class: 'charts' }, ...charts.map(chart => chart.element)),
    apiTable.element,
    health.element,
  )
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    for (const chart of charts) chart.repaint()
  })
  return {
    element,
    /** @param {import('./figures.js').Figures} figures @param {import('./history.js').History} history */
    show: (figures, history) => {
      for (const chart of charts) chart.show(history)
      apiTable.show(figures, history)
      health.show(figures.health)
    },
  }
}

import { createApiTable } from './api-table.js'
import { createChart } from './chart.js'
import { eventsSpec, otherSpecs } from './chart-specs.js'
import { h } from './dom.js'
import { createHealthPanel } from './health.js'
import { createLatencyChart } from './latency-chart.js'
import { createPast } from './past.js'

/**
 * The charts, then the figures behind them, then what the server says of its health.
 * @param {{ vendor: () => string, history: import('./history.js').History, pollNow: () => void }} options
 */
export const createOverview = ({ vendor, history, pollNow }) => {
  const [acceptance, ...rest] = otherSpecs.map(createChart)
  const latency = createLatencyChart()
  const charts = [createChart(eventsSpec), ...(acceptance ? [acceptance] : []), latency, ...rest]
  const apiTable = createApiTable()
  const health = createHealthPanel()
  const showCharts = () => {
    for (const chart of charts) chart.show(history)
  }
  const past = createPast({
    vendor,
    history,
    onChoice: () => {
      showCharts()
      pollNow()
    },
  })
  const element = h(
    'div',
    { class: 'overview' },
    past.element,
    h('div', { class: 'charts' }, ...charts.map(chart => chart.element)),
    apiTable.element,
    health.element,
  )
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    for (const chart of charts) chart.repaint()
  })
  return {
    element,
    start: past.start,
    calls: past.calls,
    /** @param {readonly import('./rpc.js').Call[]} _asked @param {readonly import('./rpc.js').Outcome[]} outcomes */
    show: (_asked, [outcome]) => {
      if (!outcome) return
      past.take(outcome)
      showCharts()
    },
    /** @param {import('./figures.js').Figures} figures */
    showFigures: figures => {
      past.show(figures)
      showCharts()
      apiTable.show(figures, history)
      health.show(figures.health)
    },
  }
}

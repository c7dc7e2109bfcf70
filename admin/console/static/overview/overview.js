import { createChart } from '../charts/chart.js'
import { eventsSpec, otherSpecs } from '../charts/chart-specs.js'
import { createLatencyChart } from '../charts/latency-chart.js'
import { h } from '../elements/dom.js'
import { createPast } from '../server/past.js'
import { createApiTable } from './api-table.js'
import { createCompactionPanel } from './compaction-panel.js'
import { createHealthPanel } from './health.js'
import { createQuarantinePanel } from './quarantine-panel.js'

/**
 * What is set aside, if anything; the charts, then the figures behind them, then what the server says of its health.
 * @param {{ vendor: () => string, history: import('../server/history.js').History, canOperate: () => boolean, pollNow: () => void }} options
 */
export const createOverview = ({ vendor, history, canOperate, pollNow }) => {
  const [acceptance, ...rest] = otherSpecs.map(createChart)
  const latency = createLatencyChart()
  const charts = [createChart(eventsSpec), ...(acceptance ? [acceptance] : []), latency, ...rest]
  const apiTable = createApiTable()
  const compaction = createCompactionPanel()
  const health = createHealthPanel()
  const quarantine = createQuarantinePanel({ vendor, canOperate, onDone: pollNow })
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
    quarantine.element,
    past.element,
    h('h2', { class: 'sr' }, 'Charts'),
    h('div', { class: 'charts' }, ...charts.map(chart => chart.element)),
    apiTable.element,
    compaction.element,
    health.element,
  )
  past.start()
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    for (const chart of charts) chart.repaint()
  })
  return {
    element,
    calls: () => [...quarantine.calls(), ...past.calls()],
    /**
     * @param {readonly import('../server/rpc.js').Call[]} asked
     * @param {readonly import('../server/rpc.js').Outcome[]} outcomes
     * @param {import('../server/figures.js').Figures} figures
     */
    show: (asked, outcomes, figures) => {
      const at = asked.findIndex(({ params }) => params?.['operation'] === 'list')
      quarantine.take(outcomes[at])
      const [samples] = outcomes.slice(at + 1)
      if (samples) past.take(samples)
      past.show(figures)
      showCharts()
      apiTable.show(figures, history)
      compaction.show(figures)
      health.show(figures.health)
      quarantine.show(figures)
    },
  }
}

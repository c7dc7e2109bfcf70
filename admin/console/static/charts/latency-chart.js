import { h } from '../elements/dom.js'
import { shownApis } from '../overview/apis.js'
import { createChart } from './chart.js'
import { toLatencySpec } from './chart-specs.js'

/** The latency of one API at a time: the busiest, until the user chooses. */
export const createLatencyChart = () => {
  let timer = ''
  let isChosen = false
  /** @type {ReturnType<typeof createChart> | undefined} */
  let chart
  /** @type {import('../server/history.js').History | undefined} */
  let shown
  /** @type {HTMLSelectElement} */
  const select = h(
    'select',
    { 'aria-label': 'Latency of the API', change: () => choose(select.value, true) },
    ...shownApis.map(api => h('option', { value: api.timer }, api.label)),
  )
  const element = h('div', { class: 'chosen-chart' }, select)

  /** @param {string} next @param {boolean} [byHand] */
  const choose = (next, byHand = false) => {
    isChosen ||= byHand
    if (next === timer) return
    timer = next
    select.value = next
    chart?.destroy()
    chart?.element.remove()
    chart = createChart(toLatencySpec(next))
    element.prepend(chart.element)
    if (shown) chart.show(shown)
  }

  return {
    element,
    /** @param {import('../server/history.js').History} history */
    show: history => {
      shown = history
      if (!isChosen) choose(busiest(history) ?? (timer || shownApis[2].timer))
      chart?.show(history)
    },
    repaint: () => chart?.repaint(),
  }
}

/** @param {import('../server/history.js').History} history */
const busiest = history => {
  const rates = shownApis.map(({ timer }) => ({ timer, rate: history.last(`requests:${timer}`) ?? 0 }))
  const best = rates.reduce((a, b) => (b.rate > a.rate ? b : a))
  return best.rate > 0 ? best.timer : undefined
}

import { createChart } from './chart.js'
import { h } from './dom.js'
import { toBytes, toNumber } from './format.js'
import { createHistory } from './history.js'

/** Where the chosen charts of this tab are: names of attributes by bean. */
const storageKey = 'sluice-charts'

/** What was seen of each bean that has a chart, so that it is there when somebody comes back. @type {Map<string, import('./history.js').History>} */
const histories = new Map()

/** Whether values of a type can be drawn. @param {string} type */
export const isDrawn = type => type === 'long' || type === 'int' || type === 'double'

/**
 * The charts of attributes that somebody chose, from then on.
 * @param {import('./bean-catalog.js').BeanInfo} bean
 */
export const createAttributeCharts = ({ mbean, attributes }) => {
  /** @type {Map<string, ReturnType<typeof createChart>>} */
  const charts = new Map()
  const history = histories.get(mbean) ?? createHistory()
  histories.set(mbean, history)
  const element = h('div', { class: 'charts', hidden: true })

  /** @param {string} name @returns {boolean} whether it has a chart now */
  const toggle = name => {
    const chart = charts.get(name)
    if (chart) {
      chart.destroy()
      chart.element.remove()
      charts.delete(name)
    } else {
      const added = createChart({
        id: `attribute-${name}`,
        title: name,
        unit: 'since it was opened, UTC',
        about: attributes[name]?.description ?? '',
        lines: [{ key: name, label: 'now', color: 1 }],
        format: /bytes/i.test(name) ? toBytes : toNumber,
      })
      charts.set(name, added)
      element.append(added.element)
    }
    element.hidden = charts.size === 0
    remember(mbean, [...charts.keys()])
    for (const one of charts.values()) one.show(history)
    return charts.has(name)
  }
  const chosen = recall()[mbean] ?? []
  for (const name of chosen) if (isDrawn(attributes[name]?.type ?? '')) toggle(name)
  return {
    element,
    toggle,
    /** @param {string} name */
    has: name => charts.has(name),
    /** @param {Readonly<Record<string, unknown>>} values @param {number} at ms since the epoch */
    show: (values, at) => {
      if (history.times().at(-1) === at / 1_000) return
      const numbers = Object.entries(values).map(([name, value]) => [
        name,
        Number.isFinite(value) ? Number(value) : null,
      ])
      history.add(at, Object.fromEntries(numbers))
      for (const chart of charts.values()) chart.show(history)
    },
  }
}

/** @returns {Readonly<Record<string, readonly string[]>>} */
const recall = () => {
  try {
    return JSON.parse(sessionStorage.getItem(storageKey) ?? '{}')
  } catch {
    return {}
  }
}

/** @param {string} mbean @param {readonly string[]} names */
const remember = (mbean, names) =>
  sessionStorage.setItem(storageKey, JSON.stringify({ ...recall(), [mbean]: names.length === 0 ? undefined : names }))

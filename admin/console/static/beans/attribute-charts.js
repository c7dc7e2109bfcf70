import { createChart } from '../charts/chart.js'
import { h } from '../elements/dom.js'
import { createSampleHistory } from '../server/history.js'
import { call } from '../server/rpc.js'
import { toMeasure, toPastKey } from './attribute-past.js'

/** Where the chosen charts of this tab are: names of attributes by bean. */
const storageKey = 'sluice-charts'

/** The values of each bean with a chart, for a return to its page. @type {Map<string, import('../server/history.js').History>} */
const histories = new Map()

/** Whether values of a type can be drawn. @param {string} type */
export const isDrawn = type => type === 'long' || type === 'int' || type === 'double'

/** What a chart begins with where the server remembers it, in ms; others begin when they are first asked for. */
const pastMs = 86_400_000

/**
 * The charts of chosen attributes: from the server's history, or from then on.
 * @param {import('./bean-catalog.js').BeanInfo} bean
 */
export const createAttributeCharts = ({ mbean, attributes }) => {
  /** @type {Map<string, ReturnType<typeof createChart>>} */
  const charts = new Map()
  const keys = Object.keys(attributes).flatMap(name => {
    const key = toPastKey(mbean, name)
    return key === undefined ? [] : [/** @type {const} */ ([name, key])]
  })
  const isRemembered = histories.has(mbean)
  const history = histories.get(mbean) ?? createSampleHistory()
  histories.set(mbean, history)
  let isAsked = isRemembered || keys.length === 0
  /** Once is enough: from then on there are the polls. */
  const addPast = async () => {
    if (isAsked) return
    isAsked = true
    const past = await loadPast(mbean, keys).catch(() => undefined)
    // The chart then shows new values only, like those of other attributes.
    if (past === undefined) return
    history.setSpan(pastMs)
    history.setPast(past)
    for (const one of charts.values()) one.show(history)
  }
  const element = h('div', { class: 'charts', hidden: true })

  /** @param {string} name @returns {boolean} whether it has a chart now */
  const toggle = name => {
    const chart = charts.get(name)
    if (chart) {
      chart.destroy()
      chart.element.remove()
      charts.delete(name)
    } else {
      const { unit, format } = toMeasure(name)
      const since = toPastKey(mbean, name) === undefined ? 'since it was opened' : 'the last 24 hours'
      const added = createChart({
        id: `attribute-${name}`,
        title: name,
        unit: `${unit === '' ? '' : `${unit}, `}${since}, UTC`,
        about: attributes[name]?.description ?? '',
        lines: [{ key: name, label: 'now', color: 1 }],
        format,
      })
      charts.set(name, added)
      void addPast()
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

/**
 * What the server remembers of a bean's attributes, under their own names.
 * @param {string} mbean @param {readonly (readonly [name: string, key: string])[]} keys
 * @returns {Promise<import('../server/history.js').Past>}
 */
const loadPast = async (mbean, keys) => {
  const [vendor] = mbean.split('.metrics', 1)
  const params = { mbean: `${vendor}.metrics:name=History`, operation: 'samples' }
  const answer = await call('exec', { ...params, arguments: [0, Number.MAX_SAFE_INTEGER] })
  const { columns, ...past } = /** @type {import('../server/history.js').Past} */ (answer)
  return { ...past, columns: Object.fromEntries(keys.map(([name, key]) => [name, columns[key] ?? []])) }
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

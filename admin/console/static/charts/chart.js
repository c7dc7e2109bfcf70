import { h, setText } from '../elements/dom.js'
import uPlot from '../uplot.js'

/**
 * What a chart shows.
 * @typedef {{ readonly key: string, readonly label: string, readonly color: number }} Line
 * @typedef {{
 *   readonly id: string, readonly title: string, readonly unit: string,
 *   readonly lines: readonly Line[],
 *   readonly format: (value: number | null | undefined) => string,
 *   readonly about: string,
 *   readonly spansGaps?: boolean,
 *   readonly barSeconds?: number, // bars in place of lines, each so wide, around its time
 *   readonly minSpan?: number, // an axis spans at least this much, so that noise does not look like news
 * }} ChartSpec
 */

const height = 150

/**
 * A chart with its unit, and a legend that gives the newest values, or those under the cursor. The canvas is decoration
 * for screen readers: the legend says the same in text.
 * @param {ChartSpec} spec
 */
export const createChart = ({
  id,
  title,
  unit,
  lines,
  format,
  about,
  spansGaps = false,
  minSpan = 1,
  barSeconds = 0,
}) => {
  const values = lines.map(() => h('output', { class: 'value' }, '–'))
  const legend = h(
    'ul',
    { class: 'legend' },
    ...lines.map(({ label, color }, i) =>
      h(
        'li',
        { class: `c${color}` },
        h('span', { class: 'chip', 'aria-hidden': 'true' }),
        label,
        ' ',
        /** @type {HTMLElement} */ (values[i]),
      ),
    ),
  )
  const canvas = h('div', { class: 'canvas', 'aria-hidden': 'true' })
  const element = h(
    'figure',
    { class: 'chart', id: `chart-${id}` },
    h('figcaption', { title: about }, h('h3', {}, title), h('span', { class: 'unit' }, unit)),
    legend,
    canvas,
  )
  /** @type {uPlot | undefined} */
  let plot
  /** @type {readonly (readonly (number | null)[])[]} */
  let columns = []
  /** @type {readonly number[]} */
  let restarts = []
  /** @type {number | null | undefined} */
  let pointed

  const showValues = () => {
    for (const [i, output] of values.entries()) {
      const column = columns[i] ?? []
      setText(output, format(typeof pointed === 'number' ? column[pointed] : column.at(-1)))
    }
  }
  const draw = (/** @type {uPlot.AlignedData} */ data) => {
    const width = canvas.clientWidth
    if (width === 0) return
    plot ??= new uPlot(
      toOptions({ lines, format, width, spansGaps, minSpan, barSeconds, restarts: () => restarts }, index => {
        pointed = index
        showValues()
      }),
      data,
      canvas,
    )
    plot.setData(data)
  }
  /** @type {uPlot.AlignedData} */
  let data = [[]]
  new ResizeObserver(() => {
    if (plot && canvas.clientWidth > 0) plot.setSize({ width: canvas.clientWidth, height })
    else draw(data)
  }).observe(canvas)
  return {
    element,
    /** @param {Pick<import('../server/history.js').History, 'times' | 'column' | 'restarts'>} history */
    show: history => {
      columns = lines.map(({ key }) => history.column(key))
      restarts = history.restarts()
      data = /** @type {uPlot.AlignedData} */ ([history.times(), ...columns])
      draw(data)
      showValues()
    },
    /** Colours are read when drawn. */
    repaint: () => plot?.redraw(),
    destroy: () => {
      plot?.destroy()
      plot = undefined
    },
  }
}

/**
 * @param {Pick<ChartSpec, 'lines' | 'format'> & { width: number, spansGaps: boolean, minSpan: number, barSeconds: number, restarts: () => readonly number[] }} look
 * @param {(index: number | null | undefined) => void} onPoint
 * @returns {uPlot.Options}
 */
const toOptions = ({ lines, format, width, spansGaps, minSpan, barSeconds, restarts }, onPoint) => {
  const axis = {
    stroke: () => colorOf('--dim'),
    grid: { stroke: () => colorOf('--line'), width: 1 },
    ticks: { show: false },
    font: '11px system-ui, sans-serif',
  }
  const bars = barSeconds > 0 ? uPlot.paths.bars?.({ size: [0.8] }) : undefined
  return {
    width,
    height,
    // Half of the label of a tick at the right end is beyond it.
    padding: [8, 28, 0, 0],
    legend: { show: false },
    cursor: { sync: { key: 'console' }, y: false, drag: { x: false, y: false }, points: { size: 6 } },
    tzDate: seconds => uPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
    scales: {
      x: { range: plot => toSpan(plot.data[0], barSeconds) },
      y: { range: (_, min, max) => [Math.min(0, min ?? 0), Math.max(minSpan, (max ?? 0) * 1.1)] },
    },
    axes: [
      {
        ...axis,
        size: 24,
        gap: 4,
        space: 70,
        values: (_, ticks) => toTimes(ticks),
      },
      { ...axis, size: 58, gap: 6, space: 32, values: (_, ticks) => ticks.map(tick => format(tick)) },
    ],
    series: [
      {},
      ...lines.map(({ color }) => ({
        stroke: () => colorOf(`--c${color}`),
        width: 2,
        spanGaps: spansGaps,
        points: { show: false },
        ...(bars ? { paths: bars, fill: () => colorOf(`--c${color}`) } : {}),
      })),
    ],
    hooks: {
      setCursor: [({ cursor }) => onPoint(cursor.idx)],
      drawAxes: [plot => markAll(plot, restarts())],
    },
  }
}

/** Least time that an axis spans, in s. */
const minSeconds = 60

/**
 * The time that an axis spans: of one point the chart library would make years.
 * @param {ArrayLike<number>} times s since the epoch, rising
 * @param {number} [barSeconds] how wide the bars around them are
 * @returns {[number, number]}
 */
export const toSpan = (times, barSeconds = 0) => {
  const end = times[times.length - 1] ?? Date.now() / 1_000
  const half = barSeconds / 2
  return [Math.min((times[0] ?? end) - half, end - minSeconds), end + half]
}

/**
 * As exact as the ticks are apart; a day begins with its date.
 * @param {readonly number[]} ticks s since the epoch
 */
const toTimes = ticks => {
  const isFine = (ticks[1] ?? 0) - (ticks[0] ?? 0) < 60
  return ticks.map(tick => {
    const text = new Date(tick * 1_000).toISOString()
    if (isFine) return text.slice(11, 19)
    return tick % 86_400 === 0 ? text.slice(5, 10) : text.slice(11, 16)
  })
}

/** A dashed line where a process began. @param {uPlot} plot @param {readonly number[]} moments ms since the epoch */
const markAll = (plot, moments) => {
  const { ctx, bbox, scales } = plot
  const { min = 0, max = 0 } = scales['x'] ?? {}
  ctx.save()
  ctx.strokeStyle = colorOf('--dim')
  ctx.setLineDash([4, 4])
  for (const moment of moments) {
    const seconds = moment / 1_000
    if (seconds <= Number(min) || seconds >= Number(max)) continue
    const x = Math.round(plot.valToPos(seconds, 'x', true))
    ctx.beginPath()
    ctx.moveTo(x, bbox.top)
    ctx.lineTo(x, bbox.top + bbox.height)
    ctx.stroke()
  }
  ctx.restore()
}

/** @param {string} name of a custom property of the style sheet */
const colorOf = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

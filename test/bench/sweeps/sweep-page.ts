import { type Series, toLinePlot } from '../../plot/svg.ts'
import { toTable } from '../markdown.ts'
import type { Point, Sweep, SweepResult } from './sweep.ts'

/** File name of a sweep's plot, in `docs/`. */
export const plotName = ({ name }: Sweep): string => `bench-${name}.svg`

/** The panels of a sweep, one below the other, as one SVG; points that are missing are left out. */
export const toPlot = (result: SweepResult, note: string): string => {
  const { sweep } = result
  const points = 'points' in result ? result.points : []
  const plots = sweep.panels.map(({ y, series }, panel) =>
    toLinePlot({
      title: `${sweep.title}: ${y.label}`,
      x: sweep.x,
      y,
      series: series.map((name, k) => ({ name, points: toPairs(points, panel, k) })),
      ...(panel === sweep.panels.length - 1 ? { note } : {}),
    }),
  )
  return stack(plots, sweep.title)
}

/** The section of a sweep on the page: its plot and what was noticed, or why it was not measured. */
export const toSweepHead = (result: SweepResult): string => {
  const { sweep } = result
  const head = `### ${sweep.title}\n\n${sweep.what}\n`
  if ('missing' in result) return `${head}\nNot measured: ${result.missing}.\n`
  const notes = result.points.flatMap(point => {
    const note = 'missing' in point ? point.missing : point.note
    return note === undefined ? [] : [`\n${toNumber(point.x)} ${sweep.x.label}: ${note}.\n`]
  })
  return `${head}\n![${sweep.title}](docs/${plotName(sweep)})\n${notes.join('')}`
}

/** The same with all figures, for a terminal. */
export const toSweepSection = (result: SweepResult): string => {
  const { sweep } = result
  if ('missing' in result) return toSweepHead(result)
  const columns = sweep.panels.flatMap(({ y, series }) => series.map(name => `${name}, ${y.label}`))
  const rows = result.points.map(point => [
    toNumber(point.x),
    ...('missing' in point
      ? columns.map(() => '–')
      : sweep.panels.flatMap(({ series }, i) => series.map((_, k) => toNumber(point.reading[i]?.[k])))),
  ])
  return `${toSweepHead(result)}\n${toTable([[sweep.x.label, ...columns], ...rows])}\n`
}

/** With as many digits as mean something; `–` for none. */
export const toNumber = (value: number | undefined): string => {
  if (value === undefined) return '–'
  if (value >= 1_000) return Math.round(value).toLocaleString('en').replaceAll(',', ' ')
  return String(Number(value.toPrecision(3)))
}

const toPairs = (points: readonly Point[], panel: number, series: number): Series['points'] =>
  points.flatMap(point => {
    const y = 'reading' in point ? point.reading[panel]?.[series] : undefined
    return y === undefined ? [] : [[point.x, y] as const]
  })

/** SVG elements inside another one, below each other. */
const stack = (plots: readonly string[], title: string): string => {
  const [first = ''] = plots
  if (plots.length < 2) return first
  const [, width = '', height = ''] = /<svg[^>]* width="(\d+)" height="(\d+)"/.exec(first) ?? []
  const total = Number(height) * plots.length
  const parts = plots.map((plot, i) => plot.replace('<svg ', `<svg y="${i * Number(height)}" `))
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${total}" viewBox="0 0 ${width} ${total}" role="img">\n<title>${title}</title>\n${parts.join('')}</svg>\n`
}

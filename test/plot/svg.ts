/** Line plots as self-contained SVG files: no script, no font and no style from elsewhere. */
import { type Scale, type Ticks, toPosition, toTicks, toTickText } from './ticks.ts'

/** What an axis shows, with its unit: `Resident memory (MB)`. */
export type Axis = {
  readonly label: string
  /** @default 'linear' */
  readonly scale?: Scale
}

/** One line; points that an axis cannot show (not finite, or not above 0 on a logarithmic one) are left out. */
export type Series = { readonly name: string; readonly points: readonly (readonly [x: number, y: number])[] }

export type LinePlot = {
  readonly title: string
  readonly x: Axis
  /** A linear one starts at 0 unless values are below. */
  readonly y: Axis
  /** At most 6. */
  readonly series: readonly Series[]
  /** A line below the plot: how it was measured, what to see in it. */
  readonly note?: string
}

const width = 720
const height = 360
const box = { left: 68, right: 600, top: 66, bottom: 292 }
/** Room for the name of a line beside its end. */
const labelHeight = 15
const maxLabelLength = 18
/** Widths of letters are not known here; 12 px of a sans-serif take about this much. */
const letterWidth = 6.6
/** A single point, or few, are easier to see with a mark each. */
const maxMarkedPoints = 40

/** Told apart by colour (chosen for all kinds of colour vision, light and dark page) and by dashes. */
const strokes = [
  { light: '#0072b2', dark: '#56b4e9', dash: '' },
  { light: '#d55e00', dark: '#ff8f4d', dash: '7 4' },
  { light: '#00805c', dark: '#2cc59b', dash: '2 3' },
  { light: '#a8508a', dark: '#e6a0c8', dash: '10 3 2 3' },
  { light: '#806600', dark: '#f0c040', dash: '4 2' },
  { light: '#505050', dark: '#b8b8b8', dash: '12 4' },
]

/**
 * A line plot of 720 × 360 px as the text of an SVG file, for light and dark pages.
 * @throws RangeError when there are more than 6 series
 */
export const toLinePlot = ({ title, x, y, series, note }: LinePlot): string => {
  if (series.length > strokes.length) {
    throw new RangeError(`Cannot plot "${title}": ${series.length} series, at most ${strokes.length} can be told apart`)
  }
  const all = series.flatMap(({ points }) => points)
  const xAxis = toAxisPixels(
    x,
    all.map(([value]) => value),
    box.left,
    box.right,
    false,
  )
  const yAxis = toAxisPixels(
    y,
    all.map(([, value]) => value),
    box.bottom,
    box.top,
    true,
  )
  const lines = series.map(({ name, points }) => ({
    name,
    pixels: points.map(([a, b]) => [xAxis.at(a), yAxis.at(b)] as const).filter(pair => pair.every(Number.isFinite)),
  }))
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>${escapeXml(title)}</title>
<style>
${style}
</style>
<rect class="page" width="100%" height="100%" rx="6"/>
<text class="title" x="20" y="28">${escapeXml(title)}</text>
${toLegend(series)}
${xAxis.ticks.map(tick => toXTick(xAxis.at(tick), toTickText(tick))).join('\n')}
${yAxis.ticks.map(tick => toYTick(yAxis.at(tick), toTickText(tick))).join('\n')}
<text x="${(box.left + box.right) / 2}" y="${box.bottom + 36}" text-anchor="middle">${escapeXml(x.label)}</text>
<text x="18" y="${(box.top + box.bottom) / 2}" text-anchor="middle" transform="rotate(-90 18 ${(box.top + box.bottom) / 2})">${escapeXml(y.label)}</text>
${all.length === 0 ? `<text x="${(box.left + box.right) / 2}" y="${(box.top + box.bottom) / 2}" text-anchor="middle">no data</text>` : ''}
${lines.map(({ pixels }, i) => toLine(pixels, i)).join('\n')}
${toEndLabels(lines)}
${note === undefined ? '' : `<text class="note" x="20" y="${height - 12}">${escapeXml(note)}</text>`}
</svg>
`.replaceAll(/\n+/g, '\n')
}

type Pixels = readonly (readonly [x: number, y: number])[]
type AxisPixels = { readonly ticks: Ticks; readonly at: (value: number) => number }

const toAxisPixels = (
  { scale = 'linear' }: Axis,
  values: readonly number[],
  from: number,
  to: number,
  fromZero: boolean,
): AxisPixels => {
  const ticks = toTicks(values, scale, fromZero)
  return { ticks, at: value => round(from + toPosition(value, ticks, scale) * (to - from)) }
}

const toXTick = (at: number, text: string): string =>
  `<path class="grid" d="M${at} ${box.top}V${box.bottom}"/><text x="${at}" y="${box.bottom + 17}" text-anchor="middle">${text}</text>`

const toYTick = (at: number, text: string): string =>
  `<path class="grid" d="M${box.left} ${at}H${box.right}"/><text x="${box.left - 8}" y="${at + 4}" text-anchor="end">${text}</text>`

const toLine = (pixels: Pixels, series: number): string => {
  if (pixels.length === 0) return ''
  const marks = pixels.length > maxMarkedPoints ? pixels.slice(-1) : pixels
  const dots = marks.map(([x, y]) => `<circle class="fill${series}" cx="${x}" cy="${y}" r="2.6"/>`).join('')
  return `<path class="line line${series}" d="M${pixels.map(pair => pair.join(' ')).join('L')}"/>${dots}`
}

/** Every name beside the end of its line; names that would cover each other are moved apart. */
const toEndLabels = (lines: readonly { readonly name: string; readonly pixels: Pixels }[]): string => {
  const ends = lines.flatMap(({ name, pixels }, series) => {
    const end = pixels.at(-1)
    return end ? [{ name, series, x: end[0], y: end[1] }] : []
  })
  let free = box.top
  const sorted = ends.toSorted((a, b) => a.y - b.y)
  return sorted
    .map(({ name, series, x, y }, i) => {
      const last = box.bottom - (sorted.length - 1 - i) * labelHeight
      const at = Math.max(free, Math.min(y, last))
      free = at + labelHeight
      return `<text class="fill${series}" x="${x + 8}" y="${at + 4}">${escapeXml(shorten(name))}</text>`
    })
    .join('\n')
}

/** Only where there is something to tell apart. */
const toLegend = (series: readonly Series[]): string => {
  if (series.length < 2) return ''
  let x = 20
  return series
    .map(({ name }, i) => {
      const from = x
      x = round(from + 34 + shorten(name).length * letterWidth + 16)
      return `<path class="line line${i}" d="M${from} 46h26"/><text x="${from + 32}" y="50">${escapeXml(shorten(name))}</text>`
    })
    .join('\n')
}

const toStrokeRules = (shade: 'light' | 'dark'): string =>
  strokes.map((stroke, i) => `.line${i}{stroke:${stroke[shade]}}.fill${i}{fill:${stroke[shade]}}`).join('')

const style = `text{font:12px system-ui,sans-serif;fill:#333}
.title{font-size:15px;font-weight:600;fill:#111}.note{font-size:11px;fill:#666}
.page{fill:#fff;stroke:#ddd}.grid{stroke:#e2e2e2;stroke-width:1}.line{fill:none;stroke-width:1.8;stroke-linejoin:round}
${strokes.map(({ dash }, i) => (dash ? `.line${i}{stroke-dasharray:${dash}}` : '')).join('')}
${toStrokeRules('light')}
@media(prefers-color-scheme:dark){text{fill:#ccc}.title{fill:#eee}.note{fill:#999}.page{fill:#16181d;stroke:#333}.grid{stroke:#2c3038}${toStrokeRules('dark')}}`

const shorten = (name: string): string =>
  name.length > maxLabelLength ? `${name.slice(0, maxLabelLength - 1)}…` : name

const round = (pixels: number): number => Math.round(pixels * 10) / 10

/** As text and as an attribute; characters that no XML may hold become a replacement character. */
const escapeXml = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/[^\P{Cc}\t\n\r]|\p{Noncharacter_Code_Point}/gu, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')

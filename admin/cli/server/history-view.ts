import type { HistorySamples } from '../../../src/figures/history.ts'
import { toSparkline } from '../print/sparkline.ts'
import { style } from '../print/style.ts'
import { type Column, drawTable } from '../print/table.ts'
import { toBytes, toCount, toDateText, toMs, toRate } from '../print/units.ts'

type Format = (value: number) => string

const perMinute: Format = value => `${value < 10 ? value.toFixed(1) : toCount(value)}/min`
const bytesPerSecond: Format = value => `${toBytes(value)}/s`
const seconds: Format = value => `${toCount(value)} s`

/** What is shown, in this order: the column, its name for people, and how its values are written. */
const rows: readonly (readonly [string, string, Format])[] = [
  ['received', 'received', toRate],
  ['accepted', 'accepted', toRate],
  ['malformed', 'malformed', toRate],
  ['refused', 'refused', toRate],
  ['writtenBytes', 'written to the disk', bytesPerSecond],
  ['inMemory', 'waiting in memory', toCount],
  ['inSegment', 'waiting, open', toCount],
  ['inFiles', 'waiting, sealed', toCount],
  ['quarantined', 'quarantined', toCount],
  ['spoolFiles', 'local files', toCount],
  ['spoolBytes', 'their bytes', toBytes],
  ['oldestSeconds', 'oldest event', seconds],
  ['flushes', 'files flushed', toRate],
  ['flushedEvents', 'events flushed', toRate],
  ['flushErrors', 'flushes failed', perMinute],
  ['flushRetries', 'retried', perMinute],
  ['diskErrors', 'local disk failed', perMinute],
  ['forwarded', 'sent to the broker', toRate],
  ['gatewayOk', 'gateway, fine', toRate],
  ['gatewayClient', 'gateway, 4xx', toRate],
  ['gatewayServer', 'gateway, 5xx', toRate],
  ['gatewayBytesOut', 'gateway, out', bytesPerSecond],
  ['gatewayBytesIn', 'gateway, in', bytesPerSecond],
  ['resident', 'memory', toBytes],
  ['heap', 'heap', toBytes],
  ['buffers', 'buffers', toBytes],
  ['loopDelay', 'event loop delay', toMs],
]

/** Percentiles by API; an unused API has no percentiles. */
const apiRow = /^(p50|p95|p99):(.+)$/
const percentiles: Readonly<Record<string, string>> = { p50: 'median', p95: 'p95', p99: 'p99' }

const maxChart = 60
const minChart = 10

type Row = { readonly name: string; readonly texts: readonly string[]; readonly chart: string }

/** The samples of a span of time as a table: the newest value, mean and highest of each, and a chart over time. */
export const toHistoryView = (samples: HistorySamples, width: number | undefined): string => {
  const { at, columns } = samples
  const [first, last] = [at[0], at.at(-1)]
  if (first === undefined || last === undefined) return 'Nothing is known of that time.'
  const chartWidth = Math.max(minChart, Math.min(maxChart, (width ?? 110) - 62))
  const own = Object.keys(columns).flatMap((key): (typeof rows)[number][] => {
    const [, percentile = '', api] = apiRow.exec(key) ?? []
    return api === undefined ? [] : [[key, `${api} ${percentiles[percentile]}`, toMs]]
  })
  const shown = [...rows, ...own].flatMap(([key, name, format]) => {
    const values = columns[key]
    return values ? [toRow(name, values, format, toBuckets(samples, values, chartWidth), chartWidth)] : []
  })
  const right = { align: 'right' as const }
  const table: Column<Row>[] = [
    { title: 'FIGURE', cell: row => row.name, flexible: true },
    ...['NEWEST', 'MEAN', 'HIGHEST'].map((title, i) => ({ title, cell: (row: Row) => row.texts[i] ?? '', ...right })),
    { title: '', cell: row => row.chart, paint: text => style('cyan', text) },
  ]
  const span = `${toDateText(first)} to ${toDateText(last)}, every ${samples.stepMs / 1_000} s`
  return [span, '', drawTable(shown, table, { width })].join('\n')
}

const toRow = (
  name: string,
  values: readonly (number | null)[],
  format: Format,
  buckets: readonly (number | undefined)[],
  chartWidth: number,
): Row => {
  const known = values.filter(value => value !== null)
  const newest = values.at(-1)
  const mean = known.reduce((sum, one) => sum + one, 0) / known.length
  const highest = known.reduce((most, one) => Math.max(most, one), Number.NEGATIVE_INFINITY)
  const texts = [typeof newest === 'number' ? format(newest) : '–', format(mean), format(highest)]
  return { name, texts, chart: highest > 0 ? toSparkline(buckets, chartWidth) : '' }
}

/** The highest value of each of a number of equal spans, gaps included; undefined where nothing is known. */
const toBuckets = ({ at, stepMs }: HistorySamples, values: readonly (number | null)[], count: number) => {
  const first = at[0] ?? 0
  const last = at.at(-1) ?? 0
  const span = Math.max(last - first + stepMs, count * stepMs)
  const bucketOf = (time: number): number => Math.floor(((time - first) / span) * count)
  const buckets = Array.from({ length: bucketOf(last) + 1 }, (): number | undefined => undefined)
  for (const [i, time] of at.entries()) {
    const value = values[i]
    const bucket = bucketOf(time)
    if (typeof value === 'number') buckets[bucket] = Math.max(buckets[bucket] ?? value, value)
  }
  return buckets
}

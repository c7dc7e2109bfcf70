import { toApiLabel } from '../print/api-label.ts'
import { toSparkline } from '../print/sparkline.ts'
import { marks, style } from '../print/style.ts'
import { type Column, drawTable } from '../print/table.ts'
import { toCount, toCountOrDash, toMs, toRate } from '../print/units.ts'
import { toCauseLines } from './problem-lines.ts'
import { type ApiSample, type CounterKey, counters, type GaugeKey, gauges, rateOf, type StatsSample } from './stats.ts'

/** As many looks as the widest chart shows. */
export const maxHistory = 60

/** These should not grow: any growth is worth a colour. */
const alarming: readonly CounterKey[] = ['lost', 'dropped', 'errored', 'unknown']

type Row = {
  readonly name: string
  readonly value: string
  readonly rate: string
  readonly chart: string
  readonly isBad: boolean
}

/** The counters as a table; with more than one look, rates and a chart of them. */
export const toStatsView = (history: readonly StatsSample[], width: number | undefined): string => {
  const now = history.at(-1)
  if (!now) return ''
  const isLive = history.length > 1
  const chartWidth = Math.min(maxHistory, (width ?? 100) - 52)
  const chartOf = (values: readonly number[]): string =>
    values.some(value => value > 0) ? toSparkline(values, chartWidth) : ''
  const rows: Row[] = [
    ...(Object.keys(counters) as CounterKey[]).map(key => {
      const rates = history.map((sample, i) => rateOf(key, history[i - 1], sample) ?? 0).slice(1)
      const total = now.totals[key]
      const rate = rates.at(-1) ?? 0
      return {
        name: counters[key][0],
        value: toCountOrDash(total),
        rate: total === null ? '' : toRate(rate),
        chart: chartOf(rates),
        isBad: alarming.includes(key) && rate > 0,
      }
    }),
    ...(Object.keys(gauges) as GaugeKey[]).map(key => {
      const value = now.gauges[key]
      const chart = chartOf(history.map(sample => sample.gauges[key] ?? 0))
      return { name: gauges[key][0], value: toCountOrDash(value), rate: '', chart, isBad: false }
    }),
  ]
  const paint = (text: string, row: Row): string => (row.isBad ? style('red', text) : text)
  const columns: Column<Row>[] = [
    { title: 'EVENTS', cell: row => row.name, paint },
    { title: 'TOTAL', cell: row => row.value, align: 'right', paint },
    ...(isLive
      ? [
          { title: 'PER SECOND', cell: (row: Row) => row.rate, align: 'right' as const },
          { title: '', cell: (row: Row) => row.chart, paint: (text: string) => style('cyan', text) },
        ]
      : []),
  ]
  // Causes before figures.
  const causes = now.problems.flatMap(problem => toCauseLines(problem, width ?? 100, now.at))
  const head = causes.length === 0 ? [] : [...causes, '']
  return [...head, drawTable(rows, columns, { width }), '', toApiTable(now, width), '', toSwitches(now)].join('\n')
}

const toApiTable = ({ apis }: StatsSample, width = Number.POSITIVE_INFINITY): string => {
  // Nothing was measured before the first request.
  const ms = (value: number | null, { count }: ApiSample): string => (value === null || count === 0 ? '–' : toMs(value))
  const right = { align: 'right' as const }
  const columns: Column<ApiSample>[] = [
    { title: 'API', cell: api => toApiLabel(api.name), flexible: true },
    { title: 'REQUESTS', cell: api => toCount(api.count), ...right },
    ...(width < wideTable
      ? []
      : [
          { title: '1 MIN', cell: (api: ApiSample) => toRate(api.oneMinuteRate), ...right },
          { title: 'P50', cell: (api: ApiSample) => ms(api.p50, api), ...right },
        ]),
    { title: 'P95', cell: api => ms(api.p95, api), ...right },
    { title: 'P99', cell: api => ms(api.p99, api), ...right },
  ]
  return drawTable(apis, columns, Number.isFinite(width) ? { width } : {})
}

/** In a narrower terminal the less telling columns are left out. */
const wideTable = 70

const toSwitches = ({ flushEnabled, realtimeEnabled, problems }: StatsSample): string => {
  const on = (value: boolean | null, part: string): string => {
    if (value === null) return '–'
    const isFailing = problems.some(problem => problem.part === part)
    return value && !isFailing ? `${marks.ok()} on` : `${marks.warn()} ${value ? 'on, failing' : 'off'}`
  }
  return `flush ${on(flushEnabled, 'filesystem')}   realtime ${on(realtimeEnabled, 'realtime')}`
}

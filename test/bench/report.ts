import { cpus, release, type } from 'node:os'
import type { Figure, Measured, Outcome } from './figure.ts'
import { isPinned } from './process.ts'
import type { Result } from './run-figure.ts'

/** How it was measured; for the reader of the figures. */
export type Conditions = {
  readonly cpu: string
  readonly cores: number
  readonly kernel: string
  readonly node: string
  readonly pinned: boolean
  /** The system's load average of the last minute before the start; above 0, others took a part of the machine. */
  readonly loadBefore: number
  /** One write of 512 bytes with `fdatasync`, in ms. */
  readonly syncP50Ms: number
  readonly syncP99Ms: number
  readonly rounds: number
  readonly seconds: number
  /** Of one point of a sweep. */
  readonly pointSeconds: number
  /** ISO 8601, UTC. */
  readonly date: string
  readonly command: string
  /** Software of others that took part, with versions. */
  readonly others: readonly string[]
}

/** The conditions of this process and machine; names no host and no path. */
export const toConditions = (
  run: Pick<
    Conditions,
    'loadBefore' | 'syncP50Ms' | 'syncP99Ms' | 'rounds' | 'seconds' | 'pointSeconds' | 'command' | 'others'
  >,
): Conditions => ({
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  kernel: `${type()} ${release().split('-')[0]}`,
  node: process.version,
  pinned: isPinned,
  date: new Date().toISOString().slice(0, 10),
  ...run,
})

const header = [
  '',
  'what',
  'Sluice',
  'p50 / p99 ms',
  'baseline',
  'p50 / p99 ms',
  'ratio',
  'goal',
  'verdict',
  'CPU µs/event',
]

/** Rows of the table, the header first. */
export const toRows = (results: readonly Result[]): readonly (readonly string[])[] => [
  header,
  ...results.map(result =>
    'missing' in result ? toMissingRow(result.figure, result.missing) : toRow(result.figure, result.outcome),
  ),
]

/**
 * Rows of the page's table, the header first: details left out, times and CPU beside rates of events only, and the goal without
 * blanks, so that the table can be read beside its text.
 */
export const toPageRows = (results: readonly Result[]): readonly (readonly string[])[] => [
  ['', 'what', 'Sluice', 'baseline', 'ratio', 'goal'],
  ...results.flatMap(result => {
    const { figure } = result
    if (figure.isDetail === true) return []
    const { id, what } = figure
    if ('missing' in result) return [[id, what, '–', '–', '–', `${toShortGoal(figure)}: ${result.missing}`]]
    const { outcome } = result
    const baselineIs = figure.baselineIs === '`node:http`' ? '' : ` (${figure.baselineIs})`
    return [
      [
        id,
        what,
        toPageAmount(figure, outcome.sluice),
        `${toPageAmount(figure, outcome.baseline)}${baselineIs}`,
        outcome.ratio.toFixed(2),
        `${toShortGoal(figure)}${figure.isMet(outcome) ? '' : ' **missed**'}`,
      ],
    ]
  }),
]

const toShortGoal = ({ goal }: Figure): string => goal.replaceAll(/([≤≥]) /g, '$1').replaceAll(' ×', '×')

const toPageAmount = (figure: Figure, measured: Measured): string => {
  const [amount = '', ...notes] = toAmount(figure, measured).split(', ')
  if (figure.unit !== 'events/s') return [amount, ...notes].join(', ')
  const cpu = measured.cpuUs > 0 ? [`${measured.cpuUs.toFixed(1)} µs`] : []
  return [amount, `${measured.p99Ms.toFixed(2)} ms`, ...notes, ...cpu].join(', ')
}

const toMissingRow = ({ id, what, goal }: Figure, reason: string): readonly string[] => [
  id,
  what,
  ...Array.from({ length: 5 }, () => '–'),
  goal,
  reason,
  '–',
]

const toRow = (figure: Figure, outcome: Outcome): readonly string[] => [
  figure.id,
  figure.what,
  toAmount(figure, outcome.sluice),
  toTimes(outcome.sluice),
  `${toAmount(figure, outcome.baseline)} (${figure.baselineIs})`,
  toTimes(outcome.baseline),
  toRatio(outcome),
  figure.goal,
  figure.isMet(outcome) ? 'met' : 'missed',
  outcome.sluice.cpuUs > 0 ? `${outcome.sluice.cpuUs.toFixed(1)} : ${outcome.baseline.cpuUs.toFixed(1)}` : '–',
]

/** The median, and what it lies between. */
const toRatio = ({ ratio, ratios }: Outcome): string => {
  const range = [ratios[0] ?? ratio, ratios.at(-1) ?? ratio].map(one => one.toFixed(2))
  return ratios.length > 1 ? `${ratio.toFixed(2)} (${range.join(' to ')})` : ratio.toFixed(2)
}

/** A table for a terminal, its first row the header. */
export const toText = (rows: readonly (readonly string[])[]): string => {
  const plain = rows.map(row => row.map(cell => cell.replaceAll('`', '')))
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...plain.map(row => row[column]?.length ?? 0)))
  return plain
    .map(row =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

const toAmount = (figure: Figure, measured: Measured): string => {
  const value = figure.value(measured)
  const amount = {
    'events/s': `${toCount(value)}/s`,
    'rows/s': `${toCount(value)} rows/s`,
    'files/s': `${toCount(value)} files/s`,
    'MB/s': `${Math.round(value)} MB/s`,
    MB: `${Math.round(value)} MB`,
    'ms p50': `${value.toFixed(2)} ms`,
    'ms p99': `${value.toFixed(2)} ms`,
  }[figure.unit]
  return [amount, ...(figure.note ? [figure.note(measured)] : []), ...toRefused(measured)].join(', ')
}

/** `0.3 % refused`, or nothing where all was taken. */
export const toRefused = ({ refusedShare = 0 }: Measured): readonly string[] =>
  refusedShare === 0 ? [] : [`${(refusedShare * 100).toPrecision(2)} % refused`]

const toCount = (value: number): string =>
  value < 10_000 ? String(Math.round(value)) : `${(value / 1_000).toFixed(1)} K`

const toTimes = ({ p50Ms, p99Ms }: { readonly p50Ms: number; readonly p99Ms: number }): string =>
  `${p50Ms.toFixed(2)} / ${p99Ms.toFixed(2)}`

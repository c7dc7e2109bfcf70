import type { Outcome } from './figure.ts'
import { toTable } from './markdown.ts'
import { type Note, noteOf, notes } from './notes.ts'
import { type Conditions, toRows } from './report.ts'
import type { Result } from './run-figure.ts'
import type { SizeRow } from './sizes/size.ts'
import type { SweepResult } from './sweeps/sweep.ts'
import { toSweepSection } from './sweeps/sweep-page.ts'

/** The table of figures of one section, what is to be said of those that miss their goals, and how all were measured. */
export const toFiguresSection = (
  results: readonly Result[],
  conditions: Conditions,
  /** What follows from them. */
  model = '',
  from: readonly Note[] = notes,
): string => {
  const short = results.flatMap(result => {
    const text = toShortfall(result, from)
    return text === undefined ? [] : [text]
  })
  const shortfalls = short.length === 0 ? '' : `\n### What falls short, and why\n\n${short.join('\n')}\n`
  return `${toTable(toRows(results))}\n${model}${shortfalls}\n### How it was measured\n\n${toList(conditions, toLonger(results, conditions.rounds))}`
}

/** One sweep, with when and how it was measured. */
export const toDatedSweep = (result: SweepResult, conditions: Conditions): string =>
  `${toSweepSection(result)}\n${toRun(conditions)} Each point is one run of ${conditions.pointSeconds} s, or of a few requests.\n`

/** The table of sizes. */
export const toSizesSection = (rows: readonly SizeRow[], conditions: Conditions): string =>
  `${toTable([['what', 'Sluice', 'beside it'], ...rows.map(({ what, value, beside }) => [what, value, beside])])}\n\n${toRun(conditions)}\n`

/** How a plot was measured, in one line. */
export const toPlotNote = ({ date, cpu, node, pointSeconds }: Conditions): string =>
  `${date}, ${cpu}, Node ${node}, one run of ${pointSeconds} s for each point`

const toShortfall = (result: Result, from: readonly Note[]): string | undefined => {
  const { figure } = result
  if ('missing' in result) return `- **${figure.id}**, ${figure.what}: ${result.missing}.`
  if (figure.isMet(result.outcome)) return undefined
  const note = noteOf(figure, from)
  const why = note?.why ?? `not explained yet; \`npm run bench -- ${figure.id} --notes\` says where the time goes.`
  const profile = note?.profile === undefined ? '' : ` Where the time goes: ${note.profile}.`
  return `- **${figure.id}**, ${figure.what} (${toRatio(result.outcome)}, goal ${figure.goal}): ${why}${profile}`
}

const toRatio = ({ ratio }: Outcome): string => `ratio ${ratio.toFixed(2)}`

const toRun = ({ date, command, loadBefore }: Conditions): string =>
  `Measured ${date} by \`${command}\`; load average before the start: ${loadBefore.toFixed(1)}.`

/** Those that were measured in more rounds than the others, as ` (A2, R17: 5)`. */
const toLonger = (results: readonly Result[], rounds: number): string => {
  const longer = results.flatMap(result => ('rounds' in result && result.rounds.length > rounds ? [result] : []))
  const ids = [...new Set(longer.map(({ figure }) => figure.id))]
  return ids.length === 0 ? '' : ` (${ids.join(', ')}: ${Math.max(...longer.map(result => result.rounds.length))})`
}

const toList = (conditions: Conditions, longer: string): string => {
  const { cpu, cores, kernel, node, others, pinned, rounds, seconds, loadBefore, syncP50Ms, syncP99Ms } = conditions
  return `- ${conditions.date}, \`${conditions.command}\`
- ${rounds} rounds of ${seconds} s${longer}, the two sides in turn, fresh processes each time; medians, and
  the median of each round's ratio, with the least and the greatest
- ${cpu}, ${cores} cores, ${[kernel, `Node ${node}`, ...others].join(', ')}
- ${pinned ? 'server (all its threads) on one core, load on another' : 'no process was bound to a core'}
- load average before the start: ${loadBefore.toFixed(1)}; with more than a few tenths others had a part of the machine, and
  rates and p99 are lower than they would be alone
- the disk takes ${syncP50Ms.toFixed(2)} ms (p50) and ${syncP99Ms.toFixed(2)} ms (p99) for one write with \`fdatasync\`
`
}

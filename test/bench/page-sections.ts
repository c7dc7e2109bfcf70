import { toTable } from './markdown.ts'
import { type Conditions, toPageRows } from './report.ts'
import type { Result } from './run-figure.ts'
import { type Note, noteOf, notes } from './shortfalls.ts'
import type { SizeRow } from './sizes/size.ts'
import type { SweepResult } from './sweeps/sweep.ts'
import { toSweepHead } from './sweeps/sweep-page.ts'

/** The table of figures of one section, what is to be said of those that miss their goals, and how all were measured. */
export const toFiguresSection = (
  results: readonly Result[],
  conditions: Conditions,
  /** What follows from them. */
  model = '',
  from: readonly Note[] = notes,
): string => {
  const short = toShortfalls(results, from)
  const shortfalls = short.length === 0 ? '' : `\n### What falls short, and why\n\n${short.join('\n')}\n`
  return `${toTable(toPageRows(results))}\n${model}${shortfalls}\n${toConditionsText(conditions, toLonger(results, conditions.rounds))}\n`
}

/** One sweep, with when it was measured; its plot has the figures. */
export const toDatedSweep = (result: SweepResult, conditions: Conditions): string =>
  `${toSweepHead(result)}\n${toRun(conditions)}\n`

/** The table of sizes. */
export const toSizesSection = (rows: readonly SizeRow[], conditions: Conditions): string =>
  `${toTable([['what', 'Sluice', 'beside it'], ...rows.map(({ what, value, beside }) => [what, value, beside])])}\n\n${toRun(conditions)}\n`

/** How a plot was measured, in one line. */
export const toPlotNote = ({ date, cpu, node, pointSeconds }: Conditions): string =>
  `${date}, ${cpu}, Node ${node}, one run of ${pointSeconds} s for each point`

/** A line for each reason, with the ratios of the figures that it holds for. */
const toShortfalls = (results: readonly Result[], from: readonly Note[]): readonly string[] => {
  const lines = new Map<string, string[]>()
  for (const result of results) {
    const { figure } = result
    if ('missing' in result) lines.set(`**${figure.id}**, ${figure.what}: ${result.missing}.`, [])
    else if (!figure.isMet(result.outcome)) {
      const why =
        noteOf(figure, from)?.why ??
        `not explained yet; \`npm run bench -- ${figure.id} --notes\` says where the time goes.`
      const line = `**${figure.id}** (RATIOS): ${why}`
      lines.set(line, [...(lines.get(line) ?? []), result.outcome.ratio.toFixed(2)])
    }
  }
  return [...lines].map(([line, ratios]) => `- ${line.replace('RATIOS', ratios.join(', '))}`)
}

const toRun = ({ date, loadBefore }: Conditions): string => `Measured ${date}; load average ${loadBefore.toFixed(1)}.`

/** Those that were measured in more rounds than the others, as ` (A2, R17: 5)`. */
const toLonger = (results: readonly Result[], rounds: number): string => {
  const longer = results.flatMap(result => ('rounds' in result && result.rounds.length > rounds ? [result] : []))
  const ids = [...new Set(longer.map(({ figure }) => figure.id))]
  return ids.length === 0 ? '' : ` (${ids.join(', ')}: ${Math.max(...longer.map(result => result.rounds.length))})`
}

const toConditionsText = (conditions: Conditions, longer: string): string => {
  const { cpu, cores, kernel, node, others, pinned, rounds, seconds, loadBefore, syncP50Ms, syncP99Ms } = conditions
  const machine = [cpu, `${cores} cores`, kernel, `Node ${node}`, ...others, ...(pinned ? [] : ['no process bound'])]
  return `Measured ${conditions.date}, \`${conditions.command}\`: ${rounds} rounds of ${seconds} s${longer}; ${machine.join(', ')}; load average ${loadBefore.toFixed(1)}; \`fdatasync\` ${syncP50Ms.toFixed(2)}/${syncP99Ms.toFixed(2)} ms (p50/p99).`
}

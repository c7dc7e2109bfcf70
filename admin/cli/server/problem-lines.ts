import { marks, style } from '../print/style.ts'
import { toSafeText, wrap } from '../print/text-width.ts'
import { toTimeSpan } from '../print/units.ts'
import type { ShownProblem } from './problems.ts'

/** A problem for people: the cause, since when, what it means for events, and what to do. @param width columns */
export const toProblemLines = (problem: ShownProblem, width: number, now = Date.now()): string[] => {
  const { meaning, advice, command, runbook } = problem
  const more = (text: string): string[] =>
    text === '' ? [] : wrap(toSafeText(text), width - 4).map(line => `    ${line}`)
  return [
    ...toCauseLines(problem, width, now),
    ...more(meaning),
    ...more(advice),
    ...(command === '' ? [] : [`    ${style('cyan', toSafeText(command))}`]),
    ...(runbook === '' ? [] : [`    ${style('dim', toSafeText(runbook))}`]),
  ]
}

/** The cause alone, and since when. */
export const toCauseLines = ({ code, problem, since }: ShownProblem, width: number, now = Date.now()): string[] => {
  const seconds = since === null ? 0 : (now - Date.parse(since)) / 1_000
  // What was seen just now has no age to speak of.
  const span = seconds >= 1 ? ` (for ${toTimeSpan(seconds)})` : ''
  const [first = '', ...rest] = wrap(toSafeText(`${problem.replace(/\s+/g, ' ')}${span}`), width - 2)
  return [`${code === 'ERROR' ? marks.bad() : marks.warn()} ${first}`, ...rest.map(line => `  ${line}`)]
}

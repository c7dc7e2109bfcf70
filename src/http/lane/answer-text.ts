import { startTimeout } from '../../runtime/timers.ts'
import type { EdgeLimits } from '../limits.ts'
import type { AnswerLines } from './answer-lines.ts'

/** An answer as it goes out, whole, with the lines of its head that all answers have. */
export type AnswerText = (answer: AnswerLines, closes: boolean) => string

/** Of one second: most answers are the same few, and building one again costs as much as looking up its parts. */
const maxKept = 64

/**
 * Ends the head of an answer as `node:http` does.
 * @param headers further ones of every answer, names and values in turn
 */
export const createAnswerText = (
  { keepAliveTimeoutMs }: Pick<EdgeLimits, 'keepAliveTimeoutMs'>,
  headers: readonly string[],
): AnswerText => {
  let more = ''
  for (let i = 0; i < headers.length; i += 2) more += `${headers[i]}: ${headers[i + 1]}\r\n`
  const keepsAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveTimeoutMs / 1_000)}\r\n\r\n`
  /** Undefined from the end of its second on. */
  let dated: string | undefined
  const kept = new Map<AnswerLines, string>()
  const forget = (): void => {
    dated = undefined
    kept.clear()
  }
  const toDated = (): string => {
    const now = Date.now()
    startTimeout(forget, 1_000 - (now % 1_000)).unref()
    return `${more}Date: ${new Date(now).toUTCString()}\r\n`
  }
  return (answer, closes) => {
    const known = closes ? undefined : kept.get(answer)
    if (known !== undefined) return known
    dated ??= toDated()
    const { head, content, isFixed } = answer
    if (closes) return `${head}${dated}Connection: close\r\n\r\n${content}`
    const text = `${head}${dated}${keepsAlive}${content}`
    if (isFixed && kept.size < maxKept) kept.set(answer, text)
    return text
  }
}

import { STATUS_CODES } from 'node:http'
import { FixedResponse } from '../answers/fixed-response.ts'

/** An answer as it goes out, a character for each byte: the lines of its head that are its own, and its content. */
export type AnswerLines = {
  readonly head: string
  readonly content: string
  /** Whether the connection is to end with it. */
  readonly closes: boolean
  /** Whether it is given again and again. */
  readonly isFixed: boolean
}

const fixedLines = new WeakMap<FixedResponse, AnswerLines>()

/** Most answers are the same few. */
export const toFixedLines = (response: FixedResponse): AnswerLines => {
  const known = fixedLines.get(response)
  if (known !== undefined) return known
  const content = Buffer.from(response.content).toString('latin1')
  const lines = { head: toHead(response.code, response.head), content, closes: false, isFixed: true }
  fixedLines.set(response, lines)
  return lines
}

/** Its body is small: it is held whole, so that its length is known. */
export const toAnswerLines = async (response: Response): Promise<AnswerLines> => {
  if (response instanceof FixedResponse) return toFixedLines(response)
  const content = Buffer.from(await response.bytes()).toString('latin1')
  // The last lines say whether the connection stays open.
  const headers = [...response.headers].filter(([name]) => name !== 'content-length' && name !== 'connection').flat()
  if (response.status !== 204 && response.status !== 304) headers.push('content-length', String(content.length))
  const closes = response.headers.get('connection') === 'close'
  return { head: toHead(response.status, headers), content, closes, isFixed: false }
}

const toHead = (status: number, headers: readonly string[]): string => {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`
  for (let i = 0; i < headers.length; i += 2) head += `${headers[i]}: ${headers[i + 1]}\r\n`
  return head
}

import { createLlhttp, type Llhttp, windowBytes } from '../../../llhttp/llhttp.ts'

/** The head of an answer. */
export type AnswerHead = {
  readonly status: number
  /** By their lower-case names; of several the last one. */
  readonly headers: Readonly<Record<string, string>>
}

/** What a data node may say before its data, in bytes; all that it says is some two hundred. */
export const maxHeadBytes = windowBytes

/**
 * Reads the head of an answer, and skips what precedes it (`100 Continue`; RFC 9110, section 15.2).
 * @returns with the position after it; `incomplete`, or `malformed` for what is not HTTP
 */
export const parseAnswerHead = (
  bytes: Buffer,
): { readonly head: AnswerHead; readonly end: number } | 'incomplete' | 'malformed' => {
  parser ??= createParser()
  const { llhttp, spans } = parser
  const length = Math.min(bytes.length, maxHeadBytes)
  llhttp.bytes.set(bytes.subarray(0, length))
  for (let at = 0; at < length; ) {
    spans.length = 0
    const end = llhttp.readHead(at, length)
    if (end < 0) return 'malformed'
    if (end === 0) break
    if (llhttp.status >= 200) return { head: { status: llhttp.status, headers: toHeaders(bytes, spans) }, end }
    at = end
  }
  return length === maxHeadBytes ? 'malformed' : 'incomplete'
}

/** One for all, since a head is read at once. Four numbers for each header: name and value, as position and length. */
let parser: { readonly llhttp: Llhttp; readonly spans: number[] } | undefined

const createParser = () => {
  const spans: number[] = []
  const add = (at: number, length: number): void => void spans.push(at, length)
  return { llhttp: createLlhttp('response', { onHeaderField: add, onHeaderValue: add }), spans }
}

const toHeaders = (bytes: Buffer, spans: readonly number[]): Readonly<Record<string, string>> => {
  const text = (i: number): string => {
    const at = spans[i] ?? 0
    return bytes.toString('latin1', at, at + (spans[i + 1] ?? 0))
  }
  const headers: Record<string, string> = Object.create(null)
  for (let i = 0; i < spans.length; i += 4) headers[text(i).toLowerCase()] = text(i + 2).trim()
  return headers
}

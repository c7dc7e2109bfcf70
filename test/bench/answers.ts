import type { RequestKind } from './events.ts'
import { isFlumeKind } from './flume-posts.ts'
import { scribeOk } from './scribe.ts'

/** How the answers to requests of one kind are classified. */
export type Answers = {
  /** Of bytes that are as long as a good answer: whether they are one, by as few of them as will do. */
  readonly isUsual: (bytes: Uint8Array) => boolean
  /** Of all bytes since the last answer; undefined while there is no whole one. @throws Error when it says no length */
  readonly parse: (bytes: Buffer) => Answer | undefined
}

/** Good, and nothing of the request was refused; or a 503, as under overload, or a 429; or none of them. */
export type Answer = 'good' | 'refused' | 'bad'

/** Sluice and the bare server answer 202, Flume's HTTP source 200. */
export const answersOf = (kind: RequestKind): Answers => {
  if (kind === 'scribe') return scribeAnswers
  const status = isFlumeKind(kind) ? '200' : '202'
  const [first, second, third] = Buffer.from(status)
  return {
    // `HTTP/1.1 202`
    isUsual: bytes => bytes[9] === first && bytes[10] === second && bytes[11] === third,
    parse: bytes => parseHttp(bytes, status),
  }
}

const scribeAnswers: Answers = {
  // Its last bytes hold the result; the other one is 1.
  isUsual: bytes => bytes[scribeOk.length - 2] === 0,
  parse: bytes => {
    if (bytes.length < 4 || bytes.length < 4 + bytes.readInt32BE()) return undefined
    return bytes.equals(scribeOk) ? 'good' : 'bad'
  },
}

/** An empty body that was sent in chunks. */
const noChunks = '0\r\n\r\n'

const parseHttp = (bytes: Buffer, wanted: string): Answer | undefined => {
  const end = bytes.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const head = bytes.toString('latin1', 0, end)
  const body = bytes.toString('latin1', end + 4)
  const length = /^content-length: *(\d+)/im.exec(head)?.[1]
  const isChunked = /^transfer-encoding: *chunked/im.test(head)
  if (length === undefined && !isChunked) throw new Error(`An answer has no length: ${head}`)
  if (isChunked ? !body.endsWith(noChunks) : body.length < Number(length)) return undefined
  const status = head.slice(9, 12)
  if (status === '503' || status === '429') return 'refused'
  const refusesNothing = length === '0' || body.includes('"rejected":0,')
  const isWhole = isChunked ? body === noChunks : body.length === Number(length) && refusesNothing
  return status === wanted && isWhole ? 'good' : 'bad'
}

import type { Socket } from 'node:net'
import { FixedResponse } from '../../../src/http/answers/fixed-response.ts'
import { toAwaitable } from '../../../src/http/call/answer.ts'
import { createCall } from '../../unit/collector/fakes.ts'
import type { Lane, LaneParts } from './differential.ts'

/** What a lane may do wrong. */
export const mistakes = [
  'forgets what it hands over',
  'hands over what it has answered',
  'hands over before it has answered',
  'answers the newest first',
  'takes no notice of chunks',
  'takes no notice of a second length',
  'takes no notice of Connection',
  'loses the last byte of a body',
  'forgets a header',
  'waits for one more piece',
  'ends what goes on',
] as const

export type Mistake = (typeof mistakes)[number]

/** A lane that takes the plainest requests only, and only if they arrive whole; right, or wrong in one way. */
export const createToyLane =
  (mistake?: Mistake) =>
  ({ routes, handOver }: LaneParts): Lane => ({
    take(socket) {
      const pass = (bytes: Buffer): void => {
        socket.off('data', onData).off('end', onEnd).pause()
        if (bytes.length > 0 && mistake !== 'forgets what it hands over') socket.unshift(bytes)
        handOver(socket)
        socket.resume()
      }
      let held: Buffer = Buffer.alloc(0)
      const onData = (piece: Buffer): void => {
        const bytes = held.length === 0 ? piece : Buffer.concat([held, piece])
        held = mistake === 'waits for one more piece' && held.length === 0 ? piece : Buffer.alloc(0)
        if (held.length > 0) return
        const { requests, rest } = readRequests(bytes.toString('latin1'), mistake)
        const left = mistake === 'hands over what it has answered' ? bytes : Buffer.from(rest, 'latin1')
        const answers = requests.flatMap(({ method, target, headers, body }) => {
          const sent = headers['content-length'] === undefined ? {} : { body: Buffer.from(body, 'latin1') }
          const call = createCall(target, { method, headers, ...sent })
          const answer = routes(method, target)?.(call)
          return answer === undefined ? [] : toAwaitable(answer)
        })
        if (mistake === 'answers the newest first') void answers.reverse()
        socket.pause()
        if (mistake === 'hands over before it has answered' && rest !== '') pass(left)
        void writeAll(socket, answers).then(() => {
          if (mistake === 'ends what goes on' && answers.length > 1) socket.end()
          else if (mistake !== 'hands over before it has answered' && rest !== '') pass(left)
          socket.resume()
        })
      }
      const onEnd = (): void => void socket.end()
      socket.on('data', onData).on('end', onEnd)
    },
  })

type ToyRequest = {
  readonly method: string
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const readRequests = (text: string, mistake: Mistake | undefined): { requests: ToyRequest[]; rest: string } => {
  const requests: ToyRequest[] = []
  let rest = text
  for (;;) {
    const start = /^(GET|POST) (\/[12]\?v=\w+|\/rest\/1\.0\/event) HTTP\/1\.1\r\n/.exec(rest)
    const headEnd = rest.indexOf('\r\n\r\n')
    if (start === null || headEnd < 0) break
    const [line, method = '', target = ''] = start
    const headers = readHeaders(rest.slice(line.length, headEnd + 2), mistake)
    if (headers === undefined) break
    const length = Number(headers['content-length'] ?? 0)
    const end = headEnd + 4 + length
    if (end > rest.length) break
    const body = rest.slice(headEnd + 4, mistake === 'loses the last byte of a body' && length > 0 ? end - 1 : end)
    if (mistake === 'forgets a header') delete headers['user-agent']
    requests.push({ method, target, headers, body })
    rest = rest.slice(end)
  }
  return { requests, rest }
}

/** Undefined where the headers are not as plain as can be. */
const readHeaders = (text: string, mistake: Mistake | undefined): Record<string, string> | undefined => {
  const headers: Record<string, string> = {}
  for (const line of text.split('\r\n').slice(0, -1)) {
    const [, name = '', value = ''] = /^(Host|Content-Length|User-Agent): ([!-~](?:[ -~]*[!-~])?)$/.exec(line) ?? []
    const lower = name.toLowerCase()
    const isIgnored =
      (mistake === 'takes no notice of chunks' && line.startsWith('Transfer-Encoding')) ||
      (mistake === 'takes no notice of Connection' && line.startsWith('Connection')) ||
      (mistake === 'takes no notice of a second length' && headers[lower] !== undefined)
    if (isIgnored) continue
    if (name === '' || headers[lower] !== undefined) return undefined
    headers[lower] = value
  }
  const { host, 'content-length': length = '0' } = headers
  return host !== undefined && /^(?:0|[1-9]\d{0,5})$/.test(length) ? headers : undefined
}

const writeAll = async (socket: Socket, answers: readonly (Response | Promise<Response>)[]): Promise<void> => {
  for (const answer of answers) {
    const response = await answer
    const body = response instanceof FixedResponse ? response.content : await response.text()
    const lines = [...response.headers]
      .filter(([name]) => name !== 'content-length')
      .map(([name, value]) => `${name}: ${value}\r\n`)
    if (!socket.writable) return
    socket.write(`HTTP/1.1 200 OK\r\n${lines.join('')}Content-Length: ${body.length}\r\n\r\n${body}`)
  }
}

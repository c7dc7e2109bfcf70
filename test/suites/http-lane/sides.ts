import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createFixedResponse } from '../../../src/http/answers/fixed-response.ts'
import type { BaseCall } from '../../../src/http/call/base-call.ts'
import type { MemorySocket } from './memory-socket.ts'

/** A request as those who answer it see it. */
export type SeenRequest = {
  readonly method: string
  readonly target: string
  /** One in a line, by lower-case names in the order of the alphabet. */
  readonly headers: string
  /** As latin1: its outcome. */
  body: string
  isWhole: boolean
}

/** The outcome of one connection. */
export type Side = {
  readonly socket: MemorySocket
  readonly seen: SeenRequest[]
  /** Whether Node's server found something that is not HTTP. */
  isRefused: boolean
  /** Whether the connection was over before its client ended it. */
  isCutOff: boolean
  /** Turns of the event loop that every second answer takes. */
  readonly answerTurns: number
  /** Requests whose handlers are not done. */
  pending: number
}

export const createSide = (socket: MemorySocket, answerTurns: number): Side => ({
  socket,
  seen: [],
  isRefused: false,
  isCutOff: false,
  answerTurns,
  pending: 0,
})

/** Heads may have this many bytes, so that short inputs reach the limit. */
export const maxHeaderBytes = 2_048

/** A server of Node's own that never listens: connections are given to it as events. */
export const createPlainServer = (sideOf: (socket: unknown) => Side | undefined): Server => {
  const server = createServer({
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: 0,
    requestTimeout: 0,
    keepAliveTimeout: 0,
    // It would refuse such a request itself, and then show the next one if that has come already.
    requireHostHeader: false,
  })
  server.timeout = 0
  server.on('request', (incoming, outgoing) => {
    const side = sideOf(incoming.socket)
    if (side === undefined) throw new Error('a request of a connection that is over')
    answerIncoming(side, incoming, outgoing)
  })
  server.on('clientError', (_, socket) => {
    const side = sideOf(socket)
    if (side) side.isRefused = true
    // It may be called more than once for one connection.
    if (!socket.writableEnded) socket.end(refusal)
  })
  return server
}

const refusal = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'

const answerIncoming = (side: Side, incoming: IncomingMessage, outgoing: ServerResponse): void => {
  const { method = '', url = '', headers } = incoming
  const index = side.seen.length
  const seen: SeenRequest = { method, target: url, headers: toLines(headers), body: '', isWhole: false }
  side.seen.push(seen)
  side.pending += 1
  let isOver = false
  const finish = (): void => {
    if (isOver) return
    isOver = true
    side.pending -= 1
  }
  incoming.on('data', (chunk: Buffer) => {
    seen.body += chunk.toString('latin1')
  })
  incoming.on('end', () => {
    seen.isWhole = true
    afterTurns(turnsOf(side, index), () => {
      outgoing.sendDate = false
      outgoing.writeHead(200, { [indexHeader]: index, 'content-length': answerBody.length })
      outgoing.end(answerBody)
      finish()
    })
  })
  incoming.on('close', () => {
    if (!seen.isWhole) finish()
  })
}

/** What the lane answers: the same, of a call. Sees more of a call than handlers do, and all of its headers. */
export const answerCall = async (side: Side, call: BaseCall): Promise<Response> => {
  const index = side.seen.length
  const { method, target, headers: all } = call
  const seen: SeenRequest = { method, target, headers: toLines(all), body: '', isWhole: false }
  side.seen.push(seen)
  side.pending += 1
  try {
    for (const name of readNames) {
      const known = Object.hasOwn(all, name) ? all[name] : undefined
      if (call.header(name) !== known) throw new Error(`${name} is ${call.header(name)} alone, and ${known} among all`)
    }
    const bytes = (index % 3 === 0 ? call.whole : undefined) ?? (await call.bytes(maxBodyBytes))
    seen.body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
    seen.isWhole = true
    const turns = turnsOf(side, index)
    if (turns > 0) await new Promise<void>(resolve => afterTurns(turns, resolve))
    const headers = { [indexHeader]: String(index) }
    return index % 2 === 0 ? createFixedResponse(200, headers, answerBody) : new Response(answerBody, { headers })
  } finally {
    side.pending -= 1
  }
}

const maxBodyBytes = 2 ** 20

/** Says which request of its connection an answer is for. */
export const indexHeader = 'x-index'
const answerBody = 'ok'

/** Headers that handlers of the lane ask for by name. */
const readNames = ['content-type', 'content-length', 'content-encoding', 'host', 'prefer', 'x-forwarded-for', 'referer']

const toLines = (headers: Readonly<Record<string, string | readonly string[] | undefined>>): string => {
  const lines: string[] = []
  for (const name in headers) {
    // Node's server loses it.
    if (name === '__proto__') continue
    const value = headers[name]
    lines.push(`${name}: ${typeof value === 'string' ? value : value?.join(', ')}`)
  }
  return lines.sort().join('\n')
}

/** Every second answer is there at once, so that one may be ready before the one in front of it. */
const turnsOf = ({ answerTurns }: Side, index: number): number => (index % 2 === 0 ? answerTurns : 0)

const afterTurns = (turns: number, action: () => void): void => {
  if (turns === 0) action()
  else setImmediate(() => afterTurns(turns - 1, action))
}

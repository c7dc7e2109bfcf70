import { createHash } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { findJson } from '../../../src/collector/doors/hidden-json.ts'

/** How a try fails: whether the server has taken it, and what its sender hears. */
export type Fault = { readonly isTaken: boolean; readonly hears: 'nothing' | 503 }

/** Every way in which a network loses a request or its answer, as its sender can tell. */
export const faults = {
  'the connection is cut before the answer': { isTaken: true, hears: 'nothing' },
  'it is answered 503 on its way': { isTaken: false, hears: 503 },
  'its answer becomes a 503': { isTaken: true, hears: 503 },
} as const satisfies Readonly<Record<string, Fault>>

/** Tries of each event that fail; the next one passes. */
export const failuresEach = 3

/** A proxy between a sender and a server. */
export type FaultyProxy = {
  readonly url: string
  /** How often each event was sent in vain, by its identity; bodies without any count as one. */
  readonly failures: ReadonlyMap<string, number>
  /** Those whose senders have heard that they arrived. */
  readonly delivered: ReadonlySet<string>
  close(): Promise<void>
}

/** Opens one before a server. */
export const openFaultyProxy = async (server: string, { isTaken, hears }: Fault): Promise<FaultyProxy> => {
  const failures = new Map<string, number>()
  const delivered = new Set<string>()
  const pass = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const body = await buffer(incoming)
    const ids = isQuestion(incoming) ? [] : idsOf(incoming, body)
    const fails = ids.some(id => (failures.get(id) ?? 0) < failuresEach)
    const answer = !fails || isTaken ? await forward(server, incoming, body) : undefined
    if (fails) for (const id of ids) failures.set(id, (failures.get(id) ?? 0) + 1)
    if (!fails && answer) {
      outgoing.writeHead(answer.status, answer.headers).end(answer.body)
      if (answer.status < 300) for (const id of ids) delivered.add(id)
    } else if (hears === 'nothing') incoming.socket.destroy()
    else outgoing.writeHead(hears, toReadable(incoming.headers.origin)).end()
  }
  const proxy = createServer((incoming, outgoing) => {
    pass(incoming, outgoing).catch(error => outgoing.destroy(error))
  })
  await new Promise<void>(done => proxy.listen(0, '127.0.0.1', done))
  const close = (): Promise<void> =>
    new Promise(done => {
      proxy.close(() => done())
      proxy.closeAllConnections()
    })
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, failures, delivered, close }
}

/** Whether a request brings no events: a preflight, or what SDKs ask before they send. */
const isQuestion = ({ method, url = '' }: IncomingMessage): boolean =>
  method === 'OPTIONS' || (method === 'GET' && !/[?&]eid=/.test(url)) || /^\/(?:flags|decide)\b/.test(url)

/** Headers with which a page of an origin sees the status. */
const toReadable = (origin: string | undefined): Readonly<Record<string, string>> =>
  origin === undefined
    ? {}
    : { 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true', vary: 'Origin' }

/** The identities in a request, as doors know them. */
const idsOf = ({ url = '', headers }: IncomingMessage, body: Buffer): readonly string[] => {
  const plain = findJson(headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body)
  const text = `${url}\n"id":"${String(headers['ce-id'] ?? '')}"\n${plain.toString('latin1')}`
  const ids = Array.from(text.matchAll(identity), ([, inBody, inQuery]) => inBody ?? inQuery ?? '')
  return ids.length > 0 ? [...new Set(ids)] : [createHash('sha256').update(plain).digest('hex')]
}

const identity = /"(?:messageId|uuid|eid|id)"\s*:\s*"([^"]+)"|[?&]eid=([^&\s]+)/g

type Answer = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: Buffer }

const forward = (server: string, { method, url, headers }: IncomingMessage, body: Buffer): Promise<Answer> =>
  new Promise((done, fail) => {
    const { 'transfer-encoding': _, ...sent } = headers
    const target = new URL(url ?? '/', server)
    request(target, { method, headers: { ...sent, 'content-length': body.length }, agent: false }, response => {
      buffer(response).then(
        whole => done({ status: response.statusCode ?? 0, headers: response.headers, body: whole }),
        fail,
      )
    })
      .on('error', fail)
      .end(body)
  })

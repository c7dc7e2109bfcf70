import { Agent, type IncomingMessage, request } from 'node:http'
import type { ClientLedger } from './ledger-of-client.ts'
import { toMark } from './marks.ts'

/** What became of the requests of one client. */
export type KeepAliveCounts = {
  /** Answered 202. */
  accepted: number
  /** Anything else: an answer with another status, a connection that broke. */
  readonly failed: string[]
  /** Sent again on another connection; see {@link createKeepAliveClient}. */
  repeated: number
  /** Answers that ask for another connection. */
  asked: number
}

/** A client that keeps one connection, and sends request after request on it until stopped. */
export type KeepAliveClient = { readonly counts: KeepAliveCounts; stop(): Promise<void> }

/**
 * The one thing it repeats is what RFC 9112 §9.3.1 has clients repeat: a request on a connection that had been used
 * before and turned out to be closed, without a byte of an answer. The server had closed it while it was idle, and has
 * not read the request. Should that be wrong, its event is found twice.
 */
export const createKeepAliveClient = (port: number, ledger: ClientLedger): KeepAliveClient => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const counts: KeepAliveCounts = { accepted: 0, failed: [], repeated: 0, asked: 0 }
  let isOver = false

  const post = async (event: number): Promise<void> => {
    const body = JSON.stringify({ eventName: 'Rolling', payload: { id: toMark(event) } })
    const outcome = await exchange(agent, port, body)
    if (outcome === 'closed while idle') {
      counts.repeated++
      return await post(event)
    }
    if (outcome instanceof Error) return void counts.failed.push(outcome.message)
    if (outcome.headers.connection === 'close') counts.asked++
    if (outcome.statusCode !== 202) return void counts.failed.push(String(outcome.statusCode))
    counts.accepted++
    ledger.acknowledge(event)
  }
  const run = async (): Promise<void> => {
    while (!isOver) await post(ledger.issue())
  }
  const running = run()
  return {
    counts,
    stop: async () => {
      isOver = true
      await running
      agent.destroy()
    },
  }
}

const exchange = (agent: Agent, port: number, body: string): Promise<IncomingMessage | Error | 'closed while idle'> =>
  new Promise(resolve => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const sent = request({ agent, host: '127.0.0.1', port, method: 'POST', path: '/rest/1.0/event', headers })
    sent.on('response', answer => {
      answer.resume()
      answer.on('end', () => resolve(answer))
      answer.on('error', resolve)
    })
    sent.on('error', (error: NodeJS.ErrnoException) => {
      const isClosed = error.code === 'ECONNRESET' || error.code === 'EPIPE'
      resolve(sent.reusedSocket && isClosed ? 'closed while idle' : error)
    })
    sent.end(body)
  })

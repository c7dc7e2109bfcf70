import { Agent, type IncomingMessage, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { maxEvents, type RequestKind, requestKinds, toCrashRequest } from './crash-requests.ts'
import type { ClientLedger } from './ledger-of-client.ts'

/** The outcomes of the requests of one client. */
export type KeepAliveCounts = {
  /** Answered 202. */
  accepted: number
  /** Anything else: an answer with another status, a connection that broke. */
  readonly failed: string[]
  /** Sent again on another connection; see {@link createKeepAliveClient}. */
  repeated: number
}

/** A client that keeps one connection, and sends request after request on it until stopped. */
export type KeepAliveClient = { readonly counts: KeepAliveCounts; stop(): Promise<void> }

/**
 * Events by every route of HTTP, each second request with an `Idempotency-Key`.
 *
 * The one thing it repeats is what RFC 9112 §9.3.1 has clients repeat: a request on a connection that had been used
 * before and turned out to be closed, without a byte of an answer. The server had closed it while it was idle, and has
 * not read the request. Should that be wrong, its event is found twice.
 * @param longestRestMs between two requests; each rest is another one
 */
export const createKeepAliveClient = (port: number, ledger: ClientLedger, longestRestMs: number): KeepAliveClient => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const counts: KeepAliveCounts = { accepted: 0, failed: [], repeated: 0 }
  let isOver = false

  const send = async (kind: RequestKind, events: readonly number[]): Promise<void> => {
    const key = events[0] !== undefined && events[0] % 2 === 0 ? { key: `key ${events[0]}` } : {}
    const outcome = await exchange(agent, port, toCrashRequest('http://proxy', kind, events, key))
    if (outcome === 'closed while idle') {
      counts.repeated++
      return await send(kind, events)
    }
    if (outcome instanceof Error) return void counts.failed.push(`${kind}: ${outcome.message}`)
    if (outcome.statusCode !== 202) return void counts.failed.push(`${kind}: ${outcome.statusCode}`)
    counts.accepted++
    ledger.acknowledge(...events)
  }
  const run = async (): Promise<void> => {
    for (let i = 0; !isOver; i++) {
      const kind = requestKinds[i % requestKinds.length] ?? 'POST JSON'
      await send(
        kind,
        Array.from({ length: maxEvents(kind) }, () => ledger.issue()),
      )
      await pause(Math.random() * longestRestMs)
    }
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

const exchange = async (
  agent: Agent,
  port: number,
  asked: Request,
): Promise<IncomingMessage | Error | 'closed while idle'> => {
  const body = Buffer.from(await asked.arrayBuffer())
  const { pathname, search } = new URL(asked.url)
  const headers = { ...Object.fromEntries(asked.headers), 'content-length': body.length }
  return await new Promise(resolve => {
    const sent = request({ agent, host: '127.0.0.1', port, method: asked.method, path: pathname + search, headers })
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
}

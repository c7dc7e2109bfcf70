import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import { callerOf } from '../call/callers.ts'
import { joinValues } from '../call/node-call.ts'
import { toPeer } from '../call/socket-call.ts'
import { type OnAccess, ofHeaders, unanswered } from './access.ts'

/** Reports every request of Node's server when its answer, or its connection, has ended. */
export const watchRequests = (server: Server | HttpsServer, listener: string, onAccess: OnAccess): void => {
  server.prependListener('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const at = Date.now()
    const begun = performance.now()
    // It cannot be asked for later, when the connection has ended.
    const peer = toPeer(incoming.socket.remoteAddress)
    const count = countContent(outgoing)
    const { url = '' } = incoming
    outgoing.once('close', () => {
      const { method = '', httpVersion } = incoming
      const { headersSent, statusCode } = outgoing
      const hasNoContent = method === 'HEAD' || statusCode === 204 || statusCode === 304 || !headersSent
      onAccess({
        listener,
        peer,
        user: callerOf(incoming),
        at,
        durationMs: performance.now() - begun,
        method,
        target: url,
        httpVersion,
        status: headersSent ? statusCode : unanswered,
        bytes: hasNoContent ? 0 : count(),
        ...ofHeaders(name => joinValues(incoming.headers[name])),
      })
    })
  })
}

/** The bytes written of an answer's content: neither Node nor its socket counts those without head and framing. */
const countContent = (outgoing: ServerResponse): (() => number) => {
  let bytes = 0
  for (const name of ['write', 'end'] as const) {
    const method = outgoing[name].bind(outgoing) as (...args: readonly unknown[]) => unknown
    const counted = (...args: readonly unknown[]): unknown => {
      const [chunk] = args
      if (typeof chunk === 'string') bytes += Buffer.byteLength(chunk)
      else if (chunk instanceof Uint8Array) bytes += chunk.length
      return method(...args)
    }
    Object.assign(outgoing, { [name]: counted })
  }
  return () => bytes
}

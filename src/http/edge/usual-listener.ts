import type { IncomingMessage, ServerResponse } from 'node:http'
import { getRequestListener, RequestError } from '@hono/node-server'
import { SluiceError, toResponse } from '../../errors.ts'
import type { Logger } from '../../log/log.ts'
import { toLogFields, traceOf } from '../../tracing/trace-context.ts'
import { joinValues } from '../call/node-call.ts'
import type { NodeEnv } from '../call/to-call.ts'
import type { EdgeLimits } from '../limits.ts'
import { isBodyPending } from './linger.ts'
import type { NodeListener } from './one-reading.ts'
import { cutOff, pump } from './pump.ts'
import { toLingering } from './write-response.ts'

/** Answers requests without a socket of their own. */
export type EdgeFetch = (request: Request, env: NodeEnv) => Response | Promise<Response>

/** Answers through `Request` and `Response`. The globals stay as they are. */
export const createUsualListener = (fetch: EdgeFetch, logger: Logger, limits: EdgeLimits): NodeListener => {
  const answer = async (request: Request, incoming: IncomingMessage, outgoing: ServerResponse): Promise<Response> => {
    const response = await fetch(request, { incoming, outgoing, pace: limits })
    if (response.type === 'error') return cutOff(outgoing)
    if (response.body === null) announceNoBody(incoming, outgoing, response)
    const answered = isBodyPending(incoming) ? await toLingering(incoming, outgoing, response, limits) : response
    return await pump(answered, outgoing, error => {
      const request = { header: (name: string) => joinValues(incoming.headers[name]) }
      const fields = { err: error, target: incoming.url, ...toLogFields(traceOf(request)) }
      logger.warn(fields, 'a response was cut short: its source failed')
    })
  }
  const listener = getRequestListener(
    // The server speaks HTTP/1.1 only, so these are its own messages and not those of HTTP/2.
    (request, env) => answer(request, env.incoming as IncomingMessage, env.outgoing as ServerResponse),
    {
      overrideGlobalObjects: false,
      autoCleanupIncoming: false,
      // HTTP/1.0 checks of load balancers have no Host.
      hostname: 'localhost',
      errorHandler: error =>
        toResponse(error instanceof RequestError ? new SluiceError('bad-request', error.message) : error),
    },
  )
  return (incoming, outgoing) => void listener(incoming, outgoing)
}

/** Without this an answer without a body is sent as an empty chunked one, five bytes and a second write longer. */
const announceNoBody = ({ method }: IncomingMessage, outgoing: ServerResponse, response: Response): void => {
  const hasNoLength = method === 'HEAD' || response.status === 204 || response.status === 304
  if (!hasNoLength && !response.headers.has('content-length')) outgoing.setHeader('content-length', 0)
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import { SluiceError, toResponse } from '../errors.ts'
import type { Logger } from '../log.ts'
import type { HotRoutes } from './base-call.ts'
import type { EdgeLimits } from './limits.ts'
import { createNodeCall } from './node-call.ts'
import { writeResponse } from './write-response.ts'

/** Answers a request of Node's server. */
export type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => void

/** Answers what the hot routes take, without a `Request`; leaves everything else to the usual listener. */
export const createHotListener = ({
  hot,
  usual,
  limits,
  logger,
}: {
  readonly hot: HotRoutes
  readonly usual: Listener
  readonly limits: EdgeLimits
  readonly logger: Logger
}): Listener => {
  const toErrorResponse = (error: unknown, { url: target }: IncomingMessage): Response => {
    if (!(error instanceof SluiceError)) logger.error({ err: error, target }, 'request failed')
    return toResponse(error)
  }
  /** Never rejects. An answer that is there already is written at once. */
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse, given: Answer): Promise<void> => {
    let response: Response
    try {
      response = given instanceof Response ? given : await given
    } catch (error) {
      response = toErrorResponse(error, incoming)
    }
    try {
      const rest = writeResponse(incoming, outgoing, response, limits)
      if (rest !== undefined) await rest
    } catch (error) {
      logger.error({ err: error }, 'an answer could not be written')
      outgoing.destroy()
    }
  }
  return (incoming, outgoing) => {
    let given: Answer | undefined
    try {
      given = hot(createNodeCall(incoming, outgoing, limits.bodyTimeoutMs))
    } catch (error) {
      given = toErrorResponse(error, incoming)
    }
    if (given === undefined) usual(incoming, outgoing)
    else void answer(incoming, outgoing, given)
  }
}

type Answer = Response | Promise<Response>

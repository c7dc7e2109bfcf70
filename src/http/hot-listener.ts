import type { IncomingMessage, ServerResponse } from 'node:http'
import { OutcomeUnknown, SluiceError, toResponse } from '../errors.ts'
import type { Logger } from '../log/log.ts'
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
    if (!(error instanceof SluiceError || error instanceof OutcomeUnknown))
      logger.error({ err: error, target }, 'request failed')
    return toResponse(error)
  }
  const giveUp = (outgoing: ServerResponse, error: unknown): void => {
    logger.error({ err: error }, 'an answer could not be written')
    outgoing.destroy()
  }
  /** Never throws. */
  const write = (incoming: IncomingMessage, outgoing: ServerResponse, response: Response): void => {
    try {
      writeResponse(incoming, outgoing, response, limits)?.catch(error => giveUp(outgoing, error))
    } catch (error) {
      giveUp(outgoing, error)
    }
  }
  return (incoming, outgoing) => {
    let given: Response | Promise<Response> | undefined
    try {
      given = hot(createNodeCall(incoming, outgoing, limits.bodyTimeoutMs))
    } catch (error) {
      given = toErrorResponse(error, incoming)
    }
    if (given === undefined) usual(incoming, outgoing)
    // An answer that is there already is written at once.
    else if (given instanceof Response) write(incoming, outgoing, given)
    else {
      void given.then(
        response => write(incoming, outgoing, response),
        error => write(incoming, outgoing, toErrorResponse(error, incoming)),
      )
    }
  }
}

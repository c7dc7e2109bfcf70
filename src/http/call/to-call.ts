import type { IncomingMessage, ServerResponse } from 'node:http'
import type { BodyPace } from '../limits.ts'
import type { BaseCall } from './base-call.ts'
import type { CheckedTicket } from './call.ts'
import { createNodeCall } from './node-call.ts'
import { createWebCall } from './web-call.ts'

/** The part of a Hono context that a call is made of. */
export type CallContext = { readonly env: unknown; readonly req: { readonly raw: Request } }

/** What the Node edge passes as `env`. */
export type NodeEnv = {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  readonly pace?: BodyPace
}

/** Tickets that were looked at, for as long as their requests last. */
const tickets = new WeakMap<Request, CheckedTicket>()

/** Puts a ticket on the calls that are made of this context from now on. */
export const keepTicket = ({ req }: CallContext, ticket: CheckedTicket): void => void tickets.set(req.raw, ticket)

/** Builds a call from a Hono context: on Node from the incoming message itself, elsewhere from the `Request`. */
export const toBaseCall = ({ env, req }: CallContext): BaseCall => {
  const ticket = tickets.get(req.raw)
  return isNodeEnv(env)
    ? createNodeCall(env.incoming, env.outgoing, env.pace, ticket)
    : createWebCall(req.raw, '', ticket)
}

/** Whether a request came without a socket, and says nothing of a host: no browser is behind it. */
export const isInMemory = ({ env, req }: CallContext): boolean => !isNodeEnv(env) && !req.raw.headers.has('host')

const isNodeEnv = (env: unknown): env is NodeEnv =>
  typeof env === 'object' && env !== null && 'incoming' in env && 'outgoing' in env

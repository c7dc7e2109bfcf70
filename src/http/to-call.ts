import type { IncomingMessage, ServerResponse } from 'node:http'
import type { BaseCall } from './base-call.ts'
import type { Call } from './call.ts'
import { createNodeCall } from './node-call.ts'
import { createWebCall } from './web-call.ts'

/** The part of a Hono context that a call is made of. */
export type CallContext = { readonly env: unknown; readonly req: { readonly raw: Request } }

/** What the Node edge passes as `env`. */
export type NodeEnv = {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  readonly bodyTimeoutMs?: number
}

/** Builds a `Call` from a Hono context: on Node from the incoming message itself, elsewhere from the `Request`. */
export const toCall = <Params>(context: CallContext, operationId: string, params: Params): Call<Params> =>
  toBaseCall(context).withOperation(operationId, params)

/** A request header by its lower-case name: on Node without building a `Headers` object. */
export const readHeader = ({ env, req }: CallContext, name: string): string | undefined => {
  if (!isNodeEnv(env)) return req.raw.headers.get(name) ?? undefined
  const value = env.incoming.headers[name]
  return typeof value === 'object' ? value.join(', ') : value
}

/** A call before its operation is known. */
export const toBaseCall = ({ env, req }: CallContext): BaseCall =>
  isNodeEnv(env) ? createNodeCall(env.incoming, env.outgoing, env.bodyTimeoutMs) : createWebCall(req.raw)

/** Whether a request came through the Node edge. */
export const isNodeEnv = (env: unknown): env is NodeEnv =>
  typeof env === 'object' && env !== null && 'incoming' in env && 'outgoing' in env

import { type Context, Hono } from 'hono'
import { BeanError } from '../src/beans/bean-error.ts'
import type { Registry } from '../src/beans/registry.ts'
import type { Current } from '../src/current.ts'
import { SluiceError, toResponse } from '../src/errors.ts'
import type { Auth } from '../src/http/auth/auth.ts'
import { toDenied } from '../src/http/auth/token-callers.ts'
import { type Admission, createAdmission } from '../src/http/body/admission.ts'
import { admitBody } from '../src/http/body/admit-body.ts'
import type { BaseCall } from '../src/http/call/base-call.ts'
import type { CheckedTicket, Headers, Identity } from '../src/http/call/call.ts'
import { toBaseCall } from '../src/http/call/to-call.ts'
import { checkSource } from '../src/http/origin/hosts.ts'
import { createAccess } from './access.ts'
import type { Audit } from './audit.ts'
import { toCorsHeaders, toPreflight } from './cors.ts'
import { createJolokiaRoute } from './jolokia/route.ts'
import { createLiveRoute, type LiveRouteOptions } from './live/route.ts'
import type { MetricFamily } from './metrics/metric.ts'
import { createMetricsRoute } from './metrics/route.ts'
import type { Product, ProtocolParts } from './protocol.ts'
import { createQuarantineRoute, type OpenSetAside } from './quarantine-route.ts'
import { type AdminCall, type AdminRoute, adminRoutes } from './routes.ts'
import { createRpcRoute } from './rpc/route.ts'
import { ClientGone, createTurns, type OpenTurns } from './turns.ts'

/** Longest URL, in characters. */
const maxUrlChars = 8_192

/** Bytes of the bodies of all requests in work: a part of this is one client's, so another one always finds room. */
const maxBodiesBytes = 16 * 2 ** 20

/** The dependencies of the management listener. */
export type AdminOptions = {
  readonly registry: Registry
  readonly audit: Audit
  readonly metrics: readonly MetricFamily[]
  readonly product: Product
  /** Events as they come; undefined where no collector runs in this process. */
  readonly live?: LiveRouteOptions['live']
  /** Opens what the spool has set aside; undefined where no collector runs in this process. */
  readonly openSetAside?: OpenSetAside | undefined
  readonly auth: Auth
  /** Where calls may come from: see `toAllowedHosts`; origins of other consoles, in lower case. */
  readonly source: Current<{ readonly allowedHosts: readonly string[]; readonly allowedOrigins: readonly string[] }>
  readonly logger: { error(fields: Readonly<Record<string, unknown>>, message: string): void }
  /** @default Date.now */
  readonly now?: () => number
  /** Monotonic, in ms: decides when to yield. @default performance.now */
  readonly nowMs?: () => number
  /** More routes: the console's. */
  readonly routes?: readonly AdminRoute[]
  /** Answers what no route of this listener does. */
  readonly fallback: (request: Request, env: unknown) => Response | Promise<Response>
}

/** Answers the management listener: `/rpc`, `/jolokia`, `/metrics` and the console. Every route checks where a call comes from. */
export const createAdmin = (
  options: AdminOptions,
): ((request: Request, env?: unknown) => Response | Promise<Response>) => {
  const { registry, audit, product, logger, now = Date.now } = options
  const onUnexpected = (error: unknown): void => {
    if (!(error instanceof ClientGone)) logger.error({ err: error }, 'a management request failed')
  }
  const admission = createAdmission(() => ({ maxInflightBytes: maxBodiesBytes, maxEventQueueSize: 0 }))
  const tools = { ...options, openTurns: createTurns(options.nowMs), admission, onUnexpected }
  const parts: ProtocolParts = { open: createAccess({ registry, audit, now }), product, now, onUnexpected }
  const jolokia = createJolokiaRoute(parts)
  const routes: readonly AdminRoute[] = [
    { ...adminRoutes.rpc, handle: createRpcRoute(parts) },
    { ...adminRoutes.jolokia, handle: jolokia },
    { ...adminRoutes.jolokiaBelow, handle: jolokia },
    { ...adminRoutes.metrics, handle: createMetricsRoute(options.metrics) },
    { ...adminRoutes.live, handle: createLiveRoute({ product, live: options.live }) },
    { ...adminRoutes.quarantine, handle: createQuarantineRoute({ open: options.openSetAside, audit, product, now }) },
    ...(options.routes ?? []),
  ]
  const app = new Hono()
  for (const route of routes) app.all(route.path, context => answer(route, context, tools))
  app.notFound(context => options.fallback(context.req.raw, context.env))
  app.onError(error => {
    if (!(error instanceof SluiceError)) onUnexpected(error)
    return toResponse(error)
  })
  return (request, env) => app.fetch(request, env as object)
}

/** On every answer: values of beans may hold what a client sent, and nothing may take them for a page or a script. */
const always = { 'x-content-type-options': 'nosniff' }

type Tools = Pick<AdminOptions, 'source' | 'auth'> & {
  readonly openTurns: OpenTurns
  readonly admission: Admission
  readonly onUnexpected: (error: unknown) => void
}

const answer = async (route: AdminRoute, context: Context, tools: Tools): Promise<Response> => {
  const { auth } = tools
  const { allowedHosts, allowedOrigins } = tools.source()
  const base = toBaseCall(context)
  checkSource(base, { allowedHosts, allowedOrigins, secure: base.secure })
  if (base.target.length > maxUrlChars)
    throw new SluiceError('uri-too-long', `A URL has at most ${maxUrlChars} characters`)
  const cors = toCorsHeaders(base.header('origin'), allowedOrigins)
  const allow = [...route.methods.flatMap(method => (method === 'GET' ? ['GET', 'HEAD'] : [method])), 'OPTIONS']
  if (base.method === 'OPTIONS') return toPreflight(allow.join(', '), cors)
  const ticket = await auth.checkTicket?.(base)
  const own = {
    ...always,
    ...(ticket?.answer === undefined ? {} : { 'www-authenticate': `Negotiate ${ticket.answer}` }),
  }
  const body = openBody(base, tools.admission)
  try {
    if (!allow.includes(base.method)) {
      const headers = { allow: allow.join(', ') }
      throw new SluiceError('method-not-allowed', `${base.method} is not allowed here; allowed: ${headers.allow}`, {
        headers,
      })
    }
    const call = toAdminCall(base, ticket, body.bytes, tools)
    if (route.roles.length > 0) checkCaller(call, auth, route)
    return withHeaders(await route.handle(call), { ...own, ...cors })
  } catch (error) {
    if (!(error instanceof SluiceError || error instanceof BeanError)) tools.onUnexpected(error)
    const response = toResponse(toHttpError(error))
    return withHeaders(response, { ...(response.status === 401 ? always : own), ...cors })
  } finally {
    body.release()
  }
}

/** The body of a call, counted from its first byte until the call is answered. */
const openBody = (base: BaseCall, admission: Admission) => {
  let release = (): void => {}
  return {
    bytes: async (maxBytes: number): Promise<Uint8Array> => {
      const { bytes, claim } = admitBody(base, admission, maxBytes, { clientAddress: base.peer })
      release = () => claim.release()
      return await bytes
    },
    release: () => release(),
  }
}

const nobody: Identity = { name: 'nobody', has: () => false }

const toAdminCall = (
  base: BaseCall,
  ticket: CheckedTicket | undefined,
  bytes: AdminCall['bytes'],
  { auth, openTurns }: Tools,
): AdminCall => {
  const { peer } = base
  const header: Headers['header'] = name => base.header(name)
  return {
    method: base.method,
    target: base.target,
    peer,
    ticket,
    secure: base.secure,
    header,
    bytes,
    caller: { identity: auth.identify({ header, peer, ticket }) ?? nobody, from: peer },
    turns: openTurns(base),
  }
}

/** @throws SluiceError `unauthenticated` without a valid token, `denied` for one whose roles do not suffice */
const checkCaller = (call: AdminCall, auth: Auth, { roles, also }: AdminRoute): void => {
  const { identity } = call.caller
  // Throws: that is the answer to a missing token.
  if (identity === nobody) auth.authenticate(call)
  if (!roles.some(role => identity.has(role))) throw toDenied(identity, ...roles)
  if (also !== undefined && !identity.has(also)) throw toDenied(identity, also)
}

const toHttpError = (error: unknown): unknown =>
  error instanceof BeanError
    ? new SluiceError(error.code === 'denied' ? 'denied' : 'bad-request', error.message, { cause: error })
    : error

const withHeaders = (response: Response, headers: Readonly<Record<string, string>>): Response => {
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
  return response
}

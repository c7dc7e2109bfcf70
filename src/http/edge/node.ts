import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import type { Socket } from 'node:net'
import { getRequestListener, RequestError } from '@hono/node-server'
import { SluiceError, toResponse } from '../../errors.ts'
import type { Logger } from '../../log/log.ts'
import { toLogFields, traceOf } from '../../tracing/trace-context.ts'
import type { OnAccess } from '../access/access.ts'
import { watchRequests } from '../access/watch-requests.ts'
import type { LaneRoutes } from '../call/base-call.ts'
import { joinValues } from '../call/node-call.ts'
import type { NodeEnv } from '../call/to-call.ts'
import { createLane, type Lane } from '../lane/lane.ts'
import { toLaneAccess } from '../lane/lane-access.ts'
import type { LaneCall } from '../lane/lane-call.ts'
import { defaultEdgeLimits, type EdgeLimits } from '../limits.ts'
import { answerClientError } from './client-error.ts'
import { type ConnectionBudget, createConnectionBudget } from './connection-budget.ts'
import { createDrain } from './drain.ts'
import { isBodyPending } from './linger.ts'
import {
  type Bound,
  createListeningSockets,
  isOutOfFiles,
  type ListeningSockets,
  takesConnections,
} from './listening-sockets.ts'
import { type NodeListener, withOneReading } from './one-reading.ts'
import { answerPlainHttp } from './plain-http.ts'
import { cutOff, pump } from './pump.ts'
import { createRequestGate, type RequestGate } from './request-gate.ts'
import { withTarget } from './request-target.ts'
import { createTlsServer, reloadOnChange, type TlsFiles } from './tls.ts'
import type { StopWatching } from './watch-files.ts'
import { toLingering } from './write-response.ts'

/** A listener of the process: where, what answers, and what bounds it. */
export type EdgeOptions = {
  /** Also the prefix of its settings, for messages: `server` has `server.port`. */
  readonly name: string
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  readonly fetch: (request: Request, env: NodeEnv) => Response | Promise<Response>
  /** The short way for the routes that are called most. @default none: all go through `fetch` */
  readonly lane?: LaneRoutes
  readonly tls?: TlsFiles
  /** With TLS: how long browsers use HTTPS only. @default 0, nothing is sent */
  readonly hstsSeconds?: number
  readonly logger: Logger
  /** Hears of each request when it is over. @default nobody does */
  readonly onAccess?: OnAccess
  readonly limits?: Partial<EdgeLimits>
  /** What the connections of all listeners may take. @default one of its own, without a bound but `maxConnections` */
  readonly budget?: ConnectionBudget
  /** How often certificates are looked at, in ms. */
  readonly tlsCheckMs?: number
  /** Called first when the drain starts: turns readiness off. */
  readonly onDrain?: () => void
}

/** A listening socket with the application behind it. */
export type Edge = {
  readonly name: string
  readonly host: string
  /** The port that is really bound. */
  readonly port: number
  /** For people: `http://127.0.0.1:8080`. */
  readonly url: string
  /** Readiness off, `Connection: close` on every answer, no new connections; resolves when nothing is in flight. */
  close(): Promise<void>
}

/** The socket cannot be opened; the message says which setting to change. */
export class ListenError extends Error {
  override readonly name = 'ListenError'
}

/**
 * Listens, and serves the application on Node.
 * @throws ListenError when the address cannot be used, Error when the certificate cannot
 */
export const createEdge = async (options: EdgeOptions): Promise<Edge> => {
  const limits: EdgeLimits = { ...defaultEdgeLimits, ...options.limits }
  const gate = createRequestGate(limits)
  const server = await createBoundedServer(options, limits, gate)
  const lane = takesConnections ? takeConnections(server, gate, options, limits) : undefined
  const { maxConnections, maxBacklog } = limits
  const { budget = createConnectionBudget(undefined, options.logger) } = options
  const connections = budget.listener(options.name, maxConnections)
  const socket = { allowHalfOpen: options.tls === undefined, noDelay: true }
  const sockets = createListeningSockets(server, { socket, connections, maxBacklog })
  const drain = createDrain(server, sockets, limits, lane)
  server.on('request', withOneReading(withTarget(createUsualListener(options, limits), limits), limits))
  if ('setSecureContext' in server) answerPlainHttp(server)
  else server.on('clientError', answerClientError)
  const hsts = toHsts(options)
  if (options.onAccess) watchRequests(server, options.name, options.onAccess)
  if (hsts) server.prependListener('request', (_, outgoing) => void outgoing.setHeader(...hsts))
  const { host, port } = await listen(sockets, options)
  server.on('error', error => {
    if (isOutOfFiles(error)) connections.lacked()
    else options.logger.error({ err: error, listener: options.name }, 'listener failed')
  })
  const stopWatching = await watchCertificate(server, options)
  const isTls = options.tls !== undefined
  return {
    name: options.name,
    host,
    port,
    url: `${isTls ? 'https' : 'http'}://${toUrlHost(options.host)}:${port}`,
    close: () => {
      if (!drain.isDraining) options.onDrain?.()
      stopWatching()
      return drain.close()
    },
  }
}

const createBoundedServer = async (
  options: EdgeOptions,
  limits: EdgeLimits,
  { ServerResponse }: RequestGate,
): Promise<Server | HttpsServer> => {
  const serverOptions: ServerOptions = {
    maxHeaderSize: limits.maxHeaderBytes,
    headersTimeout: limits.headersTimeoutMs,
    // Uploads may take hours: bodies have their `BodyPace` where read whole, else by inactivity.
    requestTimeout: 0,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: limits.checkEveryMs,
    noDelay: true,
    ServerResponse,
  }
  const server =
    options.tls === undefined ? createServer(serverOptions) : await createTlsServer(options.tls, serverOptions)
  server.timeout = limits.inactivityTimeoutMs
  return server
}

/**
 * Puts the gate, and the lane where there is one, before the server's own reader of connections. The lane has them first,
 * and gives on those that are nothing for it.
 */
const takeConnections = (
  server: Server | HttpsServer,
  gate: RequestGate,
  options: EdgeOptions,
  limits: EdgeLimits,
): Lane | undefined => {
  const event = 'setSecureContext' in server ? 'secureConnection' : 'connection'
  const readers = server.listeners(event)
  server.removeAllListeners(event)
  const handOver = (socket: Socket): void => {
    for (const reader of readers) reader.call(server, socket)
    gate.watch(socket)
  }
  const { lane: routes, logger, name, onAccess } = options
  if (routes === undefined) {
    server.on(event, socket => {
      // One too many, for example.
      if (!socket.destroyed) handOver(socket)
    })
    return undefined
  }
  const toldOf = onAccess && { onAnswered: (call: LaneCall) => onAccess(toLaneAccess(call, name)) }
  const lane = createLane({ routes, limits, logger, handOver, headers: toHsts(options) ?? [], ...toldOf })
  server.on(event, socket => lane.take(socket))
  return lane
}

/** Makes browsers use HTTPS only, for this host name and so many seconds (RFC 6797). */
const toHsts = ({ tls, hstsSeconds }: EdgeOptions): readonly [string, string] | undefined =>
  tls && hstsSeconds ? ['strict-transport-security', `max-age=${hstsSeconds}`] : undefined

/** Through `Request` and `Response`. The globals stay as they are. */
const createUsualListener = ({ fetch, logger }: EdgeOptions, limits: EdgeLimits): NodeListener => {
  const answer = async (request: Request, incoming: IncomingMessage, outgoing: ServerResponse): Promise<Response> => {
    const response = await fetch(request, { incoming, outgoing, pace: limits })
    if (response.type === 'error') return cutOff(outgoing)
    if (response.body === null) announceNoBody(incoming, outgoing, response)
    const answered = isBodyPending(incoming) ? await toLingering(incoming, outgoing, response, limits) : response
    return await pump(answered, outgoing, error => {
      const request = { header: (name: string) => joinValues(incoming.headers[name]) }
      const fields = { err: error, target: incoming.url, ...toLogFields(traceOf(request)) }
      logger.warn(fields, 'an answer was cut off: its source failed')
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

const listen = async (sockets: ListeningSockets, { name, host, port }: EdgeOptions): Promise<Bound> => {
  try {
    return await sockets.listen(host, port)
  } catch (error) {
    throw toListenError(error as NodeJS.ErrnoException, name, host, port)
  }
}

const toListenError = (error: NodeJS.ErrnoException, name: string, host: string, port: number): ListenError => {
  const where = `${toUrlHost(host)}:${port}`
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `another program listens on ${where} already; stop it, or choose another ${name}.port`,
    EACCES: `listening on ${where} is not permitted; choose a ${name}.port from 1024`,
    EADDRNOTAVAIL: `${host} is not an address of this machine; change ${name}.host`,
    ENOTFOUND: `${host} is not known; change ${name}.host`,
  }
  const reason = reasons[error.code ?? ''] ?? `${where} cannot be used: ${error.message}`
  return new ListenError(`The ${name} listener cannot start: ${reason}.`, { cause: error })
}

const watchCertificate = async (server: Server | HttpsServer, options: EdgeOptions): Promise<StopWatching> =>
  options.tls !== undefined && 'setSecureContext' in server
    ? reloadOnChange(server, options.tls, options.logger, options.tlsCheckMs)
    : () => {}

const toUrlHost = (host: string): string => {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}

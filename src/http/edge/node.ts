import { createServer, Server, type ServerOptions } from 'node:http'
import { createServer as createTlsServer, type Server as HttpsServer } from 'node:https'
import type { Socket } from 'node:net'
import type { Watched } from '../../current.ts'
import type { Logger } from '../../log/log.ts'
import type { OnAccess } from '../access/access.ts'
import { watchRequests } from '../access/watch-requests.ts'
import type { LaneRoutes } from '../call/base-call.ts'
import { createLane, type Lane } from '../lane/lane.ts'
import { toLaneAccess } from '../lane/lane-access.ts'
import type { LaneCall } from '../lane/lane-call.ts'
import { defaultEdgeLimits, type EdgeLimits } from '../limits.ts'
import { answerClientError } from './client-error.ts'
import { type ConnectionBudget, type ConnectionCount, createConnectionBudget } from './connection-budget.ts'
import { createDrain } from './drain.ts'
import {
  type Bound,
  createListeningSockets,
  isOutOfFiles,
  type ListeningSockets,
  takesConnections,
} from './listening-sockets.ts'
import { withOneReading } from './one-reading.ts'
import { answerPlainHttp } from './plain-http.ts'
import { createRequestGate, type RequestGate } from './request-gate.ts'
import { withTarget } from './request-target.ts'
import { type KeyPair, toSecureContext } from './tls.ts'
import { createUsualListener, type EdgeFetch } from './usual-listener.ts'

/** A listener of the process: where, what answers, and what bounds it. */
export type EdgeOptions = {
  /** Also the prefix of its settings, for messages: `server` has `server.port`. */
  readonly name: string
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  readonly fetch: EdgeFetch
  /** The short way for the routes that are called most. @default none: all go the usual way */
  readonly lane?: LaneRoutes | undefined
  readonly tls?: Watched<KeyPair> | undefined
  /** With TLS: how long browsers use HTTPS only. @default 0, nothing is sent */
  readonly hstsSeconds?: number
  readonly logger: Logger
  /** Called for each request when it is over. @default no calls */
  readonly onAccess?: OnAccess | undefined
  readonly limits?: Partial<EdgeLimits>
  /** What the connections of all listeners may take. @default one of its own, without a bound but `maxConnections` */
  readonly budget?: ConnectionBudget
  /** Whether other threads listen there as well. @default false */
  readonly isShared?: boolean
  /** Takes connections, ends their TLS, and counts them, in its place. @default sockets of its own */
  readonly front?: (server: Server) => ListeningSockets
  /** Called first when the drain starts: turns readiness off. */
  readonly onDrain?: () => void
}

/** An edge that has no more than the lane: others have what is nothing for that. */
export type OuterEdgeOptions = Omit<EdgeOptions, 'fetch' | 'front'> & {
  /** Takes a connection with all bytes that were not answered still in it, and ends it. @param connections among which it counts */
  readonly handOver: (socket: Socket, connections: ConnectionCount) => void
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
 * @throws ListenError when the address cannot be used
 */
export const createEdge = (options: EdgeOptions): Promise<Edge> => openEdge(options)

/** The same where others serve the application. @throws ListenError when the address cannot be used */
export const createOuterEdge = (options: OuterEdgeOptions): Promise<Edge> => openEdge(options)

type AnyEdgeOptions = Omit<EdgeOptions, 'fetch'> &
  Partial<Pick<EdgeOptions, 'fetch'> & Pick<OuterEdgeOptions, 'handOver'>>

const openEdge = async (options: AnyEdgeOptions): Promise<Edge> => {
  const { name, fetch, tls, logger, front } = options
  const limits: EdgeLimits = { ...defaultEdgeLimits, ...options.limits }
  const { budget = createConnectionBudget(undefined, logger) } = options
  const connections = budget.listener(name, limits.maxConnections)
  const gate = createRequestGate(limits)
  const server = createBoundedServer(front ? undefined : tls, limits, gate)
  const lane = takesConnections ? takeConnections({ server, gate, connections, limits }, options) : undefined
  const listening =
    front && server instanceof Server ? front(server) : createSockets(server, connections, limits, options)
  const drain = createDrain({ server, listening, limits, lane, isForwarding: fetch === undefined })
  if (fetch) {
    server.on('request', withOneReading(withTarget(createUsualListener(fetch, logger, limits), limits), limits))
    const hsts = toHsts(options)
    if (options.onAccess) watchRequests(server, name, options.onAccess)
    if (hsts) server.prependListener('request', (_, outgoing) => void outgoing.setHeader(...hsts))
  }
  if ('setSecureContext' in server) {
    answerPlainHttp(server)
    tls?.onChange(pair => server.setSecureContext(toSecureContext(pair)))
  } else server.on('clientError', answerClientError)
  const { host, port } = await listen(listening, options)
  server.on('error', error => {
    if (isOutOfFiles(error)) connections.lacked()
    else logger.error({ err: error, listener: name }, 'listener failed')
  })
  return {
    name,
    host,
    port,
    url: `${tls ? 'https' : 'http'}://${toUrlHost(options.host)}:${port}`,
    close: () => {
      if (!drain.isDraining) options.onDrain?.()
      return drain.close()
    },
  }
}

const createBoundedServer = (
  tls: Watched<KeyPair> | undefined,
  limits: EdgeLimits,
  { ServerResponse }: RequestGate,
): Server | HttpsServer => {
  const options: ServerOptions = {
    maxHeaderSize: limits.maxHeaderBytes,
    headersTimeout: limits.headersTimeoutMs,
    // Uploads may take hours: bodies have their `BodyPace` where read whole, else by inactivity.
    requestTimeout: 0,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: limits.checkEveryMs,
    noDelay: true,
    ServerResponse,
  }
  const server = tls ? createTlsServer({ ...options, ...toSecureContext(tls.current()) }) : createServer(options)
  server.timeout = limits.inactivityTimeoutMs
  // A property of Node's servers that its types lack: a client that ends its side still gets the answers to the
  // requests before.
  return Object.assign(server, { httpAllowHalfOpen: true })
}

const createSockets = (
  server: Server | HttpsServer,
  connections: ConnectionCount,
  { maxBacklog }: EdgeLimits,
  { tls, isShared }: AnyEdgeOptions,
): ListeningSockets => {
  const socket = { allowHalfOpen: tls === undefined, noDelay: true }
  return createListeningSockets(server, { socket, connections, maxBacklog, isShared })
}

type TakenConnections = {
  readonly server: Server | HttpsServer
  readonly gate: RequestGate
  readonly connections: ConnectionCount
  readonly limits: EdgeLimits
}

/**
 * Puts the gate, and the lane where there is one, before the server's own reader of connections. The lane has them first,
 * and gives on those that are nothing for it.
 */
const takeConnections = (
  { server, gate, connections, limits }: TakenConnections,
  options: AnyEdgeOptions,
): Lane | undefined => {
  const event = 'setSecureContext' in server ? 'secureConnection' : 'connection'
  const readers = server.listeners(event)
  server.removeAllListeners(event)
  const { lane: routes, logger, name, onAccess } = options
  const read = (socket: Socket): void => {
    for (const reader of readers) reader.call(server, socket)
    gate.watch(socket)
    socket.once('end', () => void socket.setTimeout(limits.halfClosedMs))
  }
  // With TLS no client ends its side within the handshake and waits for something; after it some do.
  server.on(event, (socket: Socket) => {
    socket.allowHalfOpen = true
  })
  const { handOver: forward } = options
  const handOver = forward ? (socket: Socket): void => forward(socket, connections) : read
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

/** Makes browsers use HTTPS only, for this host name and this many seconds (RFC 6797). */
const toHsts = ({ tls, hstsSeconds }: AnyEdgeOptions): readonly [string, string] | undefined =>
  tls && hstsSeconds ? ['strict-transport-security', `max-age=${hstsSeconds}`] : undefined

const listen = async (sockets: ListeningSockets, { name, host, port }: AnyEdgeOptions): Promise<Bound> => {
  try {
    return await sockets.listen(host, port)
  } catch (error) {
    if (error instanceof ListenError) throw error
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

const toUrlHost = (host: string): string => {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}

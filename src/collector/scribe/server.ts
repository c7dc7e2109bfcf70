// node-only: listens
import { createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ConnectionBudget, createConnectionBudget } from '../../http/edge/connection-budget.ts'
import {
  type Bound,
  createListeningSockets,
  isOutOfFiles,
  type ListeningSockets,
} from '../../http/edge/listening-sockets.ts'
import { ListenError } from '../../http/edge/node.ts'
import type { Logger } from '../../log/log.ts'
import { startInterval, startTimeout } from '../../runtime/timers.ts'
import type { Collector } from '../collector.ts'
import type { Clock } from '../intake.ts'
import { ScribeConnection } from './connection.ts'
import { defaultScribeLimits, type ScribeLimits } from './limits.ts'
import { createScribeService, type ScribeServiceOptions } from './service.ts'

/** The dependencies of the Scribe port. */
export type ScribeServerOptions = {
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  readonly collector: Pick<Collector, 'submit' | 'counters' | 'admission' | 'longWork' | 'tellRefusal' | 'quota'>
  readonly callLimits: ScribeServiceOptions['callLimits']
  readonly logger: Logger
  /** @default the system's clocks */
  readonly clock?: Clock
  readonly limits?: Partial<ScribeLimits>
  /** What the connections of all listeners may take. @default one of its own */
  readonly budget?: ConnectionBudget
  /** Whether other threads listen there as well. @default false */
  readonly isShared?: boolean
} & Partial<Pick<ScribeServiceOptions, 'startedAt'>>

/** The Scribe port, open. */
export type ScribeServer = {
  readonly host: string
  /** The port that is really bound. */
  readonly port: number
  /** `tcp://127.0.0.1:7911` */
  readonly url: string
  /** After the delay: takes no more calls, answers those in work, and ends every connection; resolves when none is left. */
  close(): Promise<void>
}

/**
 * Listens for Scribe clients: Thrift's binary protocol, framed or not, no TLS and no tokens.
 * @throws ListenError when the address cannot be used
 */
export const createScribeServer = async (options: ScribeServerOptions): Promise<ScribeServer> => {
  const { collector, logger, callLimits, clock = systemClock, startedAt = clock.now() } = options
  const limits: ScribeLimits = { ...defaultScribeLimits, ...options.limits }
  const service = createScribeService({ collector, clock, logger, callLimits, startedAt })
  const connections = new Set<ScribeConnection>()
  let isDraining = false

  const accept = (socket: Socket): void => {
    if (socket.destroyed) return
    const { admission } = collector
    const connection = new ScribeConnection({ socket, service, admission, limits, nowMs: () => clock.monotonicMs() })
    connections.add(connection)
    socket.once('close', () => connections.delete(connection))
    if (isDraining) connection.drain()
  }
  // Half open: a client that has sent all it has to say still gets its answers.
  const socket = { allowHalfOpen: true, noDelay: true, keepAlive: true }
  const server = createServer(socket, accept)
  const { maxConnections, maxBacklog } = limits
  const { budget = createConnectionBudget(undefined, logger) } = options
  const count = budget.listener('scribe', maxConnections)
  const sockets = createListeningSockets(server, { socket, connections: count, maxBacklog, isShared: options.isShared })
  const { port } = await listen(sockets, options)
  server.on('error', error => {
    if (isOutOfFiles(error)) count.lacked()
    else logger.error({ err: error, listener: 'scribe' }, 'listener failed')
  })
  const checking = startInterval(() => {
    for (const connection of connections) connection.check()
  }, limits.checkEveryMs)

  let closed: Promise<void> | undefined
  const close = async (): Promise<void> => {
    if (limits.drainDelayMs > 0) await sleep(limits.drainDelayMs)
    isDraining = true
    const ended = sockets.close()
    for (const connection of connections) connection.drain()
    const limit = startTimeout(() => {
      for (const connection of connections) connection.destroy()
    }, limits.drainMs)
    await ended
    clearTimeout(limit)
    clearInterval(checking)
  }
  return {
    host: options.host,
    port,
    url: toScribeUrl(options.host, port),
    close: () => {
      closed ??= close()
      return closed
    },
  }
}

const systemClock: Clock = { now: Date.now, monotonicMs: () => performance.now() }

const listen = async (sockets: ListeningSockets, { host, port }: ScribeServerOptions): Promise<Bound> => {
  try {
    return await sockets.listen(host, port)
  } catch (error) {
    throw toScribeListenError(error, host, port)
  }
}

/** For people. */
export const toScribeUrl = (host: string, port: number): string =>
  `tcp://${host.includes(':') ? `[${host}]` : host}:${port}`

/** Why the port cannot be opened, and what to do. */
export const toScribeListenError = (error: unknown, host: string, port: number): ListenError => {
  const advice = 'change collector.scribe.host or collector.scribe.port, or set collector.scribe.enabled=false'
  const reason = error instanceof Error ? error.message : String(error)
  const message = `The scribe listener cannot start on ${host}:${port}: ${reason}; ${advice}.`
  return new ListenError(message, { cause: error })
}

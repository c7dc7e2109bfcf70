import type { Socket } from 'node:net'
import type { Logger } from '../../log/log.ts'
import { startInterval } from '../../runtime/timers.ts'
import type { LaneRoutes } from '../call/base-call.ts'
import type { EdgeLimits } from '../limits.ts'
import { createAnswerText } from './answer-text.ts'
import type { LaneCall } from './lane-call.ts'
import { LaneConnection } from './lane-connection.ts'
import type { LaneParts } from './lane-parts.ts'
import { createParseHead } from './parse-head.ts'
import { createSharedReading } from './shared-reading.ts'

export type LaneOptions = {
  readonly routes: LaneRoutes
  readonly limits: EdgeLimits
  readonly logger: Logger
  /** Takes a connection that is nothing for the lane, with all bytes that were not answered still in it. */
  readonly handOver: (socket: Socket) => void
  /** Called for each request when its answer is written, or its connection has ended. @default no calls */
  readonly onAnswered?: (call: LaneCall) => void
  /** Further headers of every answer, names and values in turn. */
  readonly headers?: readonly string[]
}

/**
 * The short way for the few routes that are called tens of thousands of times in a second: connections are read here
 * first, and requests for these routes that arrive whole and plain are answered without `node:http`.
 */
export type Lane = {
  /** Serves a connection from its first byte on. */
  take(socket: Socket): void
  /** Whether a request is under way; undefined for a connection that is not here, or not any more. */
  isBusy(socket: Socket): boolean | undefined
  /** From now on the last answer of each connection closes it. */
  startDraining(): void
  close(): void
}

export const createLane = (options: LaneOptions): Lane => {
  const { routes, limits, logger, handOver, onAnswered, headers = [] } = options
  const connections = new Map<Socket, LaneConnection>()
  let isDraining = false
  let looks = 0
  const lane: LaneParts = {
    parseHead: createParseHead(limits.maxHeaderBytes),
    routes,
    reading: createSharedReading(),
    limits,
    logger,
    handOver,
    toText: createAnswerText(limits, headers),
    onGone: ({ socket }) => void connections.delete(socket),
    onAnswered,
    held: { bytes: 0 },
    waiting: { count: 0 },
    get isDraining() {
      return isDraining
    },
    get looks() {
      return looks
    },
  }
  const timer = startInterval(() => {
    looks++
    for (const connection of connections.values()) connection.look()
  }, limits.checkEveryMs).unref()
  return {
    take: socket => {
      // One too many, for example.
      if (!socket.destroyed) connections.set(socket, new LaneConnection(socket, lane))
    },
    isBusy: socket => connections.get(socket)?.isBusy,
    startDraining: () => {
      isDraining = true
    },
    close: () => clearInterval(timer),
  }
}

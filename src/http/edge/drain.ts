import { Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { startInterval, startTimeout } from '../../runtime/timers.ts'
import type { Lane } from '../lane/lane.ts'
import type { EdgeLimits } from '../limits.ts'
import { isNetServer, type ListeningSockets } from './listening-sockets.ts'

/** Knows the connections of a server, and closes it without failing a request. */
export type Drain = {
  readonly isDraining: boolean
  /**
   * Marks every answer `Connection: close`, serves for `drainDelayMs`, stops accepting, lets requests in flight finish,
   * and closes what is idle. Resolves when no connection is left, at the latest `drainMs` after the delay.
   */
  close(): Promise<void>
}

/** How often idle connections are searched for while draining. */
const sweepEveryMs = 25

/** Time for a turn or two of the event loop. */
const backlogMs = 2

/** What a drain is about. */
export type DrainOptions = {
  readonly server: HttpServer | HttpsServer
  readonly listening: Pick<ListeningSockets, 'close'>
  readonly limits: EdgeLimits
  /** Has some of the connections. */
  readonly lane?: Lane | undefined
  /** Whether the others belong to another owner, who ends them when they are idle. @default false */
  readonly isForwarding?: boolean
}

/** Watches the connections of a server from the start on. */
export const createDrain = ({ server, listening, limits, lane, isForwarding = false }: DrainOptions): Drain => {
  /** Open connections with the answer to the newest request of each. */
  const newest = new Map<Socket, ServerResponse | undefined>()
  const sockets = new Set<Socket>()
  let isDraining = false
  let closed: Promise<void> | undefined

  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.on(server instanceof HttpServer ? 'connection' : 'secureConnection', (socket: Socket) => {
    newest.set(socket, undefined)
    socket.once('close', () => newest.delete(socket))
  })
  server.prependListener('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    newest.set(incoming.socket, outgoing)
    if (isDraining) outgoing.shouldKeepAlive = false
  })
  server.on('timeout', (socket: Socket) => {
    // Inactivity is the client's fault only while the client is the one to act; a slow handler, or a slow file
    // system behind an upload, is not cut off.
    const outgoing = newest.get(socket)
    const waitsForUs =
      outgoing !== undefined &&
      isOpen(outgoing) &&
      !socket.readableEnded &&
      (outgoing.req.isPaused() || (outgoing.req.complete && outgoing.writableLength === 0))
    if (waitsForUs) socket.setTimeout(limits.inactivityTimeoutMs)
    else socket.destroy()
  })

  const sweep = (): void => {
    for (const [socket, outgoing] of newest) {
      const isBusy = lane?.isBusy(socket) ?? (isForwarding || (outgoing !== undefined && isOpen(outgoing)))
      if (!isBusy) socket.destroySoon()
    }
  }
  const close = async (): Promise<void> => {
    isDraining = true
    lane?.startDraining()
    for (const outgoing of newest.values()) {
      if (outgoing !== undefined && !outgoing.headersSent) outgoing.shouldKeepAlive = false
    }
    if (limits.drainDelayMs > 0) await sleep(limits.drainDelayMs)
    const limit = startTimeout(() => {
      for (const socket of sockets) socket.destroy()
    }, limits.drainMs)
    // Connections that the kernel has accepted are taken before they are counted.
    await sleep(backlogMs)
    // A client with a connection may be sending, or opening one more: closing a listener resets the connections that
    // wait for it.
    const graceMs = Math.min(limits.idleGraceMs, limits.drainMs) - limits.drainDelayMs
    if (newest.size > 0 && graceMs > 0) await sleep(graceMs)
    const closed = listening.close()
    sweep()
    const sweeper = startInterval(sweep, sweepEveryMs)
    await closed
    clearTimeout(limit)
    clearInterval(sweeper)
    lane?.close()
    // Ends the timer that looks for slow headers; nothing is left to close.
    if (isNetServer) server.close()
  }
  return {
    get isDraining() {
      return isDraining
    },
    close: () => {
      closed ??= close()
      return closed
    },
  }
}

const isOpen = (outgoing: ServerResponse): boolean => !outgoing.writableFinished && !outgoing.destroyed

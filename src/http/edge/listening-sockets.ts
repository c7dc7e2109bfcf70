// node-only: listens
import type { Server as HttpServer } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import { createServer, type ListenOptions, Server as NetServer, type ServerOpts, type Socket } from 'node:net'
import type { ConnectionCount } from './connection-budget.ts'

/** A server, and what holds for all of its sockets. */
export type ListeningOptions = {
  /** As the server itself was given them. */
  readonly socket: Pick<ServerOpts, 'allowHalfOpen' | 'noDelay' | 'keepAlive'>
  /** Counts open connections, whichever socket took them; refused ones are closed on arrival. */
  readonly connections: ConnectionCount
  /** Connections that wait to be accepted, for each socket. */
  readonly maxBacklog: number
  /** Whether other threads listen there as well, so that it has been found free before. @default false */
  readonly isShared?: boolean | undefined
}

/** Where a server listens. */
export type Bound = { readonly host: string; readonly port: number }

/** The sockets that listen for one server, all on one address. */
export type ListeningSockets = {
  /**
   * Opens them; port 0 takes any free one.
   * @returns the address that is really bound
   * @throws NodeJS.ErrnoException when it cannot be used, `EADDRINUSE` when another program listens there
   */
  listen(host: string, port: number): Promise<Bound>
  /** Takes no more connections; resolves when none is left. */
  close(): Promise<void>
}

/**
 * With a thousand busy connections a turn of the event loop takes some 50 ms: this many sockets accept 300 new ones a
 * second.
 */
const socketCount = 16

const { bun, deno } = process.versions
/** On Bun an http.Server is not a net.Server, whatever `instanceof` says. */
export const isNetServer = bun === undefined
/** Elsewhere a server does not take connections that another one has accepted. */
export const takesConnections = bun === undefined && deno === undefined

/**
 * Several sockets that listen for one server. libuv accepts one connection of a listening socket in a turn of its loop
 * (https://github.com/libuv/libuv/pull/3696), and a turn lasts until all arrived work is done. With one socket a server
 * whose thousand connections are busy would hardly accept a new one: a new client would wait for as long as that lasts,
 * without an answer. The kernel spreads new connections over the sockets of an address that were opened with
 * `SO_REUSEPORT` (socket(7)); without that option, one socket has to do.
 */
export const createListeningSockets = (
  server: NetServer | HttpServer | HttpsServer,
  { socket: socketOptions, connections, maxBacklog: backlog, isShared = false }: ListeningOptions,
): ListeningSockets => {
  const others: NetServer[] = []
  server.prependListener('connection', (socket: Socket) => {
    if (!connections.take()) return void socket.destroy()
    socket.once('close', () => connections.give())
  })

  const openOther = async (options: ListenOptions): Promise<void> => {
    const other = createServer(socketOptions, socket => void server.emit('connection', socket))
    await open(other, options)
    other.on('error', error => void server.emit('error', error))
    others.push(other)
  }
  const listen = async (host: string, port: number): Promise<Bound> => {
    if (!takesConnections) return await open(server, { host, port, backlog })
    const bound = isShared ? { host, port } : await findFree(host, port)
    const shared = { ...bound, backlog, reusePort: true }
    try {
      await open(server, shared)
    } catch (error) {
      if (isShared) throw error
      // Not every system knows the option, and they say so in different ways; what else is wrong stays wrong.
      return await open(server, { ...bound, backlog })
    }
    for (let i = 1; i < socketCount; i++) await openOther(shared)
    return bound
  }
  const close = async (): Promise<void> => {
    await Promise.all([server, ...others].map(stopAccepting))
  }
  return {
    listen: async (host, port) => {
      try {
        return await listen(host, port)
      } catch (error) {
        // None stays behind when the last of them fails.
        if (server.listening) await close()
        throw error
      }
    },
    close,
  }
}

/**
 * A socket that shares its address would also share it with another Sluice that was started by mistake: one that does
 * not share has to find it free first.
 * @throws NodeJS.ErrnoException when it is not
 */
export const findFree = async (host: string, port: number): Promise<Bound> => {
  const probe = createServer()
  const bound = await open(probe, { host, port })
  await stopAccepting(probe)
  return bound
}

/** Whether this system lets several sockets share an address. */
export const sharesAddresses = async (): Promise<boolean> => {
  if (!takesConnections) return false
  const probe = createServer()
  try {
    await open(probe, { host: '127.0.0.1', port: 0, reusePort: true })
  } catch {
    return false
  }
  await stopAccepting(probe)
  return true
}

const open = (server: NetServer | HttpServer | HttpsServer, options: ListenOptions): Promise<Bound> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(options, () => {
      server.off('error', reject)
      const address = server.address()
      if (address === null || typeof address === 'string')
        reject(new TypeError(`${String(address)} is not a TCP address`))
      else resolve({ host: address.address, port: address.port })
    })
  })

/** Whether a listener failed because there was no file descriptor for a connection: one more of those that are refused. */
export const isOutOfFiles = (error: NodeJS.ErrnoException): boolean =>
  error.code === 'EMFILE' || error.code === 'ENFILE'

/** Resolves when no connection is left. */
const stopAccepting = (server: NetServer | HttpServer | HttpsServer): Promise<void> =>
  new Promise(resolve => {
    const done = (): void => resolve()
    // Not the close of http.Server where it can be helped: it cuts idle connections first, whatever is on its way.
    if (isNetServer) NetServer.prototype.close.call(server, done)
    else server.close(done)
  })

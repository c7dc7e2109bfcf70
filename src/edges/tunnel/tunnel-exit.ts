// node-only: listens
import { rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { ListenError } from '../../http/edge/node.ts'
import { startTimeout } from '../../runtime/timers.ts'
import { makeTunnelDirectory, removeDeadTunnels, toSocketPath } from './tunnel-directory.ts'
import { parseTunnelHead, type TunnelHead } from './tunnel-frame.ts'

/** The exit of connections of threads. */
export type TunnelExit = {
  /** Where threads connect. */
  readonly paths: readonly string[]
  /** Takes no more, and resolves when none is left. */
  close(): Promise<void>
}

/** A turn of the event loop takes one connection of each, as in `listening-sockets.ts`. */
const socketCount = 8

/** A thread writes the head as soon as it connects. */
const defaultMaxHeadMs = 10_000

/** Connections that wait to be accepted, for each socket: a thread whose connection does not fit resets its client. */
const backlog = 4_096

/**
 * Listens on local sockets in a directory into which only this user can look.
 * @param onConnection gets each connection as if it had been taken here: with the addresses of its client, and whether TLS was there
 * @throws ListenError when they cannot be made
 */
export const openTunnelExit = async (
  onConnection: (socket: Socket) => void,
  { maxHeadMs = defaultMaxHeadMs }: { readonly maxHeadMs?: number } = {},
): Promise<TunnelExit> => {
  try {
    const exit = await openIn(makeTunnelDirectory(), socket => takeHead(socket, onConnection, maxHeadMs))
    // They take some room, and no more.
    await removeDeadTunnels().catch(() => {})
    return exit
  } catch (error) {
    throw toTunnelError(error)
  }
}

const openIn = async (directory: string, onSocket: (socket: Socket) => void): Promise<TunnelExit> => {
  const servers: Server[] = []
  const remove = (): void => rmSync(directory, { recursive: true, force: true })
  const close = async (): Promise<void> => {
    await Promise.all(servers.map(server => new Promise(resolve => server.close(resolve))))
    process.off('exit', remove)
    remove()
  }
  process.once('exit', remove)
  const paths = Array.from({ length: socketCount }, (_, number) => toSocketPath(directory, number))
  try {
    for (const path of paths) servers.push(await listen(path, onSocket))
  } catch (error) {
    await close()
    throw error
  }
  return { paths, close }
}

const toTunnelError = (error: unknown): ListenError => {
  const reason = error instanceof Error ? error.message : String(error)
  const advice = 'set TMPDIR to a directory with a short path that can be written to, or set server.threads=1'
  return new ListenError(`The sockets between threads cannot be made: ${reason}; ${advice}.`, { cause: error })
}

const listen = (path: string, onSocket: (socket: Socket) => void): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer({ allowHalfOpen: true }, onSocket)
    server.once('error', reject).listen({ path, backlog }, () => {
      server.off('error', reject)
      resolve(server)
    })
  })

/** What begins with anything but a head is ended, and what does not begin in time. */
const takeHead = (socket: Socket, onConnection: (socket: Socket) => void, maxHeadMs: number): void => {
  let held: Buffer = Buffer.alloc(0)
  const onGone = (): void => void socket.destroy()
  const limit = startTimeout(onGone, maxHeadMs)
  const onData = (bytes: Buffer): void => {
    held = held.length === 0 ? bytes : Buffer.concat([held, bytes])
    const parsed = parseOrEnd(socket, held)
    if (parsed === undefined) return
    clearTimeout(limit)
    socket.off('data', onData).off('error', onGone).off('end', onGone).pause()
    // The bytes go back at once: a socket that has some does not end.
    if (parsed.end < held.length) socket.unshift(held.subarray(parsed.end))
    onConnection(withHead(socket, parsed.head))
    socket.resume()
  }
  socket.on('data', onData).on('error', onGone).on('end', onGone)
  socket.once('close', () => clearTimeout(limit))
}

const parseOrEnd = (socket: Socket, bytes: Buffer): ReturnType<typeof parseTunnelHead> => {
  try {
    return parseTunnelHead(bytes)
  } catch {
    socket.destroy()
    return undefined
  }
}

const withHead = (socket: Socket, { encrypted, ...addresses }: TunnelHead): Socket => {
  for (const [name, value] of Object.entries(addresses)) Object.defineProperty(socket, name, { value })
  if (encrypted) Object.defineProperty(socket, 'encrypted', { value: true })
  return socket
}

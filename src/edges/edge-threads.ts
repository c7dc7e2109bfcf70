// node-only: worker threads
import type { Server } from 'node:http'
import { type Bound, findFree, type ListeningSockets } from '../http/edge/listening-sockets.ts'
import { forgetRow } from '../http/edge/shared-counts.ts'
import { createEdgePool, type EdgePool } from './edge-pool.ts'
import type { EdgeStart } from './edge-wire.ts'
import { type EdgeWorkerOptions, startEdgeWorker } from './edge-worker.ts'
import { openTunnelExit, type TunnelExit } from './tunnel-exit.ts'

/** The threads that take the connections of a listener. */
export type EdgeThreads = Pick<EdgePool, 'set' | 'inForce' | 'living'> & {
  /** Takes the place of sockets in front of a server, which gets the connections that are nothing for the threads. */
  readonly front: (server: Server) => ListeningSockets
  /** Lets every connection end, and the threads with their last ones. */
  startDraining(): void
}

export type EdgeThreadsOptions = Omit<EdgeStart, 'host' | 'port' | 'row' | 'tunnels' | 'tellsAccesses'> & {
  readonly count: number
} & Omit<EdgeWorkerOptions, 'start'>

/** Behind the time that a drain may take: then threads are ended. */
const drainReserveMs = 5_000

/** Makes them; they are started when the server listens. */
export const createEdgeThreads = ({ count, state: first, ...options }: EdgeThreadsOptions): EdgeThreads => {
  const { name, hstsSeconds, maxOpenFiles, counts, limits, ...workerOptions } = options
  const tellsAccesses = options.onAccess !== undefined
  const onEnd = (row: number): void => forgetRow(counts, row)
  const pool = createEdgePool({ count, state: first, logger: options.logger, onEnd })

  const listen = async (exit: TunnelExit, host: string, port: number): Promise<Bound> => {
    const bound = await findFree(host, port)
    const all = { ...bound, name, limits, hstsSeconds, maxOpenFiles, counts, tellsAccesses, tunnels: exit.paths }
    await pool.start((row, state) => startEdgeWorker({ ...workerOptions, start: { ...all, row, state } }))
    return bound
  }
  const front = (server: Server): ListeningSockets => {
    let exit: TunnelExit | undefined
    const close = async (withinMs: number): Promise<void> => {
      await pool.ended(withinMs)
      await exit?.close()
    }
    return {
      listen: async (host, port) => {
        exit = await openTunnelExit(socket => server.emit('connection', socket))
        try {
          const bound = await listen(exit, host, port)
          // Its timer for slow heads starts with that.
          server.emit('listening')
          return bound
        } catch (error) {
          await close(0)
          throw error
        }
      },
      close: () => {
        pool.drain()
        return close(limits.drainDelayMs + limits.drainMs + drainReserveMs)
      },
    }
  }
  return {
    front,
    set: changes => pool.set(changes),
    inForce: () => pool.inForce(),
    startDraining: () => pool.drain(),
    get living() {
      return pool.living
    },
  }
}

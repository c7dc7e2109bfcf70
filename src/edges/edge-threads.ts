// node-only: worker threads
import type { Server } from 'node:http'
import { MessageChannel } from 'node:worker_threads'
import { toScribeListenError } from '../collector/scribe/server.ts'
import type { ScribePlace } from '../collector/scribe/settings.ts'
import { type Bound, findFree, type ListeningSockets } from '../http/edge/listening-sockets.ts'
import { forgetRow } from '../http/edge/shared-counts.ts'
import { type OwnCodeOptions, watchOwnCode } from '../runtime/own-code.ts'
import { createEdgePool, type EdgePool, type EdgePoolOptions } from './edge-pool.ts'
import type { EdgeStart, EdgeState } from './edge-wire.ts'
import { type EdgeWorker, type EdgeWorkerOptions, startEdgeWorker } from './edge-worker.ts'
import type { EventDesk } from './event-desk.ts'
import { openTunnelExit, type TunnelExit } from './tunnel/tunnel-exit.ts'

/** The threads that take the connections of a listener. */
export type EdgeThreads = Pick<EdgePool, 'set' | 'inForce' | 'figures'> & {
  /** Takes the place of sockets in front of a server, which gets the connections that are nothing for the threads. */
  readonly front: (server: Server) => ListeningSockets
  /** Lets every connection end, and the threads with their last ones. */
  startDraining(): void
  /** Where they speak Scribe, since they are started; undefined where they do not. */
  readonly scribe: ScribePlace | undefined
}

export type EdgeThreadsOptions = Omit<EdgeStart, PlacesOfThread> & {
  readonly count: number
  /** Keeps the events that they take. @default they take none, and hand everything on */
  readonly desk?: EventDesk | undefined
  /** @default nothing */
  readonly onLost?: EdgePoolOptions['onLost'] | undefined
  /** Called at the start. @default {@link watchOwnCode} */
  readonly watchCode?: ((options: Pick<OwnCodeOptions, 'onUnreadable'>) => () => Promise<boolean>) | undefined
} & Omit<EdgeWorkerOptions, 'start'>

/** What is found out when they are started. */
type PlacesOfThread = 'host' | 'port' | 'row' | 'tunnels' | 'accessesTaken' | 'events' | 'startedAt'

/** After the time that a drain may take: then threads are ended. */
const drainReserveMs = 5_000

/** Makes them; they are started when the server listens. */
export const createEdgeThreads = ({ count, state: first, desk, ...options }: EdgeThreadsOptions): EdgeThreads => {
  const { name, hstsSeconds, maxOpenFiles, counts, limits, scribe: wanted, ...others } = options
  const { watchCode = watchOwnCode, onLost = () => {}, ...workerOptions } = others
  const { logger, onAccess } = options
  const onEnd = (row: number): void => forgetRow(counts, row)
  let isSameCode = async (): Promise<boolean> => true
  const pool = createEdgePool({ count, state: first, logger, onEnd, isSameCode: () => isSameCode(), onLost })
  let scribe: ScribePlace | undefined
  const all = { name, limits, hstsSeconds, maxOpenFiles, counts, startedAt: Date.now() }

  const open = (places: Bound & Pick<EdgeStart, 'tunnels' | 'scribe'>, row: number, state: EdgeState): EdgeWorker => {
    const events = desk && connect(desk, row)
    const accessesTaken = onAccess && new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
    const start = { ...all, ...places, row, state, accessesTaken, events: events?.start }
    try {
      const worker = startEdgeWorker({ ...workerOptions, start })
      if (events) void worker.ended.then(events.disconnect)
      return worker
    } catch (error) {
      events?.disconnect()
      throw error
    }
  }
  const listen = async (exit: TunnelExit, host: string, port: number): Promise<Bound> => {
    const bound = await findFree(host, port)
    scribe = wanted && { ...wanted, ...(await findScribe(wanted)) }
    const starting = pool.start((row, state) => open({ ...bound, tunnels: exit.paths, scribe }, row, state))
    // While they load theirs.
    isSameCode = watchCode({
      onUnreadable: error =>
        logger.error({ err: error }, 'the files of the server cannot be read; no edge thread starts'),
    })
    await starting
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
    inForce: pool.inForce,
    startDraining: () => pool.drain(),
    get figures() {
      return pool.figures
    },
    get scribe() {
      return scribe
    },
  }
}

/** A channel between a thread and the desk. */
const connect = (desk: EventDesk, row: number) => {
  const { port1, port2: port } = new MessageChannel()
  const { start: door, disconnect } = desk.connect(port1, row)
  return { start: { port, door }, disconnect: () => disconnect() }
}

/** @throws ListenError of the Scribe port */
const findScribe = async ({ host, port }: ScribePlace): Promise<Bound> => {
  try {
    return await findFree(host, port)
  } catch (error) {
    throw toScribeListenError(error, host, port)
  }
}

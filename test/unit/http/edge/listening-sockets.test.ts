import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createConnectionBudget } from '../../../../src/http/edge/connection-budget.ts'
import { createListeningSockets, type ListeningSockets } from '../../../../src/http/edge/listening-sockets.ts'
import { silentLogger } from '../../../../src/log/log.ts'

const host = '127.0.0.1'
const socket = { allowHalfOpen: true, noDelay: true }

type Started = {
  readonly server: Server
  readonly sockets: ListeningSockets
  readonly port: number
  /** Connections, in the order they were taken. */
  readonly accepted: readonly Socket[]
  readonly stop: () => Promise<void>
}

const start = async ({ maxConnections = 1_000, port = 0 } = {}): Promise<Started> => {
  const server = createServer(socket)
  const sockets = createListeningSockets(server, {
    socket,
    connections: createConnectionBudget(undefined, silentLogger).listener('server', maxConnections),
    maxBacklog: 1_000,
  })
  const bound = await sockets.listen(host, port)
  const accepted: Socket[] = []
  server.on('connection', connection => accepted.push(connection))
  const stop = async (): Promise<void> => {
    for (const connection of accepted) connection.destroy()
    await sockets.close()
  }
  return { server, sockets, port: bound.port, accepted, stop }
}

/** When this many connections have been accepted. */
const untilTaken = ({ server, accepted }: Started, count: number): Promise<void> =>
  new Promise(resolve => {
    const look = (): void => {
      if (accepted.length < count) return
      server.off('connection', look)
      resolve()
    }
    server.on('connection', look)
    look()
  })

const connectAll = async (port: number, count: number): Promise<Socket[]> => {
  const clients = Array.from({ length: count }, () => connect(port, host))
  onTestFinished(() => {
    for (const client of clients) client.destroy()
  })
  for (const client of clients) client.on('error', () => {})
  await Promise.all(clients.filter(({ connecting }) => connecting).map(client => once(client, 'connect')))
  return clients
}

/** Turns of the event loop, from one look at what has arrived to the next. */
const countTurns = (): { readonly turns: () => number; readonly stop: () => void } => {
  let turns = 0
  let next = setImmediate(function turn() {
    turns++
    next = setImmediate(turn)
  })
  return { turns: () => turns, stop: () => clearImmediate(next) }
}

describe('listening sockets', () => {
  test('R10: take new connections in far fewer turns of the event loop than there are connections', async () => {
    const started = await start()
    const count = 128
    const counter = countTurns()
    await Promise.all([untilTaken(started, count), connectAll(started.port, count)])
    counter.stop()
    // A server with one socket takes as many turns as connections.
    expect(counter.turns()).toBeLessThan(count / 2)
    await started.stop()
  })

  test('count connections together, and close those beyond the limit', async () => {
    const started = await start({ maxConnections: 5 })
    const clients = await connectAll(started.port, 40)
    await new Promise<void>(resolve => {
      let left = 35
      for (const client of clients) {
        client.resume().on('close', () => {
          if (--left === 0) resolve()
        })
      }
    })
    expect(clients.filter(({ destroyed }) => !destroyed)).toHaveLength(5)
    await started.stop()
  })

  test('are one where the system does not let an address be shared', async () => {
    const server = createServer(socket)
    const listen = vi.spyOn(server, 'listen').mockImplementationOnce(() => {
      process.nextTick(() => server.emit('error', Object.assign(new Error('listen ENOTSUP'), { code: 'ENOTSUP' })))
      return server
    })
    const sockets = createListeningSockets(server, {
      socket,
      connections: createConnectionBudget(undefined, silentLogger).listener('server', 10),
      maxBacklog: 10,
    })
    const { port } = await sockets.listen(host, 0)
    expect(listen.mock.calls.map(([options]) => options)).toMatchObject([{ port, reusePort: true }, { port }])
    const taken = once(server, 'connection')
    await connectAll(port, 1)
    const [connection] = await taken
    connection.destroy()
    await sockets.close()
  })

  test('have their address to themselves', async () => {
    const { port, stop } = await start()
    await expect(start({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
    await stop()
    const next = await start({ port })
    expect(next.port).toBe(port)
    await next.stop()
  })

  test('close at once for new clients, and resolve when every connection has ended', async () => {
    const started = await start()
    await Promise.all([untilTaken(started, 40), connectAll(started.port, 40)])
    let isClosed = false
    const closed = started.sockets.close().then(() => {
      isClosed = true
    })
    await expect(once(connect(started.port, host), 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    const [last, ...others] = started.accepted
    await Promise.all(others.map(connection => once(connection.destroy(), 'close')))
    await new Promise(resolve => setImmediate(resolve))
    expect(isClosed).toBe(false)
    last?.destroy()
    await closed
  })
})

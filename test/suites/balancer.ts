import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A balancer of TCP connections, as stands in front of several servers. */
export type Balancer = {
  readonly port: number
  /** From now on new connections may go there. */
  add(port: number): void
  /** New connections go elsewhere, as when a server has said that it is not ready; open ones stay. */
  remove(port: number): void
  close(): Promise<void>
}

/** Passes connections on to its servers, one after the other. */
export const createBalancer = async (): Promise<Balancer> => {
  const targets: number[] = []
  const sockets = new Set<Socket>()
  let turn = 0
  const keep = (socket: Socket): Socket => {
    sockets.add(socket)
    return socket.on('error', () => {}).once('close', () => sockets.delete(socket))
  }
  const server = createServer(client => {
    keep(client)
    const target = targets[turn++ % targets.length]
    if (target === undefined) return void client.destroy()
    const upstream = keep(connect(target, '127.0.0.1'))
    client.pipe(upstream).pipe(client)
    // An end passes through the pipes; a reset has to be passed on.
    client.once('close', () => upstream.destroySoon())
    upstream.once('close', hadError => (hadError ? client.resetAndDestroy() : client.destroySoon()))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    add: port => void targets.push(port),
    remove: port => void targets.splice(targets.indexOf(port), 1),
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

// node-only: sockets
import { connect, type Socket } from 'node:net'
import type { ConnectionCount } from '../../http/edge/connection-budget.ts'
import type { EdgeLimits } from '../../http/limits.ts'
import { startTimeout } from '../../runtime/timers.ts'
import { printTunnelHead } from './tunnel-frame.ts'

/** Both ends of a tunnel. */
const filesOfTunnel = 2

/**
 * Carries connections of this thread to the main thread, each over a local socket of its own: bytes, half closes and resets in
 * both directions, and no more bytes than the other side takes.
 * @param paths where the main thread takes them
 */
export const createTunnelEntrance = (paths: readonly string[], limits: EdgeLimits) => {
  let next = 0
  return (client: Socket, connections: ConnectionCount): void => {
    if (!connections.takeFiles(filesOfTunnel)) return void client.destroy()
    const path = paths[next++ % paths.length] ?? ''
    const tunnel = connect({ path, allowHalfOpen: true })
    tunnel.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EMFILE') connections.lacked()
    })
    tunnel.write(printTunnelHead(client))
    tunnel.on('close', () => connections.giveFiles(filesOfTunnel))
    client.pipe(tunnel)
    tunnel.pipe(client, { end: false })
    endWith(client, tunnel, limits)
  }
}

/** The client's connection ends with the tunnel, and the tunnel with it. */
const endWith = (client: Socket, tunnel: Socket, { inactivityTimeoutMs, lingerMs }: EdgeLimits): void => {
  let goodbye: ReturnType<typeof startTimeout> | undefined
  client.on('error', () => client.destroy())
  // The main thread sees what the tunnel takes, and when it has hung up this end is notified after everything that the
  // client reads.
  client.setTimeout(inactivityTimeoutMs).on('timeout', () => {
    if (tunnel.readableEnded || client.writableLength > 0) client.destroy()
    else client.setTimeout(inactivityTimeoutMs)
  })
  client.on('close', () => {
    clearTimeout(goodbye)
    tunnel.destroy()
  })
  tunnel.on('end', () => {
    client.end()
    const sayGoodbye = (): void => {
      goodbye = startTimeout(() => client.destroy(), lingerMs)
    }
    if (client.writableFinished) sayGoodbye()
    else client.once('finish', sayGoodbye)
  })
  tunnel.on('close', () => {
    // What the client still sends is thrown away: unread it would make of the end a reset, and of the answer nothing.
    if (tunnel.readableEnded) client.resume()
    else reset(client)
  })
}

/** A reset for the client, where its connection can have one. */
const reset = (client: Socket): void => {
  if ('encrypted' in client) client.destroy()
  else client.resetAndDestroy()
}

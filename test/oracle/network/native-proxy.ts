/**
 * A proxy between the server and HDFS for HDFS' own protocol, in front of the name node and the data node, that does to
 * calls and bytes what networks and busy clusters do.
 */
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { findFreePorts } from '../../../scripts/free-ports.ts'
import type { NodeAddress } from '../../../src/filesystem/hdfs/socket/exact-socket.ts'
import type { NetworkProxy } from '../fault-proxy.ts'
import { serveBytes } from './byte-proxy.ts'
import { serveCalls } from './call-proxy.ts'
import { createWeather } from './weather.ts'

/** Where a cluster takes calls and bytes. */
type NativeCluster = {
  /** `hdfs://host:port` */
  readonly namenodeUrl: string
  /** Where the data node takes bytes. */
  readonly dataNode: NodeAddress
  /** The address that clients are given: the proxy listens there. */
  readonly announced: NodeAddress
}

export type NativeProxy = NetworkProxy & {
  /** Bytes that went to and came from data nodes so far. */
  readonly bytes: number
  /** Proofs so far that the name node did not take. */
  readonly refusals: number
}

/** Starts it. @param random 0 to 1 */
export const startNativeProxy = async (
  { namenodeUrl, dataNode, announced }: NativeCluster,
  random: () => number = Math.random,
): Promise<NativeProxy> => {
  const { hostname, port } = new URL(namenodeUrl)
  const [rpcPort = 0] = await findFreePorts(1)
  const weather = createWeather(random)
  let refusals = 0
  let calls = 0
  let bytes = 0
  const watch = {
    weather,
    random,
    called: () => void calls++,
    moved: (more: number) => {
      bytes += more
    },
    refused: () => void refusals++,
  }
  const nameNode = { host: hostname, port: Number(port) }
  const listeners = [
    createListener({ host: '127.0.0.1', port: rpcPort }, client => serveCalls(client, nameNode, watch)),
    createListener(announced, client => serveBytes(client, dataNode, watch)),
  ]
  const each = async (step: 'open' | 'close'): Promise<void> =>
    void (await Promise.all(listeners.map(listener => listener[step]())))
  await each('open')
  return {
    url: `hdfs://${hostname}:${rpcPort}`,
    set: async (fault, aim) => {
      weather.set(fault, aim)
      await each(fault === 'partition' ? 'close' : 'open')
    },
    get hits() {
      return weather.hits
    },
    get calls() {
      return calls
    },
    get bytes() {
      return bytes
    },
    get refusals() {
      return refusals
    },
    close: async () => {
      weather.set('none')
      await each('close')
    },
  }
}

/** A place where connections are taken, or none are. */
const createListener = ({ host, port }: NodeAddress, serve: (client: Socket) => void) => {
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, client => {
    sockets.add(client)
    client.on('close', () => sockets.delete(client))
    serve(client)
  })
  return {
    open: async (): Promise<void> => {
      if (server.listening) return
      server.listen(port, host)
      await once(server, 'listening')
    },
    close: async (): Promise<void> => {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

/**
 * A proxy between a client and HDFS, in front of the name node and of data nodes, that treats their messages as
 * networks do.
 */
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import type { Cluster } from '../../../scripts/hdfs/cluster.ts'
import { createIntake } from '../../unit/filesystem/hdfs/fake-nodes.ts'
import { dataNodeWire, nameNodeWire, type WireMessage, type WireReaders } from './wire.ts'

/** What becomes of one message, and of its connection. */
export type Meeting =
  | 'passes'
  /** It arrives in many pieces. */
  | 'in pieces'
  /** The connection is reset before it. */
  | 'cut before'
  /** The connection is reset when half of it is there. */
  | 'cut within'
  /** It arrives, and nothing more in either direction. */
  | 'cut behind'
  /** It is kept until the client has gone; a node gets it then. */
  | 'held'

/** A message on its way. */
export type Step = WireMessage & { readonly to: 'name node' | 'data node' | 'client' }

export type HdfsProxy = {
  /** For `namenode.url`. */
  readonly namenodeUrl: string
  /** Decides what happens to each message; the messages after it wait meanwhile. */
  meet: (step: Step) => Meeting | Promise<Meeting>
  /** Ends all connections, so that what is next begins with new ones. */
  disconnect(): void
  close(): Promise<void>
}

/** The address where data nodes take blocks behind a proxy: `transferHost` of a cluster. */
export const behindProxy = '127.0.0.2'

/** Starts it before a cluster of this machine whose data nodes listen {@link behindProxy}. */
export const startHdfsProxy = async ({
  namenodeUrl,
  dataNodes,
}: Pick<Cluster, 'namenodeUrl' | 'dataNodes'>): Promise<HdfsProxy> => {
  const sockets = new Set<Socket>()
  const proxy = { meet: (): Meeting => 'passes' } as Pick<HdfsProxy, 'meet'>
  const listen = async (port: number, target: Target): Promise<Server> => {
    const server = createServer({ noDelay: true }, client => {
      const node = connect({ ...target.address, noDelay: true })
      for (const socket of [client, node]) {
        sockets.add(socket)
        socket.on('error', () => {}).on('close', () => sockets.delete(socket))
      }
      relay({ client, node }, target, step => proxy.meet(step))
    })
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return server
  }
  const { hostname, port } = new URL(namenodeUrl.replace(/^hdfs/, 'http'))
  const nameNode = await listen(0, {
    name: 'name node',
    address: { host: hostname, port: Number(port) },
    wire: nameNodeWire,
  })
  const others = dataNodes.map(({ transferPort }) => {
    const address = { host: behindProxy, port: transferPort }
    return listen(transferPort, { name: 'data node', address, wire: dataNodeWire })
  })
  const servers = [nameNode, ...(await Promise.all(others))]
  const address = nameNode.address()
  const disconnect = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return Object.assign(proxy, {
    disconnect,
    namenodeUrl: `hdfs://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    close: async () => {
      disconnect()
      await Promise.all(servers.map(server => new Promise(done => server.close(done))))
    },
  })
}

type Target = {
  readonly name: 'name node' | 'data node'
  readonly address: { readonly host: string; readonly port: number }
  readonly wire: () => WireReaders
}

type Pair = { readonly client: Socket; readonly node: Socket }

const relay = ({ client, node }: Pair, { name, wire }: Target, meet: HdfsProxy['meet']): void => {
  const { toNode, toClient } = wire()
  const gone = new Promise(resolve => client.once('close', resolve))
  const carry = async (
    from: Socket,
    to: Socket,
    towards: Step['to'],
    messages: AsyncGenerator<WireMessage>,
  ): Promise<void> => {
    for await (const { name, bytes } of messages) {
      const meeting = await meet({ name, bytes, to: towards })
      if (meeting === 'passes') to.write(bytes)
      else if (meeting === 'in pieces') await writeInPieces(to, bytes)
      else if (meeting === 'held') {
        await gone
        to.end(bytes)
        return
      } else {
        to.end(
          bytes.subarray(0, { 'cut before': 0, 'cut within': bytes.length >> 1, 'cut behind': bytes.length }[meeting]),
        )
        from.resetAndDestroy()
        return
      }
    }
  }
  // What was read before a side has closed is carried all the same.
  carry(client, node, name, toNode(createIntake(client))).catch(() => node.end())
  carry(node, client, 'client', toClient(createIntake(node))).catch(() => client.end())
}

const writeInPieces = async (to: Socket, bytes: Buffer): Promise<void> => {
  const size = Math.max(bytes.length >> 4, 1)
  for (let from = 0; from < bytes.length; from += size) {
    await new Promise<void>(done => to.write(bytes.subarray(from, from + size), () => done()))
  }
}

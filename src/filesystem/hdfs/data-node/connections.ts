/**
 * Connections to data nodes. A node keeps one for some seconds after a read was taken to its end
 * (`dfs.datanode.socket.reuse.keepalive`, 4 s), and the next read there is asked for at once.
 */

import { release } from '../../../bytes/slabs.ts'
import { startTimeout } from '../../../runtime/timers.ts'
import type { LocatedBlock } from '../name-node/messages.ts'
import { delimited } from '../protobuf/message.ts'
import { ExactSocket, type NodeAddress, nodeName } from '../socket/exact-socket.ts'
import { SaslError } from '../tokens/digest-md5.ts'
import { proveToDataNode } from './handshake.ts'
import { BlockOpResponse, dataTransferVersion, status } from './messages.ts'
import { ReplicaError } from './replica-error.ts'

export type DataNodeConnections = {
  /** Asks for an operation, and resolves when it has begun. Rejects with {@link ReplicaError}, or what broke the connection. */
  begin(address: NodeAddress, operation: DataNodeOperation): Promise<Begun>
  /** An operation is over, and the connection as it was before. */
  giveBack(socket: ExactSocket): void
  close(): void
}

/** An operation of the protocol, as bytes. */
export type DataNodeOperation = {
  readonly code: number
  readonly message: Uint8Array
  /** What proves that we may; of no length where the cluster has no block tokens. */
  readonly token: LocatedBlock['blockToken']
  readonly timeoutMs: number
  /** Whether its connection can be one that was used before. */
  readonly mayReuse: boolean
}

export type Begun = { readonly socket: ExactSocket; readonly response: BlockOpResponse }

/** A little less than the data nodes' own time. */
const keepMs = 2_500
/** Of one node. */
const maxKept = 32
const maxResponseBytes = 64 * 1024

type Kept = { readonly socket: ExactSocket; readonly timer: NodeJS.Timeout }

export const createDataNodeConnections = (): DataNodeConnections => {
  const kept = new Map<string, Kept[]>()

  const take = (address: NodeAddress): ExactSocket | undefined => {
    const all = kept.get(nodeName(address))
    for (;;) {
      const last = all?.pop()
      if (last === undefined) return undefined
      clearTimeout(last.timer)
      if (last.socket.isOpen && !last.socket.hasRest) {
        last.socket.wake()
        return last.socket
      }
      last.socket.destroy(new Error('it has said something unasked'))
    }
  }

  /** Whether data nodes want SASL; unknown until the first of a cluster with block tokens has answered. */
  let isProtected: boolean | undefined

  const connect = async (address: NodeAddress, { token, timeoutMs }: DataNodeOperation): Promise<ExactSocket> => {
    const socket = new ExactSocket(address)
    if (isProtected === false || token.identifier.length === 0) return socket
    try {
      await inTime(socket, timeoutMs, () => proveToDataNode(socket, token))
      isProtected = true
      return socket
    } catch (error) {
      // A node without protection takes it for a protocol of another version, and hangs up.
      if (isProtected || error instanceof SaslError || !socket.wasConnected) throw error
      isProtected = false
      return new ExactSocket(address)
    }
  }

  const begin = async (address: NodeAddress, operation: DataNodeOperation): Promise<Begun> => {
    const used = operation.mayReuse ? take(address) : undefined
    if (used === undefined) return await beginOver(await connect(address, operation), operation)
    // The node may have closed it just now, or has since then. That says nothing of the block.
    return await beginOver(used, operation).catch(async (error: unknown) => {
      if (error instanceof ReplicaError) throw error
      return await beginOver(await connect(address, operation), operation)
    })
  }

  return {
    begin,
    giveBack: socket => {
      const key = nodeName(socket.address)
      const all = kept.get(key) ?? []
      if (!socket.isOpen || socket.hasRest || all.length >= maxKept) {
        socket.destroy(new Error('it is not needed any more'))
        return
      }
      socket.rest()
      const timer = startTimeout(() => {
        kept.set(
          key,
          (kept.get(key) ?? []).filter(one => one.socket !== socket),
        )
        if (kept.get(key)?.length === 0) kept.delete(key)
        socket.destroy(new Error('it was not used for a while'))
      }, keepMs)
      timer.unref()
      all.push({ socket, timer })
      kept.set(key, all)
    },
    close: () => {
      for (const { socket, timer } of [...kept.values()].flat()) {
        clearTimeout(timer)
        socket.destroy(new Error('the file system is closed'))
      }
      kept.clear()
    },
  }
}

const beginOver = (socket: ExactSocket, { code, message, timeoutMs }: DataNodeOperation): Promise<Begun> =>
  inTime(socket, timeoutMs, async () => {
    const version = Buffer.from([dataTransferVersion >> 8, dataTransferVersion & 0xff, code])
    socket.write([version, delimited(message)])
    const lent = await socket.readDelimited(maxResponseBytes)
    const response = BlockOpResponse.decode(lent)
    release(lent)
    if (response.status === status.success) return { socket, response }
    const reason = response.status === status.errorAccessToken ? 'token' : 'refused'
    const words = response.message || `with status ${response.status}`
    throw new ReplicaError(reason, `refused: ${words.slice(0, 400)}`, response.firstBadLink || undefined)
  })

/** A step of a connection, which ends with it where it fails or is late. */
const inTime = async <T>(socket: ExactSocket, timeoutMs: number, step: () => Promise<T>): Promise<T> => {
  const late = Object.assign(new Error(`no answer within ${timeoutMs} ms`), { code: 'ETIMEDOUT' })
  const timer = startTimeout(() => socket.destroy(late), timeoutMs)
  try {
    return await step()
  } catch (error) {
    socket.destroy(error instanceof Error ? error : new Error(String(error)))
    throw error
  } finally {
    clearTimeout(timer)
  }
}

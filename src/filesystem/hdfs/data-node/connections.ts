/**
 * Connections to data nodes. A node keeps one for some seconds after a read was taken to its end
 * (`dfs.datanode.socket.reuse.keepalive`, 4 s), and the next read there is asked for at once.
 */

import { startTimeout } from '../../../runtime/timers.ts'
import type { Demand } from '../conf/demands.ts'
import type { LocatedBlock } from '../name-node/messages.ts'
import { delimited } from '../protobuf/message.ts'
import { type ExactSocket, type NodeAddress, nodeName } from '../socket/exact-socket.ts'
import { readDelimited } from '../socket/read-delimited.ts'
import type { EncryptionKeys } from '../tokens/encryption-keys.ts'
import { createDataNodeEntrance } from './entrance.ts'
import { BlockOpResponse, dataTransferVersion, status } from './messages.ts'
import { ReplicaError } from './replica-error.ts'
import { asStep, isLate } from './step.ts'
import { createUnreached } from './unreached.ts'

export type DataNodeConnections = {
  /** Asks for an operation, and resolves when it has begun. Rejects with {@link ReplicaError}, or what broke the connection. */
  begin(address: NodeAddress, operation: DataNodeOperation): Promise<Begun>
  /** Whether a node took no connection, or was slow, a moment ago, so that others are to be asked first. */
  isUnreached(address: NodeAddress): boolean
  /** Hears that a node was slow. */
  avoid(address: NodeAddress): void
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

/**
 * @param keys by which the cluster encrypts
 * @param onBegun called when an operation has begun
 * @param demand less protection will not do
 */
export const createDataNodeConnections = (
  keys: EncryptionKeys,
  onBegun: () => void = () => {},
  demand?: Demand,
): DataNodeConnections => {
  const entrance = createDataNodeEntrance(keys, demand)
  const kept = new Map<string, Kept[]>()
  const unreached = createUnreached()

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

  const begin = async (address: NodeAddress, operation: DataNodeOperation): Promise<Begun> => {
    const used = operation.mayReuse ? take(address) : undefined
    const start = (socket: ExactSocket): Promise<Begun> => beginOver(socket, operation)
    if (used === undefined) return await entrance.enter(address, operation, start)
    // The node may have closed it just now, or has since then. That says nothing of the block; silence does of the node.
    return await start(used).catch(async (error: unknown) => {
      if (error instanceof ReplicaError || isLate(error)) throw error
      return await entrance.enter(address, operation, start)
    })
  }

  return {
    begin: async (address, operation) => {
      const begun = await unreached.watch(address, begin(address, operation))
      onBegun()
      return begun
    },
    isUnreached: unreached.has,
    avoid: unreached.add,
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
  asStep(socket, timeoutMs, async () => {
    const version = Buffer.from([dataTransferVersion >> 8, dataTransferVersion & 0xff, code])
    socket.write([version, delimited(message)])
    const response = BlockOpResponse.decode(await readDelimited(socket, maxResponseBytes))
    if (response.status === status.success) return { socket, response }
    const reason = response.status === status.errorAccessToken ? 'token' : 'refused'
    const words = response.message || `with status ${response.status}`
    throw new ReplicaError(reason, `refused: ${words.slice(0, 400)}`, response.firstBadLink || undefined)
  })

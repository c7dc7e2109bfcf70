/**
 * What lets us in at a data node:
 *
 *     a cluster that encrypts                SASL, by the key of the cluster
 *     one with block tokens                  SASL, by the token of the block; a node that hangs up then takes calls without
 *     no block tokens, a port below 1024     nothing: such a port only root can have taken
 *
 * Settings differ from node to node while a cluster is restarted, and change. So a node that takes calls without a proof is
 * asked again when it hangs up. One that took a proof is not spoken to without any more, and where a protection is demanded
 * none is: but at a port below 1024, where the demand includes no more than that.
 */
import { type Demand, inWords } from '../conf/demands.ts'
import type { DataEncryptionKey, LocatedBlock } from '../name-node/messages.ts'
import { ExactSocket, type NodeAddress, nodeName } from '../socket/exact-socket.ts'
import { SaslError } from '../tokens/digest-md5.ts'
import type { EncryptionKeys } from '../tokens/encryption-keys.ts'
import { type DataNodeProof, proveToDataNode } from './handshake.ts'
import { ReplicaError } from './replica-error.ts'
import { asStep } from './step.ts'

/** Who wants to be let in: of no length is the token of a cluster without them. */
export type Entrant = { readonly token: LocatedBlock['blockToken']; readonly timeoutMs: number }

export type DataNodeEntrance = {
  /** Begins something on a new connection. Rejects as `proveToDataNode` and `start` do. */
  enter<T>(address: NodeAddress, caller: Entrant, start: (socket: ExactSocket) => Promise<T>): Promise<T>
}

const firstFreePort = 1_024
/** Nodes that are remembered: more than clusters have. */
const maxNodes = 20_000

/**
 * Makes it; it remembers which nodes want a proof.
 * @param demand less protection will not do
 */
export const createDataNodeEntrance = (keys: EncryptionKeys, demand?: Demand): DataNodeEntrance => {
  const wantsProof = new Map<string, boolean>()
  const learn = (name: string, wants: boolean): void => {
    wantsProof.set(name, wants)
    const [oldest] = wantsProof.keys()
    if (wantsProof.size > maxNodes && oldest !== undefined) wantsProof.delete(oldest)
  }

  const prove = async (address: NodeAddress, proof: DataNodeProof, timeoutMs: number): Promise<ExactSocket> => {
    const socket = new ExactSocket(address)
    await asStep(socket, timeoutMs, () => proveToDataNode(socket, proof, demand))
    return socket
  }
  const proveByKey = async (address: NodeAddress, key: DataEncryptionKey, timeoutMs: number): Promise<ExactSocket> => {
    try {
      return await prove(address, { key }, timeoutMs)
    } catch (error) {
      if (!(error instanceof ReplicaError)) throw error
      // It may have been restarted, and know the keys since then only.
      keys.refused(key)
      const next = await keys.get()
      if (next === undefined) throw error
      return await prove(address, { key: next }, timeoutMs)
    }
  }
  const proveByToken = async (address: NodeAddress, { token, timeoutMs }: Entrant): Promise<ExactSocket> => {
    const name = nodeName(address)
    try {
      const socket = await prove(address, { token }, timeoutMs)
      learn(name, true)
      return socket
    } catch (error) {
      // A node without protection takes it for a protocol of another version.
      if (!hasHungUp(error) || wantsProof.get(name)) throw error
      if (demand) throw new ReplicaError('refused', `hung up on a proof, and ${inWords(demand)}`)
      learn(name, false)
      return new ExactSocket(address)
    }
  }

  return {
    enter: async (address, caller, start) => {
      const { token, timeoutMs } = caller
      if (token.identifier.length === 0 && !demand && !keys.isDemanded) return await start(new ExactSocket(address))
      const key = await keys.get()
      if (key !== undefined) return await start(await proveByKey(address, key, timeoutMs))
      if (token.identifier.length === 0 && demand)
        throw new SaslError(`${inWords(demand)}, and the name node gives no block tokens`)
      const isOfRoot = address.port < firstFreePort
      if (isOfRoot && (!demand || demand.qops.includes('auth'))) return await start(new ExactSocket(address))
      const name = nodeName(address)
      if (wantsProof.get(name) === false) {
        try {
          return await start(new ExactSocket(address))
        } catch (error) {
          if (!hasHungUp(error)) throw error
          wantsProof.delete(name)
        }
      }
      return await start(await proveByToken(address, caller))
    },
  }
}

const hasHungUp = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE')

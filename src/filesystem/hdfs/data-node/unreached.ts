import { isNotSent } from '../../cluster/remote-exception.ts'
import { createRecent } from '../../recent.ts'
import { type NodeAddress, nodeName } from '../socket/exact-socket.ts'

/** Data nodes that took no connection, or were slow, a moment ago. */
export type Unreached = {
  /** Hears whether a node took one. */
  readonly watch: <T>(address: NodeAddress, connecting: Promise<T>) => Promise<T>
  readonly add: (address: NodeAddress) => void
  readonly has: (address: NodeAddress) => boolean
}

/** How long a node may send nothing while others have the block and were not asked yet. */
export const slowMs = 5_000
/** How long a node is asked after all others. */
const avoidMs = 60_000

/** @param nowMs monotonic @default performance.now */
export const createUnreached = (nowMs?: () => number): Unreached => {
  const unreached = createRecent<true>(avoidMs, nowMs)
  return {
    watch: async (address, connecting) => {
      try {
        const result = await connecting
        unreached.forget(nodeName(address))
        return result
      } catch (error) {
        if (isNotSent(error)) unreached.add(nodeName(address), true)
        throw error
      }
    },
    add: address => void unreached.add(nodeName(address), true),
    has: address => unreached.find(nodeName(address)) === true,
  }
}

import type { Demand } from '../conf/demands.ts'
import type { DataNodeConnections } from '../data-node/connections.ts'
import { hostOf } from '../data-node/host-of.ts'
import type { DatanodeInfo } from '../name-node/messages.ts'
import type { NameNode } from '../name-node/name-node.ts'
import type { NodeAddress } from '../socket/exact-socket.ts'

/** What files are moved with. */
export type Transfer = {
  readonly nameNode: NameNode
  readonly connections: DataNodeConnections
  /** Identifies this client. */
  readonly clientName: string
  /** How long a node may take to begin. */
  readonly timeoutMs: number
  /** How long a data node may neither send nor take bytes while it is waited for. */
  readonly idleTimeoutMs: number
  /** Whether data nodes are found by their names. @default by their addresses */
  readonly usesHostnames?: boolean | undefined
  /** Less protection of calls will not do. @default what the cluster wants */
  readonly callDemand?: Demand | undefined
  /** The least size of full packets. @default the cluster's setting */
  readonly leastPacketBytes?: number
}

/** Where a data node takes connections. */
export const addressOf = ({ id }: DatanodeInfo, how: Pick<Transfer, 'usesHostnames'>): NodeAddress => ({
  host: hostOf(id, how),
  port: id.xferPort,
})

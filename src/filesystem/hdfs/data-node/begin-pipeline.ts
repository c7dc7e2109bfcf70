/** Begins a pipeline of data nodes for one block (operation WRITE_BLOCK): a new one, or one that goes on with a block. */
import { untilAborted } from '../../abortable.ts'
import type { LocatedBlock } from '../name-node/messages.ts'
import type { ExactSocket, NodeAddress } from '../socket/exact-socket.ts'
import type { DataNodeConnections } from './connections.ts'
import { OpWriteBlock, op, pipelineStage } from './messages.ts'

export type PipelineOptions = {
  readonly connections: DataNodeConnections
  readonly clientName: string
  /** With the nodes of the pipeline, and the generation stamp that the block has had so far. */
  readonly block: LocatedBlock
  /** Of the first of them. */
  readonly address: NodeAddress
  readonly checksumType: number
  readonly bytesPerChecksum: number
  /** How long the pipeline may take to be there. */
  readonly timeoutMs: number
  /** Ends the wait for it. */
  readonly signal?: AbortSignal | undefined
  /** What the pipeline before has left. @default the block is new */
  readonly resumed?: ResumedBlock | undefined
}

/** A block whose pipeline broke. */
export type ResumedBlock = {
  /** Whether only its end was not acknowledged: all nodes have all bytes, and no more are sent. */
  readonly isEnding: boolean
  /** Bytes that all nodes have, and those that some may have. */
  readonly acked: number
  readonly sent: number
  /** Where bytes go on, at a chunk. */
  readonly at: number
  /** By which nodes tell what is written from here on from what one of them has missed. */
  readonly generationStamp: bigint
}

/** Resolves with the connection on which packets go. Rejects with `ReplicaError`, what broke it, or the reason of the abort. */
export const beginPipeline = async (options: PipelineOptions): Promise<ExactSocket> => {
  const { connections, clientName, block, address, checksumType, bytesPerChecksum, timeoutMs, signal, resumed } =
    options
  const [storageType, ...targetStorageTypes] = block.storageTypes
  const [storageId, ...targetStorageIds] = block.storageIDs
  const message = OpWriteBlock.encode({
    header: { baseHeader: { block: block.b, token: block.blockToken }, clientName },
    targets: block.locs.slice(1),
    stage: stageOf(resumed),
    pipelineSize: block.locs.length,
    minBytesRcvd: resumed?.acked ?? 0,
    maxBytesRcvd: resumed?.sent ?? 0,
    latestGenerationStamp: resumed?.generationStamp ?? block.b.generationStamp,
    requestedChecksum: { type: checksumType, bytesPerChecksum },
    storageType,
    targetStorageTypes,
    storageId,
    targetStorageIds,
  })
  const operation = { code: op.writeBlock, message, token: block.blockToken, timeoutMs, mayReuse: false }
  const { socket } = await untilAborted(connections.begin(address, operation), signal, late =>
    late.socket.destroy(new Error('nobody waits for it any more')),
  )
  return socket
}

const stageOf = (resumed: ResumedBlock | undefined): number => {
  if (resumed === undefined) return pipelineStage.setupCreate
  return resumed.isEnding ? pipelineStage.closeRecovery : pipelineStage.setupStreamingRecovery
}

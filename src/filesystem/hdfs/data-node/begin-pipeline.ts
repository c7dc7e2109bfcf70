/** Begins a pipeline of data nodes for one block (operation WRITE_BLOCK): a new block, or one that is continued. */
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
  /** How long it may take to be ready, and each of its acks to arrive, beside what nodes wait for each other. */
  readonly idleTimeoutMs: number
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
  /** Where bytes continue, at a chunk. */
  readonly at: number
  /** By which nodes distinguish later bytes from those that one of them has missed. */
  readonly generationStamp: bigint
}

/**
 * How much longer a node waits than the one after it (`HdfsConstants.READ_TIMEOUT_EXTENSION`): so it can report which
 * one failed.
 */
const readExtensionMs = 5_000

/** How long a pipeline may say nothing. */
export const silenceMsOf = ({ block, idleTimeoutMs }: Pick<PipelineOptions, 'block' | 'idleTimeoutMs'>): number =>
  idleTimeoutMs + block.locs.length * readExtensionMs

/** Resolves with the connection on which packets go. Rejects with `ReplicaError`, what broke it, or the reason of the abort. */
export const beginPipeline = async (options: PipelineOptions): Promise<ExactSocket> => {
  const { connections, clientName, block, address, checksumType, bytesPerChecksum, signal, resumed } = options
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
  const timeoutMs = silenceMsOf(options)
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

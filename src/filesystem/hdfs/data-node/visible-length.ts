/**
 * How much of a block that is still being written can be read: its data nodes say, by calls at their port for them
 * (`dfs.datanode.ipc.address`). The block's token proves that we may ask.
 */
import { remoteOf } from '../../cluster/remote-exception.ts'
import { refusal } from '../../cluster/steps.ts'
import { FileSystemError } from '../../filesystem.ts'
import type { Demand } from '../conf/demands.ts'
import { ExtendedBlock, type LocatedBlock } from '../name-node/messages.ts'
import { signed64 } from '../protobuf/field-types.ts'
import { message, required } from '../protobuf/message.ts'
import { createHadoopRpc } from '../rpc/client.ts'
import type { HadoopIdentity } from '../rpc/identity.ts'
import { hostOf, xferAddrOf } from './host-of.ts'
import { slowMs } from './unreached.ts'

const protocol = 'org.apache.hadoop.hdfs.protocol.ClientDatanodeProtocol'
const Request = message('GetReplicaVisibleLengthRequestProto', { block: required(1, ExtendedBlock) })
/** Negative where a node was started again, and waits to hear how much of the block counts (`ReplicaWaitingToBeRecovered`). */
const Response = message('GetReplicaVisibleLengthResponseProto', { length: required(1, signed64) })

const action = 'look at the end of'

export type VisibleLengthOptions = {
  readonly path: string
  /** Who asks where the cluster has no block tokens. */
  readonly user: string
  /** How long a node may take to answer. */
  readonly timeoutMs: number
  /** Less protection will not do. */
  readonly demand?: Demand | undefined
  /** Whether nodes are found by their names. */
  readonly usesHostnames?: boolean | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * What all data nodes of the block have, as the first one that answers says; 0 where none has the block yet, and the
 * name node knows of no byte. Rejects where none answers, as the last one failed.
 */
export const visibleLengthOf = async (block: LocatedBlock, options: VisibleLengthOptions): Promise<number> => {
  let failure: FileSystemError | undefined
  for (const [at, { id }] of block.locs.entries()) {
    const patience = at < block.locs.length - 1 ? slowMs : Number.POSITIVE_INFINITY
    const timeoutMs = Math.min(options.timeoutMs, patience)
    try {
      const length = await ask({ host: hostOf(id, options), port: id.ipcPort }, block, { ...options, timeoutMs })
      if (length >= 0) return length
      failure = refusal('unavailable', options.path, action, `data node ${xferAddrOf({ id })} was started again`)
    } catch (error) {
      options.signal?.throwIfAborted()
      if (!(error instanceof FileSystemError)) throw error
      if (remoteOf(error)?.exception !== 'ReplicaNotFoundException') failure = error
    }
  }
  if (failure !== undefined) throw failure
  if (!block.b.numBytes) return 0
  throw refusal('unavailable', options.path, action, `no data node has block ${block.b.blockId}`)
}

const ask = async (
  address: { readonly host: string; readonly port: number },
  { b, blockToken: { identifier, password } }: LocatedBlock,
  { path, user, timeoutMs, demand, signal }: VisibleLengthOptions,
): Promise<number> => {
  const identity: HadoopIdentity = identifier.length === 0 ? { user } : { user: '', token: { identifier, password } }
  const identities = { of: () => identity, refused: () => false }
  const rpc = createHadoopRpc({
    addresses: [address],
    protocol,
    identities,
    peer: 'data node',
    timeoutMs,
    demand,
    maxRetries: 0,
  })
  try {
    const request = Request.encode({ block: b })
    const about = { action, path, signal }
    const call = { methodName: 'getReplicaVisibleLength', request, repeatable: true, ...about }
    return Response.decode(await rpc.call(call)).length
  } finally {
    rpc.close()
  }
}

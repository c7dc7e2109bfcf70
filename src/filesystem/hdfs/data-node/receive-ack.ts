import { FormatError } from '../../../errors.ts'
import type { LocatedBlock } from '../name-node/messages.ts'
import type { ExactSocket } from '../socket/exact-socket.ts'
import { readDelimited } from '../socket/read-delimited.ts'
import { PipelineAck, status } from './messages.ts'
import { ReplicaError } from './replica-error.ts'

const maxAckBytes = 16 * 1024
/** The number of a packet that says only that there will be more. */
export const heartbeatSeqno = -1

/**
 * The number of the packet that all nodes of the pipeline have. Rejects with {@link ReplicaError} where one refused it.
 * @param at where the block is, for messages
 */
export const receiveAck = async (socket: ExactSocket, { locs }: LocatedBlock, at: () => number): Promise<number> => {
  const { seqno, reply } = PipelineAck.decode(await readDelimited(socket, maxAckBytes))
  const bad = reply.findIndex(one => one !== status.success)
  if (bad >= 0) {
    const node = locs[bad]
    const name = node && `${node.id.ipAddr}:${node.id.xferPort}`
    throw new ReplicaError('refused', `refused a packet with status ${reply[bad]}`, name)
  }
  if (seqno !== heartbeatSeqno && reply.length !== locs.length) {
    const reason = `an ack of packet ${seqno} by ${reply.length} data nodes instead of ${locs.length}`
    throw new FormatError('data transfer', at(), reason)
  }
  return seqno
}

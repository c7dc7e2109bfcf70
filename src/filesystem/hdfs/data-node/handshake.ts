/**
 * SASL in front of an operation, where the cluster protects its data (`dfs.data.transfer.protection`): the block token is
 * the proof. Each message stands behind its length.
 *
 *     0xDEADBEEF, nothing ─▶ a challenge of DIGEST-MD5 ─▶ its answer ─▶ the node's own proof
 */
import { release } from '../../../bytes/slabs.ts'
import type { LocatedBlock } from '../name-node/messages.ts'
import { bytes, string, uint32 } from '../protobuf/field-types.ts'
import { delimited, message, optional, required } from '../protobuf/message.ts'
import type { ExactSocket } from '../socket/exact-socket.ts'
import { answerChallenge, SaslError } from '../tokens/digest-md5.ts'

const DataTransferEncryptorMessage = message('DataTransferEncryptorMessageProto', {
  status: required(1, uint32),
  payload: optional(2, bytes),
  message: optional(3, string),
})

const magic = Buffer.from('deadbeef', 'hex')
const success = 0
const maxMessageBytes = 64 * 1024
/** What the node calls itself. */
const digestUri = 'hdfs/0'

/** Rejects with {@link SaslError} where the node refuses, or wants more than a proof, and with what broke the connection. */
export const proveToDataNode = async (
  socket: ExactSocket,
  { identifier, password }: LocatedBlock['blockToken'],
): Promise<void> => {
  const send = (payload: Buffer, ...before: readonly Uint8Array[]): void =>
    socket.write([...before, delimited(DataTransferEncryptorMessage.encode({ status: success, payload }))])
  send(Buffer.alloc(0), magic)
  const digest = { username: identifier.toString('base64'), password: password.toString('base64'), digestUri }
  const { response, check } = answerChallenge(await receive(socket), digest, 'dfs.data.transfer.protection')
  send(response)
  check(await receive(socket))
}

const receive = async (socket: ExactSocket): Promise<Buffer> => {
  const lent = await socket.readDelimited(maxMessageBytes)
  const answer = DataTransferEncryptorMessage.decode(Buffer.from(lent))
  release(lent)
  if (answer.status === success) return answer.payload ?? Buffer.alloc(0)
  throw new SaslError(`it refused the block token: ${(answer.message ?? '').slice(0, 400)}`)
}

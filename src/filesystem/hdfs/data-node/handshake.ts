/**
 * SASL before an operation, if the cluster protects its data. Each message follows its length.
 *
 *     0xDEADBEEF, nothing ─▶ a challenge of DIGEST-MD5
 *     its answer, and a cipher that would do ─▶ the node's own proof, and keys of that cipher
 *
 * The proof is the block token (`dfs.data.transfer.protection`), or a key of the whole cluster
 * (`dfs.encrypt.data.transfer`).
 */
import { FormatError } from '../../../errors.ts'
import type { Demand } from '../conf/demands.ts'
import type { DataEncryptionKey, LocatedBlock } from '../name-node/messages.ts'
import { bytes, string, uint32 } from '../protobuf/field-types.ts'
import { delimited, message, type Of, optional, repeated, required } from '../protobuf/message.ts'
import type { ExactSocket } from '../socket/exact-socket.ts'
import type { Protection } from '../socket/protection.ts'
import { readDelimited } from '../socket/read-delimited.ts'
import { aesProtection } from '../tokens/aes.ts'
import { answerChallenge, type Digest } from '../tokens/digest-md5.ts'
import { sealedFrames } from '../tokens/sealed-frames.ts'
import type { SecurityLayer } from '../tokens/security-layer.ts'
import { ReplicaError } from './replica-error.ts'

/** What shows a data node that we may speak to it. */
export type DataNodeProof = { readonly token: LocatedBlock['blockToken'] } | { readonly key: DataEncryptionKey }

const CipherOption = message('CipherOptionProto', {
  suite: required(1, uint32),
  inKey: optional(2, bytes),
  inIv: optional(3, bytes),
  outKey: optional(4, bytes),
  outIv: optional(5, bytes),
})

/** Each message of the handshake. */
export const DataTransferEncryptorMessage = message('DataTransferEncryptorMessageProto', {
  status: required(1, uint32),
  payload: optional(2, bytes),
  message: optional(3, string),
  cipherOption: repeated(4, CipherOption),
})
type DataTransferEncryptorMessage = Of<typeof DataTransferEncryptorMessage>

const magic = Buffer.from('deadbeef', 'hex')
const success = 0
/** `CipherSuiteProto.AES_CTR_NOPADDING` */
const aesCtrNoPadding = 2
const maxMessageBytes = 64 * 1024
/** Java wraps whatever is written at once, which is a packet. */
const maxFrameBytes = 17 * 1024 * 1024
/** What the node calls itself. */
const digestUri = 'hdfs/0'

/**
 * Resolves when the node has proven itself, too, and the connection is protected as it wants. Rejects with `SaslError` where
 * the node wants what is not spoken here, or less than is demanded, with `ReplicaError` where it refuses the proof, and with what broke the connection.
 */
export const proveToDataNode = async (socket: ExactSocket, proof: DataNodeProof, demand?: Demand): Promise<void> => {
  const send = (words: Partial<DataTransferEncryptorMessage>, ...before: readonly Uint8Array[]): void =>
    socket.write([
      ...before,
      delimited(DataTransferEncryptorMessage.encode({ status: success, cipherOption: [], ...words })),
    ])
  send({ payload: Buffer.alloc(0) }, magic)
  const challenge = await receive(socket)
  const { response, qop, check } = answerChallenge(challenge.payload ?? Buffer.alloc(0), toDigest(proof, demand))
  send({ payload: response, cipherOption: qop === 'auth-conf' ? [{ suite: aesCtrNoPadding }] : [] })
  const end = await receive(socket)
  const layer = check(end.payload ?? Buffer.alloc(0))
  if (layer !== undefined) socket.protect(toProtection(layer, end))
}

const toDigest = (proof: DataNodeProof, demand: Demand | undefined): Digest => {
  if ('token' in proof) {
    const { identifier, password } = proof.token
    const setting = 'dfs.data.transfer.protection'
    return { username: toBase64(identifier), password: toBase64(password), digestUri, setting, demand }
  }
  const { keyId, blockPoolId, nonce, encryptionKey } = proof.key
  const username = `${keyId} ${blockPoolId} ${toBase64(nonce)}`
  return {
    username,
    password: toBase64(encryptionKey),
    digestUri,
    setting: 'dfs.encrypt.data.transfer',
    isPrivate: true,
  }
}

const toBase64 = (some: Buffer): string => some.toString('base64')

/** The keys of a cipher are wrapped: the first messages of the layer, and its last ones. */
const toProtection = (layer: SecurityLayer, { cipherOption }: DataTransferEncryptorMessage): Protection => {
  const [option] = cipherOption
  if (option === undefined) return sealedFrames(layer, maxFrameBytes)
  const { suite, inKey, inIv, outKey, outIv } = option
  if (suite !== aesCtrNoPadding || !inKey || !inIv || !outKey || !outIv) {
    throw new FormatError('SASL', 0, `the cipher ${suite} without keys that were asked for`)
  }
  return aesProtection({ inKey: layer.unwrap(inKey), inIv, outKey: layer.unwrap(outKey), outIv })
}

const receive = async (socket: ExactSocket): Promise<DataTransferEncryptorMessage> => {
  const answer = DataTransferEncryptorMessage.decode(await readDelimited(socket, maxMessageBytes))
  if (answer.status === success) return answer
  throw new ReplicaError('token', `refused the proof: ${(answer.message || `status ${answer.status}`).slice(0, 400)}`)
}

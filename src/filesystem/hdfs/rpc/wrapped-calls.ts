/**
 * Calls and answers where a cluster protects them (`hadoop.rpc.protection`): frames in frames, each outer one a message of
 * SASL. Their bytes are one stream, in which a frame may be cut anywhere.
 *
 *     length (4 bytes)  header with the call id of SASL  RpcSaslProto { state WRAP, token = wrapped (length, frame …) }
 */
import { FormatError } from '../../../errors.ts'
import { delimited } from '../protobuf/message.ts'
import { ProtobufReader } from '../protobuf/reader.ts'
import type { Protection } from '../socket/protection.ts'
import { sealedFrames } from '../tokens/sealed-frames.ts'
import type { SecurityLayer } from '../tokens/security-layer.ts'
import { RpcResponseHeader, RpcSasl, rpcStatus, saslCallId, saslState } from './messages.ts'

/** @param header in front of each message that is sent, as of every message of SASL */
export const wrapCalls = (layer: SecurityLayer, header: Uint8Array, maxFrameBytes: number): Protection =>
  sealedFrames(layer, maxFrameBytes, {
    pack: token => delimited(header, RpcSasl.encode({ state: saslState.wrap, token, auths: [] })),
    unpack: frame => {
      const reader = new ProtobufReader(frame)
      const { callId, status } = RpcResponseHeader.read(reader)
      if ((callId | 0) !== saslCallId || status !== rpcStatus.success) refuse(reader.at)
      const { state, token } = RpcSasl.read(reader)
      return state === saslState.wrap && token !== undefined ? token : refuse(reader.at)
    },
  })

const refuse = (at: number): never => {
  throw new FormatError('SASL', at, 'an answer that is not protected')
}

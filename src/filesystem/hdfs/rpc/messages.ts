/** The messages around each call (Hadoop's `RpcHeader.proto`, `ProtobufRpcEngine2.proto`, `IpcConnectionContext.proto`). */
import { bytes, sint32, string, uint32 } from '../protobuf/field-types.ts'
import { message, optional, repeated, required } from '../protobuf/message.ts'

/** `RpcKindProto.RPC_PROTOCOL_BUFFER` */
export const protocolBuffer = 2
/** `OperationProto.RPC_FINAL_PACKET` */
export const finalPacket = 0

export const RpcRequestHeader = message('RpcRequestHeaderProto', {
  rpcKind: optional(1, uint32),
  rpcOp: optional(2, uint32),
  callId: required(3, sint32),
  clientId: required(4, bytes),
  retryCount: optional(5, sint32),
})

/** `RpcStatusProto` */
export const rpcStatus = { success: 0, error: 1, fatal: 2 } as const

export const RpcResponseHeader = message('RpcResponseHeaderProto', {
  /** Written as it is: a negative one is a large one. */
  callId: required(1, uint32),
  status: required(2, uint32),
  exceptionClassName: optional(4, string),
  errorMsg: optional(5, string),
})

/** In front of the request of a call. */
export const RequestHeader = message('RequestHeaderProto', {
  methodName: required(1, string),
  declaringClassProtocolName: required(2, string),
  clientProtocolVersion: required(3, uint32),
})

const UserInformation = message('UserInformationProto', {
  effectiveUser: optional(1, string),
  realUser: optional(2, string),
})

export const IpcConnectionContext = message('IpcConnectionContextProto', {
  userInfo: optional(2, UserInformation),
  protocol: optional(3, string),
})

/** `AuthProtocol.SASL.callId` */
export const saslCallId = -33
/** `SaslState` */
export const saslState = { success: 0, negotiate: 1, initiate: 2, challenge: 3, response: 4, wrap: 5 } as const

const SaslAuth = message('SaslAuth', {
  method: required(1, string),
  mechanism: required(2, string),
  protocol: optional(3, string),
  serverId: optional(4, string),
  challenge: optional(5, bytes),
})

export const RpcSasl = message('RpcSaslProto', {
  version: optional(1, uint32),
  state: required(2, uint32),
  token: optional(3, bytes),
  auths: repeated(4, SaslAuth),
})

/** The messages of the data transfer protocol, version 28 (Hadoop's `datatransfer.proto`), with the fields that are used here. */
import { DatanodeInfo, ExtendedBlock, Token } from '../name-node/messages.ts'
import { bool, count64, sfixed32, sfixed64, sint64, string, uint32, uint64 } from '../protobuf/field-types.ts'
import { message, type Of, optional, repeated, required } from '../protobuf/message.ts'

/** In front of each operation, with its code. */
export const dataTransferVersion = 28
/** `Op` */
export const op = { writeBlock: 80, readBlock: 81 } as const
/** `Status` */
export const status = { success: 0, errorAccessToken: 5, checksumOk: 6 } as const
/** `BlockConstructionStage` */
export const pipelineStage = { setupStreamingRecovery: 3, closeRecovery: 5, setupCreate: 6 } as const
/** `ChecksumTypeProto` */
export const checksumType = { none: 0, crc32: 1, crc32c: 2 } as const

const BaseHeader = message('BaseHeaderProto', { block: required(1, ExtendedBlock), token: optional(2, Token) })

const ClientOperationHeader = message('ClientOperationHeaderProto', {
  baseHeader: required(1, BaseHeader),
  clientName: required(2, string),
})

const Checksum = message('ChecksumProto', { type: required(1, uint32), bytesPerChecksum: required(2, uint32) })

export const OpReadBlock = message('OpReadBlockProto', {
  header: required(1, ClientOperationHeader),
  offset: required(2, count64),
  len: required(3, count64),
  sendChecksums: optional(4, bool),
})

export const OpWriteBlock = message('OpWriteBlockProto', {
  header: required(1, ClientOperationHeader),
  targets: repeated(2, DatanodeInfo),
  stage: required(4, uint32),
  pipelineSize: required(5, uint32),
  minBytesRcvd: required(6, count64),
  maxBytesRcvd: required(7, count64),
  latestGenerationStamp: required(8, uint64),
  requestedChecksum: required(9, Checksum),
  storageType: optional(11, uint32),
  targetStorageTypes: repeated(12, uint32),
  storageId: optional(16, string),
  targetStorageIds: repeated(17, string),
})

const ReadOpChecksumInfo = message('ReadOpChecksumInfoProto', {
  checksum: required(1, Checksum),
  chunkOffset: required(2, count64),
})

export const BlockOpResponse = message('BlockOpResponseProto', {
  status: required(1, uint32),
  firstBadLink: optional(2, string),
  readOpChecksumInfo: optional(4, ReadOpChecksumInfo),
  message: optional(5, string),
})
export type BlockOpResponse = Of<typeof BlockOpResponse>

export const ClientReadStatus = message('ClientReadStatusProto', { status: required(1, uint32) })

export const PacketHeader = message('PacketHeaderProto', {
  offsetInBlock: required(1, sfixed64),
  seqno: required(2, sfixed64),
  lastPacketInBlock: required(3, bool),
  dataLen: required(4, sfixed32),
  syncBlock: optional(5, bool),
})
export type PacketHeader = Of<typeof PacketHeader>

export const PipelineAck = message('PipelineAckProto', { seqno: required(1, sint64), reply: repeated(2, uint32) })

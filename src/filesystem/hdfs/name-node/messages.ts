/** The messages of HDFS that several calls have (Hadoop's `hdfs.proto`, `Security.proto`), with the fields that are used here. */
import {
  bool,
  bytes,
  count64,
  type FieldType,
  int64,
  signed64,
  string,
  uint32,
  uint64,
} from '../protobuf/field-types.ts'
import { message, type Of, optional, repeated, required } from '../protobuf/message.ts'

export const Token = message('TokenProto', {
  identifier: required(1, bytes),
  password: required(2, bytes),
  kind: required(3, string),
  service: required(4, string),
})

/** Of a block that was removed while the name node answered: older ones send the largest `long` (`BlockCommand.NO_ACK`). */
export const removedLength = Number.POSITIVE_INFINITY
const largestLong = 2n ** 63n - 1n

const blockLength: FieldType<number> = {
  ...count64,
  read: reader => {
    const value = reader.varint64()
    if (value === largestLong) return removedLength
    return value <= Number.MAX_SAFE_INTEGER ? Number(value) : reader.fail('expected a number below 2^53')
  },
  write: (writer, value) => (value === removedLength ? writer.varint64(largestLong) : writer.varint(value)),
}

export const ExtendedBlock = message('ExtendedBlockProto', {
  poolId: required(1, string),
  blockId: required(2, uint64),
  generationStamp: required(3, uint64),
  numBytes: optional(4, blockLength),
})
export type ExtendedBlock = Of<typeof ExtendedBlock>

export const DatanodeId = message('DatanodeIDProto', {
  ipAddr: required(1, string),
  hostName: required(2, string),
  datanodeUuid: required(3, string),
  xferPort: required(4, uint32),
  infoPort: required(5, uint32),
  ipcPort: required(6, uint32),
})

/** A name node that hears of a node without its place in the network refuses the call: it is sent back unchanged. */
export const DatanodeInfo = message('DatanodeInfoProto', { id: required(1, DatanodeId), location: optional(8, string) })
export type DatanodeInfo = Of<typeof DatanodeInfo>

export const LocatedBlock = message('LocatedBlockProto', {
  b: required(1, ExtendedBlock),
  /** In its file; -1 where it was asked for by itself. */
  offset: required(2, signed64),
  locs: repeated(3, DatanodeInfo),
  corrupt: required(4, bool),
  blockToken: required(5, Token),
  storageTypes: repeated(7, uint32),
  storageIDs: repeated(8, string),
})
export type LocatedBlock = Of<typeof LocatedBlock>

/** Its content is not needed here: a file that has it is read by other means. */
const Present = message('FileEncryptionInfoProto', {})
const ErasureCodingPolicy = message('ErasureCodingPolicyProto', {})

export const LocatedBlocks = message('LocatedBlocksProto', {
  fileLength: required(1, count64),
  blocks: repeated(2, LocatedBlock),
  underConstruction: required(3, bool),
  /** Also where it is still being written. */
  lastBlock: optional(4, LocatedBlock),
  isLastBlockComplete: required(5, bool),
  fileEncryptionInfo: optional(6, Present),
  ecPolicy: optional(7, ErasureCodingPolicy),
})
export type LocatedBlocks = Of<typeof LocatedBlocks>

export const FsPermission = message('FsPermissionProto', { perm: required(1, uint32) })

/** `FileType` */
export const fileType = { directory: 1, file: 2, symlink: 3 } as const

export const HdfsFileStatus = message('HdfsFileStatusProto', {
  fileType: required(1, uint32),
  path: required(2, bytes),
  length: required(3, count64),
  permission: required(4, FsPermission),
  owner: required(5, string),
  group: required(6, string),
  modificationTime: required(7, signed64),
  accessTime: required(8, signed64),
  replication: optional(10, uint32),
  blocksize: optional(11, count64),
  fileId: optional(13, uint64),
  fileEncryptionInfo: optional(15, Present),
  ecPolicy: optional(17, ErasureCodingPolicy),
  flags: optional(18, uint32),
})
export type HdfsFileStatus = Of<typeof HdfsFileStatus>

export const DirectoryListing = message('DirectoryListingProto', {
  partialListing: repeated(1, HdfsFileStatus),
  remainingEntries: required(2, uint32),
})

/** Java's numbers are signed, and -1 means no quota. */
export const ContentSummaryMessage = message('ContentSummaryProto', {
  length: required(1, int64),
  fileCount: required(2, int64),
  directoryCount: required(3, int64),
  quota: required(4, int64),
  spaceConsumed: required(5, int64),
  spaceQuota: required(6, int64),
})

export const FsServerDefaultsMessage = message('FsServerDefaultsProto', {
  blockSize: required(1, count64),
  bytesPerChecksum: required(2, uint32),
  writePacketSize: required(3, uint32),
  replication: required(4, uint32),
  fileBufferSize: required(5, uint32),
  encryptDataTransfer: optional(6, bool),
  trashInterval: optional(7, count64),
  checksumType: optional(8, uint32),
})

/** By which data nodes encrypt (`dfs.encrypt.data.transfer`). */
export const DataEncryptionKey = message('DataEncryptionKeyProto', {
  keyId: required(1, uint32),
  blockPoolId: required(2, string),
  nonce: required(3, bytes),
  encryptionKey: required(4, bytes),
})
export type DataEncryptionKey = Of<typeof DataEncryptionKey>

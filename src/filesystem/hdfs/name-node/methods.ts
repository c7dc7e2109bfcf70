/** The methods of the name node that are called here (Hadoop's `ClientNamenodeProtocol.proto`), by their names. */
import { bool, bytes, count64, int64, sint64, string, uint32, uint64 } from '../protobuf/field-types.ts'
import {
  type Fields,
  type MessageType,
  message,
  optional,
  repeated,
  required,
  type ValueOf,
} from '../protobuf/message.ts'
import {
  ContentSummaryMessage,
  DataEncryptionKey,
  DatanodeId,
  DatanodeInfo,
  DirectoryListing,
  ExtendedBlock,
  FsPermission,
  FsServerDefaultsMessage,
  HdfsFileStatus,
  LocatedBlock,
  LocatedBlocks,
} from './messages.ts'

/** A method, with what it takes and gives. */
export type Method<Request, Response> = {
  readonly name: string
  readonly Request: MessageType<Request>
  readonly Response: MessageType<Response>
}

const method = <Q extends Fields, A extends Fields>(
  name: string,
  request: Q,
  response: A,
): Method<ValueOf<Q>, ValueOf<A>> => {
  const title = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`
  return {
    name,
    Request: message(`${title}RequestProto`, request),
    Response: message(`${title}ResponseProto`, response),
  }
}

const src = required(1, string)
const clientName = required(2, string)
const result = required(1, bool)

/** `CreateFlagProto` */
export const createFlag = { create: 0x01, overwrite: 0x02, newBlock: 0x20 } as const

export const nameNodeMethods = {
  getFileInfo: method('getFileInfo', { src }, { fs: optional(1, HdfsFileStatus) }),
  getListing: method(
    'getListing',
    { src, startAfter: required(2, bytes), needLocation: required(3, bool) },
    { dirList: optional(1, DirectoryListing) },
  ),
  getBlockLocations: method(
    'getBlockLocations',
    { src, offset: required(2, count64), length: required(3, count64) },
    { locations: optional(1, LocatedBlocks) },
  ),
  mkdirs: method('mkdirs', { src, masked: required(2, FsPermission), createParent: required(3, bool) }, { result }),
  rename2: method('rename2', { src, dst: required(2, string), overwriteDest: required(3, bool) }, {}),
  delete: method('delete', { src, recursive: required(2, bool) }, { result }),
  setPermission: method('setPermission', { src, permission: required(2, FsPermission) }, {}),
  setOwner: method('setOwner', { src, username: optional(2, string), groupname: optional(3, string) }, {}),
  setReplication: method('setReplication', { src, replication: required(2, uint32) }, { result }),
  /** -1 leaves a time as it is. */
  setTimes: method('setTimes', { src, mtime: required(2, int64), atime: required(3, int64) }, {}),
  checkAccess: method('checkAccess', { path: required(1, string), mode: required(2, uint32) }, {}),
  concat: method('concat', { trg: required(1, string), srcs: repeated(2, string) }, {}),
  getContentSummary: method(
    'getContentSummary',
    { path: required(1, string) },
    { summary: required(1, ContentSummaryMessage) },
  ),
  getFsStats: method(
    'getFsStats',
    {},
    { capacity: required(1, int64), used: required(2, int64), remaining: required(3, int64) },
  ),
  getDataEncryptionKey: method('getDataEncryptionKey', {}, { dataEncryptionKey: optional(1, DataEncryptionKey) }),
  getServerDefaults: method('getServerDefaults', {}, { serverDefaults: required(1, FsServerDefaultsMessage) }),

  create: method(
    'create',
    {
      src,
      masked: required(2, FsPermission),
      clientName: required(3, string),
      createFlag: required(4, uint32),
      createParent: required(5, bool),
      replication: required(6, uint32),
      blockSize: required(7, count64),
    },
    { fs: optional(1, HdfsFileStatus) },
  ),
  addBlock: method(
    'addBlock',
    {
      src,
      clientName,
      previous: optional(3, ExtendedBlock),
      excludeNodes: repeated(4, DatanodeInfo),
      fileId: optional(5, uint64),
    },
    { block: required(1, LocatedBlock) },
  ),
  abandonBlock: method(
    'abandonBlock',
    {
      b: required(1, ExtendedBlock),
      src: required(2, string),
      holder: required(3, string),
      fileId: optional(4, uint64),
    },
    {},
  ),
  updateBlockForPipeline: method(
    'updateBlockForPipeline',
    { block: required(1, ExtendedBlock), clientName },
    { block: required(1, LocatedBlock) },
  ),
  updatePipeline: method(
    'updatePipeline',
    {
      clientName: required(1, string),
      oldBlock: required(2, ExtendedBlock),
      newBlock: required(3, ExtendedBlock),
      newNodes: repeated(4, DatanodeId),
      storageIDs: repeated(5, string),
    },
    {},
  ),
  complete: method(
    'complete',
    { src, clientName, last: optional(3, ExtendedBlock), fileId: optional(4, uint64) },
    { result },
  ),
  fsync: method(
    'fsync',
    { src, client: required(2, string), lastBlockLength: optional(3, sint64), fileId: optional(4, uint64) },
    {},
  ),
  append: method(
    'append',
    { src, clientName, flag: optional(3, uint32) },
    { block: optional(1, LocatedBlock), stat: optional(2, HdfsFileStatus) },
  ),
  truncate: method('truncate', { src, newLength: required(2, count64), clientName: required(3, string) }, { result }),
  isFileClosed: method('isFileClosed', { src }, { result }),
  recoverLease: method('recoverLease', { src, clientName }, { result }),
  renewLease: method('renewLease', { clientName: required(1, string) }, {}),
  reportBadBlocks: method('reportBadBlocks', { blocks: repeated(1, LocatedBlock) }, {}),
} as const

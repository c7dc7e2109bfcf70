import { inspect, isDeepStrictEqual } from 'node:util'
import { createChecksums } from '../../../src/filesystem/hdfs/data-node/checksums.ts'
import { BlockOpResponse, PacketHeader, PipelineAck } from '../../../src/filesystem/hdfs/data-node/messages.ts'
import { nameNodeMethods } from '../../../src/filesystem/hdfs/name-node/methods.ts'
import type { MessageType } from '../../../src/filesystem/hdfs/protobuf/message.ts'
import { RpcResponseHeader, RpcSasl } from '../../../src/filesystem/hdfs/rpc/messages.ts'

/** What name nodes and data nodes answer: the first byte says which message the others are. */
export const name = 'hdfs-messages'

const { getListing, getBlockLocations, getFileInfo, addBlock, getContentSummary } = nameNodeMethods

/** What was read can be written, and reads as the same. */
const reads =
  <V>({ decode, encode }: MessageType<V>) =>
  (bytes: Uint8Array): void => {
    const value = decode(bytes)
    const second = decode(encode(value))
    if (!isDeepStrictEqual(second, value)) throw new Error(`${inspect(value)} is another`)
  }

const readings = [
  reads(RpcResponseHeader),
  reads(RpcSasl),
  reads(getListing.Response),
  reads(getBlockLocations.Response),
  reads(getFileInfo.Response),
  reads(addBlock.Response),
  reads(getContentSummary.Response),
  reads(BlockOpResponse),
  reads(PacketHeader),
  reads(PipelineAck),
]

const b = { poolId: 'BP-1', blockId: 2n ** 62n, generationStamp: 1_001n, numBytes: 4_096 }
const id = { ipAddr: '10.0.0.7', hostName: 'dn', datanodeUuid: 'u', xferPort: 9_866, infoPort: 9_864, ipcPort: 9_867 }
const blockToken = { identifier: Buffer.from('i'), password: Buffer.from('p'), kind: 'HDFS_BLOCK_TOKEN', service: '' }
const block = { b, offset: 0, locs: [{ id }], corrupt: false, blockToken, storageTypes: [1], storageIDs: ['DS-1'] }
const locations = { fileLength: 4_096, blocks: [block], underConstruction: false, isLastBlockComplete: true }
const fs = {
  fileType: 2,
  path: Buffer.from('name'),
  length: 4_096,
  permission: { perm: 0o644 },
  owner: 'o',
  group: 'g',
  modificationTime: 1,
  accessTime: 0,
}
const checksum = { type: 2, bytesPerChecksum: 512 }

export const corpus = (): Uint8Array[] =>
  [
    RpcResponseHeader.encode({ callId: 7, status: 1, exceptionClassName: 'java.io.IOException', errorMsg: 'x' }),
    RpcSasl.encode({ state: 1, auths: [{ method: 'TOKEN', mechanism: 'DIGEST-MD5', challenge: Buffer.from('n') }] }),
    getListing.Response.encode({ dirList: { partialListing: [fs], remainingEntries: 3 } }),
    getBlockLocations.Response.encode({ locations }),
    getFileInfo.Response.encode({ fs }),
    addBlock.Response.encode({ block }),
    getContentSummary.Response.encode({
      summary: { length: 1n, fileCount: 1n, directoryCount: 1n, quota: -1n, spaceConsumed: 1n, spaceQuota: -1n },
    }),
    BlockOpResponse.encode({ status: 0, readOpChecksumInfo: { checksum, chunkOffset: 0 } }),
    PacketHeader.encode({ offsetInBlock: 0, seqno: 0, lastPacketInBlock: false, dataLen: 512 }),
    PipelineAck.encode({ seqno: -1, reply: [0, 0] }),
  ].map((bytes, at) => Buffer.concat([Uint8Array.of(at), bytes]))

export const run = (bytes: Uint8Array): void => {
  const [first = 0] = bytes
  const rest = bytes.subarray(1)
  readings[first % readings.length]?.(rest)
  createChecksums(first % 3, 512).findWrong(Buffer.alloc(4 * bytes.length), Buffer.from(rest))
}

import { once } from 'node:events'
import { createServer } from 'node:net'
import { FileSystemError } from '../../../src/filesystem/filesystem.ts'
import { BlockReader, type BlockReaderOptions } from '../../../src/filesystem/hdfs/data-node/block-reader.ts'
import { BlockWriter } from '../../../src/filesystem/hdfs/data-node/block-writer.ts'
import { createDataNodeConnections } from '../../../src/filesystem/hdfs/data-node/connections.ts'
import { DataTransferEncryptorMessage } from '../../../src/filesystem/hdfs/data-node/handshake.ts'
import { BlockOpResponse, PacketHeader, PipelineAck } from '../../../src/filesystem/hdfs/data-node/messages.ts'
import { toFileSystemError } from '../../../src/filesystem/hdfs/errors.ts'
import type { LocatedBlock } from '../../../src/filesystem/hdfs/name-node/messages.ts'
import { nameNodeMethods } from '../../../src/filesystem/hdfs/name-node/methods.ts'
import { clientProtocol, createNameNode } from '../../../src/filesystem/hdfs/name-node/name-node.ts'
import { delimited } from '../../../src/filesystem/hdfs/protobuf/message.ts'
import { createHadoopRpc } from '../../../src/filesystem/hdfs/rpc/client.ts'
import { RpcResponseHeader, RpcSasl } from '../../../src/filesystem/hdfs/rpc/messages.ts'
import { type NodeAddress, nodeName } from '../../../src/filesystem/hdfs/socket/exact-socket.ts'

/**
 * A name node, or a data node, that says what it likes and hangs up: the first byte says what it is asked for, the others
 * are what it says on each connection.
 */
export const name = 'hdfs-nodes'

const content = Buffer.alloc(700, 'x')

/** Sends as soon as a client connects. */
const startNode = async () => {
  let words: Uint8Array = content
  const server = createServer(socket => {
    socket.on('error', () => {})
    socket.resume()
    socket.end(words)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    address: { host: '127.0.0.1', port },
    say: (bytes: Uint8Array) => {
      words = bytes
    },
    close: () => void server.close(),
  }
}

let node: ReturnType<typeof startNode> | undefined
type Node = Awaited<ReturnType<typeof startNode>>

/** A call at a name node. */
const call =
  (token?: { readonly identifier: Uint8Array; readonly password: Uint8Array }) =>
  async ({ address }: Node): Promise<void> => {
    const identities = { of: () => ({ user: 'ann', token }), refused: () => false }
    const limits = { timeoutMs: 20_000, maxRetries: 0 }
    const rpc = createHadoopRpc({
      addresses: [address],
      protocol: clientProtocol,
      identities,
      peer: 'name node',
      ...limits,
    })
    try {
      await createNameNode(rpc).call(nameNodeMethods.getListing, listing, { action: 'list', path: '/f' })
    } finally {
      rpc.close()
    }
  }

const listing = { src: '/f', startAfter: Buffer.alloc(0), needLocation: false }

const blockAt = (address: NodeAddress, numBytes: number, identifier: string): LocatedBlock => ({
  b: { poolId: 'BP', blockId: 7n, generationStamp: 1n, numBytes },
  offset: 0,
  locs: [
    {
      id: { ipAddr: address.host, hostName: 'dn', datanodeUuid: 'u', xferPort: address.port, infoPort: 0, ipcPort: 0 },
    },
  ],
  corrupt: false,
  blockToken: { identifier: Buffer.from(identifier), password: Buffer.from('p'), kind: '', service: '' },
  storageTypes: [1],
  storageIDs: ['DS-1'],
})

const limits = { timeoutMs: 20_000, idleTimeoutMs: 20_000, clientName: 'client' }

/** Something that is done at a data node, by connections of its own. */
const atDataNode =
  (identifier: string, length: number, use: (options: BlockOptions) => Promise<void>) =>
  async ({ address }: Node): Promise<void> => {
    const connections = createDataNodeConnections({ get: async () => undefined, refused: () => {} })
    try {
      await use({ ...limits, connections, address, block: blockAt(address, length, identifier) })
    } catch (error) {
      throw toFileSystemError(error, `data node ${nodeName(address)}`, 'use', '/f')
    } finally {
      connections.close()
    }
  }

type BlockOptions = Omit<BlockReaderOptions, 'start' | 'end'>

/** What is read is no more than was asked for. */
const read = async (options: BlockOptions): Promise<void> => {
  const reader = await BlockReader.open({ ...options, start: 100, end: 700 })
  let length = 0
  for (let bytes = await reader.read(); bytes !== undefined; bytes = await reader.read()) length += bytes.length
  if (length !== 600) throw new TypeError(`${length} bytes were read`)
}

const write = async (options: BlockOptions): Promise<void> => {
  const sums = { checksumType: 2, bytesPerChecksum: 512, packetBytes: 65_536, syncBlock: false }
  const writer = await BlockWriter.open({ ...options, ...sums })
  await writer.write(content)
  await writer.finish()
}

const ways = [
  call(),
  call({ identifier: content, password: content }),
  atDataNode('', content.length, read),
  atDataNode('token', content.length, read),
  atDataNode('', 0, write),
]

const framed = (...messages: readonly Uint8Array[]): Buffer => {
  const body = delimited(...messages)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(body.length)
  return Buffer.concat([length, body])
}

const answerTo = (callId: number): Buffer => RpcResponseHeader.encode({ callId: callId >>> 0, status: 0 })
const challenge = Buffer.from('realm="0",nonce="x",qop="auth-int",charset=utf-8,algorithm=md5-sess')
const way = { method: 'TOKEN', mechanism: 'DIGEST-MD5', protocol: '', serverId: 'default', challenge }

/** A packet without sums. */
const packetOf = (seqno: number, offsetInBlock: number, data: Buffer): Buffer => {
  const lastPacketInBlock = data.length === 0
  const header = PacketHeader.encode({ offsetInBlock, seqno, lastPacketInBlock, dataLen: data.length })
  const lengths = Buffer.alloc(6)
  lengths.writeInt32BE(4 + data.length, 0)
  lengths.writeUInt16BE(header.length, 4)
  return Buffer.concat([lengths, header, data])
}

const checksum = { type: 0, bytesPerChecksum: 512 }
const begun = delimited(BlockOpResponse.encode({ status: 0, readOpChecksumInfo: { checksum, chunkOffset: 0 } }))

export const corpus = (): Uint8Array[] =>
  [
    framed(
      answerTo(0),
      nameNodeMethods.getListing.Response.encode({ dirList: { partialListing: [], remainingEntries: 0 } }),
    ),
    Buffer.concat([
      framed(answerTo(-33), RpcSasl.encode({ state: 1, auths: [way] })),
      framed(answerTo(-33), RpcSasl.encode({ state: 0, token: Buffer.from(`rspauth=${'0'.repeat(32)}`), auths: [] })),
    ]),
    Buffer.concat([
      begun,
      packetOf(0, 0, content.subarray(0, 512)),
      packetOf(1, 512, content.subarray(512)),
      packetOf(2, 700, Buffer.alloc(0)),
    ]),
    Buffer.concat([
      delimited(DataTransferEncryptorMessage.encode({ status: 0, payload: challenge, cipherOption: [] })),
      delimited(DataTransferEncryptorMessage.encode({ status: 0, payload: Buffer.from('rspauth='), cipherOption: [] })),
    ]),
    Buffer.concat([begun, ...[0, 1].map(seqno => delimited(PipelineAck.encode({ seqno, reply: [0] })))]),
  ].map((bytes, at) => Buffer.concat([Uint8Array.of(at), bytes]))

/** Each of them is done, or fails with words that name the path and the node. */
export const run = async (bytes: Uint8Array): Promise<void> => {
  node ??= startNode()
  const own = await node
  own.say(bytes.subarray(1))
  const [first = 0] = bytes
  try {
    await ways[first % ways.length]?.(own)
  } catch (error) {
    if (error instanceof FileSystemError && error.cause instanceof TypeError) throw error.cause
    if (!(error instanceof FileSystemError) || !/^Cannot \w+ "\/f": ./.test(error.message)) throw error
    if (/ETIMEDOUT|undefined/.test(error.message)) throw error
  }
}

export const close = async (): Promise<void> => {
  const own = await node
  node = undefined
  own?.close()
}

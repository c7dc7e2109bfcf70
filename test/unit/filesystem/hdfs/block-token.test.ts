/** The outcome of a read whose block token a data node does not take any more. */
import { expect, onTestFinished, test } from 'vitest'
import { createDataNodeConnections } from '../../../../src/filesystem/hdfs/data-node/connections.ts'
import { BlockOpResponse, OpReadBlock, PacketHeader } from '../../../../src/filesystem/hdfs/data-node/messages.ts'
import { readBlockFile } from '../../../../src/filesystem/hdfs/files/read-file.ts'
import type { LocatedBlocks } from '../../../../src/filesystem/hdfs/name-node/messages.ts'
import { nameNodeMethods } from '../../../../src/filesystem/hdfs/name-node/methods.ts'
import { clientProtocol, createNameNode } from '../../../../src/filesystem/hdfs/name-node/name-node.ts'
import { delimited } from '../../../../src/filesystem/hdfs/protobuf/message.ts'
import { createHadoopRpc } from '../../../../src/filesystem/hdfs/rpc/client.ts'
import { fakeDataNode, fakeNameNode } from './fake-nodes.ts'

const content = Buffer.from('some words')

const packetOf = (seqno: number, data: Buffer): Buffer => {
  const isLast = data.length === 0
  const place = { offsetInBlock: isLast ? content.length : 0, seqno, lastPacketInBlock: isLast }
  const header = PacketHeader.encode({ ...place, dataLen: data.length })
  const lengths = Buffer.alloc(6)
  lengths.writeInt32BE(4 + data.length, 0)
  lengths.writeUInt16BE(header.length, 4)
  return Buffer.concat([lengths, header, data])
}

/** One file, whose data node takes one token, and whose name node gives them out in turn. */
const open = async (taken: string, ...given: string[]) => {
  const seen: string[] = []
  const node = await fakeDataNode(async ({ message, send, readDelimited, cut }) => {
    const token = OpReadBlock.decode(message).header.baseHeader.token?.password.toString() ?? ''
    seen.push(token)
    if (token !== taken) {
      send(delimited(BlockOpResponse.encode({ status: 5, message: 'the block token has expired' })))
      return cut()
    }
    const checksum = { type: 0, bytesPerChecksum: 512 }
    const begun = BlockOpResponse.encode({ status: 0, readOpChecksumInfo: { checksum, chunkOffset: 0 } })
    send(delimited(begun), packetOf(0, content), packetOf(1, Buffer.alloc(0)))
    await readDelimited()
  })
  const locate = (): LocatedBlocks => {
    const id = { ipAddr: node.host, hostName: 'dn', datanodeUuid: 'u', xferPort: node.port, infoPort: 0, ipcPort: 0 }
    // Without an identifier nothing is proven in front: the token goes with the operation only.
    const blockToken = {
      identifier: Buffer.alloc(0),
      password: Buffer.from(given.shift() ?? ''),
      kind: '',
      service: '',
    }
    const b = { poolId: 'BP', blockId: 7n, generationStamp: 1n, numBytes: content.length }
    const block = { b, offset: 0, locs: [{ id }], corrupt: false, blockToken, storageTypes: [1], storageIDs: ['DS'] }
    return { fileLength: content.length, blocks: [block], underConstruction: false, isLastBlockComplete: true }
  }
  const { address } = await fakeNameNode(() =>
    nameNodeMethods.getBlockLocations.Response.encode({ locations: locate() }),
  )
  const identities = { of: () => ({ user: 'ann' }), refused: () => false }
  const limits = { timeoutMs: 10_000, maxRetries: 0 }
  const rpc = createHadoopRpc({
    addresses: [address],
    protocol: clientProtocol,
    identities,
    peer: 'name node',
    ...limits,
  })
  const nameNode = createNameNode(rpc)
  const connections = createDataNodeConnections({ get: async () => undefined, refused: () => {} })
  onTestFinished(() => {
    connections.close()
    nameNode.close()
  })
  const transfer = { nameNode, connections, clientName: 'client', timeoutMs: 10_000, idleTimeoutMs: 10_000 }
  const read = async () => Buffer.concat(await Array.fromAsync(await readBlockFile(transfer, '/f', locate(), {})))
  return { read, seen }
}

test('the block is located again, once, and its new token is used', async () => {
  const { read, seen } = await open('new', 'old', 'new')
  expect((await read()).toString()).toBe(content.toString())
  expect(seen).toEqual(['old', 'new'])
})

test('a node that takes no token is an error that says so', async () => {
  const { read, seen } = await open('none', 'first', 'second', 'third')
  await expect(read()).rejects.toThrow(
    /^Cannot read "\/f": data node 127\.0\.0\.1:\d+ refused: the block token has expired$/,
  )
  expect(seen).toEqual(['first', 'second'])
})

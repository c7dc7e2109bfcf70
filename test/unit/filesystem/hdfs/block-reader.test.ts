import { expect, onTestFinished, test } from 'vitest'
import { BlockReader } from '../../../../src/filesystem/hdfs/data-node/block-reader.ts'
import { createChecksums } from '../../../../src/filesystem/hdfs/data-node/checksums.ts'
import { createDataNodeConnections } from '../../../../src/filesystem/hdfs/data-node/connections.ts'
import { BlockOpResponse } from '../../../../src/filesystem/hdfs/data-node/messages.ts'
import { packetHead } from '../../../../src/filesystem/hdfs/data-node/packets.ts'
import type { LocatedBlock } from '../../../../src/filesystem/hdfs/name-node/messages.ts'
import { delimited } from '../../../../src/filesystem/hdfs/protobuf/message.ts'
import { fakeDataNode, type SeenOperation } from './fake-nodes.ts'

const packetBytes = 1_024
const content = Buffer.from(Uint8Array.from({ length: 4 * packetBytes }, (_, at) => (at * 31) % 251))

const toPacket = (number: number): Buffer => {
  const offsetInBlock = number * packetBytes
  const data = content.subarray(offsetInBlock, offsetInBlock + packetBytes)
  const header = { offsetInBlock, seqno: number, lastPacketInBlock: data.length === 0, dataLen: data.length }
  const { head, at } = packetHead(header, (data.length / 512) * 4)
  createChecksums(2, 512).write([data], head, at)
  return Buffer.concat([head, data])
}

/** A reader of a block, whose node does so once it has begun. */
const open = async (serve: (operation: SeenOperation) => void): Promise<BlockReader> => {
  const checksum = { type: 2, bytesPerChecksum: 512 }
  const response = BlockOpResponse.encode({ status: 0, readOpChecksumInfo: { checksum, chunkOffset: 0 } })
  const { host, port } = await fakeDataNode(operation => {
    operation.send(delimited(response))
    serve(operation)
  })
  const block: LocatedBlock = {
    b: { poolId: 'BP', blockId: 7n, generationStamp: 1n, numBytes: content.length },
    offset: 0,
    locs: [],
    corrupt: false,
    blockToken: { identifier: Buffer.alloc(0), password: Buffer.alloc(0), kind: '', service: '' },
    storageTypes: [],
    storageIDs: [],
  }
  const connections = createDataNodeConnections({ get: async () => undefined, refused: () => {} })
  onTestFinished(() => connections.close())
  const limits = { timeoutMs: 10_000, idleTimeoutMs: 10_000 }
  const range = { start: 0, end: content.length }
  return await BlockReader.open({ connections, clientName: 'c', block, address: { host, port }, ...range, ...limits })
}

test('packets that have arrived are returned together, and an error after them is reported in its turn', async () => {
  const damaged = toPacket(2)
  damaged[damaged.length - 1] = 0xff
  const reader = await open(({ send }) => send(toPacket(0), toPacket(1), damaged))
  expect((await reader.read())?.equals(content.subarray(0, 2 * packetBytes))).toBe(true)
  await expect(reader.read()).rejects.toThrow('a wrong checksum for the bytes of the block from 2560')
})

test('a packet is not held back for one of which a part is missing', async () => {
  const [second, sendRest] = [toPacket(1), Promise.withResolvers<void>()]
  const reader = await open(({ send }) => {
    send(toPacket(0), second.subarray(0, 500))
    void sendRest.promise.then(() => send(second.subarray(500), toPacket(2), toPacket(3), toPacket(4)))
  })
  expect((await reader.read())?.equals(content.subarray(0, packetBytes))).toBe(true)
  sendRest.resolve()
  const rest: Uint8Array[] = []
  for (let bytes = await reader.read(); bytes; bytes = await reader.read()) rest.push(bytes)
  expect(Buffer.concat(rest).equals(content.subarray(packetBytes))).toBe(true)
})

import { expect, onTestFinished, test } from 'vitest'
import { createChecksums } from '../../../../src/filesystem/hdfs/data-node/checksums.ts'
import { BlockOpResponse, OpReadBlock } from '../../../../src/filesystem/hdfs/data-node/messages.ts'
import { packetHead } from '../../../../src/filesystem/hdfs/data-node/packets.ts'
import type { HdfsFileStatus, LocatedBlock } from '../../../../src/filesystem/hdfs/name-node/messages.ts'
import { nameNodeMethods } from '../../../../src/filesystem/hdfs/name-node/methods.ts'
import { delimited } from '../../../../src/filesystem/hdfs/protobuf/message.ts'
import { createHdfsFileSystem } from '../../../../src/filesystem/hdfs.ts'
import { createTestGateway } from '../../../suites/gateway.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { type CallAnswer, fakeDataNode, fakeNameNode, type SeenCall, type SeenOperation } from './fake-nodes.ts'

const content = Buffer.from(`${'abcdefg\n'.repeat(512)}`)

const serveRead = async ({ message, send, readDelimited }: SeenOperation): Promise<void> => {
  const { offset, len } = OpReadBlock.decode(message)
  const chunkOffset = offset - (offset % 512)
  const data = content.subarray(chunkOffset, Math.ceil((offset + len) / 512) * 512)
  const checksum = { type: 2, bytesPerChecksum: 512 }
  const toHead = (seqno: number, dataLen: number) =>
    packetHead(
      { offsetInBlock: chunkOffset, seqno, lastPacketInBlock: dataLen === 0, dataLen },
      Math.ceil(dataLen / 512) * 4,
    )
  const { head, at } = toHead(0, data.length)
  createChecksums(2, 512).write([data], head, at)
  const response = BlockOpResponse.encode({ status: 0, readOpChecksumInfo: { checksum, chunkOffset } })
  send(delimited(response), head, data, toHead(1, 0).head)
  await readDelimited()
}

/** A gateway over a cluster of one node: `/d` with the file `f`. */
const setUp = async () => {
  const node = await fakeDataNode(serveRead)
  const block: LocatedBlock = {
    b: { poolId: 'BP', blockId: 7n, generationStamp: 1n, numBytes: content.length },
    offset: 0,
    locs: [
      {
        id: { ipAddr: node.host, hostName: 'dn', datanodeUuid: 'u', xferPort: node.port, infoPort: 0, ipcPort: 0 },
        location: '/rack',
      },
    ],
    corrupt: false,
    blockToken: { identifier: Buffer.alloc(0), password: Buffer.alloc(0), kind: '', service: '' },
    storageTypes: [1],
    storageIDs: ['DS'],
  }
  const next = { ...block, b: { ...block.b, blockId: 8n }, offset: content.length }
  const end = { underConstruction: false, isLastBlockComplete: true }
  const toStatus = (name: string, isDirectory: boolean, length = isDirectory ? 0 : content.length): HdfsFileStatus => ({
    fileType: isDirectory ? 1 : 2,
    path: Buffer.from(name),
    length,
    permission: { perm: 0o755 },
    owner: 'o',
    group: 'g',
    modificationTime: 1,
    accessTime: 1,
  })
  const { getFileInfo, getListing, getBlockLocations } = nameNodeMethods
  const answer = ({ methodName, request }: SeenCall): CallAnswer => {
    if (methodName === 'getListing') {
      if (getListing.Request.decode(request).src === '/d/metadata') return getListing.Response.encode({})
      return getListing.Response.encode({ dirList: { partialListing: [toStatus('f', false)], remainingEntries: 0 } })
    }
    const { src } = getFileInfo.Request.decode(request)
    if (methodName === 'getFileInfo') {
      const length = src === '/long' ? 2 * content.length : undefined
      return getFileInfo.Response.encode({ fs: toStatus('', src === '/d', length) })
    }
    if (src === '/replaced' || src === '/written') {
      const locations = {
        ...end,
        fileLength: content.length + 1,
        blocks: [block],
        underConstruction: src === '/written',
      }
      return getBlockLocations.Response.encode({ locations })
    }
    if (src === '/long') {
      const { offset } = getBlockLocations.Request.decode(request)
      const blocks = [offset < content.length ? block : next]
      return getBlockLocations.Response.encode({ locations: { fileLength: 2 * content.length, blocks, ...end } })
    }
    if (src !== '/d') {
      const locations = { fileLength: content.length, blocks: [block], ...end }
      return getBlockLocations.Response.encode({ locations })
    }
    return { exception: 'java.io.FileNotFoundException', message: `Path is not a file: ${src}` }
  }
  const { address, calls } = await fakeNameNode(answer)
  const fileSystem = createHdfsFileSystem({
    url: 'hdfs://test',
    addresses: [address],
    identitiesOf: () => ({ of: () => ({ user: 'ann' }), refused: () => false }),
    webHdfs: createMemoryFileSystem(),
  })
  const gateway = await createTestGateway({ fileSystem })
  onTestFinished(async () => {
    await gateway.close()
    await fileSystem.close()
  })
  return { gateway, calls, node, fileSystem }
}

const whole = content.toString()
test.for<readonly [string, string, readonly string[], number, string]>([
  ['OPEN', '/webhdfs/v1/d/f?op=OPEN', ['getBlockLocations'], 1, whole],
  ['OPEN of a part', '/webhdfs/v1/d/f?op=OPEN&offset=8&length=4', ['getBlockLocations'], 1, 'abcd'],
  ['OPEN to learn where', '/webhdfs/v1/d/f?op=OPEN&noredirect=true', ['getFileInfo'], 0, ''],
  ['a file', '/rest/1.0/binary?path=/d/f', ['getBlockLocations', 'getFileInfo'], 1, whole],
  ['rows of a file', '/rest/1.0/text?path=/d/f', ['getBlockLocations', 'getFileInfo'], 1, 'abcdefg'],
  // The second listing shows whether it is a table.
  [
    'rows of a directory',
    '/rest/1.0/text?path=/d',
    ['getBlockLocations', 'getFileInfo', 'getListing', 'getListing'],
    1,
    'abcdefg',
  ],
])('%s costs the cluster so many calls and reads', async ([, target, methods, reads, text]) => {
  const { gateway, calls, node } = await setUp()
  for (const round of [1, 2]) {
    const answer = await gateway.call(target)
    expect([answer.status, (await answer.text()).includes(text)]).toEqual([200, true])
    expect(
      calls
        .splice(0)
        .map(({ methodName }) => methodName)
        .toSorted(),
    ).toEqual(methods)
    // The next one finds the connection open.
    expect([node.operations.length, node.connections()]).toEqual([reads * round, Math.min(reads, 1)])
  }
})

test('where a part of an open file is that was not told with its beginning is asked for', async () => {
  const { fileSystem, calls } = await setUp()
  const file = await fileSystem.openFile?.('/long')
  const bytes = await Array.fromAsync((await file?.read({ offset: content.length + 8, length: 4 })) ?? [])
  expect(Buffer.concat(bytes).toString()).toBe('abcd')
  expect(calls.map(({ methodName }) => methodName).toSorted()).toEqual([
    'getBlockLocations',
    'getBlockLocations',
    'getFileInfo',
  ])
})

test('a file that was replaced before its blocks are known is not read as the one of the status', async () => {
  const { gateway } = await setUp()
  const replaced = await gateway.call('/rest/1.0/binary?path=/replaced')
  expect([replaced.status, await replaced.text()]).toEqual([
    503,
    expect.stringContaining('changed while it was opened'),
  ])
  const written = await gateway.call('/rest/1.0/binary?path=/written')
  expect([written.status, await written.text()]).toEqual([200, whole])
})

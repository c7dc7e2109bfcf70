import { describe, expect, onTestFinished, test } from 'vitest'
import { crc32c } from '../../../../src/bytes/crc32c.ts'
import { createDataNodeConnections } from '../../../../src/filesystem/hdfs/data-node/connections.ts'
import {
  BlockOpResponse,
  OpReadBlock,
  OpWriteBlock,
  PacketHeader,
  PipelineAck,
} from '../../../../src/filesystem/hdfs/data-node/messages.ts'
import { createLease } from '../../../../src/filesystem/hdfs/files/leases.ts'
import { readBlockFile } from '../../../../src/filesystem/hdfs/files/read-file.ts'
import { writeBlockFile } from '../../../../src/filesystem/hdfs/files/write-file.ts'
import type { LocatedBlock, LocatedBlocks } from '../../../../src/filesystem/hdfs/name-node/messages.ts'
import { nameNodeMethods } from '../../../../src/filesystem/hdfs/name-node/methods.ts'
import { clientProtocol, createNameNode } from '../../../../src/filesystem/hdfs/name-node/name-node.ts'
import { delimited } from '../../../../src/filesystem/hdfs/protobuf/message.ts'
import { createHadoopRpc } from '../../../../src/filesystem/hdfs/rpc/client.ts'
import { chunksOf, expectCode } from '../../../suites/file-text.ts'
import { fakeDataNode, fakeNameNode, type SeenCall, type SeenOperation } from './fake-nodes.ts'

type Node = Awaited<ReturnType<typeof fakeDataNode>>

const content = Buffer.from(Uint8Array.from({ length: 200_000 }, (_, at) => (at * 31) % 251))

const toBlock = (nodes: readonly Node[], numBytes: number | undefined = content.length): LocatedBlock => ({
  b: { poolId: 'BP', blockId: 7n, generationStamp: 1n, numBytes },
  offset: 0,
  locs: nodes.map(({ host, port }) => ({
    id: { ipAddr: host, hostName: 'dn', datanodeUuid: `u${port}`, xferPort: port, infoPort: 0, ipcPort: 0 },
    location: '/rack',
  })),
  corrupt: false,
  blockToken: { identifier: Buffer.alloc(0), password: Buffer.alloc(0), kind: '', service: '' },
  storageTypes: nodes.map(() => 1),
  storageIDs: nodes.map(({ port }) => `DS-${port}`),
})

/** What a client works with, over a name node that answers so. */
const createTransfer = async (answer: (call: SeenCall) => Buffer | undefined) => {
  const { address, calls } = await fakeNameNode(answer)
  const nameNode = createNameNode(
    createHadoopRpc({
      addresses: [address],
      protocol: clientProtocol,
      identities: { of: () => ({ user: 'ann' }), refused: () => false },
      peer: 'name node',
      timeoutMs: 10_000,
      maxRetries: 0,
    }),
  )
  const connections = createDataNodeConnections({ get: async () => undefined, refused: () => {} })
  onTestFinished(() => {
    connections.close()
    nameNode.close()
  })
  const defaults = { blockSize: 1_048_576, replication: 1, bytesPerChecksum: 512, writePacketSize: 65_536 }
  const others = { fileBufferSize: 4_096, encryptDataTransfer: false, trashInterval: 0, checksumType: 2 }
  const transfer = {
    nameNode,
    connections,
    clientName: 'client',
    timeoutMs: 10_000,
    idleTimeoutMs: 10_000,
    lease: createLease(nameNode, 'client'),
    defaultsOf: async () => ({ ...defaults, ...others }),
  }
  return { transfer, names: () => calls.map(({ methodName }) => methodName), calls }
}

type Damage = {
  /** Changes a packet before it is sent; nothing more comes where it returns nothing. */
  readonly packet?: (packet: Buffer, offset: number) => Buffer | undefined
  readonly response?: Buffer
}

/** Serves READ_BLOCK as a data node does, but for what a test damages. */
const serveReads =
  ({ packet = one => one, response }: Damage = {}) =>
  async ({ message, send, readDelimited, cut }: SeenOperation): Promise<void> => {
    if (response) {
      send(delimited(response))
      cut()
      return
    }
    const { offset, len } = OpReadBlock.decode(message)
    const first = offset - (offset % 512)
    const checksum = { type: 2, bytesPerChecksum: 512 }
    send(delimited(BlockOpResponse.encode({ status: 0, readOpChecksumInfo: { checksum, chunkOffset: first } })))
    const end = Math.min(Math.ceil((offset + len) / 512) * 512, content.length)
    let seqno = 0
    for (let at = first; at < end; at += 65_536) {
      const changed = packet(toPacket(at, seqno++, content.subarray(at, Math.min(at + 65_536, end))), at)
      if (changed === undefined) return cut()
      send(changed)
    }
    send(toPacket(end, seqno, Buffer.alloc(0), true))
    await readDelimited()
  }

const toPacket = (offsetInBlock: number, seqno: number, data: Buffer, lastPacketInBlock = false): Buffer => {
  const header = PacketHeader.encode({ offsetInBlock, seqno, lastPacketInBlock, dataLen: data.length })
  const sums = Buffer.alloc(Math.ceil(data.length / 512) * 4)
  for (let at = 0; at < data.length; at += 512) {
    sums.writeUInt32BE(crc32c(data, at, Math.min(at + 512, data.length)), (at / 512) * 4)
  }
  const lengths = Buffer.alloc(6)
  lengths.writeInt32BE(4 + sums.length + data.length, 0)
  lengths.writeUInt16BE(header.length, 4)
  return Buffer.concat([lengths, header, sums, data])
}

/** The last byte of a packet is another one. */
const flipLast = (packet: Buffer): Buffer => {
  const damaged = Buffer.from(packet)
  damaged[damaged.length - 1] = (damaged.at(-1) ?? 0) ^ 1
  return damaged
}

const locatedAt = (nodes: readonly Node[]) => ({
  fileLength: content.length,
  blocks: [toBlock(nodes)],
  underConstruction: false,
  isLastBlockComplete: true,
})

const otherBlock: LocatedBlock = { ...toBlock([]), b: { ...toBlock([]).b, blockId: 8n } }

describe('reading', () => {
  const open = async (damages: readonly Damage[], now: Partial<LocatedBlocks> = {}) => {
    const nodes = await Promise.all(damages.map(damage => fakeDataNode(serveReads(damage))))
    const located = locatedAt(nodes)
    const { transfer, names, calls } = await createTransfer(({ methodName }) => {
      if (methodName !== 'getBlockLocations') return new Uint8Array(0) as Buffer
      return nameNodeMethods.getBlockLocations.Response.encode({ locations: { ...located, ...now } })
    })
    const read = async (options = {}) =>
      Buffer.concat(await Array.fromAsync(await readBlockFile(transfer, '/f', located, options)))
    return { nodes, read, names, calls, transfer, located }
  }

  test('has every byte of any range, over one connection', async () => {
    const { nodes, read } = await open([{}])
    for (const [offset, length] of [
      [0, 200_000],
      [1, 1],
      [511, 2],
      [65_535, 70_000],
      [199_999, 5],
      [200_000, 5],
      [100, undefined],
    ] as const) {
      const want = content.subarray(offset, length === undefined ? undefined : offset + length)
      expect((await read({ offset, ...(length !== undefined && { length }) })).equals(want)).toBe(true)
    }
    expect(nodes.map(({ connections }) => connections())).toEqual([1])
  })

  test.for<readonly [string, Damage, boolean]>([
    ['has a wrong checksum', { packet: (packet, at) => (at === 65_536 ? flipLast(packet) : packet) }, true],
    ['is cut', { packet: (packet, at) => (at === 131_072 ? undefined : packet) }, false],
    ['refuses', { response: BlockOpResponse.encode({ status: 1, message: 'no such block' }) }, false],
    ['skips a packet', { packet: (packet, at) => (at === 65_536 ? Buffer.alloc(0) : packet) }, false],
    [
      'counts its packets wrongly',
      { packet: (packet, at) => (at === 65_536 ? toPacket(at, 7, content.subarray(at, 131_072)) : packet) },
      false,
    ],
    [
      'has data in its last packet',
      { packet: (packet, at) => (at === 65_536 ? toPacket(at, 1, content.subarray(at), true) : packet) },
      false,
    ],
    [
      'sends a packet without data',
      { packet: (packet, at) => (at > 0 ? toPacket(at, 1, Buffer.alloc(0)) : packet) },
      false,
    ],
    ['sends a packet of 2 GB', { packet: () => Buffer.from('7fffffff0001', 'hex') }, false],
    ['sends what is no packet', { packet: () => Buffer.from('000000040002ffff', 'hex') }, false],
  ])('a replica that %s is left at the byte where it stood', async ([, damage, isReported]) => {
    const { read, nodes, names, calls } = await open([damage, {}])
    expect((await read()).equals(content)).toBe(true)
    expect(nodes.map(({ operations }) => operations.length)).toEqual([1, 1])
    await expect.poll(() => names()).toEqual(isReported ? ['reportBadBlocks'] : [])
    const [report] = calls
    if (!isReported || report === undefined) return
    const { blocks } = nameNodeMethods.reportBadBlocks.Request.decode(report.request)
    const [good] = nodes
    expect(blocks.map(({ locs, storageIDs }) => [locs.length, locs[0]?.id.xferPort, storageIDs])).toEqual([
      [1, good?.port, [`DS-${good?.port}`]],
    ])
  })

  test.for<readonly [string, Partial<LocatedBlocks>, string]>([
    ['of another length', { fileLength: content.length - 1 }, 'it was replaced'],
    ['encrypted', { fileEncryptionInfo: {} }, 'it was replaced'],
    ['erasure-coded', { ecPolicy: {} }, 'it was replaced'],
    ['of another block', { blocks: [otherBlock] }, 'it was replaced'],
    ['without blocks', { blocks: [] }, 'it was replaced'],
    ['longer', { fileLength: content.length + 1 }, 'no such block'],
  ])('a file that is %s when its blocks are looked for again', async ([, now, reason]) => {
    const { read } = await open([{ response: BlockOpResponse.encode({ status: 1, message: 'no such block' }) }], now)
    await expect(read()).rejects.toThrow(reason)
  })

  test('nothing of a chunk with a wrong checksum is handed on', async () => {
    const { transfer, located, names } = await open([{ packet: (packet, at) => (at > 0 ? flipLast(packet) : packet) }])
    const taken: Uint8Array[] = []
    const read = async (): Promise<void> => {
      for await (const bytes of await readBlockFile(transfer, '/f', located, {})) taken.push(Buffer.from(bytes))
    }
    await expect(read()).rejects.toThrow(
      /^Cannot read "\/f": data node .* has a wrong checksum for the bytes of the block from/,
    )
    expect(Buffer.concat(taken).equals(content.subarray(0, 65_536))).toBe(true)
    expect(names()).toContain('getBlockLocations')
  })

  test('an abort ends it while it waits, and before it begins', async () => {
    const { transfer, located } = await open([{ packet: (packet, at) => (at > 0 ? Buffer.alloc(0) : packet) }])
    const controller = new AbortController()
    const stream = await readBlockFile(transfer, '/f', located, { signal: controller.signal })
    const all = Array.fromAsync(stream)
    controller.abort(new Error('enough'))
    await expectCode(all, 'unavailable')
  })
})

describe('writing', () => {
  /** Takes a block, and keeps what came. */
  const serveWrites =
    (kept: Buffer[], reply: (seqno: number) => readonly number[] = () => [0], response = { status: 0 }) =>
    async ({ send, read, cut }: SeenOperation): Promise<void> => {
      send(delimited(BlockOpResponse.encode(response)))
      if (response.status !== 0) return cut()
      for (;;) {
        const head = await read(6)
        const header = PacketHeader.decode(await read(head.readUInt16BE(4)))
        const sums = await read(head.readInt32BE(0) - 4 - header.dataLen)
        const data = Buffer.from(await read(header.dataLen))
        for (let at = 0; at < data.length; at += 512) {
          if (sums.readUInt32BE((at / 512) * 4) !== crc32c(data, at, Math.min(at + 512, data.length))) return cut()
        }
        kept.push(data)
        send(delimited(PipelineAck.encode({ seqno: header.seqno, reply: reply(header.seqno) })))
        if (header.lastPacketInBlock) return
      }
    }

  const open = async (serves: readonly ((operation: SeenOperation) => Promise<void>)[], incomplete = 2) => {
    const nodes = await Promise.all(serves.map(fakeDataNode))
    let left = incomplete
    const { transfer, names, calls } = await createTransfer(({ methodName, request }) => {
      if (methodName === 'create') return nameNodeMethods.create.Response.encode({ fs: newFile })
      if (methodName === 'complete') return nameNodeMethods.complete.Response.encode({ result: left-- <= 0 })
      if (methodName === 'delete') return nameNodeMethods.delete.Response.encode({ result: true })
      if (methodName !== 'addBlock') return Buffer.alloc(0)
      const { excludeNodes } = nameNodeMethods.addBlock.Request.decode(request)
      const free = nodes.filter(({ port }) => !excludeNodes.some(({ id }) => id.xferPort === port))
      return nameNodeMethods.addBlock.Response.encode({ block: toBlock(free, 0) })
    })
    const write = (source: AsyncIterable<Uint8Array>, options = {}) => writeBlockFile(transfer, '/f', source, options)
    return { nodes, write, names, calls }
  }

  const newFile = {
    fileType: 2,
    path: Buffer.alloc(0),
    length: 0,
    permission: { perm: 0o644 },
    owner: 'o',
    group: 'g',
    modificationTime: 0,
    accessTime: 0,
    fileId: 42n,
  }

  async function* pieces(size: number): AsyncGenerator<Uint8Array> {
    for (let from = 0; from < content.length; from += size) yield content.subarray(from, from + size)
  }

  test.for([1_000, 64_512, 70_000, 200_000])(
    'in pieces of %d bytes all arrive, and it waits for the replicas',
    async size => {
      const kept: Buffer[] = []
      const { write, names, calls } = await open([serveWrites(kept)])
      await write(pieces(size))
      expect(Buffer.concat(kept).equals(content)).toBe(true)
      expect(names()).toEqual(['create', 'addBlock', 'complete', 'complete', 'complete'])
      const { last } = nameNodeMethods.complete.Request.decode(calls.at(-1)?.request ?? Buffer.alloc(0))
      expect(last?.numBytes).toBe(content.length)
    },
  )

  test('blocks are of the size that was asked for, and each says what was before it', async () => {
    const kept: Buffer[] = []
    const { write, names, nodes, calls } = await open([serveWrites(kept)], 0)
    await write(pieces(70_000), { blockSize: 65_536 })
    expect(Buffer.concat(kept).equals(content)).toBe(true)
    expect(names()).toEqual(['create', 'addBlock', 'addBlock', 'addBlock', 'addBlock', 'complete'])
    const lengths = calls
      .slice(1, 5)
      .map(({ request }) => nameNodeMethods.addBlock.Request.decode(request).previous?.numBytes)
    expect(lengths).toEqual([undefined, 65_536, 65_536, 65_536])
    expect(nodes[0]?.operations.map(({ message }) => OpWriteBlock.decode(message).pipelineSize)).toEqual([1, 1, 1, 1])
  })

  test('a pipeline that does not begin is given up for another one without that node', async () => {
    const kept: Buffer[] = []
    const { write, names, nodes, calls } = await open([serveWrites([], undefined, { status: 1 }), serveWrites(kept)], 0)
    await write(chunksOf('abc'))
    expect(Buffer.concat(kept).toString()).toBe('abc')
    expect(names()).toEqual(['create', 'addBlock', 'abandonBlock', 'addBlock', 'complete'])
    expect(nodes.map(({ operations }) => operations.length)).toEqual([1, 1])
    const { excludeNodes } = nameNodeMethods.addBlock.Request.decode(calls[3]?.request ?? Buffer.alloc(0))
    expect(excludeNodes.map(({ location }) => location)).toEqual(['/rack'])
  })

  test.for<readonly [string, readonly number[], RegExp]>([
    ['an error', [1], /refused a packet with status 1/],
    ['a wrong checksum', [0, 2], /refused a packet with status 2/],
  ])('an ack of %s fails the file, and removes it', async ([, reply, reason]) => {
    const { write, names, calls } = await open([serveWrites([], seqno => (seqno === 1 ? reply : [0]))])
    await expect(write(pieces(50_000))).rejects.toThrow(reason)
    expect(names()).toEqual(['create', 'addBlock', 'delete'])
    expect(nameNodeMethods.delete.Request.decode(calls[2]?.request ?? Buffer.alloc(0)).src).toBe(
      '/.reserved/.inodes/42',
    )
  })

  test('a node that hangs up fails the file; so does an ack out of its turn', async () => {
    const hangsUp = async ({ send, read, cut }: SeenOperation): Promise<void> => {
      send(delimited(BlockOpResponse.encode({ status: 0 })))
      await read(100_000)
      cut()
    }
    await expect((await open([hangsUp])).write(pieces(50_000))).rejects.toThrow(/data node .* failed with ECONNRESET/)
    const outOfTurn = async ({ send, read }: SeenOperation): Promise<void> => {
      send(delimited(BlockOpResponse.encode({ status: 0 })))
      await read(70_000)
      send(delimited(PipelineAck.encode({ seqno: 1, reply: [0] })))
      await read(1_000_000)
    }
    await expect((await open([outOfTurn])).write(pieces(50_000))).rejects.toThrow(/an ack of packet 1 instead of 0/)
  })

  test('an abort ends it while acks are waited for', async () => {
    const silent = async ({ send, read }: SeenOperation): Promise<void> => {
      send(delimited(BlockOpResponse.encode({ status: 0 })))
      await read(100_000_000)
    }
    const { write, names } = await open([silent])
    const controller = new AbortController()
    const call = write(pieces(50_000), { signal: controller.signal })
    await expect.poll(() => names()).toContain('addBlock')
    controller.abort(new Error('enough'))
    await expectCode(call, 'unavailable')
    expect(names().at(-1)).toBe('delete')
  })
})

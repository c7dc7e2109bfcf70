import { crc32 } from 'node:zlib'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { crc32c } from '../../../../src/bytes/crc32c.ts'
import { FileSystemError } from '../../../../src/filesystem/filesystem.ts'
import { createChecksums } from '../../../../src/filesystem/hdfs/data-node/checksums.ts'
import { createDataNodeConnections } from '../../../../src/filesystem/hdfs/data-node/connections.ts'
import {
  BlockOpResponse,
  OpReadBlock,
  OpWriteBlock,
  PacketHeader,
  PipelineAck,
} from '../../../../src/filesystem/hdfs/data-node/messages.ts'
import { createAppends } from '../../../../src/filesystem/hdfs/files/append-file.ts'
import { createLeases } from '../../../../src/filesystem/hdfs/files/leases.ts'
import { NoDataNode } from '../../../../src/filesystem/hdfs/files/no-data-node.ts'
import { readBlockFile } from '../../../../src/filesystem/hdfs/files/read-file.ts'
import { writeBlockFile } from '../../../../src/filesystem/hdfs/files/write-file.ts'
import type { LocatedBlock, LocatedBlocks } from '../../../../src/filesystem/hdfs/name-node/messages.ts'
import { nameNodeMethods } from '../../../../src/filesystem/hdfs/name-node/methods.ts'
import { clientProtocol, createNameNode, type NameNode } from '../../../../src/filesystem/hdfs/name-node/name-node.ts'
import { delimited } from '../../../../src/filesystem/hdfs/protobuf/message.ts'
import { createHadoopRpc } from '../../../../src/filesystem/hdfs/rpc/client.ts'
import { chunksOf, expectCode } from '../../../suites/file-text.ts'
import {
  type CallAnswer,
  fakeDataNode,
  fakeNameNode,
  newFile,
  type SeenCall,
  type SeenOperation,
} from './fake-nodes.ts'

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
const createTransfer = async (answer: (call: SeenCall) => CallAnswer | Promise<CallAnswer>) => {
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
  let transfers = 0
  const connections = createDataNodeConnections(
    { get: async () => undefined, refused: () => {} },
    () => void transfers++,
  )
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
    leases: createLeases(nameNode, 'client'),
    defaultsOf: async () => ({ ...defaults, ...others }),
  }
  return { transfer, names: () => calls.map(({ methodName }) => methodName), calls, transfers: () => transfers }
}

/** What failed, and whether it is that no data node was spoken to. */
const failureOf = async (done: Promise<unknown>): Promise<boolean> => {
  const error: unknown = await done.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof FileSystemError)) throw new Error('it did not fail as it should')
  return error.cause instanceof NoDataNode
}

type Damage = {
  /** Changes a packet before it is sent; nothing more is sent if it returns nothing. */
  readonly packet?: (packet: Buffer, offset: number, isFirst: boolean) => Buffer | undefined
  readonly response?: Buffer
  readonly isSilent?: boolean
  readonly isReset?: boolean
  /** The last packet is missing. */
  readonly isEndless?: boolean
  /** Nothing is sent from this byte on. */
  readonly stallsAt?: number
  readonly checksumType?: number
}

/** Serves READ_BLOCK as a data node does, except for the damage of a test. */
const serveReads =
  ({ packet = one => one, response, isSilent, isReset, isEndless, stallsAt, checksumType = 2 }: Damage = {}) =>
  async ({ message, send, readDelimited, cut }: SeenOperation): Promise<void> => {
    if (isReset) return cut()
    if (isSilent) return void (await readDelimited())
    if (response) {
      send(delimited(response))
      cut()
      return
    }
    const { offset, len } = OpReadBlock.decode(message)
    const first = offset - (offset % 512)
    const checksum = { type: checksumType, bytesPerChecksum: 512 }
    send(delimited(BlockOpResponse.encode({ status: 0, readOpChecksumInfo: { checksum, chunkOffset: first } })))
    const end = Math.min(Math.ceil((offset + len) / 512) * 512, content.length)
    let seqno = 0
    for (let at = first; at < end; at += 65_536) {
      const whole = toPacket(at, seqno++, content.subarray(at, Math.min(at + 65_536, end)), false, checksumType)
      if (at === stallsAt) return void (await readDelimited())
      const changed = packet(whole, at, at === first)
      if (changed === undefined) return cut()
      send(changed)
    }
    if (!isEndless) send(toPacket(end, seqno, Buffer.alloc(0), true))
    await readDelimited()
  }

const toPacket = (
  offsetInBlock: number,
  seqno: number,
  data: Buffer,
  lastPacketInBlock = false,
  checksumType = 2,
): Buffer => {
  const header = PacketHeader.encode({ offsetInBlock, seqno, lastPacketInBlock, dataLen: data.length })
  const checksums = createChecksums(checksumType, 512)
  const sums = Buffer.alloc(Math.ceil(data.length / 512) * checksums.sumBytes)
  checksums.write([data], sums, 0)
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
  /** @param now what the name node says when it is asked again; nothing at all where it is null */
  const open = async (damages: readonly Damage[], now: Partial<LocatedBlocks> | null = {}) => {
    const nodes = await Promise.all(damages.map(damage => fakeDataNode(serveReads(damage))))
    const located = locatedAt(nodes)
    const { transfer, names, calls, transfers } = await createTransfer(({ methodName }) => {
      if (methodName !== 'getBlockLocations') return new Uint8Array(0)
      if (now === null) return undefined
      return nameNodeMethods.getBlockLocations.Response.encode({ locations: { ...located, ...now } })
    })
    const read = async (options = {}) =>
      Buffer.concat(await Array.fromAsync(await readBlockFile(transfer, '/f', located, options)))
    return { nodes, read, names, calls, transfer, transfers, located }
  }

  test('has every byte of any range, over one connection', async () => {
    const { nodes, read, transfers } = await open([{}])
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
    // One of them is empty.
    expect(transfers()).toBe(6)
  })

  const refuses = { response: BlockOpResponse.encode({ status: 1 }) }
  test.for<readonly [string, readonly Damage[], boolean]>([
    ['resets', [{ isReset: true }], true],
    ['is silent, as another one', [{ isSilent: true }, { isReset: true }], true],
    ['refuses, and another one resets', [refuses, { isReset: true }], false],
    ['breaks off', [{ packet: () => undefined }], false],
  ])('whether any node was spoken to is told of one that %s', async ([, damages, isUnreached]) => {
    const { transfer, located, transfers } = await open(damages)
    const read = async () => Array.fromAsync(await readBlockFile({ ...transfer, timeoutMs: 100 }, '/f', located, {}))
    expect(await failureOf(read())).toBe(isUnreached)
    expect(transfers() > 0).toBe(damages.some(({ packet }) => packet !== undefined))
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

  test.for<readonly [string, Damage]>([
    ['does not begin', { isSilent: true }],
    ['stops', { stallsAt: 65_536 }],
  ])(
    'a node that %s is left after five seconds while another one has the block, and asked last then',
    async ([, damage]) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      onTestFinished(() => void vi.useRealTimers())
      const { read, nodes, names } = await open([damage, {}])
      const reading = read()
      await expect.poll(() => nodes[0]?.operations.length).toBe(1)
      for (let at = 0; at < 20; at++) await new Promise(setImmediate)
      vi.advanceTimersByTime(4_900)
      expect(nodes[1]?.operations).toEqual([])
      vi.advanceTimersByTime(200)
      expect((await reading).equals(content)).toBe(true)
      expect((await read()).equals(content)).toBe(true)
      expect(nodes.map(({ operations }) => operations.length)).toEqual([1, 2])
      expect(names()).toEqual([])
    },
  )

  test('a node that is silent on a connection that was used before is left as soon', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    let isSilent = false
    const silent = await fakeDataNode(operation => serveReads({ isSilent })(operation))
    const located = locatedAt([silent, await fakeDataNode(serveReads())])
    const { transfer } = await createTransfer(() => undefined)
    const read = async () => Buffer.concat(await Array.fromAsync(await readBlockFile(transfer, '/f', located, {})))
    expect((await read()).equals(content)).toBe(true)
    isSilent = true
    const reading = read()
    await expect.poll(() => silent.operations.length).toBe(2)
    for (let at = 0; at < 20; at++) await new Promise(setImmediate)
    vi.advanceTimersByTime(5_000)
    expect((await reading).equals(content)).toBe(true)
    expect([silent.operations.length, silent.connections()]).toEqual([2, 1])
  })

  test('a node that sends a packet slowly sends something all the time, and is not left', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const whole = toPacket(0, 0, content, false)
    const parts = [whole.subarray(0, 70_000), whole.subarray(70_000, 140_000), whole.subarray(140_000)]
    const next = parts.values()
    let sendNext = (): void => {}
    const slow = await fakeDataNode(async ({ send, readDelimited }) => {
      const readOpChecksumInfo = { checksum: { type: 2, bytesPerChecksum: 512 }, chunkOffset: 0 }
      sendNext = () => send(next.next().value ?? toPacket(content.length, 1, Buffer.alloc(0), true))
      send(delimited(BlockOpResponse.encode({ status: 0, readOpChecksumInfo })))
      await readDelimited()
    })
    const other = await fakeDataNode(serveReads())
    const { transfer } = await createTransfer(() => undefined)
    const located = locatedAt([slow, other])
    const reading = Array.fromAsync(await readBlockFile(transfer, '/f', located, {}))
    for (let at = 0; at <= parts.length; at++) {
      sendNext()
      for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)
      vi.advanceTimersByTime(4_000)
    }
    expect(Buffer.concat(await reading).equals(content)).toBe(true)
    expect(other.operations).toEqual([])
  })

  test('where all are slow the second round gives each its time', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { read, nodes, names } = await open([{ isSilent: true }, { isSilent: true }])
    const reading = failureOf(read())
    const counts = () => nodes.map(({ operations }) => operations.length)
    const settle = async (): Promise<void> => {
      for (let at = 0; at < 20; at++) await new Promise(setImmediate)
    }
    for (const [ms, want] of [
      [5_000, [1, 0]],
      [10_000, [1, 1]],
      [10_000, [2, 1]],
      [10_000, [2, 2]],
    ] as const) {
      await expect.poll(counts).toEqual(want)
      await settle()
      vi.advanceTimersByTime(ms - 100)
      await settle()
      expect(counts()).toEqual(want)
      vi.advanceTimersByTime(100)
    }
    expect(await reading).toBe(true)
    expect(names()).toEqual(['getBlockLocations'])
  })

  test('where no replica is right none is reported: it may be what compares them', async () => {
    const { read, names } = await open([{ packet: flipLast }, { packet: flipLast }])
    await expect(read()).rejects.toThrow('a wrong checksum')
    expect(names()).toEqual(['getBlockLocations'])
    const single = await open([{ packet: flipLast }])
    await expect(single.read()).rejects.toThrow('a wrong checksum')
    await expect.poll(() => single.names()).toContain('reportBadBlocks')
  })

  test('data nodes are found by their names where that is asked for', async () => {
    const { transfer, located, nodes, names } = await open([{}])
    const [block] = located.blocks
    const named = block?.locs.map(one => ({ ...one, id: { ...one.id, ipAddr: '192.0.2.1', hostName: 'localhost' } }))
    const elsewhere = {
      ...located,
      blocks: [{ ...toBlock([]), locs: named ?? [], storageTypes: [1], storageIDs: ['DS'] }],
    }
    const bytes = await Array.fromAsync(await readBlockFile({ ...transfer, usesHostnames: true }, '/f', elsewhere, {}))
    expect(Buffer.concat(bytes).equals(content)).toBe(true)
    expect(names()).toEqual([])
    expect(nodes[0]?.connections()).toBe(1)
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

  test.for([
    ['of a node that does not answer', { packet: (one: Buffer) => one, isSilent: true }],
    ['of the name node, that is asked once more', { packet: () => undefined }],
  ] as const)('an abort ends the wait %s', async ([, damage]) => {
    const { nodes, transfer, located, names } = await open([damage], null)
    const patient = { ...transfer, timeoutMs: 600_000, idleTimeoutMs: 600_000 }
    const controller = new AbortController()
    const opened = readBlockFile(patient, '/f', located, { signal: controller.signal }).then(Array.fromAsync)
    await expect.poll(() => nodes[0]?.operations.length).toBe(1)
    if (!('isSilent' in damage)) await expect.poll(() => names()).toEqual(['getBlockLocations'])
    controller.abort(new Error('enough'))
    await expectCode(opened, 'unavailable')
  })

  test('an abort before it begins makes no call', async () => {
    const { nodes, transfer, located } = await open([{}])
    await expectCode(readBlockFile(transfer, '/f', located, { signal: AbortSignal.abort() }), 'unavailable')
    expect(nodes[0]?.connections()).toBe(0)
  })

  test('a node that does not end what it sent is waited for a moment only', async () => {
    const { transfer, located } = await open([{ isEndless: true }])
    const patient = { ...transfer, timeoutMs: 600_000, idleTimeoutMs: 600_000 }
    const bytes = await Array.fromAsync(await readBlockFile(patient, '/f', located, {}))
    expect(Buffer.concat(bytes).equals(content)).toBe(true)
  })

  test.for([0, 1, 2])('checksums of type %d are compared, where there are any', async checksumType => {
    const right = await open([{ checksumType }])
    expect((await right.read({ offset: 700 })).equals(content.subarray(700))).toBe(true)
    const wrong = await open([{ checksumType, packet: flipLast }])
    if (checksumType === 0) expect((await wrong.read()).equals(content)).toBe(false)
    else await expect(wrong.read()).rejects.toThrow('a wrong checksum')
  })

  test('the name node is asked again whenever bytes came since then', async () => {
    // Each time one packet, and nothing more.
    const { read, names } = await open([{ packet: (packet, _, isFirst) => (isFirst ? packet : undefined) }])
    expect((await read()).equals(content)).toBe(true)
    expect(names()).toEqual(['getBlockLocations', 'getBlockLocations', 'getBlockLocations'])
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
  /** Takes a block, and keeps it. */
  const serveWrites =
    (
      kept: Buffer[],
      reply: (seqno: number) => readonly number[] | undefined = () => [0],
      response = { status: 0 },
      take: (bytes: Uint8Array) => number = bytes => crc32c(bytes),
      packets: { readonly header: PacketHeader; readonly data: Buffer }[] = [],
    ) =>
    async ({ send, read, cut }: SeenOperation): Promise<void> => {
      send(delimited(BlockOpResponse.encode(response)))
      if (response.status !== 0) return cut()
      for (;;) {
        const head = await read(6)
        const header = PacketHeader.decode(await read(head.readUInt16BE(4)))
        const sums = await read(head.readInt32BE(0) - 4 - header.dataLen)
        const data = Buffer.from(await read(header.dataLen))
        for (let at = 0; at < data.length; at += 512) {
          if (sums.length > 0 && sums.readUInt32BE((at / 512) * 4) !== take(data.subarray(at, at + 512))) return cut()
        }
        kept.push(data)
        packets.push({ header, data })
        const statuses = reply(header.seqno)
        if (statuses) send(delimited(PipelineAck.encode({ seqno: header.seqno, reply: statuses })))
        if (header.lastPacketInBlock) return
      }
    }

  /** @param instead what the name node says otherwise */
  const open = async (
    serves: readonly ((operation: SeenOperation) => Promise<void>)[],
    incomplete = 2,
    instead: (call: SeenCall) => CallAnswer | Promise<CallAnswer> = () => undefined,
  ) => {
    const nodes = await Promise.all(serves.map(fakeDataNode))
    let left = incomplete
    const { transfer, names, calls } = await createTransfer(async call => {
      const { methodName, request } = call
      const other = await instead(call)
      if (other) return other
      if (methodName === 'create') return nameNodeMethods.create.Response.encode({ fs: newFile })
      if (methodName === 'complete') return nameNodeMethods.complete.Response.encode({ result: left-- <= 0 })
      if (methodName === 'recoverLease') return nameNodeMethods.recoverLease.Response.encode({ result: true })
      if (methodName === 'delete') return nameNodeMethods.delete.Response.encode({ result: true })
      if (methodName !== 'addBlock') return Buffer.alloc(0)
      const { excludeNodes } = nameNodeMethods.addBlock.Request.decode(request)
      const free = nodes.filter(({ port }) => !excludeNodes.some(({ id }) => id.xferPort === port))
      return nameNodeMethods.addBlock.Response.encode({ block: toBlock(free, 0) })
    })
    const write = (source: AsyncIterable<Uint8Array>, options = {}, more: Partial<typeof transfer> = {}) =>
      writeBlockFile({ ...transfer, ...more }, '/f', source, options)
    return { nodes, write, names, calls, transfer }
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

  test('a node has the time to say that the one behind it is silent, and stays', async () => {
    const kept: Buffer[] = []
    let begun = 0
    const first = async (operation: SeenOperation): Promise<void> => {
      if (begun++ > 0) return await serveWrites(kept, () => [0, 0])(operation)
      const { targets } = OpWriteBlock.decode(operation.message)
      vi.advanceTimersByTime(69_000)
      const firstBadLink = `127.0.0.1:${targets[0]?.id.xferPort}`
      operation.send(delimited(BlockOpResponse.encode({ status: 1, firstBadLink })))
    }
    const unused = async (): Promise<void> => {}
    const { write, nodes, calls } = await open([first, unused, unused], 0)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    await write(chunksOf('abc'), {}, { timeoutMs: 30_000, idleTimeoutMs: 60_000 })
    expect(Buffer.concat(kept).toString()).toBe('abc')
    const { excludeNodes } = nameNodeMethods.addBlock.Request.decode(calls[3]?.request ?? Buffer.alloc(0))
    expect(excludeNodes.map(({ id }) => id.xferPort)).toEqual([nodes[1]?.port])
  })

  test.for<readonly [string, readonly number[], RegExp]>([
    ['an error', [1], /refused a packet with status 1/],
    ['a wrong checksum', [0, 2], /refused a packet with status 2/],
  ])('an ack of %s fails the file, and removes it', async ([, reply, reason]) => {
    const { write, names, calls } = await open([serveWrites([], seqno => (seqno === 1 ? reply : [0]))])
    await expect(write(pieces(50_000))).rejects.toThrow(reason)
    expect(names().at(-1)).toBe('delete')
    expect(nameNodeMethods.delete.Request.decode(calls.at(-1)?.request ?? Buffer.alloc(0)).src).toBe(
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

  test('a file that stays open is there after each flush, to the byte, and the name node knows its block', async () => {
    const packets: { readonly header: PacketHeader; readonly data: Buffer }[] = []
    const { transfer, names, calls } = await open([serveWrites([], undefined, undefined, undefined, packets)], 0)
    const file = await createAppends(transfer).create('/f')
    await file.hflush()
    expect(names()).toEqual(['create'])
    const seen = () => {
      const bytes = Buffer.alloc(content.length)
      let end = 0
      for (const { header, data } of packets) {
        end = Math.max(end, data.copy(bytes, header.offsetInBlock) + header.offsetInBlock)
      }
      return bytes.subarray(0, end)
    }
    for (const end of [100, 512, 600, 1_300, 70_000, 70_001]) {
      await file.write(content.subarray(file.length, end))
      await file.hflush()
      expect(seen().equals(content.subarray(0, end))).toBe(true)
    }
    const count = packets.length
    await file.hflush()
    expect(packets).toHaveLength(count)
    await file.hsync()
    expect(packets.at(-1)?.header).toMatchObject({ syncBlock: true, dataLen: 0, offsetInBlock: 70_001 })
    expect(packets.every(({ header }) => header.offsetInBlock % 512 === 0 || header.dataLen === 0)).toBe(true)
    await file.close()
    expect(packets.at(-1)?.header).toMatchObject({ lastPacketInBlock: true, offsetInBlock: 70_001 })
    // Once for the block, whatever is flushed or synced of it.
    expect(names()).toEqual(['create', 'addBlock', 'fsync', 'complete'])
    expect(nameNodeMethods.fsync.Request.decode(calls[2]?.request ?? Buffer.alloc(0)).lastBlockLength).toBe(-1)
  })

  test('a flush waits for the acks, and fails with the pipeline; what was flushed is kept', async () => {
    const { transfer, names, calls } = await open([serveWrites([], seqno => (seqno === 1 ? [1] : [0]))], 0)
    const file = await createAppends(transfer).create('/f')
    await file.write(content.subarray(0, 10))
    await file.hflush()
    await file.write(content.subarray(10, 20))
    await expect(file.hflush()).rejects.toThrow('refused a packet with status 1')
    await file.abandon()
    // Once to keep what was flushed, and before each repair to learn whether the file is still ours.
    expect(names()).toEqual(['create', 'addBlock', 'fsync', 'fsync', 'fsync', 'recoverLease'])
    const { src } = nameNodeMethods.recoverLease.Request.decode(calls.at(-1)?.request ?? Buffer.alloc(0))
    expect(src).toBe('/.reserved/.inodes/42')
  })

  test('an abort ends the wait for what a file that is opened again is written with', async () => {
    const controller = new AbortController()
    const { transfer } = await open([], 0, ({ methodName }) =>
      methodName === 'getFileInfo' ? nameNodeMethods.getFileInfo.Response.encode({ fs: newFile }) : undefined,
    )
    const defaultsOf = (): Promise<never> => {
      controller.abort(new Error('enough'))
      return new Promise(() => {})
    }
    const { signal } = controller
    await expectCode(createAppends({ ...transfer, defaultsOf }).append('/f', { signal }), 'unavailable')
  })

  test('a file that would be encrypted cannot stay open', async () => {
    const exception = 'org.apache.hadoop.hdfs.UnknownCryptoProtocolVersionException'
    const { transfer } = await open([], 0, ({ methodName }) => (methodName === 'create' ? { exception } : undefined))
    await expectCode(createAppends(transfer).create('/f'), 'unsupported')
  })

  test.for<readonly [string, readonly number[], RegExp]>([
    [
      'no node',
      [],
      /data node 127\.0\.0\.1:\d+ broke the protocol: .* an ack of packet 1 by 0 data nodes instead of 1/,
    ],
    ['too many', [0, 0], /an ack of packet 1 by 2 data nodes instead of 1/],
  ])('an ack of %s is none', async ([, reply, reason]) => {
    const { write, names } = await open([serveWrites([], seqno => (seqno === 1 ? reply : [0]))])
    await expect(write(pieces(50_000))).rejects.toThrow(reason)
    expect(names().at(-1)).toBe('delete')
  })

  test('what is sent does not put off the end of a pipeline that acknowledges nothing', async () => {
    const { write, transfer } = await open([serveWrites([], () => undefined)])
    const source = async function* () {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      onTestFinished(() => void vi.useRealTimers())
      for (let at = 0; at < 3; at++) {
        yield content.subarray(0, 65_024)
        vi.advanceTimersByTime(transfer.idleTimeoutMs * 0.7)
      }
    }
    await expect(write(source())).rejects.toThrow('failed with ETIMEDOUT')
  })

  test('if no other node is left, the error says why the first one was left', async () => {
    const refused = { exception: 'java.io.IOException', message: 'could only be written to 0 of the 1 nodes' }
    let asked = 0
    const { write, names } = await open([serveWrites([], undefined, { status: 1 })], 0, ({ methodName }) =>
      methodName === 'addBlock' && ++asked === 2 ? refused : undefined,
    )
    await expect(write(chunksOf('abc'))).rejects.toThrow(
      /^Cannot create "\/f": data node .* refused: with status 1; then could only be written to 0 of the 1 nodes$/,
    )
    expect(names()).toEqual(['create', 'addBlock', 'abandonBlock', 'addBlock', 'delete'])
  })

  test.for<readonly [string, readonly boolean[], boolean]>([
    ['no node can be spoken to', [true, true, true, true], true],
    ['the name node has no other one', [true], true],
    ['one refuses', [true, false, true, true], false],
  ])('a pipeline that does not begin because %s', async ([, resets, isUnreached]) => {
    const reset = async ({ cut }: SeenOperation): Promise<void> => cut()
    const serves = resets.map(isReset => (isReset ? reset : serveWrites([], undefined, { status: 1 })))
    let asked = 0
    const { write } = await open(serves, 0, ({ methodName }) =>
      methodName === 'addBlock' && ++asked > resets.length ? { exception: 'java.io.IOException' } : undefined,
    )
    expect(await failureOf(write(chunksOf('abc')))).toBe(isUnreached)
  })

  test('a file that an aborted call has begun is removed when it is there', async () => {
    const begun = Promise.withResolvers<void>()
    const { write, names } = await open([], 0, async ({ methodName }) => {
      if (methodName === 'create') await begun.promise
      return undefined
    })
    const controller = new AbortController()
    const call = write(chunksOf('abc'), { signal: controller.signal })
    await expect.poll(() => names()).toEqual(['create'])
    controller.abort(new Error('enough'))
    await expectCode(call, 'unavailable')
    expect(names()).toEqual(['create'])
    begun.resolve()
    await expect.poll(() => names()).toEqual(['create', 'delete'])
  })

  test('an abort ends the wait for a pipeline, and for replicas of the block before', async () => {
    const silent = async ({ read }: SeenOperation): Promise<void> => void (await read(100_000_000))
    const notYet = { exception: 'org.apache.hadoop.hdfs.server.namenode.NotReplicatedYetException' }
    for (const instead of [
      () => undefined,
      ({ methodName }: SeenCall) => (methodName === 'addBlock' ? notYet : undefined),
    ]) {
      const { write, names } = await open([silent], 0, instead)
      const controller = new AbortController()
      const call = write(chunksOf('abc'), { signal: controller.signal }, { idleTimeoutMs: 600_000 })
      await expect.poll(() => names()).toContain('addBlock')
      controller.abort(new Error('enough'))
      await expectCode(call, 'unavailable')
      expect(names().at(-1)).toBe('delete')
    }
  })

  test('a file that cannot be removed at first is removed later', async () => {
    let asked = 0
    const { write, names } = await open([serveWrites([], () => [1])], 0, ({ methodName }) =>
      methodName === 'delete' && ++asked === 1 ? { exception: 'java.io.IOException' } : undefined,
    )
    await expect(write(pieces(50_000))).rejects.toThrow('refused a packet')
    await expect.poll(() => names().slice(-2)).toEqual(['delete', 'delete'])
  })

  test('each file has a lease of its own, which ends with it', async () => {
    const { write, calls } = await open([serveWrites([])], 0)
    await write(chunksOf('abc'))
    await write(chunksOf('abc'))
    const nameOf = ({ request }: SeenCall): string => nameNodeMethods.create.Request.decode(request).clientName
    const creates = calls.filter(({ methodName }) => methodName === 'create')
    expect(new Set(creates.map(nameOf)).size).toBe(2)
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const renewed: unknown[] = []
    const nameNode: NameNode = {
      call: async ({ Response }, request) => {
        renewed.push(request)
        return Response.decode(new Uint8Array(0))
      },
      close: () => {},
    }
    const leases = createLeases(nameNode, 'c')
    const [first, second] = [leases.begin(), leases.begin()]
    vi.advanceTimersByTime(20_000)
    first.end()
    vi.advanceTimersByTime(20_000)
    second.end()
    vi.advanceTimersByTime(60_000)
    expect(renewed).toEqual(['c-0', 'c-1', 'c-1'].map(clientName => ({ clientName })))
  })

  test.for<readonly [string, object, string]>([
    ['no size of blocks', { blockSize: 0 }, 'dfs.blocksize 0'],
    ['no bytes for a checksum', { bytesPerChecksum: 0 }, 'dfs.bytes-per-checksum 0, expected 1 to 1048576'],
    ['chunks of a gigabyte', { bytesPerChecksum: 2 ** 30 }, 'dfs.bytes-per-checksum 1073741824'],
    ['packets of nothing', { writePacketSize: 0 }, 'dfs.client-write-packet-size 0'],
    ['checksums that nobody knows', { checksumType: 3 }, 'dfs.checksum.type 3, expected 0 to 2'],
  ])('a cluster with %s is refused before anything is created', async ([, wrong, reason]) => {
    const { write, names, transfer } = await open([])
    const defaultsOf = async () => ({ ...(await transfer.defaultsOf()), ...wrong })
    await expect(write(chunksOf('abc'), {}, { defaultsOf })).rejects.toThrow(`the name node has ${reason}`)
    expect(names()).toEqual([])
  })

  test('packets are never longer than data nodes accept, whatever the cluster says', async () => {
    const lengths: number[] = []
    const readHead = async ({ send, read, cut }: SeenOperation): Promise<void> => {
      send(delimited(BlockOpResponse.encode({ status: 0 })))
      const head = await read(6)
      lengths.push(PacketHeader.decode(await read(head.readUInt16BE(4))).dataLen)
      cut()
    }
    const { write, transfer } = await open([readHead])
    const defaultsOf = async () => ({ ...(await transfer.defaultsOf()), writePacketSize: 2 ** 30, checksumType: 0 })
    const source = async function* () {
      yield Buffer.alloc(17 * 1024 * 1024)
    }
    await expectCode(write(source(), { blockSize: 2 ** 27 }, { defaultsOf }), 'unavailable')
    expect(lengths).toEqual([16 * 1024 * 1024 - 1_024])
  })

  test.for<readonly [number, (bytes: Uint8Array) => number]>([
    [0, () => -1],
    [1, bytes => crc32(bytes)],
  ])('checksums of type %d are written where the cluster has them', async ([checksumType, take]) => {
    const kept: Buffer[] = []
    const { write, nodes, transfer } = await open([serveWrites(kept, undefined, undefined, take)], 0)
    const defaultsOf = async () => ({ ...(await transfer.defaultsOf()), checksumType, writePacketSize: 2 ** 30 })
    await write(pieces(50_000), {}, { defaultsOf })
    expect(Buffer.concat(kept).equals(content)).toBe(true)
    const message = nodes[0]?.operations[0]?.message
    expect(OpWriteBlock.decode(message ?? Buffer.alloc(0)).requestedChecksum).toEqual({
      type: checksumType,
      bytesPerChecksum: 512,
    })
  })
})

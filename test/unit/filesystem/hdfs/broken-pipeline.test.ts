/** Uploads whose pipelines break: whatever fails when, the file is whole on every node that has it, or is not there. */
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { CreateOptions } from '../../../../src/filesystem/hadoop-verbs.ts'
import { createDataNodeConnections } from '../../../../src/filesystem/hdfs/data-node/connections.ts'
import {
  BlockOpResponse,
  OpWriteBlock,
  PacketHeader,
  PipelineAck,
  pipelineStage,
} from '../../../../src/filesystem/hdfs/data-node/messages.ts'
import { createAppends } from '../../../../src/filesystem/hdfs/files/append-file.ts'
import { createLeases, isLostLease } from '../../../../src/filesystem/hdfs/files/leases.ts'
import { writeBlockFile } from '../../../../src/filesystem/hdfs/files/write-file.ts'
import type { DatanodeInfo, ExtendedBlock } from '../../../../src/filesystem/hdfs/name-node/messages.ts'
import { nameNodeMethods } from '../../../../src/filesystem/hdfs/name-node/methods.ts'
import { clientProtocol, createNameNode } from '../../../../src/filesystem/hdfs/name-node/name-node.ts'
import { delimited } from '../../../../src/filesystem/hdfs/protobuf/message.ts'
import { createHadoopRpc } from '../../../../src/filesystem/hdfs/rpc/client.ts'
import { expectCode } from '../../../suites/file-text.ts'
import {
  type CallAnswer,
  fakeDataNode,
  fakeNameNode,
  newFile,
  type SeenCall,
  type SeenOperation,
} from './fake-nodes.ts'

/** The outcome of one pipeline, by what its first node says. */
type Fault = {
  /** This many packets are acknowledged before. */
  readonly after: number
  /** It hangs up, also where it has the packet already; or says which one of them failed, as with a node that is gone. */
  readonly how: 'hangs up' | 'has it and hangs up' | 'second failed' | 'last failed' | 'does not begin'
}

type Replica = { generationStamp: bigint; bytes: Buffer; isEnded: boolean }
type Block = { b: ExtendedBlock; nodes: readonly number[] }

const content = Buffer.from(Uint8Array.from({ length: 40_000 }, (_, at) => (at * 31) % 251))
const answers = nameNodeMethods

/** A cluster that keeps what it is sent, as strict as a real one. */
const startCluster = async (
  count: number,
  faults: readonly Fault[],
  more: Partial<Record<string, CallAnswer>> = {},
) => {
  const left = [...faults]
  const stores = Array.from({ length: count }, () => new Map<bigint, Replica>())
  const file: Block[] = []
  const problems: string[] = []
  const stages: number[] = []
  let isComplete = false
  let lastStamp = 1n
  let lastId = 0n

  const serve = async (own: number, { message, send, read, cut }: SeenOperation): Promise<void> => {
    const { header, targets, stage, latestGenerationStamp, ...bytes } = OpWriteBlock.decode(message)
    const { blockId, generationStamp } = header.baseHeader.block
    const at = [own, ...targets.map(({ id }) => Number(id.datanodeUuid))]
    const fault = left.shift()
    stages.push(stage)
    if (fault?.how === 'does not begin') return cut()
    const replicas = at.map(node => {
      const known = stores[node]?.get(blockId)
      if (stage === pipelineStage.setupCreate) {
        const made = { generationStamp, bytes: Buffer.alloc(0), isEnded: false }
        stores[node]?.set(blockId, made)
        return made
      }
      if (known === undefined) throw new Error(`node ${node} has no replica`)
      const { length } = known.bytes
      const isRight =
        known.generationStamp >= generationStamp &&
        known.generationStamp < latestGenerationStamp &&
        length >= bytes.minBytesRcvd &&
        length <= bytes.maxBytesRcvd &&
        (stage === pipelineStage.closeRecovery ? length === bytes.minBytesRcvd : !known.isEnded)
      if (!isRight) problems.push(`node ${node}: ${length} of stage ${stage}, ${JSON.stringify(bytes.minBytesRcvd)}`)
      known.generationStamp = latestGenerationStamp
      return known
    })
    send(delimited(BlockOpResponse.encode({ status: 0 })))
    if (stage === pipelineStage.closeRecovery) {
      for (const one of replicas) one.isEnded = true
      return
    }
    for (let count = 0; ; count++) {
      const head = await read(6)
      const packet = PacketHeader.decode(await read(head.readUInt16BE(4)))
      await read(head.readInt32BE(0) - 4 - packet.dataLen)
      const data = Buffer.from(await read(packet.dataLen))
      const isNow = fault !== undefined && count === fault.after
      // What is further down the pipeline may or may not have it by then.
      const having = isNow && fault.how !== 'has it and hangs up' ? replicas.slice(0, 1) : replicas
      for (const one of having) {
        const { length } = one.bytes
        if (packet.offsetInBlock > length) problems.push(`a packet from ${packet.offsetInBlock}, behind ${length}`)
        if (packet.dataLen > 0 && packet.offsetInBlock % 512 > 0) problems.push('a packet amid a chunk')
        const end = Math.max(length, packet.offsetInBlock + data.length)
        const next = Buffer.alloc(end)
        one.bytes.copy(next)
        data.copy(next, packet.offsetInBlock)
        one.bytes = next
        if (packet.lastPacketInBlock) one.isEnded = true
      }
      if (isNow) {
        const bad =
          fault.how === 'second failed' ? Math.min(1, at.length - 1) : fault.how === 'last failed' ? at.length - 1 : 0
        if (bad < 1) return cut()
        const reply = at.slice(0, bad + 1).map((_, index) => (index === bad ? 1 : 0))
        send(delimited(PipelineAck.encode({ seqno: packet.seqno, reply })))
        await read(100_000_000)
      }
      send(delimited(PipelineAck.encode({ seqno: packet.seqno, reply: at.map(() => 0) })))
      if (packet.lastPacketInBlock) return
    }
  }
  let serving = 0
  const serveOne = async (own: number, operation: SeenOperation): Promise<void> => {
    serving++
    await serve(own, operation).finally(() => serving--)
  }
  const nodes = await Promise.all(stores.map((_, own) => fakeDataNode(operation => serveOne(own, operation))))
  const infoOf = (own: number): DatanodeInfo => {
    const { host, port } = nodes[own] ?? { host: '', port: 0 }
    const id = { ipAddr: host, hostName: 'dn', datanodeUuid: String(own), xferPort: port, infoPort: 0, ipcPort: 0 }
    return { id, location: '/rack' }
  }
  const toLocated = ({ b, nodes: own }: Block) => ({
    b,
    offset: 0,
    locs: own.map(infoOf),
    corrupt: false,
    blockToken: { identifier: Buffer.alloc(0), password: Buffer.alloc(0), kind: '', service: '' },
    storageTypes: own.map(() => 1),
    storageIDs: own.map(one => `DS-${one}`),
  })
  const open = (): Block => {
    const last = file.at(-1)
    if (last === undefined) throw new Error('the file has no block')
    return last
  }
  const commit = (last: ExtendedBlock | undefined): void => {
    if (last === undefined) return
    if (last.generationStamp !== open().b.generationStamp) problems.push(`a block of stamp ${last.generationStamp}`)
    open().b = last
  }
  const answer = ({ methodName, request }: SeenCall): CallAnswer => {
    const other = more[methodName]
    if (other) return other
    switch (methodName) {
      case 'create':
        return answers.create.Response.encode({ fs: newFile })
      case 'addBlock': {
        const { previous, excludeNodes } = answers.addBlock.Request.decode(request)
        commit(previous)
        const bad = new Set(excludeNodes.map(({ id }) => Number(id.datanodeUuid)))
        const free = stores.map((_, own) => own).filter(own => !bad.has(own))
        if (free.length === 0) return { exception: 'java.io.IOException', message: 'could only be written to 0 nodes' }
        const b = { poolId: 'BP', blockId: ++lastId, generationStamp: ++lastStamp, numBytes: 0 }
        file.push({ b, nodes: free.slice(0, 3) })
        return answers.addBlock.Response.encode({ block: toLocated(open()) })
      }
      case 'abandonBlock':
        file.pop()
        return Buffer.alloc(0)
      case 'updateBlockForPipeline': {
        const block = { ...toLocated(open()), locs: [], storageTypes: [], storageIDs: [] }
        const b = { ...open().b, generationStamp: ++lastStamp }
        return answers.updateBlockForPipeline.Response.encode({ block: { ...block, b } })
      }
      case 'updatePipeline': {
        const { oldBlock, newBlock, newNodes } = answers.updatePipeline.Request.decode(request)
        if (oldBlock.generationStamp !== open().b.generationStamp) problems.push('a pipeline of another stamp')
        file.splice(-1, 1, { b: newBlock, nodes: newNodes.map(({ datanodeUuid }) => Number(datanodeUuid)) })
        return Buffer.alloc(0)
      }
      case 'complete':
        commit(answers.complete.Request.decode(request).last)
        isComplete = true
        return answers.complete.Response.encode({ result: true })
      case 'delete':
        file.length = 0
        return answers.delete.Response.encode({ result: true })
      default:
        return methodName === 'recoverLease' ? answers.recoverLease.Response.encode({ result: true }) : Buffer.alloc(0)
    }
  }
  const { address, calls } = await fakeNameNode(answer)
  /** The file as each of its replicas has it; of a block each one is to be the same. */
  const read = (): Buffer => {
    const blocks = file.map(({ b, nodes: own }) => {
      const replicas = own.map(one => stores[one]?.get(b.blockId)).filter(one => one !== undefined)
      expect(replicas).toHaveLength(own.length)
      for (const { generationStamp, bytes, isEnded } of replicas) {
        expect([generationStamp, bytes.length, isEnded]).toEqual([b.generationStamp, b.numBytes, true])
        expect(bytes.equals(replicas[0]?.bytes ?? Buffer.alloc(0))).toBe(true)
      }
      return replicas[0]?.bytes ?? Buffer.alloc(0)
    })
    return Buffer.concat(blocks)
  }
  const names = () => calls.map(({ methodName }) => methodName)
  return {
    address,
    names,
    stages,
    problems,
    read,
    copies: () => file.map(one => one.nodes.length),
    lengths: () => file.map(({ b }) => b.numBytes),
    isComplete: () => isComplete,
    /** Pipelines that are open. */
    serving: () => serving,
  }
}

const openTransfer = (address: { readonly host: string; readonly port: number }) => {
  const identities = { of: () => ({ user: 'ann' }), refused: () => false }
  const rpc = { addresses: [address] as const, protocol: clientProtocol, identities, peer: 'name node' }
  const nameNode = createNameNode(createHadoopRpc({ ...rpc, timeoutMs: 10_000, maxRetries: 0 }))
  const connections = createDataNodeConnections({ get: async () => undefined, refused: () => {} })
  const close = (): void => {
    connections.close()
    nameNode.close()
  }
  const sizes = { blockSize: 16_384, replication: 3, bytesPerChecksum: 512, writePacketSize: 4_128, checksumType: 2 }
  const others = { fileBufferSize: 4_096, encryptDataTransfer: false, trashInterval: 0 }
  const transfer = {
    nameNode,
    connections,
    clientName: 'client',
    timeoutMs: 10_000,
    idleTimeoutMs: 10_000,
    leases: createLeases(nameNode, 'client'),
    defaultsOf: async () => ({ ...sizes, ...others }),
  }
  return { transfer, close }
}

const open = async (faults: readonly Fault[], count = 5, more: Partial<Record<string, CallAnswer>> = {}) => {
  const cluster = await startCluster(count, faults, more)
  const { transfer, close } = openTransfer(cluster.address)
  onTestFinished(close)
  const write = (size: number, length = content.length, options: CreateOptions = {}) =>
    writeBlockFile(transfer, '/f', pieces(content.subarray(0, length), size), options)
  return { ...cluster, transfer, write }
}

async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += size) {
    yield bytes.subarray(from, from + size)
    // Acks arrive meanwhile.
    await new Promise(setImmediate)
  }
}

const hows = ['hangs up', 'has it and hangs up', 'second failed', 'last failed'] as const

describe('an upload', () => {
  test.for(hows.flatMap(how => [0, 1, 2, 4, 5].map(after => [how, after] as const)))(
    'goes on when a node %s after %d packets of a block',
    async ([how, after]) => {
      const { write, read, problems, isComplete } = await open([{ how, after }])
      await write(3_000)
      expect(read().equals(content)).toBe(true)
      expect([problems, isComplete()]).toEqual([[], true])
    },
  )

  test('continues with two of three nodes, and begins the next block on three', async () => {
    const { write, stages, copies, names } = await open([{ how: 'last failed', after: 1 }])
    await write(1_000)
    expect(stages.slice(0, 2)).toEqual([pipelineStage.setupCreate, pipelineStage.setupStreamingRecovery])
    expect(copies()).toEqual([2, 3, 3])
    const recovery = ['fsync', 'updateBlockForPipeline', 'updatePipeline']
    expect(names().slice(0, 6)).toEqual(['create', 'addBlock', ...recovery, 'addBlock'])
  })

  test('ends a block of which one copy of three is left, and continues in another one', async () => {
    const { write, copies, lengths, read } = await open([
      { how: 'last failed', after: 1 },
      { how: 'last failed', after: 1 },
    ])
    await write(1_000)
    expect(read().equals(content)).toBe(true)
    expect(copies()[0]).toBe(1)
    expect(copies().slice(1)).toEqual([3, 3])
    expect(lengths()[0]).toBeLessThan(16_384)
  })

  test('is sent to another block where nothing of it was acknowledged', async () => {
    const { write, read, names, stages } = await open([{ how: 'hangs up', after: 0 }])
    await write(1_000, 1_000)
    expect(read().equals(content.subarray(0, 1_000))).toBe(true)
    expect(names()).toEqual(['create', 'addBlock', 'abandonBlock', 'addBlock', 'complete'])
    expect(stages).toEqual([pipelineStage.setupCreate, pipelineStage.setupCreate])
  })

  test('whose last packet alone was lost ends its block with the nodes that are left', async () => {
    const { write, read, stages, copies } = await open([{ how: 'second failed', after: 4 }])
    await write(1_000, 16_384)
    expect(stages).toEqual([pipelineStage.setupCreate, pipelineStage.closeRecovery])
    expect([read().equals(content.subarray(0, 16_384)), copies()]).toEqual([true, [2]])
  })

  const leftWithOne = { how: 'last failed', after: 1 } as const
  test.for<[string, number, readonly Fault[], CreateOptions, boolean]>([
    ['one node was left of an earlier block', 5, [leftWithOne, leftWithOne], { minReplication: 2 }, false],
    ['the name node named one', 1, [], { minReplication: 2 }, false],
    ['two were left', 5, [leftWithOne], { minReplication: 2 }, true],
    ['two were left', 5, [leftWithOne], { minReplication: 3 }, false],
    ['one is all of its replication', 1, [], { minReplication: 2, replication: 1 }, true],
    ['one node was left, which HDFS takes for enough', 5, [leftWithOne, leftWithOne], {}, true],
  ])('counts its nodes: %s of %d', async ([, count, faults, options, isEnough]) => {
    const { write, read, names, isComplete } = await open(faults, count)
    if (isEnough) await write(1_000, content.length, options)
    else await expectCode(write(1_000, content.length, options), 'unavailable')
    expect([isComplete(), read().length]).toEqual(isEnough ? [true, content.length] : [false, 0])
    expect(names().at(-1)).toBe(isEnough ? 'complete' : 'delete')
  })

  test('that is empty is on no node', async () => {
    const { write, isComplete } = await open([], 1)
    await write(1_000, 0, { minReplication: 2 })
    expect(isComplete()).toBe(true)
  })

  test('takes back the last block as well that no node begins', async () => {
    const { write, names } = await open(Array.from({ length: 4 }, () => ({ how: 'does not begin', after: 0 }) as const))
    await expectCode(write(1_000), 'unavailable')
    const tried = Array.from({ length: 4 }, () => ['addBlock', 'abandonBlock']).flat()
    expect(names()).toEqual(['create', ...tried, 'delete'])
  })

  test('fails, and leaves nothing, where no node is left', async () => {
    const fault = { how: 'hangs up', after: 1 } as const
    const { write, read, isComplete } = await open([fault, fault, fault], 3)
    await expectCode(write(1_000), 'unavailable')
    expect([read().length, isComplete()]).toEqual([0, false])
  })

  test.for([
    ['a quota', 'addBlock', 'org.apache.hadoop.hdfs.protocol.DSQuotaExceededException', 'quota-exceeded'],
    ['no space', 'addBlock', 'java.io.IOException', 'unavailable'],
    ['a refusal', 'updateBlockForPipeline', 'java.io.IOException', 'unavailable'],
  ] as const)(
    'that meets %s when it wants to go on says so, and leaves nothing',
    async ([, method, exception, code]) => {
      const refused = { exception, message: 'the name node says why' }
      let asked = 0
      const more = {
        get [method]() {
          return ++asked > (method === 'addBlock' ? 1 : 0) ? refused : undefined
        },
      }
      const { write, names } = await open([{ how: 'hangs up', after: method === 'addBlock' ? 0 : 1 }], 5, more)
      const failed = write(1_000)
      await expect(failed).rejects.toMatchObject({ code })
      await expect(failed).rejects.toThrow(/data node .* then the name node says why|the name node says why/)
      expect(names().at(-1)).toBe('delete')
    },
  )

  test('whose lease is somebody else’s says so, and removes nothing of theirs', async () => {
    const exception = 'org.apache.hadoop.hdfs.server.namenode.LeaseExpiredException'
    const { write, names } = await open([{ how: 'hangs up', after: 1 }], 5, {
      fsync: { exception, message: 'Client (=a) is not the lease owner (=b)' },
    })
    const failed = write(1_000)
    await expect(failed).rejects.toThrow(/is not the lease owner/)
    await expect(failed).rejects.toSatisfy(isLostLease)
    expect(names().at(-1)).toBe('fsync')
  })

  test('leaves no pipeline that the name node did not take', async () => {
    const { write, serving, names } = await open([{ how: 'last failed', after: 1 }], 5, {
      updatePipeline: { exception: 'java.io.IOException' },
    })
    await expectCode(write(1_000), 'unavailable')
    expect(names()).toContain('updatePipeline')
    await expect.poll(serving).toBe(0)
  })

  test('that is aborted while it wants to continue says so', async () => {
    const controller = new AbortController()
    const { transfer } = await open([{ how: 'last failed', after: 1 }], 5, {
      get updateBlockForPipeline() {
        controller.abort(new Error('enough'))
        return undefined
      },
    })
    const { signal } = controller
    const failed = writeBlockFile(transfer, '/f', pieces(content, 1_000), { signal })
    await expect(failed).rejects.toThrow(/^The transfer of "\/f" was aborted$/)
  })

  test('whatever fails when: it is whole on every node, or it fails and is not there', async () => {
    const fault = fc.record({
      how: fc.constantFrom(...hows, 'does not begin' as const),
      after: fc.nat({ max: 6 }),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(fault, { maxLength: 6 }),
        fc.constantFrom(700, 4_096, 5_000, 20_000, 40_000),
        fc.integer({ min: 1, max: content.length }),
        async (faults, size, length) => {
          const cluster = await startCluster(5, faults)
          const { transfer, close } = openTransfer(cluster.address)
          const bytes = content.subarray(0, length)
          const isWritten = await writeBlockFile(transfer, '/f', pieces(bytes, size), {}).then(
            () => true,
            () => false,
          )
          close()
          expect(cluster.problems).toEqual([])
          expect(cluster.isComplete()).toBe(isWritten)
          expect(cluster.read().equals(isWritten ? bytes : Buffer.alloc(0))).toBe(true)
        },
      ),
      { numRuns: 60 },
    )
  })
})

describe('a file that stays open', () => {
  test.for([...hows])('keeps what was flushed when a node %s, and has its copies again behind it', async how => {
    const { transfer, read, problems, copies } = await open([
      { how, after: 3 },
      { how, after: 2 },
    ])
    const file = await createAppends(transfer).create('/f')
    const seen: number[] = []
    for (let end = 700; end <= 21_000; end += 700) {
      await file.write(content.subarray(end - 700, end))
      await (end % 1_400 === 0 ? file.hsync() : file.hflush())
      seen.push(file.copies)
    }
    await file.close()
    expect(read().equals(content.subarray(0, 21_000))).toBe(true)
    expect(problems).toEqual([])
    expect(seen.filter(count => count < 3).length).toBeLessThanOrEqual(2)
    expect(seen.every(count => count >= 2)).toBe(true)
    expect(seen).toContain(2)
    expect(copies().filter(count => count < 3).length).toBeLessThanOrEqual(2)
  })

  test('whose lease was taken learns it from the name node', async () => {
    const exception = 'org.apache.hadoop.hdfs.server.namenode.LeaseExpiredException'
    const { transfer } = await open([{ how: 'second failed', after: 1 }], 5, { updateBlockForPipeline: { exception } })
    const file = await createAppends(transfer).create('/f')
    await file.write(content.subarray(0, 100))
    await file.hflush()
    await file.write(content.subarray(100, 200))
    await expect(file.hflush()).rejects.toSatisfy(isLostLease)
    await file.abandon()
  })

  test('which is somebody else’s by then is not taken from them by who lets go of it', async () => {
    let isTaken = false
    const exception = 'org.apache.hadoop.hdfs.server.namenode.LeaseExpiredException'
    const { transfer, names } = await open([], 5, {
      get fsync() {
        return isTaken ? { exception } : undefined
      },
    })
    const file = await createAppends(transfer).create('/f')
    await file.write(content.subarray(0, 100))
    await file.hflush()
    isTaken = true
    await file.abandon()
    expect(names()).toEqual(['create', 'addBlock', 'fsync', 'fsync'])
  })
})

import { expect, onTestFinished, test } from 'vitest'
import {
  createDataNodeConnections,
  type DataNodeConnections,
} from '../../../../src/filesystem/hdfs/data-node/connections.ts'
import { BlockOpResponse } from '../../../../src/filesystem/hdfs/data-node/messages.ts'
import { createUnreached } from '../../../../src/filesystem/hdfs/data-node/unreached.ts'
import { readBlockFile } from '../../../../src/filesystem/hdfs/files/read-file.ts'
import type { LocatedBlock } from '../../../../src/filesystem/hdfs/name-node/messages.ts'
import { nameNodeMethods } from '../../../../src/filesystem/hdfs/name-node/methods.ts'
import { clientProtocol, createNameNode } from '../../../../src/filesystem/hdfs/name-node/name-node.ts'
import { delimited } from '../../../../src/filesystem/hdfs/protobuf/message.ts'
import { createHadoopRpc } from '../../../../src/filesystem/hdfs/rpc/client.ts'
import { fakeDataNode, fakeNameNode } from './fake-nodes.ts'

const closed = Object.assign(new Error('no'), { code: 'ECONNREFUSED' })
const a = { host: 'a', port: 1 }

test('a node is left for a minute, or until it takes a connection', async () => {
  let ms = 0
  const { watch, has } = createUnreached(() => ms)
  const fail = (error: Error) => expect(watch(a, Promise.reject(error))).rejects.toBe(error)
  await fail(new Error('it hung up'))
  expect(has(a)).toBe(false)
  await fail(closed)
  expect([has(a), has({ host: 'a', port: 2 })]).toEqual([true, false])
  ms = 60_001
  expect(has(a)).toBe(false)
  await fail(closed)
  expect(await watch(a, Promise.resolve(7))).toBe(7)
  expect(has(a)).toBe(false)
})

test('another replica is asked first, by the next read too', async () => {
  const refusing = await fakeDataNode(({ send }) =>
    send(delimited(BlockOpResponse.encode({ status: 1, message: 'no such block' }))),
  )
  const real = createDataNodeConnections({ get: async () => undefined, refused: () => {} })
  onTestFinished(() => real.close())
  const asked: number[] = []
  const connections: DataNodeConnections = {
    ...real,
    begin: async (address, operation) => {
      asked.push(address.port)
      return await real.begin(address, operation)
    },
  }
  const located = {
    fileLength: 10,
    blocks: [toBlock([1, refusing.port])],
    underConstruction: false,
    isLastBlockComplete: true,
  }
  const { address } = await fakeNameNode(() =>
    nameNodeMethods.getBlockLocations.Response.encode({ locations: located }),
  )
  const identities = { of: () => ({ user: 'ann' }), refused: () => false }
  const rpc = {
    addresses: [address],
    protocol: clientProtocol,
    identities,
    peer: 'name node',
    timeoutMs: 10_000,
  } as const
  const nameNode = createNameNode(createHadoopRpc(rpc))
  onTestFinished(() => nameNode.close())
  const transfer = {
    connections,
    nameNode,
    clientName: 'c',
    timeoutMs: 10_000,
    idleTimeoutMs: 10_000,
  }
  await expect(readBlockFile(transfer, '/f', located, {})).rejects.toThrow('ECONNREFUSED')
  // Once more where the name node says they are, and then each once.
  expect(asked).toEqual([1, refusing.port, refusing.port, 1])
})

const toBlock = (ports: readonly number[]): LocatedBlock => ({
  b: { poolId: 'BP', blockId: 7n, generationStamp: 1n, numBytes: 10 },
  offset: 0,
  locs: ports.map(port => ({
    id: { ipAddr: '127.0.0.1', hostName: 'dn', datanodeUuid: `u${port}`, xferPort: port, infoPort: 0, ipcPort: 0 },
    location: '/rack',
  })),
  corrupt: false,
  blockToken: { identifier: Buffer.alloc(0), password: Buffer.alloc(0), kind: '', service: '' },
  storageTypes: ports.map(() => 1),
  storageIDs: ports.map(port => `DS-${port}`),
})

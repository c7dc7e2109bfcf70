import { expect, onTestFinished, test, vi } from 'vitest'
import { visibleLengthOf } from '../../../../src/filesystem/hdfs/data-node/visible-length.ts'
import type { LocatedBlock } from '../../../../src/filesystem/hdfs/name-node/messages.ts'
import { expectCode } from '../../../suites/file-text.ts'
import { fakeNameNode } from './fake-nodes.ts'

const lengthOf = (numBytes: number, ports: readonly number[]): Promise<number> => {
  const block: LocatedBlock = {
    b: { poolId: 'BP', blockId: 7n, generationStamp: 1n, numBytes },
    offset: 0,
    locs: ports.map(ipcPort => ({
      id: { ipAddr: '127.0.0.1', hostName: 'dn', datanodeUuid: 'u', xferPort: 1, infoPort: 0, ipcPort },
      location: '/rack',
    })),
    corrupt: false,
    blockToken: { identifier: Buffer.alloc(0), password: Buffer.alloc(0), kind: '', service: '' },
    storageTypes: [],
    storageIDs: [],
  }
  return visibleLengthOf(block, { path: '/f', user: 'ann', timeoutMs: 10_000 })
}

test('a block that no data node has is empty only as long as the name node knows of no byte', async () => {
  const { address } = await fakeNameNode(() => ({
    exception: 'org.apache.hadoop.hdfs.server.datanode.ReplicaNotFoundException',
  }))
  for (const ports of [[], [address.port]]) {
    expect(await lengthOf(0, ports)).toBe(0)
    await expectCode(lengthOf(5, ports), 'unavailable')
  }
})

test('a node that is silent is left after five seconds while others have the block', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const silent = await fakeNameNode(() => undefined)
  // The field 1: seven bytes.
  const other = await fakeNameNode(() => Buffer.from([8, 7]))
  const asked = lengthOf(5, [silent.address.port, other.address.port])
  await expect.poll(() => silent.calls.length).toBe(1)
  for (let at = 0; at < 20; at++) await new Promise(setImmediate)
  vi.advanceTimersByTime(5_000)
  expect(await asked).toBe(7)
})

test('a node that was started again knows of no length, and another one is asked', async () => {
  const { address: again } = await fakeNameNode(() => Buffer.from('08ffffffffffffffffff01', 'hex'))
  const { address } = await fakeNameNode(() => Buffer.from([8, 7]))
  expect(await lengthOf(0, [again.port, address.port])).toBe(7)
  await expect(lengthOf(0, [again.port])).rejects.toThrow('data node 127.0.0.1:1 was started again')
})

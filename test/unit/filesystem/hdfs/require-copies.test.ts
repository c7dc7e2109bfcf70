import { expect, onTestFinished, test } from 'vitest'
import { hadoopOf } from '../../../../src/filesystem/facets.ts'
import { untilCopied } from '../../../../src/filesystem/hdfs/files/require-copies.ts'
import { nameNodeMethods } from '../../../../src/filesystem/hdfs/name-node/methods.ts'
import { createHdfsFileSystem } from '../../../../src/filesystem/hdfs.ts'
import { chunksOf } from '../../../suites/file-text.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { fakeNameNode } from './fake-nodes.ts'

/** A file of two blocks, of which the name node knows more copies each time. */
const ask = async (minReplication: number | undefined, replication: number, growing: readonly number[]) => {
  let calls = 0
  const getFileBlockLocations = async () => {
    const copies = growing[calls++] ?? growing.at(-1) ?? 0
    return [3, copies].map((count, at) => ({
      offset: at,
      length: 1,
      hosts: [],
      names: Array.from({ length: count }, String),
    }))
  }
  const wanted = minReplication === undefined ? {} : { minReplication }
  const defaultsOf = async () => ({ replication })
  await untilCopied({ getFileBlockLocations }, '/f', wanted, defaultsOf)
  return calls
}

test('a file that a data node wrote is complete once enough nodes have each block', async () => {
  expect(await ask(2, 3, [0, 1, 2])).toBe(3)
  expect(await ask(3, 2, [1, 2])).toBe(2)
  expect(await ask(2, 1, [0])).toBe(0)
  expect(await ask(undefined, 3, [0])).toBe(0)
})

test('one that has too few when nothing is waited for any more is refused', async () => {
  const aborter = new AbortController()
  const getFileBlockLocations = async () => {
    aborter.abort(new Error('enough'))
    return [{ offset: 0, length: 1, hosts: [], names: ['1'] }]
  }
  const wanted = { minReplication: 2, replication: 3, signal: aborter.signal }
  const waiting = untilCopied({ getFileBlockLocations }, '/f', wanted, () => expect.unreachable())
  await expect(waiting).rejects.toThrow('/f')
})

test.for([
  [2, ['looked', 'looked']],
  [undefined, []],
] as const)(
  'an encrypted file, which a data node writes, is complete once so many nodes have it: %s',
  async ([minReplication, want]) => {
    const sizes = { blockSize: 1_048_576, bytesPerChecksum: 512, writePacketSize: 65_536, fileBufferSize: 4_096 }
    const serverDefaults = { ...sizes, replication: 3, encryptDataTransfer: false, trashInterval: 0, checksumType: 2 }
    const { address } = await fakeNameNode(({ methodName }) =>
      methodName === 'create'
        ? { exception: 'org.apache.hadoop.hdfs.UnknownCryptoProtocolVersionException' }
        : nameNodeMethods.getServerDefaults.Response.encode({ serverDefaults }),
    )
    const memory = createMemoryFileSystem()
    const looks: string[] = []
    const getFileBlockLocations = async () => {
      looks.push('looked')
      return [{ offset: 0, length: 1, hosts: [], names: Array.from({ length: looks.length }, String) }]
    }
    const fileSystem = createHdfsFileSystem({
      url: 'hdfs://test',
      addresses: [address],
      identitiesOf: () => ({ of: () => ({ user: 'ann' }), refused: () => false }),
      webHdfs: { ...memory, hadoop: { ...hadoopOf(memory), getFileBlockLocations } },
    })
    onTestFinished(() => fileSystem.close())
    await hadoopOf(fileSystem).create('/f', chunksOf('x'), minReplication === undefined ? {} : { minReplication })
    expect(looks).toEqual(want)
    expect((await memory.getFileStatus('/f')).length).toBe(1)
  },
)

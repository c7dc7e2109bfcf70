/** All that a file system does, by HDFS' own protocol, with three copies of each block; then what the cluster says of them. */
import { beforeAll, expect, test } from 'vitest'
import { describeFileSystem } from '../../suites/filesystem.ts'
import type { FlatFileSystem } from '../../suites/flat-filesystem.ts'
import { describeOwnHdfs, findFaults, fsck, openNative, readReplicas, threeDataNodes } from './own-cluster.ts'

await describeOwnHdfs('HDFS by its own protocol on three data nodes', threeDataNodes, cluster => {
  let fs: FlatFileSystem
  beforeAll(async () => {
    fs = await openNative(cluster())
    return () => fs.close()
  })

  const options = { manyFiles: 200, impossibleNames: ['a:b'], isSuperuser: true, replication: 3 }
  describeFileSystem('native, three copies', { fs: () => fs, base: '/suite', ...options })

  test('fsck is content, and all replicas of a block are the same, with their checksums', async () => {
    await expect.poll(async () => findFaults(await fsck(cluster(), '/suite'))).toEqual([])
    const blocks = await readReplicas(cluster(), await fsck(cluster(), '/suite'))
    expect(blocks.size).toBeGreaterThan(100)
    for (const [name, [first, ...others]] of blocks) {
      expect(first, name).toBeDefined()
      for (const other of others) {
        expect(other.bytes.equals(first?.bytes ?? Buffer.of()), name).toBe(true)
        expect(other.sums.equals(first?.sums ?? Buffer.of()), name).toBe(true)
      }
    }
    const counts = [...blocks.values()].map(({ length }) => length)
    expect(counts.filter(count => count === 3).length).toBeGreaterThan(100)
  })
})

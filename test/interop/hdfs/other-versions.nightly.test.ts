/** HDFS' own protocol with the other lines of Hadoop that people run. */
import { beforeAll, expect, test } from 'vitest'
import type { FileSystem } from '../../../src/filesystem/filesystem.ts'
import { describeFileSystem, readText } from '../../suites/filesystem.ts'
import { type FlatFileSystem, flat } from '../../suites/flat-filesystem.ts'
import { describeOwnHdfs, findFaults, fsck, openNative, openWebHdfs, slowStart } from './own-cluster.ts'

const withoutChecksum = (fileSystem: FileSystem): FlatFileSystem => {
  const { getFileChecksum: _, ...hadoop } = fileSystem.hadoop ?? {}
  return flat({ ...fileSystem, hadoop })
}

for (const { version, hasWebHdfs } of [
  { version: '3.1.4', hasWebHdfs: true },
  // Of this line WebHDFS answers 503 from JDK 9 on: its Jersey cannot read such classes.
  { version: '2.10.2', hasWebHdfs: false },
]) {
  await describeOwnHdfs(`Hadoop ${version} by its own protocol`, { ...slowStart, version, dataNodes: 2 }, cluster => {
    let fs: FlatFileSystem
    beforeAll(async () => {
      const native = await openNative(cluster())
      fs = hasWebHdfs ? native : withoutChecksum(native)
      return () => fs.close()
    })

    describeFileSystem('native', {
      fs: () => fs,
      base: '/suite',
      manyFiles: 200,
      impossibleNames: ['a:b'],
      isSuperuser: true,
      unsupported: hasWebHdfs ? [] : ['getFileChecksum'],
    })

    test('a file of several blocks has each of them on two nodes', async () => {
      const text = 'line\n'.repeat(500_000)
      const source = async function* () {
        for (let from = 0; from < text.length; from += 70_001) yield Buffer.from(text.slice(from, from + 70_001))
      }
      await fs.create('/file', source(), { blockSize: 1 << 20, replication: 2, overwrite: true })
      expect(await readText(fs, '/file')).toBe(text)
      if (hasWebHdfs) {
        const view = await openWebHdfs(cluster())
        expect(await readText(view, '/file')).toBe(text)
        await view.close()
      }
      await expect.poll(async () => findFaults(await fsck(cluster(), '/file'))).toEqual([])
    })
  })
}

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { missingForHdfs } from '../../scripts/hdfs/artifacts.ts'
import { type Cluster, startCluster } from '../../scripts/hdfs/cluster.ts'
import { createWebHdfsFileSystem } from '../../src/filesystem/webhdfs.ts'
import { chunksOf, expectCode, readText } from '../suites/filesystem.ts'
import { type FlatFileSystem as FileSystem, flat } from '../suites/flat-filesystem.ts'
import { isRequired } from '../suites/hdfs.ts'

// A cluster of its own: the shared one must not be stopped.
const missing = process.env['SLUICE_NO_HDFS'] ? 'SLUICE_NO_HDFS is set' : await missingForHdfs()

describe.skipIf(missing !== undefined && !isRequired('hdfs'))(
  `WebHDFS through outages${missing ? `: ${missing}` : ''}`,
  () => {
    let cluster: Cluster
    let fs: FileSystem
    beforeAll(async () => {
      cluster = await startCluster()
      fs = flat(createWebHdfsFileSystem({ urls: [cluster.webhdfsUrl], maxRetries: 1, timeoutMs: 10_000 }))
      await fs.create('/kept', chunksOf('kept'))
    })
    afterAll(() => cluster?.stop())

    test('without its name node everything is unavailable; files and ports stay', async () => {
      await cluster.stopNameNode()
      await expectCode(fs.probe(), 'unavailable')
      await expectCode(readText(fs, '/kept'), 'unavailable')
      await expectCode(fs.rename('/kept', '/moved'), 'unavailable')
      await cluster.startNameNode()
      expect(await readText(fs, '/kept')).toBe('kept')
      await fs.create('/after', chunksOf('after'))
    })

    test('without its data node no bytes move, and nothing is claimed', async () => {
      await cluster.stopDataNode()
      await fs.probe()
      await expectCode(readText(fs, '/kept'), 'unavailable')
      await expectCode(fs.create('/lost', chunksOf('lost')), 'unavailable')
      await cluster.startDataNode()
      expect(await readText(fs, '/kept')).toBe('kept')
      await fs.create('/lost', chunksOf('found'), { overwrite: true })
      expect(await readText(fs, '/lost')).toBe('found')
    })

    test('stop ends both processes', async () => {
      await cluster.stop()
      expect(cluster.pids()).toEqual([])
      await expectCode(fs.probe(), 'unavailable')
    })
  },
)

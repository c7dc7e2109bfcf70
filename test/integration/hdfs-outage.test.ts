import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { missingForHdfs } from '../../scripts/hdfs/artifacts.ts'
import { type Cluster, startCluster } from '../../scripts/hdfs/cluster.ts'
import { createFileSystem } from '../../src/filesystem/create.ts'
import { chunksOf, expectCode, readText } from '../suites/filesystem.ts'
import { type FlatFileSystem as FileSystem, flat } from '../suites/flat-filesystem.ts'
import { isRequired } from '../suites/hdfs.ts'

// A cluster of its own: the shared one must not be stopped.
const missing = process.env['SLUICE_NO_HDFS'] ? 'SLUICE_NO_HDFS is set' : await missingForHdfs()

describe.skipIf(missing !== undefined && !isRequired('hdfs')).each(['webhdfs', 'native'] as const)(
  `HDFS by %s through outages${missing ? `: ${missing}` : ''}`,
  protocol => {
    let cluster: Cluster
    let fs: FileSystem
    beforeAll(async () => {
      cluster = await startCluster({ startTimeoutMs: 180_000 })
      const settings = { url: cluster.namenodeUrl, webhdfs: [cluster.webhdfsUrl], protocol }
      fs = flat(await createFileSystem(settings, { maxRetries: 1, timeoutMs: 10_000 }))
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

    test('a data node that ends in the middle of an upload fails it, and leaves nothing', async () => {
      const source = async function* () {
        for (let at = 0; at < 8; at++) yield new Uint8Array(1_048_576)
        await cluster.stopDataNode()
        for (let at = 0; at < 64; at++) yield new Uint8Array(1_048_576)
      }
      await expectCode(fs.publish('/torn/file', source()), 'unavailable')
      await cluster.startDataNode()
      await expect.poll(() => fs.getFileStatus('/torn').catch(({ code }) => code)).toBe('not-found')
      await fs.publish('/torn/file', chunksOf('whole'))
      expect(await readText(fs, '/torn/file')).toBe('whole')
    })

    test('a name node that ends in the middle of an upload fails it, and no part gets its name', async () => {
      const source = async function* () {
        yield new Uint8Array(1_048_576)
        await cluster.stopNameNode()
        yield new Uint8Array(1_048_576)
      }
      const outcome = await fs.publish('/cut/file', source()).catch(({ code }) => code)
      expect(outcome).toBe('unavailable')
      await cluster.startNameNode()
      expect(await fs.getFileStatus('/cut/file').catch(({ code }) => code)).toBe('not-found')
      await fs.publish('/cut/file', chunksOf('whole'))
      expect(await readText(fs, '/cut/file')).toBe('whole')
    })

    test('stop ends both processes', async () => {
      await cluster.stop()
      expect(cluster.pids()).toEqual([])
      await expectCode(fs.probe(), 'unavailable')
    })
  },
)

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { missingForHdfs } from '../../scripts/hdfs/artifacts.ts'
import { type Cluster, startCluster } from '../../scripts/hdfs/cluster.ts'
import { openHdfsStore } from '../foreign/hdfs-store.ts'
import { isRequired } from '../suites/hdfs.ts'
import { allIsWell } from '../suites/ledger-of-client.ts'
import { createSluice, ownProtocol, type Sluice } from '../suites/sluice-process.ts'

// A cluster of its own: the shared one must not be stopped.
const missing = process.env['SLUICE_NO_HDFS'] ? 'SLUICE_NO_HDFS is set' : await missingForHdfs()

describe.skipIf(missing !== undefined && !isRequired('hdfs')).each(['native', 'auto'] as const)(
  `R7: events through outages of HDFS, spoken to by %s${missing ? `: ${missing}` : ''}`,
  protocol => {
    let cluster: Cluster
    let sluice: Sluice
    beforeAll(async () => {
      cluster = await startCluster()
      sluice = await createSluice({
        settings: [
          `namenode.url=${cluster.namenodeUrl}`,
          `namenode.webhdfs.url=${cluster.webhdfsUrl}`,
          `namenode.protocol=${protocol}`,
        ],
      })
    })
    afterAll(async () => {
      await sluice?.close()
      await cluster?.stop()
    })

    test('intake goes on, and everything arrives once', async () => {
      const store = await openHdfsStore(cluster.webhdfsUrl)
      await sluice.start()
      // A name node that ends or begins may answer by WebHDFS alone: the first look at it is at one that is well.
      if (protocol === 'auto') await expect.poll(() => sluice.ways.length, { timeout: 30_000 }).toBeGreaterThan(0)
      const load = sluice.load(4)
      const during: Record<string, number> = {}
      const count = async (what: string, body: () => Promise<unknown>): Promise<void> => {
        const before = sluice.client.acknowledged.size
        await body()
        during[what] = sluice.client.acknowledged.size - before
      }
      await count('all well', () => sluice.acknowledged(1_000))
      await cluster.stopNameNode()
      await count('without name node', () => sluice.acknowledged(2_000))
      await sluice.kill()
      await sluice.start()
      await count('killed without name node', () => sluice.acknowledged(1_000))
      await cluster.startNameNode()
      await count('name node back', () => sluice.acknowledged(1_000))
      await cluster.stopDataNode()
      await count('without data node', () => sluice.acknowledged(2_000))
      await cluster.startDataNode()
      await count('data node back', () => sluice.acknowledged(1_000))
      await load.stop()
      expect(await sluice.drain()).toBe(0)
      // What one drain could not take in its time the next start does.
      for (let waiting = 1; waiting > 0; { waiting } = await sluice.reckon(store)) {
        await sluice.start()
        expect(await sluice.drain()).toBe(0)
      }
      const { lost, twice, unknown, ...figures } = await sluice.reckon(store)
      expect({ lost, twice, unknown }).toEqual(allIsWell)
      expect(figures.flushedByLedger).toBe(figures.found)
      // Only who may take either way says which one.
      expect(sluice.ways.slice(0, 1)).toEqual(protocol === 'auto' ? [ownProtocol] : [])
      const phases = Object.entries(during).map(([what, events]) => `${what} ${events}`)
      console.log(
        `HDFS by ${protocol} stopped and started${sluice.ways.map(way => `, ${way}`).join('')}: ${sluice.client.acknowledged.size} events acknowledged (${phases.join(', ')}), ${figures.found} in ${figures.files} files, none lost, none twice`,
      )
    })
  },
)

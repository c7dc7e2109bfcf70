import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { missingForHdfs } from '../../scripts/hdfs/artifacts.ts'
import { type Cluster, startCluster } from '../../scripts/hdfs/cluster.ts'
import { openHdfsStore } from '../foreign/hdfs-store.ts'
import { isRequired } from '../suites/hdfs.ts'
import { allIsWell } from '../suites/ledger-of-client.ts'
import { createSluice, ownProtocol, type Sluice } from '../suites/sluice-process.ts'

// A cluster of its own: the shared one must not be stopped.
const missing = process.env['SLUICE_NO_HDFS'] ? 'SLUICE_NO_HDFS is set' : await missingForHdfs()

/** With this setting a log in HDFS continues on the local disk meanwhile. */
const replicated = [
  'collector.ack=replicated',
  'collector.replicated.when-unavailable=local',
  'collector.replicated.replication=1',
  'collector.replicated.min=1',
]
const rows = [
  { protocol: 'native', ack: 'fsync', settings: [] },
  { protocol: 'auto', ack: 'fsync', settings: [] },
  { protocol: 'native', ack: 'replicated', settings: replicated },
] as const

describe.skipIf(missing !== undefined && !isRequired('hdfs'))(
  `R7: events through outages of HDFS${missing ? `: ${missing}` : ''}`,
  () => {
    let cluster: Cluster
    let sluice: Sluice | undefined
    beforeAll(async () => {
      cluster = await startCluster({ startTimeoutMs: 180_000 })
    })
    afterEach(async () => {
      await sluice?.close()
      sluice = undefined
    })
    afterAll(() => cluster?.stop())

    test.each(rows)('intake continues by $protocol with ack $ack, and everything arrives once', async row => {
      const { protocol, ack, settings } = row
      sluice = await createSluice({
        outputDirectory: `/outages-${protocol}-${ack}`,
        settings: [
          `namenode.url=${cluster.namenodeUrl}`,
          `namenode.webhdfs.url=${cluster.webhdfsUrl}`,
          `namenode.protocol=${protocol}`,
          ...settings,
        ],
      })
      const server = sluice
      const store = await openHdfsStore(cluster.webhdfsUrl)
      await server.start()
      const load = server.load(4)
      const during: Record<string, number> = {}
      const count = async (what: string, body: () => Promise<unknown>): Promise<void> => {
        const before = server.client.acknowledged.size
        await body()
        during[what] = server.client.acknowledged.size - before
      }
      await count('all well', () => server.acknowledged(1_000))
      await cluster.stopNameNode()
      await count('without name node', () => server.acknowledged(2_000))
      await server.kill()
      await server.start()
      await count('killed without name node', () => server.acknowledged(1_000))
      await cluster.startNameNode()
      await count('name node back', () => server.acknowledged(1_000))
      await cluster.stopDataNode()
      await count('without data node', () => server.acknowledged(2_000))
      await cluster.startDataNode()
      await count('data node back', () => server.acknowledged(1_000))
      await load.stop()
      expect(await server.drain()).toBe(0)
      // What one drain could not take in its time the next start does.
      for (let waiting = 1; waiting > 0; { waiting } = await server.reckon(store)) {
        await server.start()
        expect(await server.drain()).toBe(0)
      }
      const { lost, twice, unknown, ...figures } = await server.reckon(store)
      expect({ lost, twice, unknown }).toEqual(allIsWell)
      expect(figures.flushedByLedger).toBe(figures.found)
      // Only a file system with both protocols says which one it uses.
      expect(server.ways.slice(0, 1)).toEqual(protocol === 'auto' ? [ownProtocol] : [])
      const phases = Object.entries(during).map(([what, events]) => `${what} ${events}`)
      console.log(
        `HDFS by ${protocol}, ack ${ack}, stopped and started${server.ways.map(way => `, ${way}`).join('')}: ${server.client.acknowledged.size} events acknowledged (${phases.join(', ')}), ${figures.found} in ${figures.files} files, none lost, none twice`,
      )
    })
  },
)

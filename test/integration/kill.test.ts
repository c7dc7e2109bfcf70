import { afterEach, expect, test } from 'vitest'
import { openHdfsStore } from '../foreign/hdfs-store.ts'
import { openLocalStore, type Store } from '../foreign/store.ts'
import { toExtra } from '../suites/crash-requests.ts'
import { seededRandom } from '../suites/crash-world.ts'
import { drainFully } from '../suites/drain-fully.ts'
import { describeHdfs } from '../suites/hdfs.ts'
import { allIsWell } from '../suites/ledger-of-client.ts'
import { toTableStore } from '../suites/live-files.ts'
import { createSluice, ownProtocol, type Sluice } from '../suites/sluice-process.ts'

/** `kill -9`s on each file system, 15 in all; a release run takes 1 000. */
const kills = Number(process.env['SLUICE_TEST_KILLS'] ?? 6)
const acks = ['fsync', 'replicated'] as const
const eventsBetweenKills = 1_000
const connections = 8

/** Readers of other make judge them: DuckDB, and that columns are the same after every start; those of Smile and Thrift. */
const parquetFiles = [
  'collector.output.format=parquet',
  'collector.output.layout=hive',
  'collector.seal-threads=2',
  'server.threads=3',
]
const tableFiles = [
  'collector.output.format=parquet',
  'collector.output.table=iceberg',
  'collector.output.snapshot-seconds=1',
  'collector.seal-threads=2',
  'server.threads=2',
]
const nativeFiles = ['collector.output.format=native', 'server.threads=1']
/** There is one DataNode. */
const oneCopy = ['collector.replicated.replication=1', 'collector.replicated.min=1']

let sluice: Sluice | undefined
afterEach(async () => {
  await sluice?.close()
  sluice = undefined
})

/** Load, `kill -9`, start, and so on; then a drain, and the client's ledger against the contents of the file system. */
const killAgainAndAgain = async (server: Sluice, store: Store, where: string, kills: number): Promise<void> => {
  const random = seededRandom(kills)
  await server.start()
  const load = server.load(connections)
  for (let kill = 0; kill < kills; kill++) {
    await server.acknowledged(eventsBetweenKills + Math.floor(random() * 1_000))
    await server.kill()
    await server.start()
  }
  await server.acknowledged(eventsBetweenKills)
  await load.stop()
  await drainFully(server)
  // What kills left in the temporary directory goes soon after a start.
  await server.start()
  while ((await server.leftOver(store)).length > 0) await new Promise(resolve => setTimeout(resolve, 100))
  await drainFully(server)
  const { lost, twice, unknown, ...figures } = await server.reckon(store)
  expect({ lost, twice, unknown }).toEqual(allIsWell)
  expect(figures).toMatchObject({ waiting: 0, flushedByLedger: figures.found })
  const { issued, acknowledged } = server.client
  expect(acknowledged.size).toBeGreaterThanOrEqual(kills * eventsBetweenKills)
  console.log(
    `kill -9, ${where}: ${kills} kills, ${acknowledged.size} of ${issued} events acknowledged, ${figures.found} in ${figures.files} files, none lost, none twice`,
  )
}

const timeout = 300_000 + kills * 30_000

test('R1: kill -9 under load loses and doubles nothing, local file system', { timeout }, async () => {
  sluice = await createSluice({ settings: parquetFiles, toExtra })
  await killAgainAndAgain(sluice, openLocalStore(`${sluice.directory}/fs`), 'local file system', kills)
})

describeHdfs('with HDFS', ({ namenodeUrl, webhdfsUrl }) => {
  test.each(acks)('R1: kill -9 under load loses and doubles nothing, ack %s', { timeout }, async ack => {
    const outputDirectory = `/kill-${ack}-${process.pid}`
    const cluster = [`namenode.url=${namenodeUrl}`, `namenode.webhdfs.url=${webhdfsUrl}`]
    sluice = await createSluice({
      outputDirectory,
      toExtra,
      settings: [...nativeFiles, ...cluster, ...oneCopy, `collector.ack=${ack}`],
    })
    await killAgainAndAgain(sluice, await openHdfsStore(webhdfsUrl), `HDFS, ack ${ack}`, Math.ceil(kills / acks.length))
    expect(new Set(sluice.ways)).toEqual(new Set([ownProtocol]))
  })

  test('R27: kill -9 under load: each event is in its table once', { timeout }, async () => {
    const outputDirectory = `/kill-tables-${process.pid}`
    const cluster = [`namenode.url=${namenodeUrl}`, `namenode.webhdfs.url=${webhdfsUrl}`]
    sluice = await createSluice({ outputDirectory, toExtra, settings: [...tableFiles, ...cluster] })
    const store = toTableStore(await openHdfsStore(webhdfsUrl), outputDirectory)
    await killAgainAndAgain(sluice, store, 'tables, HDFS', Math.ceil(kills / 2))
  })
})

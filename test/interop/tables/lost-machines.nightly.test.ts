/** Machines that are lost with their disks while their collectors write tables: what the takers make of it, judged by pyiceberg. */
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, expect, test } from 'vitest'
import { missingForHdfs } from '../../../scripts/hdfs/artifacts.ts'
import { startCluster } from '../../../scripts/hdfs/cluster.ts'
import { fleetCluster, replicatedSettings } from '../../fleet/cluster.ts'
import { createFleet } from '../../fleet/fleet.ts'
import { openPatientStore } from '../../fleet/patient-store.ts'
import { openHdfsStore } from '../../foreign/hdfs-store.ts'
import { seededRandom } from '../../suites/crash-world.ts'
import { describePart } from '../../suites/describe-part.ts'
import { allIsWell } from '../../suites/ledger-of-client.ts'
import { listTables, toTableStore } from '../../suites/live-files.ts'
import { makePythonEnvironment } from '../python-environment.ts'
import { scriptsOf } from './faults/foreign-writer.ts'

/** Machines that are lost; a release run takes 20. */
const losses = Number(process.env['SLUICE_TEST_LOST_TABLES'] ?? 2)
const seed = Number(process.env['SLUICE_TEST_LOST_TABLES_SEED'] ?? Date.now() % 1_000_000)
const outputDirectory = '/tables'
/** Of each collector, between two losses. */
const eventsBetween = 100

const tableSettings = [
  'collector.output.format=parquet',
  'collector.output.table=iceberg',
  // Files are at their places for a while before a snapshot has them: most losses are in between.
  'collector.output.snapshot-seconds=5',
  'collector.diskspool.flush-interval-seconds=1',
  'server.threads=1',
]

const made = await makePythonEnvironment('tables', resolve('test/interop/tables/python/requirements.txt'))
const python = 'python' in made ? made.python : ''
const missing = process.env['SLUICE_NO_HDFS'] ? 'SLUICE_NO_HDFS is set' : await missingForHdfs()

let closings: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closings.reverse()) await close()
  closings = []
})

describePart(
  'hdfs',
  'missing' in made ? made.missing : missing,
  'R27: tables of collectors whose machines are lost',
  () => {
    test('R27: machines lost between files at their places and snapshots: nothing lost, nothing twice', {
      timeout: 600_000 + losses * 120_000,
      retry: 0,
    }, async () => {
      const log = (line: string): void => console.log(`tables of lost machines: ${line}`)
      log(`SLUICE_TEST_LOST_TABLES_SEED=${seed} chooses the same ones`)
      const random = seededRandom(seed)
      const cluster = await startCluster(fleetCluster)
      closings.push(() => cluster.stop())
      const { namenodeUrl, webhdfsUrl, user } = cluster
      const store = openPatientStore([() => openHdfsStore(webhdfsUrl)])
      const fleet = await createFleet({
        outputDirectory,
        openStore: async () => toTableStore(store, outputDirectory),
        settings: () => [
          `namenode.url=${namenodeUrl}`,
          `namenode.webhdfs.url=${webhdfsUrl}`,
          ...replicatedSettings,
          ...tableSettings,
        ],
      })
      closings.push(() => fleet.close())
      await Promise.all([0, 1, 2].map(place => fleet.add(place)))
      fleet.load()
      for (let lost = 0; lost < losses; lost++) {
        await fleet.acknowledged(eventsBetween)
        const place = Math.floor(random() * 3)
        const machine = fleet.machines[place]
        if (!machine) throw new Error(`There is no machine in place ${place}`)
        await machine.lose()
        const adding = fleet.add(place)
        const { seconds } = await fleet.takenOver(machine)
        await adding
        log(
          `${lost + 1} lost, all that it had acknowledged in its tables ${seconds.toFixed(1)} s after the takeover began`,
        )
      }
      const { verdict, problems, files } = await fleet.finish()

      const run = scriptsOf(python, resolve(import.meta.dirname, 'python'), {
        WEBHDFS: new URL(webhdfsUrl).host,
        HADOOP_USER_NAME: user,
      })
      const found: number[] = []
      for (const table of await listTables(store, outputDirectory)) {
        const judge = run('event_numbers.py', `${namenodeUrl}${table}`)
        const [printed, complaint] = await Promise.all([text(judge.stdout), text(judge.stderr)])
        expect(complaint).not.toMatch(/Error/)
        found.push(...(JSON.parse(printed) as readonly number[]))
      }
      const foreign = fleet.client.compare(found)
      log(
        `${losses}; ${fleet.client.acknowledged.size} of ${fleet.client.issued} events acknowledged; pyiceberg finds ${found.length} in ${files} files, ${foreign.lost.length} lost, ${foreign.twice.length} twice`,
      )
      expect({ verdict, problems, foreign }, `seed ${seed}`).toEqual({
        verdict: allIsWell,
        problems: [],
        foreign: allIsWell,
      })
    })
  },
)

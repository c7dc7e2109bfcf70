/** A thousand faults on three collectors and a foreign writer that write one table, judged by readers of other make alone. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { missingForHdfs } from '../../../../scripts/hdfs/artifacts.ts'
import { startCluster } from '../../../../scripts/hdfs/cluster.ts'
import { missingForRestCatalog, startRestCatalog } from '../../../../scripts/iceberg/rest-catalog.ts'
import { until } from '../../../fleet/until.ts'
import { setSafeMode } from '../../../oracle/safe-mode.ts'
import { seededRandom } from '../../../suites/crash-world.ts'
import { describePart } from '../../../suites/describe-part.ts'
import { allIsWell } from '../../../suites/ledger-of-client.ts'
import { makePythonEnvironment, type PythonEnvironment } from '../../python-environment.ts'
import { fetchSpark, type Spark } from '../spark/spark.ts'
import { eventName, startCollectors } from './collectors.ts'
import { carryOutFaults, type FaultsOptions } from './faults.ts'
import { type ForeignWriter, type Script, scriptsOf, startForeignWriter } from './foreign-writer.ts'
import { type Answer, type Gate, openCatalogGate, openHdfsGate, openLocalGate } from './gate.ts'

/** Of each way to keep a table; a release run takes 1 000. */
const faults = Number(process.env['SLUICE_TEST_TABLE_FAULTS'] ?? 25)
const seed = Number(process.env['SLUICE_TEST_TABLE_FAULTS_SEED'] ?? Date.now() % 1_000_000)
/** What is lost by chance is lost: no second attempt. */
const options = { timeout: 600_000 + faults * 10_000, retry: 0 }
const safeModeMs = 1_500
/** Of the catalog to its tables in SQLite: one of several would find them locked. */
const oneConnection = { CATALOG_CLIENTS: '1' }

const made = await makePythonEnvironment('tables', resolve('test/interop/tables/python/requirements.txt'))
/** Spark takes the place of pyiceberg as the foreign writer, and judges beside it. */
const spark = process.env['SLUICE_TEST_TABLE_WRITER'] === 'spark' ? await fetchSpark() : undefined
const missing = [made, spark].flatMap(one => (one && 'missing' in one ? [one.missing] : []))[0]

/** The programs of `python/`. @param env variables beyond those of this process */
const scriptsBy = (one: PythonEnvironment | Spark, env: Stage['env']): Script =>
  scriptsOf('python' in one ? one.python : '', resolve(import.meta.dirname, '../python'), {
    ...('env' in one ? one.env : {}),
    ...env,
  })

/** What a table is written through, and what may befall it. */
type Stage = {
  /** For `open_table.py`. */
  readonly place: string
  readonly outputDirectory?: string
  readonly env?: Readonly<Record<string, string>>
  readonly gates: readonly Gate[]
  readonly settings: (place: number) => readonly string[]
  /** Of a call without an answer a collector waits as long as it is patient: only one that is killed meets that. */
  readonly answers: readonly Answer[]
  readonly hasForeignWriter: boolean
  readonly common?: FaultsOptions['common']
}

let closings: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closings.reverse()) await close()
  closings = []
})

const ownDirectory = async (): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-table-faults-'))
  closings.push(() => rm(directory, { recursive: true, force: true }))
  return directory
}
const openGates = async (open: () => Promise<Gate>): Promise<readonly Gate[]> => {
  const gates = await Promise.all([open(), open(), open()])
  closings.push(...gates.map(gate => () => gate.close()))
  return gates
}

const runStage = async (name: string, directory: string, stage: Stage): Promise<void> => {
  const log = (line: string): void => console.log(`table faults, ${name}: ${line}`)
  log(`SLUICE_TEST_TABLE_FAULTS_SEED=${seed}`)
  const pyiceberg = scriptsBy(made, stage.env)
  const bySpark = spark && scriptsBy(spark, stage.env)
  const { gates, settings, answers, outputDirectory = '/events' } = stage
  const collectors = await startCollectors({ directory, outputDirectory, settings })
  closings.push(() => collectors.close())
  const { client, places, oddities } = collectors
  await until('events are acknowledged', () => client.acknowledged.size > 500)
  let foreign: ForeignWriter | undefined
  if (stage.hasForeignWriter) {
    foreign = startForeignWriter(bySpark ?? pyiceberg, bySpark ? 'spark_writer.py' : 'foreign_writer.py', stage.place)
    closings.push(async () => foreign?.stop())
  }
  const killForeign = { 'foreign writer killed': async () => (await foreign?.kill()) === true }
  const common = { ...stage.common, ...(foreign ? killForeign : {}) }
  const random = seededRandom(seed)
  const begun = performance.now()
  const done = await carryOutFaults({ collectors: places, gates, answers, common, random, count: faults, log })
  const seconds = Math.round((performance.now() - begun) / 1_000)
  // On the slowest machine it has its turn when nothing else comes to the table.
  await collectors.rest()
  if (foreign) {
    const { works, failures } = foreign
    await until(
      'the foreign writer has appended',
      () => (works['done'] ?? 0) > 2 || failures.some(line => line.includes(' ended with ')),
    )
    expect(works['done'], failures.join('\n')).toBeGreaterThan(2)
  }
  await foreign?.stop()
  await collectors.finish()

  const judges = {
    pyiceberg: judgeBy(pyiceberg, 'table_ids.py'),
    ...(bySpark && { Spark: judgeBy(bySpark, 'spark_ids.py') }),
  }
  log(`${JSON.stringify(done)} in ${seconds} s; ${client.acknowledged.size} of ${client.issued} events acknowledged`)
  log(
    `of the foreign writer ${foreign?.done.size ?? 0} rows, its works ${JSON.stringify(foreign?.works ?? {})}; ${foreign?.failures.slice(-3).join('; ') ?? ''}`,
  )
  expect(oddities, `seed ${seed}`).toEqual([])
  for (const [judge, read] of Object.entries(judges)) {
    const found = await read(stage.place)
    const [own, foreigns] = [found.ids.filter(id => !(id < 0)), found.ids.filter(id => id < 0)]
    const verdict = client.compare(own)
    const foreignVerdict = {
      lost: [...(foreign?.done ?? [])].filter(id => !foreigns.includes(id)),
      twice: foreigns.filter((id, at) => foreigns.indexOf(id) !== at),
      unknown: foreigns.filter(id => !foreign?.begun.has(id)),
    }
    log(
      `${judge} finds ${own.length} of them, ${verdict.lost.length} lost, ${verdict.twice.length} twice; ${foreigns.length} rows of the foreign writer, ${foreignVerdict.lost.length} lost, ${foreignVerdict.twice.length} twice; ${found.files} files, ${found.snapshots} snapshots`,
    )
    expect({ verdict, foreignVerdict }, `${judge}, seed ${seed}`).toEqual({
      verdict: allIsWell,
      foreignVerdict: allIsWell,
    })
  }
}

type Found = { readonly ids: readonly number[]; readonly files: number; readonly snapshots: number }

/** What a reader finds in the table of a place. */
const judgeBy =
  (run: Script, script: string) =>
  async (place: string): Promise<Found> => {
    const judge = run(script, place)
    const [printed, complaint] = await Promise.all([text(judge.stdout), text(judge.stderr)])
    if (printed === '') throw new Error(`${script}: ${complaint}`)
    return JSON.parse(printed) as Found
  }

describePart('readers', missing, 'R27: a table that three collectors write', () => {
  test('R27: local files: nothing lost, nothing twice', options, async () => {
    const directory = await ownDirectory()
    const table = join(directory, 'fs/events', eventName)
    await runStage('local files', directory, {
      place: table,
      gates: await openGates(() => openLocalGate(table)),
      settings: place => [`data.dir=${directory}`, `collector.diskspool.path=${directory}/disk-${place}/.diskpool`],
      answers: [],
      hasForeignWriter: false,
    })
  })
})

describePart(
  'hdfs',
  missing ?? (process.env['SLUICE_NO_HDFS'] ? 'SLUICE_NO_HDFS is set' : await missingForHdfs()),
  'R27: a table in HDFS without a catalog',
  () => {
    test('R27: HDFS, and a foreign writer: nothing lost, nothing twice', options, async () => {
      const directory = await ownDirectory()
      const properties = { 'dfs.namenode.redundancy.considerLoad': 'false', 'dfs.replication': '2' }
      const cluster = await startCluster({ dataNodes: 2, maxHeapMb: 192, properties, startTimeoutMs: 280_000 })
      closings.push(() => cluster.stop())
      const { namenodeUrl, webhdfsUrl, user } = cluster
      const outputDirectory = '/events'
      const table = `${outputDirectory}/${eventName}`
      const gates = await openGates(() => openHdfsGate(namenodeUrl, table))
      let node = 0
      await runStage('HDFS', directory, {
        place: `${namenodeUrl}${table}`,
        env: { WEBHDFS: new URL(webhdfsUrl).host, HADOOP_USER_NAME: user },
        outputDirectory,
        gates,
        settings: place => [`namenode.url=${gates[place]?.url}`, `namenode.webhdfs.url=${webhdfsUrl}`],
        answers: ['cut before', 'cut within', 'cut behind', 'in pieces'],
        hasForeignWriter: true,
        common: {
          'safe mode': async () => {
            await setSafeMode(namenodeUrl, user, 'enter')
            await pause(safeModeMs)
            await setSafeMode(namenodeUrl, user, 'leave')
            return true
          },
          'DataNode killed': async () => {
            node = 1 - node
            await cluster.stopDataNode(node)
            await pause(safeModeMs)
            await cluster.startDataNode(node)
            return true
          },
          'NameNode killed': async () => {
            await cluster.stopNameNode()
            await cluster.startNameNode()
            return true
          },
        },
      })
    })
  },
)

describePart('hdfs', missing ?? (await missingForRestCatalog()), 'R27: a table of a REST catalog', () => {
  test('R27: REST catalog, and a foreign writer: nothing lost, nothing twice', options, async () => {
    const directory = await ownDirectory()
    const server = await startRestCatalog({ warehouse: `file://${directory}/warehouse`, env: oneConnection })
    closings.push(() => server.stop())
    const gates = await openGates(() => openCatalogGate(server.url))
    await runStage('REST catalog', directory, {
      place: `${server.url}#events.${eventName}`,
      gates,
      settings: place => [
        `data.dir=${directory}`,
        `collector.diskspool.path=${directory}/disk-${place}/.diskpool`,
        `collector.output.catalog=${gates[place]?.url}`,
        'collector.output.namespace=events',
      ],
      answers: [
        ...([500, 503, 409, 419] as const).map(status => ({ status, behind: false })),
        ...([500, 503] as const).map(status => ({ status, behind: true })),
        'cut before',
        'cut within',
        'cut behind',
      ],
      hasForeignWriter: true,
      common: {
        'catalog killed': async () => {
          await server.kill()
          await server.start()
          return true
        },
      },
    })
  })
})

/** Parquet files in directories of partitions, by the programs that people have: every value, and what the pages show. */
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findJava } from '../../../scripts/jvm/maven.ts'
import { toPattern, toShown } from '../../docs/shown.ts'
import { describePart } from '../../suites/describe-part.ts'
import { describeHdfs, type HdfsUrls } from '../../suites/hdfs.ts'
import type { Sluice } from '../../suites/sluice-process.ts'
import { makePythonEnvironment } from '../python-environment.ts'
import { everythingRows, maxLong, minLong, sendEverything } from './everything.ts'
import { hitRows, sendHit } from './hits.ts'
import { firstId, orderRows, sendOrders } from './orders.ts'
import { readPage } from './page.ts'
import { type PythonSession, startPythonSession } from './python-session.ts'
import { urlOf, writeEvents } from './stage.ts'

const timeoutMs = 600_000

const requirements = join(import.meta.dirname, 'python', 'requirements.txt')
const made = await makePythonEnvironment('readers', requirements)
const noJava = (await findJava()) === undefined ? 'no JDK: "java" is neither in JAVA_HOME nor on the PATH' : undefined

const programs = [
  { name: 'DuckDB', page: 'docs/readers/duckdb.md', facts: 'duckdb_facts' },
  { name: 'pyarrow', page: 'docs/readers/pyarrow.md', facts: 'pyarrow_facts' },
  { name: 'Spark', page: 'docs/readers/spark.md', facts: 'spark_facts' },
] as const

const ids = orderRows.map(({ id }) => BigInt(String(id)))
const count = (has: (row: (typeof orderRows)[number]) => unknown): number => orderRows.filter(has).length
/** What each of them must find. */
const wanted = {
  orders: orderRows,
  everything: everythingRows,
  hits: hitRows,
  /** Rows; sum, least and largest of `id`; sum of `total`. */
  sums: [ids.length, ids.reduce((sum, id) => sum + id), firstId, firstId + 35n, '1777.5'].map(String),
  /** Coupons, members `since` of `customer`, rows of which `paid` is true, and elements of all `items`. */
  counts: [count(row => row['coupon']), 24, count(row => row['paid']), 54].map(String),
  /** Least and largest of `big`; how many are there, and how many null. */
  extremes: [minLong, maxLong, 5, everythingRows.length - 5].map(String),
  /** By statistics of 64 bits, and of dates. */
  largest: ['2'],
  later: ['5'],
  hour: { rows: 4, filesRead: 1, files: 9 },
}
type Facts = Record<keyof typeof wanted, unknown>

/** Sends what each of three files must hold. */
const send = async (server: string, flush: number): Promise<void> => {
  await sendOrders(server, flush)
  await sendEverything(server, flush)
  await sendHit(server, flush)
}

const describeReaders = (name: string, body: () => void): void =>
  describePart('readers', 'missing' in made ? made.missing : noJava, name, body)

describeReaders('C3: Parquet files are read', () => {
  const settings = ['collector.output.format=parquet']
  let directory: string
  let sluice: Sluice
  const sessions: PythonSession[] = []

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'sluice-parquet-'))
    sluice = await writeEvents({ settings }, send)
    await symlink(sluice.directory, join(directory, 'data'))
  })
  afterAll(async () => {
    for (const session of sessions) session.close()
    await sluice?.close()
    await rm(directory, { recursive: true, force: true })
  })

  const startSession = (): PythonSession => {
    const session = startPythonSession('python' in made ? made.python : '', directory, sparkEnv)
    sessions.push(session)
    return session
  }
  const findFacts = async (session: PythonSession, module: string, events: string): Promise<Facts> => {
    const code = `import json, ${module}\nprint(json.dumps(${module}.facts(${JSON.stringify(events)})))`
    return JSON.parse(await session.run({ language: 'python', code })) as Facts
  }

  describe.each(programs)('by $name:', ({ name, page, facts: module }) => {
    let session: PythonSession
    let facts: Facts

    beforeAll(async () => {
      session = startSession()
      if (name === 'Spark') await session.run({ language: 'python', code: startSpark })
      facts = await findFacts(session, module, 'data/fs/events')
    }, timeoutMs)

    test('the page names the versions that it was tried with', () => {
      const named = readFileSync(page, 'utf8').match(/\b[a-z]+==[\d.]+/g) ?? []
      expect(named).not.toEqual([])
      expect(readFileSync(requirements, 'utf8').split('\n')).toEqual(expect.arrayContaining(named))
    })

    test.each(Object.entries(wanted))('%s', (fact, want) => {
      expect(facts[fact as keyof Facts]).toEqual(want)
    })

    test.each(readPage(page))('as the page says: $title', { timeout: timeoutMs }, async ({ code, language, shown }) => {
      const port = new URL(urlOf(sluice, 'server')).port
      const printed = await session.run({ language, code: code.replaceAll('port=8080', `port=${port}`) })
      expect(toShown(printed)).toMatch(toPattern(shown))
    })

    if (name !== 'Spark') return
    describeHdfs('on HDFS:', hdfs => {
      test('every value, and one directory for an hour', { timeout: timeoutMs }, async () => {
        const events = `/readers-parquet-${process.pid}-${Date.now()}`
        const written = await writeEvents(
          { settings: [...settings, ...clusterOf(hdfs)], outputDirectory: events },
          send,
        )
        await written.close()
        expect(await findFacts(session, module, `${hdfs.namenodeUrl}${events}`)).toEqual(wanted)
      })
    })
  })
})

const clusterOf = ({ namenodeUrl, webhdfsUrl }: HdfsUrls): readonly string[] => [
  `namenode.url=${namenodeUrl}`,
  `namenode.webhdfs.url=${webhdfsUrl}`,
]

/** Spark on one core, reachable from this machine alone. */
const sparkEnv = {
  SPARK_LOCAL_IP: '127.0.0.1',
  PYSPARK_SUBMIT_ARGS: '--master local[1] --driver-memory 1g --conf spark.ui.enabled=false pyspark-shell',
}

/** As the program `pyspark` does it, at the point where the page continues. */
const startSpark = `from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
spark.sparkContext.setLogLevel("ERROR")`

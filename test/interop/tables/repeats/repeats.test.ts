/**
 * R28 with everything real: an SDK sends each event one to five times to any of three collectors, up to thirty days late, while
 * collectors, hourly passes and `sluice compact` are killed; pyiceberg reads meanwhile, and DuckDB judges. Only processes that
 * end at any instant, and readers of other make, can show it.
 */
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../../../fleet/until.ts'
import { seededRandom } from '../../../suites/crash-world.ts'
import { describePart } from '../../../suites/describe-part.ts'
import { allIsWell } from '../../../suites/ledger-of-client.ts'
import { keepSending } from '../../../suites/senders/traffic.ts'
import { eventName, startCollectors } from '../faults/collectors.ts'
import { carryOutFaults } from '../faults/faults.ts'
import { scriptsOf } from '../faults/foreign-writer.ts'
import { type Gate, openLocalGate } from '../faults/gate.ts'
import { missing, python } from '../run-script.ts'
import { createCompactions } from './compactions.ts'
import { startTableReader } from './reader.ts'
import { createRepeatedLoad } from './repeated-load.ts'

/** A release run takes 200. */
const kills = Number(process.env['SLUICE_TEST_REPEAT_KILLS'] ?? 6)
const seed = Number(process.env['SLUICE_TEST_REPEAT_KILLS_SEED'] ?? Date.now() % 1_000_000)
/** Between two looks at the table. */
const lookMs = 1_000
const restMs = 1_500

const tableSettings = [
  'collector.output.format=parquet',
  'collector.output.table=iceberg',
  'collector.event-ids.column=true',
]

const log = (line: string): void => console.log(`repeats: ${line}`)

/** Three collectors of one table, what is sent to them, compactions, and who reads it; all ends with the test. */
const openWorld = async (random: () => number) => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-repeats-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const table = join(directory, 'fs/events', eventName)
  /** Of commits, by collectors and compactions. */
  const openGate = async (): Promise<Gate> => {
    const gate = await openLocalGate(join(table, 'metadata'), { recursive: false })
    onTestFinished(() => gate.close())
    return gate
  }
  const gates = await Promise.all([openGate(), openGate(), openGate()])
  const load = createRepeatedLoad({ random, now: Date.now() })
  const dataSettings = [`data.dir=${directory}`, ...tableSettings]
  const collectors = await startCollectors({
    directory,
    outputDirectory: '/events',
    load,
    settings: place => [
      ...dataSettings,
      `collector.diskspool.path=${directory}/disk-${place}/.diskpool`,
      'collector.doors=segment',
      // What one has forgotten it takes again.
      'collector.event-ids.max=1000',
    ],
  })
  onTestFinished(() => collectors.close())
  const reader = startTableReader(scriptsOf(python, resolve(import.meta.dirname, '../python'), {}), table)
  onTestFinished(() => reader.stop())
  const gate = await openGate()
  const compactions = createCompactions({ table: eventName, settings: dataSettings, gate, random })
  onTestFinished(() => compactions.stop())
  await until('the table is there', () => existsSync(join(table, 'metadata/v1.metadata.json')))
  return { gates, load, collectors, reader, compactions }
}

type World = Awaited<ReturnType<typeof openWorld>>

/** Looks at the table again and again, and notes what no reader may see. */
const keepLooking = ({ reader, load }: World) => {
  const found = { looks: 0, lost: [] as number[], tooMany: [] as string[] }
  const looking = keepSending(async () => {
    await pause(lookMs)
    const { lost, repeated } = await reader.look()
    found.looks++
    found.lost.push(...lost)
    for (const [event, rows] of Object.entries(repeated))
      if (rows > (load.sent[Number(event)] ?? 0)) found.tooMany.push(`${event}: ${rows} rows`)
  })
  return { found, stop: () => looking.stop() }
}

describePart('readers', missing, 'events that are sent several times', () => {
  // What is lost by chance is lost: no second attempt.
  const options = { timeout: 600_000 + kills * 60_000, retry: 0 }
  test('R28: collectors and compactions are killed: one row for each event, and none lost', options, async () => {
    log(`SLUICE_TEST_REPEAT_KILLS_SEED=${seed}`)
    const random = seededRandom(seed)
    const world = await openWorld(random)
    const { gates, load, collectors, reader, compactions } = world
    const { client, places } = collectors
    log('the table is there')
    const looking = keepLooking(world)
    compactions.start()
    const begun = performance.now()
    const done = await carryOutFaults({
      collectors: places,
      gates,
      answers: [],
      common: compactions.faults,
      commonRestMs: restMs,
      random,
      count: kills,
      log,
    })
    log(`${JSON.stringify(done)} in ${Math.round((performance.now() - begun) / 1_000)} s`)
    await Promise.all([compactions.stop(), looking.stop()])
    await collectors.finish()
    await compactions.finish()
    const { numbers, ...judged } = await reader.judge()
    const history = await reader.history()
    const { looks, lost, tooMany } = looking.found
    const sent = load.sent.reduce((sum, times) => sum + times, 0)
    log(
      `${client.issued} events sent ${sent} times, ${client.acknowledged.size} acknowledged; ${JSON.stringify({ judged, history, ...compactions.counts, looks })}`,
    )
    const verdict = client.compare(numbers)
    const oddities = [...collectors.oddities, ...compactions.oddities]
    expect({ verdict, oddities, lost, tooMany, problems: history.problems }, `seed ${seed}`).toEqual({
      verdict: allIsWell,
      oddities: [],
      lost: [],
      tooMany: [],
      problems: [],
    })
    expect(judged).toMatchObject({ events: judged.rows, ids: judged.rows })
    expect(history.dropped).toBeGreaterThan(0)
    expect(looks).toBeGreaterThan(0)
  })
})

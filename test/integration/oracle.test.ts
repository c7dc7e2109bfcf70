import { describe, expect, test } from 'vitest'
import { stringifyJson } from '../../src/formats/json.ts'
import { createFileTable } from '../../src/spool/ledger/table/file-table.ts'
import type { Store } from '../foreign/store.ts'
import { isAsSent, toContents } from '../oracle/contents.ts'
import { judge } from '../oracle/judge.ts'
import { runOracle, toComplaint } from '../oracle/oracle.ts'
import { createSchedule, faultNames, formats, kerberosFaultNames, spanMs } from '../oracle/schedule.ts'
import { missingForStage } from '../oracle/stage.ts'
import { findDetours } from '../oracle/stage-counts.ts'
import { toExtra } from '../suites/crash-requests.ts'
import { describePart } from '../suites/describe-part.ts'
import { isRequired } from '../suites/hdfs.ts'
import { createClientLedger } from '../suites/ledger-of-client.ts'
import { toMark } from '../suites/marks.ts'

/** Others each time, and printed; `npm run nightly` takes 50, a release run 200 (`npm run oracle`). */
const seeds = Number(process.env['SLUICE_TEST_ORACLE_SEEDS'] ?? 2)
const firstSeed = Number(process.env['SLUICE_TEST_ORACLE_SEED'] ?? 1 + (Date.now() % 1_000_000))
const loadMs = 8_000

/** Twice what `npm run oracle` grants: this machine does other things as well. */
const calmMs = 240_000
/** Start, load, calm and verdict. */
const longestSeedMs = 480_000

// A cluster and a broker of its own: the shared ones must not be stopped.
const missing = process.env['SLUICE_NO_HDFS'] ? 'SLUICE_NO_HDFS is set' : await missingForStage('amqp')

describe.skipIf(missing !== undefined && !isRequired('hdfs'))(`oracle runs${missing ? `: ${missing}` : ''}`, () => {
  test('R18: through any faults every acknowledged event arrives once, as it was sent', {
    timeout: 300_000 + seeds * longestSeedMs,
  }, async () => {
    console.log(`oracle: seeds from ${firstSeed} on; again: SLUICE_TEST_ORACLE_SEED=${firstSeed}`)
    const results = await runOracle({
      firstSeed,
      seeds,
      loadMs,
      calmMs,
      broker: 'amqp',
      log: line => console.log(line),
    })
    expect(results.filter(({ problems }) => problems.length > 0).map(toComplaint)).toEqual([])
    expect(results.map(({ seed }) => seed)).toEqual(Array.from({ length: seeds }, (_, index) => firstSeed + index))
    expect(Math.min(...results.map(({ acknowledged }) => acknowledged))).toBeGreaterThan(0)
  })
})

/** Fewer: what differs from HDFS is the last step of a commit, and the log. */
const storeSeeds = Number(process.env['SLUICE_TEST_ORACLE_SEEDS'] ?? 1)

describePart('s3', await missingForStage('amqp', 's3'), 'oracle runs over an object store', () => {
  test('R19: through any faults every acknowledged event arrives once, and nothing is left on its way', {
    timeout: 300_000 + storeSeeds * longestSeedMs,
  }, async () => {
    console.log(`oracle over S3: seeds from ${firstSeed} on; again: SLUICE_TEST_ORACLE_SEED=${firstSeed}`)
    const how = { firstSeed, seeds: storeSeeds, loadMs, calmMs, broker: 'amqp', protocol: 's3' } as const
    const results = await runOracle({ ...how, log: line => console.log(line) })
    expect(results.filter(({ problems }) => problems.length > 0).map(toComplaint)).toEqual([])
    expect(Math.min(...results.map(({ acknowledged }) => acknowledged))).toBeGreaterThan(0)
  })
})

describe('what the oracle runs rest on', () => {
  test('R18: a seed meets the same faults each time, and some seeds meet all there are', () => {
    const schedules = Array.from({ length: 200 }, (_, seed) => createSchedule(seed))
    expect(schedules).toEqual(Array.from({ length: 200 }, (_, seed) => createSchedule(seed)))
    const outputs = schedules.map(({ output }) => `${output.format} ${output.layout} ${output.envelope}`)
    // Four formats, two layouts, and jsonl with and without an envelope.
    expect(new Set(outputs).size).toBe(10)
    expect(new Set(schedules.map(({ output }) => output.format))).toEqual(new Set(formats))
    // Neighbours differ, so that any two seeds have both.
    expect(schedules.slice(0, 6).map(({ threads, ack }) => `${threads} ${ack}`)).toEqual([
      '1 replicated',
      '3 fsync',
      '1 replicated, local',
      '3 replicated',
      '1 fsync',
      '3 replicated, local',
    ])
    const faults = schedules.flatMap(schedule => schedule.faults)
    expect(new Set(faults.map(({ name }) => name))).toEqual(new Set(faultNames))
    expect(new Set(schedules.map(schedule => schedule.faults.length))).toEqual(new Set([4, 5, 6, 7, 8]))
    expect(faults.filter(({ atMs, forMs }) => atMs < 0 || atMs + forMs > spanMs)).toEqual([])
  })

  test('R18: a seed meets the same faults whatever the format of its files', () => {
    const [drawn, asked] = [createSchedule(7), createSchedule(7, { format: 'native' })]
    expect(asked).toMatchObject({ output: { format: 'native' }, faults: drawn.faults })
  })

  test('R19: an object store meets all faults but those of nodes and brokers', () => {
    const schedules = Array.from({ length: 200 }, (_, seed) => createSchedule(seed, { isStore: true }))
    const names = new Set(schedules.flatMap(({ faults }) => faults.map(({ name }) => name)))
    const without = ['name node stopped', 'data node stopped', 'safe mode', 'standby', 'broker killed']
    expect(names).toEqual(new Set(faultNames.filter(name => !without.includes(name))))
  })

  test('R20: with Kerberos a seed meets two to four faults more, of tickets and tokens', () => {
    const schedules = Array.from({ length: 200 }, (_, seed) => createSchedule(seed, { isSecure: true }))
    expect(schedules).toEqual(Array.from({ length: 200 }, (_, seed) => createSchedule(seed, { isSecure: true })))
    const more = schedules.map(({ faults }) => faults.filter(({ part }) => part === 'kerberos'))
    expect(new Set(more.map(({ length }) => length))).toEqual(new Set([2, 3, 4]))
    const names = schedules.flatMap(({ faults }) => faults.map(({ name }) => name))
    const possible = [...faultNames.filter(name => name !== 'safe mode'), ...kerberosFaultNames]
    expect(new Set(names)).toEqual(new Set(possible))
  })

  test.each([
    { protocol: 'native', counts: [9, 9, 9, 0], says: [] },
    { protocol: 'native', counts: [0, 9, 9, 9], says: ["nothing went by HDFS' own protocol"] },
    { protocol: 'native', counts: [9, 0, 0, 0], says: ["nothing went by HDFS' own protocol"] },
    { protocol: 'native', counts: [9, 9, 0, 2], says: ['2 files went by WebHDFS'] },
    { protocol: 'auto', counts: [0, 0, 0, 0], says: [] },
    { protocol: 'webhdfs', counts: [0, 9, 9, 9], says: [] },
    { protocol: 'webhdfs', counts: [3, 0, 9, 9], says: ["3 calls went by HDFS' own protocol"] },
    { protocol: 'webhdfs', counts: [0, 0, 9, 0], says: ['nothing went by WebHDFS'] },
    { protocol: 's3', counts: [0, 0, 9, 0], says: [] },
    { protocol: 's3', counts: [0, 0, 0, 0], says: ['nothing went to the object store'] },
  ] as const)('R18: a run by $protocol that saw $counts says $says', ({ protocol, counts, says }) => {
    const [calls, bytes, requests, transfers] = counts
    expect(findDetours(protocol, { calls, bytes, requests, transfers })).toEqual(says)
  })

  test.each([
    { stands: [0, 1, 2], says: [] },
    { stands: [0, 2], says: ['1 acknowledged and lost: 1 (POST JSON)'] },
    { stands: [0, 1, 1, 2], says: ['1 more than once: 1 (POST JSON)'] },
    { stands: [0, 1, 2, 7], says: ['1 never issued: 7 (never sent)'] },
    { stands: [0, 1, 2], text: 'other', says: [expect.stringMatching(/^3 not as sent: /)] },
    { stands: [0, 1, 2], counted: 2, says: ['the spool counts 2 events in the file system, 3 are there'] },
  ])('R18: of $stands the verdict is $says', async ({ stands, says, text, counted = stands.length }) => {
    const client = createClientLedger()
    const routeOf = new Map(Array.from({ length: 3 }, () => [client.issue(), 'POST JSON'] as const))
    client.acknowledge(0, 1)
    const lines = stands.map(event => {
      const payload = { id: toMark(event), ...toExtra(event), ...(text === undefined ? {} : { text }) }
      return `${stringifyJson({ eventName: 'Crash', payload })}\n`
    })
    const store: Store = {
      list: async directory => [{ path: `${directory}/a.jsonl`, isDirectory: false }],
      read: async () => Buffer.from(lines.join('')),
    }
    const spool = { files: createFileTable(), flushedEvents: counted }
    const { problems, found } = await judge({ store, outputDirectory: '/events', client, routeOf, spool })
    expect(problems).toEqual(says)
    expect(found).toBe(stands.length)
  })

  test('R18: fields in another order are as sent in files of columns, and in no others', () => {
    const sent = toContents({ name: 'Crash', fields: Object.entries({ id: toMark(7), ...toExtra(7) }) })
    const moved = { ...sent, names: sent.names.toReversed(), values: sent.values.toReversed() }
    const swapped = { ...sent, values: sent.values.toReversed() }
    const judged = [sent, moved, swapped].map(contents => [
      isAsSent(contents, 'POST JSON'),
      isAsSent(contents, 'POST JSON', { isOrdered: false }),
    ])
    expect(judged).toEqual([
      [true, true],
      [false, true],
      [false, false],
    ])
  })
})

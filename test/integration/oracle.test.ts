import { describe, expect, test } from 'vitest'
import { runOracle, toComplaint } from '../oracle/oracle.ts'
import { missingForStage } from '../oracle/stage.ts'
import { isRequired } from '../suites/hdfs.ts'

/** CI takes 20, a release run 200 (`npm run oracle`). */
const seeds = Number(process.env['SLUICE_ORACLE_SEEDS'] ?? 2)
const firstSeed = Number(process.env['SLUICE_ORACLE_SEED'] ?? 1)
const loadMs = 8_000

/** Start, load, at most two minutes until calm, on a machine that does other things as well. */
const longestSeedMs = 300_000

// A cluster and a broker of its own: the shared ones must not be stopped.
const missing = process.env['SLUICE_NO_HDFS'] ? 'SLUICE_NO_HDFS is set' : await missingForStage('amqp')

describe.skipIf(missing !== undefined && !isRequired('hdfs'))(`oracle runs${missing ? `: ${missing}` : ''}`, () => {
  test('R18: through any faults every acknowledged event arrives once, as it was sent', {
    timeout: 300_000 + seeds * longestSeedMs,
  }, async () => {
    const results = await runOracle({ firstSeed, seeds, loadMs, broker: 'amqp', log: line => console.log(line) })
    expect(results.filter(({ problems }) => problems.length > 0).map(toComplaint)).toEqual([])
    expect(results.map(({ seed }) => seed)).toEqual(Array.from({ length: seeds }, (_, index) => firstSeed + index))
    expect(Math.min(...results.map(({ acknowledged }) => acknowledged))).toBeGreaterThan(0)
  })
})

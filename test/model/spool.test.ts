import { expect, test } from 'vitest'
import { type ModelRun, runModel } from '../suites/crash-model.ts'
import type { WorldOptions } from '../suites/crash-world.ts'

/** A release run takes 100 000 and more; each change takes a few thousand. */
const totalSteps = Number(process.env['SLUICE_TEST_MODEL_STEPS'] ?? 6_000)
const stepsPerRun = 150

/** Set to the seed of a failure to see that run alone. */
const onlySeed = process.env['SLUICE_TEST_MODEL_SEED']
const firstSeed = Number(onlySeed ?? Date.now() % 1_000_000_000)
const runs = onlySeed === undefined ? Math.ceil(totalSteps / stepsPerRun) : 1

const isWell = ({ lost, twice, unknown, refused, books, broken }: ModelRun): boolean =>
  lost.length + twice.length + unknown.length + refused.length + books.length + broken.length === 0

/** Runs one seed after another, and says what they came to. */
const runAll = async (what: string, options?: WorldOptions): Promise<void> => {
  const sums = { steps: 0, stops: 0, acknowledged: 0 }
  for (let seed = firstSeed; seed < firstSeed + runs; seed++) {
    const run = await runModel(seed, stepsPerRun, options)
    expect(isWell(run), `SLUICE_TEST_MODEL_SEED=${seed} does it again: ${JSON.stringify(run)}`).toBe(true)
    sums.steps += run.steps
    sums.stops += run.stops
    sums.acknowledged += run.acknowledged
  }
  console.log(
    `${what}: ${sums.steps} steps from seed ${firstSeed} on, ${sums.stops} kills and power cuts, ${sums.acknowledged} events acknowledged, each of them once`,
  )
}

const timeout = 20_000 + totalSteps * 20

test('R15: the spool keeps every acknowledged event once, whatever happens to it', { timeout }, () => runAll('model'))

test('R27: every acknowledged event is in its table once, whatever happens to the spool', { timeout }, () =>
  runAll('model of tables', {
    settings: { outputFormat: 'parquet', outputLayout: 'iceberg', snapshotMs: 10_000 },
  }),
)

test('R15: the same runs on a disk whose syncs do nothing lose events: the model can fail', async () => {
  let failed = 0
  for (let seed = 1; seed <= 10; seed++) {
    // Parquet of a type whose columns were forgotten cannot be read as one table, which says no more.
    const { lost } = await runModel(seed, stepsPerRun, { lies: true, settings: { outputFormat: 'jsonl' } })
    if (lost.length > 0) failed++
  }
  expect(failed).toBeGreaterThan(0)
})

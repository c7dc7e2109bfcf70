import { expect, test } from 'vitest'
import { type PowerCutRun, runPowerCuts } from '../suites/crash-app.ts'
import { requestKinds } from '../suites/crash-requests.ts'
import { allIsWell } from '../suites/ledger-of-client.ts'

/** A release run takes more; a seed by itself repeats one run, as far as threads can be repeated. */
const runs = Number(process.env['SLUICE_TEST_POWER_CUT_RUNS'] ?? 15)
/** Threads take long to start: one run in this many has them. */
const runsForThreaded = 15
const onlySeed = process.env['SLUICE_TEST_POWER_CUT_SEED']
const firstSeed = Number(onlySeed ?? Date.now() % 1_000_000_000)

const toRuns = (most: number): number => (onlySeed === undefined ? Math.ceil(most) : 1)

test.each([
  { threads: 1, ack: 'fsync', count: toRuns(runs), cuts: 8 },
  { threads: 1, ack: 'replicated', count: toRuns(runs / 3), cuts: 8 },
  { threads: 3, ack: 'fsync', count: toRuns(runs / runsForThreaded), cuts: 4 },
] as const)(
  'R2: a power cut takes no event that a 202 was given for, with $threads edge threads, ack $ack',
  { timeout: 300_000 + runs * 4_000 },
  async ({ threads, ack, count, cuts }) => {
    const all: PowerCutRun[] = []
    for (let seed = firstSeed; seed < firstSeed + count; seed++) {
      const { lost, twice, unknown, unsafe, ...run } = await runPowerCuts(seed, { cuts, threads, ack })
      const hint = `SLUICE_TEST_POWER_CUT_SEED=${seed} does it again`
      expect({ lost, twice, unknown }, hint).toEqual(allIsWell)
      expect(unsafe, `${hint}: a 202 came before its sync`).toEqual([])
      all.push({ lost, twice, unknown, unsafe, ...run })
    }
    const sum = (figure: (run: PowerCutRun) => number): number => all.reduce((total, run) => total + figure(run), 0)
    const kinds = requestKinds.map(kind => `${kind} ${sum(run => run.byKind.get(kind) ?? 0)}`)
    for (const kind of requestKinds)
      expect(
        sum(run => run.byKind.get(kind) ?? 0),
        kind,
      ).toBeGreaterThan(0)
    console.log(
      `power cut, ${threads} edge threads, ack ${ack}: ${sum(run => run.cuts)} cuts from seed ${firstSeed} on, ${sum(run => run.acknowledged)} events acknowledged (requests: ${kinds.join(', ')}), each synced before its 202 and in the file system once`,
    )
  },
)

test.each([1, 3])(
  'R2: on a disk whose syncs do nothing the same run loses events, and no 202 is safe, with %i edge threads',
  async threads => {
    const { lost, unsafe, acknowledged } = await runPowerCuts(1, { cuts: threads > 1 ? 3 : 8, lies: true, threads })
    expect(acknowledged).toBeGreaterThan(0)
    expect(unsafe.length).toBeGreaterThan(0)
    expect(lost.length).toBeGreaterThan(0)
  },
)

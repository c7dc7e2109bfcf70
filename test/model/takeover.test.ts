import { expect, test } from 'vitest'
import { decodeEvents } from '../../src/spool/events/decode-events.ts'
import { isConflict } from '../../src/spool/files/bucket-file.ts'
import { readLedger } from '../../src/spool/ledger/ledger.ts'
import { type QuarantineView, releaseFiles } from '../../src/spool/quarantine/quarantine.ts'
import { readSegment } from '../../src/spool/segment/segment-reader.ts'
import type { AdoptedLog } from '../../src/spool/takeover/adopt-log.ts'
import { replayQuarantine } from '../../src/spool/tool/replay.ts'
import { readParquet } from '../foreign/read-parquet.ts'
import { seededRandom } from '../suites/crash-world.ts'
import { createLineage, inObjects, type Lineage } from '../unit/spool/takeover/table-lineage.ts'

const types = ['A', 'B'] as const

/** Steps as those of `spool.test.ts` count; a run of this model takes as long as so many. */
const stepsPerRun = 300
const totalSteps = Number(process.env['SLUICE_TEST_MODEL_STEPS'] ?? 6_000)

/** Set to the seed of a failure to see that run alone. */
const onlySeed = process.env['SLUICE_TEST_MODEL_SEED']
const firstSeed = Number(onlySeed ?? Date.now() % 1_000_000_000)
const runs = onlySeed === undefined ? Math.ceil(totalSteps / stepsPerRun) : 1

/** Those that can be read in a segment, or in a piece of one, whatever format they came in. */
const eventsOfSegment = (bytes: Uint8Array): readonly number[] =>
  [...readSegment(bytes, 'a segment')].flatMap(part =>
    part.kind === 'record'
      ? Array.from(decodeEvents(part.batch()), event => ('payload' in event ? Number(event.payload['n']) : Number.NaN))
      : [],
  )

/** The events of a set-aside piece: of a request in it, those that are in no file. */
const eventsIn = async ({ disk, typeOf }: Lineage, name: string): Promise<readonly number[]> => {
  const bytes = disk().contents(`_quarantine/${name}`)
  if (name.endsWith('.parquet')) return (await readParquet(bytes)).map(({ fields }) => Number(new Map(fields).get('n')))
  const refused = (await readLedger(disk())).damage.get(name)?.refused
  return eventsOfSegment(bytes).filter(n => refused?.includes(typeOf.get(n) ?? '') ?? true)
}

/** Not a piece of a segment of which the ledger has not heard yet that it is sealed. */
const isKnown = ({ kind }: Pick<QuarantineView, 'kind'>): boolean => kind !== 'done' && kind !== 'unknown'

/** What a person sees of what is left. */
const describeLeft = async ({ disk }: Lineage): Promise<string> => {
  const { damage, files } = await readLedger(disk())
  const pieces = damage.values().map(({ file, reason }) => `${file}: ${reason}`)
  const left = Array.from(files.values(), ({ file, state }) =>
    'reason' in state ? `${file.name}: ${state.reason}` : '',
  )
  return [...pieces, ...left].filter(Boolean).join('; ')
}

type Run = {
  readonly lost: readonly number[]
  readonly twice: readonly number[]
  readonly unknown: readonly number[]
  readonly trace: readonly string[]
  readonly acknowledged: number
  readonly losses: number
}

/**
 * A collector with tables that refuse and take again, whose machine is lost, and then those of its takers, whenever that is; in the
 * end tables take all, and a person has nothing set aside any more. The same seed does much the same again: ids are others.
 */
const run = async (seed: number, createWorld?: Parameters<typeof createLineage>[1]): Promise<Run> => {
  const random = seededRandom(seed)
  const below = (most: number): number => Math.floor(random() * most)
  const pick = <T>(...items: readonly T[]): T => items[below(items.length)] as T
  const chance = (probability: number): boolean => random() < probability
  const trace: string[] = []
  /** Events of segments in which a bit was flipped: where none has them but that disk, they may not be readable. */
  const damaged = new Set<number>()
  /**
   * Events of a table that a person removed, of which the ledger may not have heard that it had them, and of pieces whose removal was cut
   * short: they may come again, once.
   */
  const uncertain = new Set<number>()
  const settings = {
    snapshotMs: pick(1_000, 200_000),
    keepCommittedMs: pick(0, 60_000),
    maxSegmentBytes: pick(400, 20_000),
  }
  const lineage = await createLineage(settings, createWorld)
  const { client, rowsOf, removed, denied, disk } = lineage

  const replay = (): Promise<unknown> => lineage.offline(spool => replayQuarantine(spool))
  /** Files whose name another file has, which no snapshot has: they go beside that. */
  const releaseConflicts = (): Promise<unknown> =>
    lineage.offline(spool => {
      const conflicts = spool.ledger.state.files.inState('quarantined').filter(({ state }) => isConflict(state))
      return releaseFiles(
        spool,
        Array.from(conflicts, ({ file }) => file.name),
        true,
      )
    })
  const setAside = async (): Promise<readonly string[]> => {
    let names: readonly string[] = []
    await lineage.ask(async spool => {
      names = (await spool.quarantine.list()).filter(isKnown).map(({ name }) => name)
    })
    return names
  }
  const release = async (): Promise<void> => {
    const names = await setAside()
    await lineage.ask(spool => spool.quarantine.release(names))
  }
  const revive = async (): Promise<void> => {
    if (!lineage.running()) await lineage.start()
  }
  const actions: Readonly<Record<string, readonly [weight: number, act: () => Promise<unknown>]>> = {
    append: [8, () => lineage.append(...Array.from({ length: 1 + below(3) }, () => pick(...types)))],
    pass: [8, () => lineage.pass()],
    refuse: [2, () => lineage.refuse(pick(...types))],
    repair: [2, () => lineage.repair(pick(...types))],
    drop: [
      1,
      async () => {
        for (const n of await lineage.drop(pick(...types)).catch(() => [])) uncertain.add(n)
      },
    ],
    deny: [1, async () => denied.add(pick(...types))],
    allow: [1, async () => denied.clear()],
    restart: [2, () => lineage.restart()],
    dieSoon: [2, async () => lineage.dieAfter(1 + below(150))],
    replay: [
      1,
      async () => {
        lineage.end()
        await replay()
        await lineage.start()
      },
    ],
    release: [1, release],
    remove: [
      1,
      async () => {
        const [name] = await setAside()
        if (name === undefined || damaged.size > 0) return
        const events = await eventsIn(lineage, name)
        let outcome: 'not begun' | 'cut short' | 'removed' | 'not there' = 'not begun'
        await lineage.ask(async spool => {
          outcome = 'cut short'
          const outcomes = await spool.quarantine.remove([name])
          // One that is being retried meanwhile is gone.
          outcome = outcomes.every(({ done }) => done) ? 'removed' : 'not there'
        })
        const into = new Map<string, Set<number>>([
          ['cut short', uncertain],
          ['removed', removed],
        ]).get(outcome)
        for (const n of events) into?.add(n)
      },
    ],
    flip: [
      1,
      async () => {
        const paths = disk().paths.filter(path => path.startsWith('log/'))
        const path = paths[below(paths.length)]
        if (path === undefined) return
        const bytes = disk().contents(path).slice()
        for (const n of eventsOfSegment(bytes)) damaged.add(n)
        const at = 100 + below(Math.max(1, bytes.length - 100))
        if (at < bytes.length) bytes[at] = (bytes[at] ?? 0) ^ (1 << below(8))
        disk().overwrite(path, bytes)
      },
    ],
  }
  const table = Object.entries(actions).flatMap(([name, [weight]]) => Array.from({ length: weight }, () => name))

  const steps = 5 + below(30)
  for (let step = 0; step < steps; step++) {
    const name = pick(...table)
    trace.push(name)
    await actions[name]?.[1]()
    await revive()
  }
  const losses = pick(0, 1, 1, 1, 2, 3)
  let adopted: AdoptedLog | undefined
  let isCalm = false
  const goOn = async (calls?: number): Promise<void> => {
    // While its table refuses, a file that may be at its place already is waited for.
    const failed = (error: Error): undefined => void trace.push(error.message)
    adopted = await (isCalm ? lineage.goOn(calls) : lineage.goOn(calls).catch(failed))
    trace.push(`goes on for ${calls} calls: ${JSON.stringify(adopted)}${adopted ? await describeLeft(lineage) : ''}`)
  }
  const isDone = (): boolean => adopted?.left === 0
  for (let loss = 0; loss < losses && !isDone(); loss++) {
    trace.push('lose')
    await lineage.lose()
    do {
      if (chance(0.3)) await lineage.refuse(pick(...types))
      if (chance(0.5)) await lineage.repair(pick(...types))
      if (chance(0.3)) denied.clear()
      await goOn(chance(0.7) ? 1 + below(700) : undefined)
      if (adopted && !isDone() && chance(0.3)) {
        trace.push('replay')
        await replay()
      }
    } while (!isDone() && chance(0.5))
  }
  trace.push('calm')
  isCalm = true
  for (const type of types) await lineage.repair(type)
  denied.clear()
  if (losses === 0) {
    await lineage.restart()
    for (let round = 0; round < 4; round++) {
      await release()
      lineage.end()
      await releaseConflicts()
      await lineage.start()
      for (let minute = 0; minute < 5; minute++) await lineage.pass()
      await actions['replay']?.[1]()
    }
    for (let minute = 0; minute < 5; minute++) await lineage.pass()
  } else
    for (let round = 0; round < 6 && !isDone(); round++) {
      await goOn()
      if (isDone()) break
      await replay()
      await releaseConflicts()
    }
  const rows = (await Promise.all(types.map(rowsOf))).flat()
  const verdict = client.compare(rows)
  const found = new Set(rows)
  return {
    lost: verdict.lost.filter(n => !removed.has(n) && !damaged.has(n) && !uncertain.has(n)),
    twice: [...verdict.twice, ...[...removed].filter(n => found.has(n))],
    unknown: verdict.unknown,
    trace,
    acknowledged: client.acknowledged.size,
    losses,
  }
}

test.each([
  { where: 'HDFS', createWorld: undefined },
  { where: 'an object store', createWorld: inObjects },
])(
  'R27: every acknowledged event is in its table once, however often its log in $where is taken over, and whatever the table refuses',
  {
    timeout: 60_000 + runs * 20_000,
  },
  async ({ where, createWorld }) => {
    const sums = { losses: 0, acknowledged: 0 }
    for (let seed = firstSeed; seed < firstSeed + runs; seed++) {
      const { trace, acknowledged, losses, ...verdict } = await run(seed, createWorld).catch(error => {
        throw new Error(`SLUICE_TEST_MODEL_SEED=${seed} does it again: ${error.message}`, { cause: error })
      })
      expect(verdict, `SLUICE_TEST_MODEL_SEED=${seed} does it again: ${trace.join(', ')}`).toEqual({
        lost: [],
        twice: [],
        unknown: [],
      })
      sums.losses += losses
      sums.acknowledged += acknowledged
    }
    console.log(
      `model of takeovers in ${where}: ${runs} runs from seed ${firstSeed} on, ${sums.losses} machines lost, ${sums.acknowledged} events acknowledged, each of them once`,
    )
  },
)

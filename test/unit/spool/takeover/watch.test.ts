import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createWatch, longestRoundMs } from '../../../../src/spool/takeover/watch.ts'

const takeoverMs = 20_000

/** One round: how long after the end of the one before it begins, how long its calls take, and what they say. */
type Round = {
  readonly pauseMs: number
  readonly beatMs: number
  readonly lookMs: number
  readonly fails?: 'beat' | 'look' | undefined
  readonly counter: number | undefined
}

/** Rounds one after another, each with what it found, by a clock of the test's own. */
const run = async (rounds: readonly Round[]) => {
  let now = 1_000
  let current: Round | undefined
  const step = async (ms: number, name: 'beat' | 'look'): Promise<void> => {
    now += ms
    if (current?.fails === name) throw new Error(`the ${name} failed`)
  }
  let lookedAt = 0
  const watch = createWatch({
    monotonicMs: () => now,
    takeoverMs: () => takeoverMs,
    beat: () => step(current?.beatMs ?? 0, 'beat'),
    look: async () => {
      lookedAt = now
      await step(current?.lookMs ?? 0, 'look')
      return new Map([['other', current?.counter]])
    },
  })
  const found: { readonly round: Round; began: number; lookedAt: number; ended: number; isGone: boolean }[] = []
  for (const round of rounds) {
    current = round
    now += round.pauseMs
    const began = now
    const gone = await watch.round().catch((): string[] => [])
    found.push({ round, began, lookedAt, ended: now, isGone: gone.includes('other') })
  }
  return found
}

const quick: Round = { pauseMs: 2_000, beatMs: 5, lookMs: 5, counter: 7 }

const goneAfter = async (rounds: readonly Round[]): Promise<number> =>
  (await run(rounds)).findIndex(({ isGone }) => isGone)

const many = (count: number, round: Round = quick): Round[] => Array.from({ length: count }, () => round)

/** The first one nearly always. */
const mostly = <T>(usual: T, ...others: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 40, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) })

describe('another collector counts as gone', () => {
  test('when its counter has not changed for so long, and not before', async () => {
    expect(await goneAfter(many(30))).toBe(10)
  })

  test('as of when it was looked at, however long the answer took', async () => {
    // Its answers would come 20 415 ms after the first one, and were asked for 15 615 ms after it.
    expect(await goneAfter(many(30, { ...quick, lookMs: 4_800 }))).toBe(4)
  })

  test('when it has none at all', async () => {
    expect(await goneAfter(many(30, { ...quick, counter: undefined }))).toBe(10)
  })

  test.for<[string, Round]>([
    ['our own beat fails', { ...quick, fails: 'beat' }],
    ['the look fails', { ...quick, fails: 'look' }],
    ['its beat takes long', { ...quick, beatMs: longestRoundMs }],
    ['its look takes long', { ...quick, lookMs: longestRoundMs }],
    ['it comes late', { ...quick, pauseMs: longestRoundMs + 1 }],
    ['the counter changes', { ...quick, counter: 8 }],
  ])('and a round in which %s starts the wait anew', async ([why, round]) => {
    const after = why === 'the counter changes' ? { ...quick, counter: 8 } : quick
    const first = await goneAfter([...many(9), round, ...many(30, after)])
    expect(first).toBeGreaterThanOrEqual(19)
    expect(first).toBeLessThanOrEqual(21)
  })

  test('never one whose counter changes within that time, whatever it is, and whatever rounds there are', async () => {
    const someRound = fc.record({
      pauseMs: mostly(2_000, 0, longestRoundMs, longestRoundMs + 1, 60_000),
      beatMs: mostly(1, 100, longestRoundMs - 1, longestRoundMs),
      lookMs: mostly(1, 100, longestRoundMs),
      fails: mostly<'beat' | 'look' | undefined>(undefined, 'beat', 'look'),
      counter: mostly<number | undefined>(1, 2, undefined),
    })
    let seen = 0
    await fc.assert(
      fc.asyncProperty(fc.array(someRound, { minLength: 10, maxLength: 60 }), async rounds => {
        const found = await run(rounds)
        for (const [at, { isGone, lookedAt }] of found.entries()) {
          if (!isGone) continue
          seen++
          // As far back as rounds were good, and showed the same.
          let since = at
          for (; since >= 0; since--) {
            const one = found[since]
            const next = found[since + 1]
            if (!one || one.round.fails || one.ended - one.began > longestRoundMs) break
            if (one.round.counter !== found[at]?.round.counter) break
            if (since < at && next && next.began - one.ended > longestRoundMs) break
          }
          expect(lookedAt - (found[since + 1]?.ended ?? Number.NaN)).toBeGreaterThanOrEqual(takeoverMs)
        }
      }),
      { numRuns: 300 },
    )
    expect(seen).toBeGreaterThan(20)
  })
})

test('tells how long each was silent, and forgets those that are not there any more', async () => {
  let now = 0
  let counters: ReadonlyMap<string, number> = new Map([
    ['a', 1],
    ['b', 1],
  ])
  const watch = createWatch({
    monotonicMs: () => now,
    takeoverMs: () => takeoverMs,
    beat: async () => {},
    look: async () => counters,
  })
  await watch.round()
  now += 2_000
  counters = new Map([
    ['a', 1],
    ['b', 2],
  ])
  await watch.round()
  expect([...watch.silent]).toEqual([
    ['a', 2_000],
    ['b', 0],
  ])
  counters = new Map([['b', 3]])
  await watch.round()
  expect([...watch.silent.keys()]).toEqual(['b'])
})

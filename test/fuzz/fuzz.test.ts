import { describe, expect, test } from 'vitest'
import { FormatError } from '../../src/errors.ts'
import { runCampaign, toHex } from './campaign.ts'
import { listCorpora, readCorpus } from './corpus.ts'
import { parseReport, toReport } from './report.ts'
import { type FuzzTarget, loadTargets } from './target.ts'

/** How long each target runs; what is found in that time is up to the machine, never whether the test passes. */
const runMs = 1_000
const maxCases = 1_000_000

/** The same cases every time, the first of those of the long run; chance is for `npm run fuzz`. */
const seed = Number(process.env['FUZZ_SEED'] ?? 1)

const targets = await loadTargets()

test.each(targets)('Q1: $name takes its corpus, and mutations of it', async target => {
  const kept = readCorpus(target).length
  const end = performance.now() + runMs
  const finding = await runCampaign(target, {
    seed,
    cases: maxCases,
    before: (_input, index) => index < kept || index % 16 !== 0 || performance.now() < end,
  })
  const told = finding && { seed, input: toHex(finding.input), error: finding.error }
  expect(told, `npm run fuzz -- --target ${target.name} --seed ${seed} finds it, too`).toBeUndefined()
})

test('Q1: every folder of the corpus belongs to a target', () => {
  const names = new Set(targets.map(({ name }) => name))
  expect(listCorpora().filter(name => !names.has(name))).toEqual([])
})

describe('a campaign', () => {
  const fragile: FuzzTarget = {
    name: 'fragile',
    corpus: () => [Uint8Array.of(1, 2, 3)],
    run(bytes: Uint8Array): void {
      if (bytes.length > 3) throw new TypeError('too long')
      if (bytes.length < 3) throw new FormatError('fragile', 0, 'too short')
    },
  }

  test('finds what throws something else, with its input', async () => {
    const finding = await runCampaign(fragile, { seed, cases: 1_000 })
    expect(finding?.error).toBeInstanceOf(TypeError)
    expect(finding?.input.length).toBeGreaterThan(3)
  })

  test('finds a case that takes too much time or memory, when it does so twice', async () => {
    const used = { ms: 0, mb: 0 }
    let runs = 0
    const greedy = (ms: number, mb: number): FuzzTarget => ({
      ...fragile,
      run: () => {
        runs += 1
        used.ms += ms
        used.mb += mb
      },
    })
    const run = (target: FuzzTarget) =>
      runCampaign(target, { seed, cases: 1, most: { ms: 10, mb: 5 }, measure: () => ({ ...used }) })
    expect(await run(greedy(10, 5))).toBeUndefined()
    expect((await run(greedy(11, 0)))?.error).toEqual(new Error('The case took 11 ms; 10 are allowed'))
    expect((await run(greedy(0, 6)))?.error).toEqual(new Error('The case took 6 MB; 5 are allowed'))
    runs = 0
    const once = (): void => {
      used.ms += runs === 0 ? 99 : 1
      runs += 1
    }
    expect(await run({ ...fragile, run: once })).toBeUndefined()
    expect(runs).toBe(2)
  })

  test('makes the same cases of the same seed', async () => {
    const inputs = async (from: number): Promise<string[]> => {
      const seen: string[] = []
      const target = { ...fragile, run: (bytes: Uint8Array) => void seen.push(toHex(bytes)) }
      await runCampaign(target, { seed: from, cases: 100 })
      return seen
    }
    expect(await inputs(7)).toEqual(await inputs(7))
    expect(await inputs(7)).not.toEqual(await inputs(8))
  })

  test('puts the words of a target into its inputs', async () => {
    const seen: string[] = []
    const run = (bytes: Uint8Array): void => void seen.push(Buffer.from(bytes).toString('latin1'))
    await runCampaign({ ...fragile, dictionary: ['needle'], run }, { seed, cases: 1_000 })
    expect(seen.some(text => text.includes('needle'))).toBe(true)
  })

  test('is written as a table that can be read back', () => {
    const rows = [
      { target: 'b-2', cases: 10_000_000, seed: 7, seconds: 61, findings: 0 },
      { target: 'a', cases: 5, seed: 1, seconds: 0, findings: 1 },
    ]
    expect(parseReport(toReport(rows))).toEqual([rows[1], rows[0]])
  })
})

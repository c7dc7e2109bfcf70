import { expect, test } from 'vitest'
import { FormatError } from '../../src/errors.ts'
import { runCampaign, toHex } from './campaign.ts'
import { loadTargets } from './target.ts'

/** How long each target runs; what is found in that time is up to the machine, never whether the test passes. */
const runMs = 2_000
const maxCases = 1_000_000

const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000_000)

test.each(await loadTargets())('$name takes any bytes', async target => {
  const end = performance.now() + runMs
  const finding = await runCampaign(target, {
    seed,
    cases: maxCases,
    before: (_input, index) => index % 16 !== 0 || performance.now() < end,
  })
  const told = finding && { seed, input: toHex(finding.input), error: finding.error }
  expect(told, 'npm run fuzz -- --target NAME --input FILE repeats an input').toBeUndefined()
})

test('a target that throws something else is a finding, with its input', async () => {
  const target = {
    name: 'fragile',
    corpus: () => [Uint8Array.of(1, 2, 3)],
    run(bytes: Uint8Array): void {
      if (bytes.length > 3) throw new TypeError('too long')
      if (bytes.length < 3) throw new FormatError('fragile', 0, 'too short')
    },
  }
  const finding = await runCampaign(target, { seed, cases: 1_000 })
  expect(finding?.error).toBeInstanceOf(TypeError)
  expect(finding?.input.length).toBeGreaterThan(3)
})

test('the same seed makes the same cases', async () => {
  const inputs = async (from: number): Promise<string[]> => {
    const seen: string[] = []
    const target = {
      name: 'seen',
      corpus: () => [Uint8Array.of(1, 2, 3)],
      run: (bytes: Uint8Array) => void seen.push(toHex(bytes)),
    }
    await runCampaign(target, { seed: from, cases: 100 })
    return seen
  }
  expect(await inputs(7)).toEqual(await inputs(7))
  expect(await inputs(7)).not.toEqual(await inputs(8))
})

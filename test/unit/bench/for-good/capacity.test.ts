import { expect, test } from 'vitest'
import { defaultSealThreads } from '../../../../src/config/default-threads.ts'
import { sealThreadsOf, toCapacity, toCapacityTable } from '../../../bench/for-good/capacity.ts'
import { forGoodFigures, toModel } from '../../../bench/for-good/for-good-figures.ts'

const price = { mainUs: 10, sealingUs: 8, othersUs: 2 }

test.each([
  { what: 'one core does all of it', price, cores: 1, want: { rate: 50_000, limit: 'all cores' } },
  { what: 'the main thread has a core to itself', price, cores: 8, want: { rate: 100_000, limit: 'the main thread' } },
  { what: 'one thread seals', price: { ...price, sealingUs: 20 }, cores: 3, want: { rate: 50_000, limit: 'sealing' } },
  {
    what: 'four seal, at most',
    price: { ...price, sealingUs: 80 },
    cores: 16,
    want: { rate: 50_000, limit: 'sealing' },
  },
  {
    what: 'nothing was sealed',
    price: { ...price, sealingUs: 0 },
    cores: 8,
    want: { rate: 100_000, limit: 'the main thread' },
  },
] as const)('$what: the limit on $cores cores', ({ price, cores, want }) => {
  expect(toCapacity(price, cores)).toEqual(want)
})

test('the threads that seal are as many as the server has by default', () => {
  expect(sealThreadsOf(navigator.hardwareConcurrency)).toBe(defaultSealThreads)
})

test('the table says what limits on each number of cores', () => {
  const [header, , row] = toCapacityTable([{ what: 'Smile', price }]).split('\n')
  expect(header).toBe('|  | main thread | sealing | all else | 1 core | 2 cores | 8 cores | 16 cores |')
  expect(row).toBe(
    '| Smile | 10.0 µs | 8.0 µs | 2.0 µs | 50 K/s: all cores | 100 K/s: all cores | 100 K/s: the main thread | 100 K/s: the main thread |',
  )
})

test('the model is made of what was measured', () => {
  const [figure] = forGoodFigures
  if (!figure) throw new Error('no figure')
  const sample = { rate: 50_000, p50Ms: 1, p99Ms: 1, maxMs: 1, cpuUs: 20, mainUs: 10, sealingUs: 8 }
  const outcome = { sluice: sample, baseline: sample, ratio: 1, ratios: [1] }
  expect(toModel([{ figure, outcome, rounds: [] }])).toContain('| Smile | 10.0 µs | 8.0 µs | 2.0 µs |')
  expect(toModel([{ figure, missing: 'failed: the backlog grew' }])).toBe('')
  expect(toModel([])).toBe('')
})

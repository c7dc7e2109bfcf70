import { expect, test } from 'vitest'
import { defaultSealThreads } from '../../../../src/config/default-threads.ts'
import { sealThreadsOf, toCapacity, toCapacityTable } from '../../../bench/for-good/capacity.ts'
import { forGoodFigures, toModel } from '../../../bench/for-good/for-good-figures.ts'

const price = { mainUs: 10, edgesUs: 0, sealingUs: 8, othersUs: 2 }
const withEdges = { mainUs: 2, edgesUs: 9, sealingUs: 8, othersUs: 3 }

test.each([
  { what: 'one core does all of it', price, cores: 1, want: { rate: 50_000, limit: 'cores' } },
  { what: 'the main thread has a core to itself', price, cores: 8, want: { rate: 100_000, limit: 'main' } },
  { what: 'one thread seals', price: { ...price, sealingUs: 20 }, cores: 3, want: { rate: 50_000, limit: 'sealing' } },
  {
    what: 'four seal, at most',
    price: { ...price, sealingUs: 80 },
    cores: 16,
    want: { rate: 50_000, limit: 'sealing' },
  },
  {
    what: 'edge threads are as many as there are',
    price: { ...withEdges, edgesUs: 20 },
    cores: 16,
    edgeThreads: 3,
    want: { rate: 150_000, limit: 'edge' },
  },
  {
    what: 'the main thread has less to do beside edge threads',
    price: withEdges,
    cores: 100,
    edgeThreads: 100,
    want: { rate: 500_000, limit: 'main' },
  },
  {
    what: 'all share the cores with edge threads',
    price: withEdges,
    cores: 2,
    edgeThreads: 2,
    want: { rate: 2e6 / 22, limit: 'cores' },
  },
  {
    what: 'nothing was sealed',
    price: { ...price, sealingUs: 0 },
    cores: 8,
    want: { rate: 100_000, limit: 'main' },
  },
])('$what: the limit on $cores cores', ({ price, cores, edgeThreads = 1, want }) => {
  expect(toCapacity(price, { cores, edgeThreads })).toEqual(want)
})

test('the threads that seal are as many as the server has by default', () => {
  expect(sealThreadsOf(navigator.hardwareConcurrency)).toBe(defaultSealThreads)
})

test('the table says what limits on each number of cores', () => {
  const [header, , ...rows] = toCapacityTable([{ what: 'Smile', alone: price, withEdges }]).split('\n')
  expect(header).toBe('|  | `server.threads` | µs | 1 core | 2 cores | 8 cores |')
  expect(rows).toEqual([
    '| Smile | 1 | 10.0/0.0/8.0/2.0 | 50 cores | 100 cores | 100 main |',
    '| Smile | 4 | 2.0/9.0/8.0/3.0 | 45 cores | 91 cores | 364 cores |',
  ])
})

test('where edge threads were not measured, the table says nothing of them', () => {
  expect(toCapacityTable([{ what: 'Smile', alone: price }]).split('\n')).toHaveLength(3)
})

test('the model is made of what was measured', () => {
  const [figure] = forGoodFigures
  if (!figure) throw new Error('no figure')
  const sample = { rate: 50_000, p50Ms: 1, p99Ms: 1, maxMs: 1, cpuUs: 20, mainUs: 10, sealingUs: 8 }
  const outcome = { sluice: sample, baseline: sample, ratio: 1, ratios: [1] }
  expect(toModel([{ figure, outcome, rounds: [] }])).toContain('| Smile | 1 | 10.0/0.0/8.0/2.0 |')
  const more = { ...outcome, sluice: { ...sample, withEdges: { cpuUs: 22, mainUs: 2, edgesUs: 9, sealingUs: 8 } } }
  expect(toModel([{ figure, outcome: more, rounds: [] }])).toContain('| Smile | 4 | 2.0/9.0/8.0/3.0 |')
  expect(toModel([{ figure, missing: 'failed: the backlog grew' }])).toBe('')
  expect(toModel([])).toBe('')
})

import { expect, test } from 'vitest'
import { createLatencies, longestMs } from '../../soak/latencies.ts'
import { createTally } from '../../soak/tally.ts'

test('createTally: counts each period and each quarter for itself', () => {
  let quarter: 0 | 1 | 2 | 3 = 0
  const tally = createTally(() => quarter)
  for (let ms = 1; ms <= 100; ms++) tally.answered(ms, 5)
  tally.failed('answered 503')
  const first = tally.take()
  expect(first).toMatchObject({ acknowledged: 500, errors: 1, maxMs: 100 })
  expect([first.p50Ms, first.p99Ms]).toEqual([expect.closeTo(50.1, 6), expect.closeTo(99.1, 6)])
  quarter = 3
  tally.answered(7, 1)
  expect(tally.take()).toMatchObject({ acknowledged: 1, errors: 0, maxMs: 7 })
  expect(tally.quarters.map(({ count }) => count)).toEqual([100, 0, 0, 1])
  expect([tally.errors, tally.firstErrors]).toEqual([1, ['answered 503']])
})

test('createTally: keeps the first errors only, and not the whole of long ones', () => {
  const tally = createTally(() => 0)
  for (let i = 0; i < 1_000; i++) tally.failed(`${i} ${'x'.repeat(10_000)}`)
  expect(tally.errors).toBe(1_000)
  expect(tally.firstErrors).toHaveLength(20)
  expect(Math.max(...tally.firstErrors.map(({ length }) => length))).toBe(500)
})

test('createLatencies: times beyond the range count as the longest', () => {
  const latencies = createLatencies()
  latencies.record(3 * longestMs)
  expect(latencies.percentile(0.99)).toBeCloseTo(3 * longestMs, 6)
  expect(latencies.max).toBeCloseTo(3 * longestMs, 6)
})

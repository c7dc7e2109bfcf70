import { expect, test } from 'vitest'
import { createHistogram } from '../../bench/histogram.ts'

test('createHistogram: a share is reached at the upper end of a slot, and never above the longest', () => {
  const histogram = createHistogram()
  expect(histogram.percentile(0.5)).toBe(0)
  for (const ms of [1, 2, 3, 4.001]) histogram.record(ms)
  expect(histogram.percentile(0.5)).toBeCloseTo(2.01)
  expect(histogram.percentile(1)).toBe(4.001)
})

test('createHistogram: times beyond all slots count as the longest, not as the end of the slots', () => {
  const histogram = createHistogram()
  for (const ms of [1, 3_000, 5_000]) histogram.record(ms)
  expect(histogram.percentile(0.5)).toBe(5_000)
  expect(histogram.percentile(0.1)).toBeCloseTo(1.01)
})

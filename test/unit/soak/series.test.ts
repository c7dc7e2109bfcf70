import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toMean, toMedian, toQuarter, toSlope } from '../../soak/series.ts'

describe('toSlope', () => {
  test.each([
    {
      name: 'a line',
      points: [
        [0, 5],
        [1, 7],
        [3, 11],
      ],
      want: 2,
    },
    {
      name: 'a fall',
      points: [
        [0, 4],
        [2, 3],
      ],
      want: -0.5,
    },
    {
      name: 'scatter around a line',
      points: [
        [0, 1],
        [0, -1],
        [10, 11],
        [10, 9],
      ],
      want: 1,
    },
    { name: 'one point', points: [[1, 1]], want: 0 },
    {
      name: 'points above each other',
      points: [
        [1, 1],
        [1, 9],
      ],
      want: 0,
    },
    { name: 'nothing', points: [], want: 0 },
  ] as const)('$name: $want', ({ points, want }) => {
    expect(toSlope(points)).toBeCloseTo(want, 12)
  })

  test('of any line through any points is its own', () => {
    const whole = fc.integer({ min: -1_000, max: 1_000 })
    fc.assert(
      fc.property(whole, whole, fc.uniqueArray(whole, { minLength: 2 }), (slope, start, xs) => {
        expect(toSlope(xs.map(x => [x, slope * x + start]))).toBeCloseTo(slope, 6)
      }),
    )
  })
})

test.each([
  [[], 0, 0],
  [[3], 3, 3],
  [[4, 1], 2.5, 2.5],
  [[9, 1, 2], 2, 4],
])('toMedian, toMean of %j are %d, %d', (values, median, mean) => {
  expect([toMedian(values), toMean(values)]).toEqual([median, mean])
})

test('toQuarter: the end of one is the start of the next, and nothing is beyond the last', () => {
  expect([-1, 0, 24, 25, 50, 74, 75, 100, 101].map(at => toQuarter(at, 100))).toEqual([0, 0, 0, 1, 2, 2, 3, 3, 3])
})

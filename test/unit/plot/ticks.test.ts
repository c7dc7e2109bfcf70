import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toPosition, toTicks, toTickText } from '../../plot/ticks.ts'

describe('toTicks', () => {
  const cases = [
    {
      name: 'round steps around the values',
      values: [3, 97],
      scale: 'linear',
      fromZero: false,
      want: [0, 20, 40, 60, 80, 100],
    },
    { name: 'from zero', values: [80, 96], scale: 'linear', fromZero: true, want: [0, 20, 40, 60, 80, 100] },
    { name: 'not from zero', values: [80, 96], scale: 'linear', fromZero: false, want: [80, 85, 90, 95, 100] },
    { name: 'below zero', values: [-3, 7], scale: 'linear', fromZero: true, want: [-4, -2, 0, 2, 4, 6, 8] },
    {
      name: 'fractions without dust',
      values: [0, 0.5],
      scale: 'linear',
      fromZero: true,
      want: [0, 0.1, 0.2, 0.3, 0.4, 0.5],
    },
    { name: 'one value', values: [7], scale: 'linear', fromZero: false, want: [6, 8] },
    { name: 'zero alone', values: [0], scale: 'linear', fromZero: true, want: [0, 0.2] },
    { name: 'none', values: [], scale: 'linear', fromZero: true, want: [0, 1] },
    {
      name: 'decades',
      values: [1, 512, 20_000],
      scale: 'log',
      fromZero: false,
      want: [1, 10, 100, 1_000, 10_000, 100_000],
    },
    { name: 'parts of few decades', values: [3, 60], scale: 'log', fromZero: false, want: [2, 5, 10, 20, 50, 100] },
    { name: 'one value of a decade', values: [10], scale: 'log', fromZero: false, want: [10, 20] },
    { name: 'nothing above zero', values: [0, -1, Number.NaN], scale: 'log', fromZero: false, want: [1, 10] },
  ] as const
  test.each(cases)('$name', ({ values, scale, fromZero, want }) => {
    expect(toTicks(values, scale, fromZero)).toEqual(want)
  })

  test('hold all values between a few rising marks', () => {
    const value = fc.double({ min: 1e-9, max: 1e12, noNaN: true })
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 1, maxLength: 5 }),
        fc.constantFrom('linear', 'log'),
        fc.boolean(),
        (values, scale, fromZero) => {
          const ticks = toTicks(values, scale, fromZero)
          expect(ticks.length).toBeGreaterThan(1)
          expect(ticks.length).toBeLessThan(25)
          expect(ticks).toEqual(ticks.toSorted((a, b) => a - b))
          for (const each of values) {
            const at = toPosition(each, ticks, scale)
            expect(at).toBeGreaterThan(-1e-6)
            expect(at).toBeLessThan(1 + 1e-6)
          }
        },
      ),
    )
  })
})

test('toPosition: a logarithmic axis gives each power of ten the same room', () => {
  expect([1, 10, 100].map(value => toPosition(value, [1, 10, 100], 'log'))).toEqual([0, 0.5, 1])
})

test.each([
  [0, '0'],
  [0.25, '0.25'],
  [-4, '-4'],
  [999, '999'],
  [1_500, '1.5 K'],
  [20_000_000, '20 M'],
  [3e9, '3 G'],
])('toTickText(%d) is %s', (given, want) => {
  expect(toTickText(given)).toBe(want)
})

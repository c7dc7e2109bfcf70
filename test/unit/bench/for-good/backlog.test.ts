import { expect, test } from 'vitest'
import { isLevel, toBacklog } from '../../../bench/for-good/backlog.ts'

/** Looked at ten times a second for a minute; 1 000 events/s come, and go at each fifth second, all but so many. */
const saw = (left: number) =>
  Array.from({ length: 601 }, (_, i) => {
    const flushes = Math.floor(i / 50)
    return { at: 7_000 + i * 100, waiting: (i - 50 * flushes) * 100 + flushes * left }
  })

test('of what goes up and down the means over an interval are compared', () => {
  const { from, to } = toBacklog(saw(0), 5_000)
  expect(from).toBeCloseTo(2_450, 0)
  expect(to).toBeCloseTo(2_450, 0)
  expect(isLevel({ from, to }, 5_000)).toBe(true)
})

test.each([
  { left: 40, want: true },
  { left: 50, want: false },
])('with $left events of 5 000 left by each flush the backlog is level: $want', ({ left, want }) => {
  expect(isLevel(toBacklog(saw(left), 5_000), 5_000)).toBe(want)
})

test('one that becomes less is level', () => {
  expect(isLevel({ from: 100_000, to: 10 }, 5_000)).toBe(true)
})

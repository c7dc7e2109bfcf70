import { expect, test } from 'vitest'
import { toHours } from '../../../../admin/cli/tables/compact-hours.ts'

const hour = 498_704
const at = (minutes: number): number => (hour * 60 + minutes) * 60_000
const text = (minutes: number): string => new Date(at(minutes)).toISOString()
const always = Number.NEGATIVE_INFINITY

test.each<[what: string, from: number | undefined, to: number | undefined, now: number, range: [number, number]]>([
  ['all that are closed', undefined, undefined, 9.9, [always, hour - 1]],
  ['ten minutes after its end as well', undefined, undefined, 10, [always, hour]],
  ['from an hour on', -120, undefined, 10, [hour - 2, hour]],
  ['none that began before', -119, undefined, 10, [hour - 1, hour]],
  ['until an hour', undefined, -60, 10, [always, hour - 1]],
  ['none that ends later', undefined, -1, 10, [always, hour - 1]],
  ['none that is open', undefined, 600, 10, [always, hour]],
  ['none', -60, -60, 10, [hour - 1, hour - 1]],
])('hours that are compacted: %s', (_, from, to, now, [first, end]) => {
  const [start, stop] = [from, to].map(minutes => (minutes === undefined ? undefined : text(minutes)))
  expect(toHours(start, stop, at(now))).toEqual({ from: first, to: end })
})

test('times in the wrong order, and what is no time, are refused', () => {
  expect(() => toHours(text(1), text(0), at(100))).toThrow('--from is later than --to')
  expect(() => toHours('2026-02-31T99', undefined, at(0))).toThrow('is not a date')
  expect(() => toHours(undefined, 'tomorrow', at(0))).toThrow()
})

import { expect, test } from 'vitest'
import { type Result, toTable } from '../../nightly/report.ts'

const result = (name: string, more: Partial<Result> = {}): Result => ({
  name,
  shows: 'what it shows',
  passed: true,
  verdict: '3 passed (3)',
  seconds: 61.4,
  date: '2026-11-22',
  ...more,
})
const empty = 'Before.\n<!-- nightly -->\n\n<!-- /nightly -->\nBehind.\n'

test('results go between the two comments, and earlier ones stay', () => {
  const first = toTable(empty, [result('model'), result('oracle', { passed: false, seconds: 600 })])
  expect(first.split('\n').filter(line => line.startsWith('| `'))).toEqual([
    '| `model` | what it shows | 2026-11-22 | 3 passed (3) | 61 s |',
    '| `oracle` | what it shows | 2026-11-22 | **failed**: 3 passed (3) | 10 min |',
  ])
  expect(first.startsWith('Before.\n<!-- nightly -->\n')).toBe(true)
  expect(first.endsWith('<!-- /nightly -->\nBehind.\n')).toBe(true)
  const second = toTable(first, [result('oracle', { date: '2026-11-23' }), result('soak')])
  expect(second.split('\n').filter(line => line.startsWith('| `'))).toEqual([
    '| `model` | what it shows | 2026-11-22 | 3 passed (3) | 61 s |',
    '| `oracle` | what it shows | 2026-11-23 | 3 passed (3) | 61 s |',
    '| `soak` | what it shows | 2026-11-22 | 3 passed (3) | 61 s |',
  ])
})

test('a page without the place is refused', () => {
  expect(() => toTable('nothing', [result('model')])).toThrow(/no place between/)
})

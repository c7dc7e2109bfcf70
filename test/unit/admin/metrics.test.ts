import { expect, test } from 'vitest'
import { collectorMetrics } from '../../../admin/metrics/collector.ts'
import { family, type MetricFamily, single } from '../../../admin/metrics/metric.ts'
import { writeMetrics } from '../../../admin/metrics/text.ts'
import { createCounters } from '../../../src/collector/counters.ts'
import { createTestAdmin } from '../../suites/test-admin.ts'

const write = (families: readonly MetricFamily[]): string => [...writeMetrics(families)].join('')

test('families are lines of text, with a blank one between two', () => {
  const samples = [
    { labels: { a: 'x', le: '0.5' }, suffix: '_bucket' as const, value: 1 },
    { suffix: '_sum' as const, value: 0.25 },
  ]
  expect(
    write([family('histogram', 'one', 'First.', () => samples), single('gauge', 'two', 'Second.', () => 1e21)]),
  ).toBe(
    `# HELP one First.
# TYPE one histogram
one_bucket{a="x",le="0.5"} 1
one_sum 0.25

# HELP two Second.
# TYPE two gauge
two 1e+21
`,
  )
})

test.each([
  { value: Number.NaN, want: 'NaN' },
  { value: Number.POSITIVE_INFINITY, want: '+Inf' },
  { value: Number.NEGATIVE_INFINITY, want: '-Inf' },
])('$value is written $want', ({ value, want }) => {
  expect(write([single('gauge', 'one', 'First.', () => value)])).toContain(`\none ${want}\n`)
})

test('text of others stays within its quotes, and within its line', () => {
  const label = 'a"b\\c\nd'
  expect(write([family('gauge', 'one', 'A "b" \\ \n c.', () => [{ labels: { label }, value: 1 }])])).toBe(
    '# HELP one A "b" \\\\ \\n c.\n# TYPE one gauge\none{label="a\\"b\\\\c\\nd"} 1\n',
  )
})

test('a name is used once', async () => {
  const one = single('gauge', 'one', 'First.', () => 1)
  await expect(createTestAdmin({ metrics: [one, one] })).rejects.toThrow('one')
})

test('the books of a scrape are of one moment, however many events come while it is written', () => {
  const counters = createCounters()
  const families = collectorMetrics(
    counters,
    () => {
      throw new Error('The spool has no part in it')
    },
    () => [],
    () => [],
  )
  const sums = new Map<string, number>()
  for (const line of writeMetrics(families)) {
    if (line.includes('collector_events_written_total')) break
    const [, name = '', value] = /^(\w+)\{.*\} (\d+)$/m.exec(line) ?? []
    sums.set(name, (sums.get(name) ?? 0) + Number(value ?? 0))
    counters.POST_Json_API.recordKept([{ name: 'Order' }], 1)
    counters.POST_Json_API.record('malformed')
  }
  const sum = (name: string): number => sums.get(`collector_events_${name}_total`) ?? 0
  expect(sum('received')).toBeGreaterThan(0)
  const others = sum('filtered') + sum('duplicates') + sum('rejected') + sum('unknown')
  expect(sum('received')).toBe(sum('accepted') + others)
})

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Figure } from '../../bench/figure.ts'
import { toTable } from '../../bench/markdown.ts'
import { toPage } from '../../bench/page.ts'
import { toDatedSweep, toFiguresSection, toSizesSection } from '../../bench/page-sections.ts'
import type { Conditions } from '../../bench/report.ts'
import { toNumber, toPlot, toSweepSection } from '../../bench/sweeps/sweep-page.ts'
import { sweeps } from '../../bench/sweeps/sweeps.ts'

const conditions: Conditions = {
  cpu: 'A processor',
  cores: 2,
  kernel: 'Linux 6',
  node: 'v24',
  pinned: true,
  loadBefore: 0.1,
  syncP50Ms: 0.2,
  syncP99Ms: 0.3,
  rounds: 3,
  seconds: 5,
  pointSeconds: 2,
  date: '2026-01-02',
  command: 'npm run bench -- --all',
  others: [],
}

const figure: Figure = {
  id: 'P1',
  what: 'POST of one event',
  sluice: { spool: 'spool' },
  baseline: { spool: 'bare' },
  baselineIs: '`node:http`',
  unit: 'events/s',
  value: ({ rate }) => rate,
  ratio: (sluice, baseline) => sluice.rate / baseline.rate,
  goal: '≥ 0.7 ×',
  isMet: ({ ratio }) => ratio >= 0.7,
}
const sample = { rate: 26_000, p50Ms: 4, p99Ms: 12, maxMs: 20, cpuUs: 30 }
const resultOf = (ratio: number) => ({
  figure,
  outcome: { sluice: sample, baseline: sample, ratio, ratios: [ratio] },
  rounds: [],
})
const note = { id: 'P1', why: 'Validation takes the rest.' }

test('toFiguresSection: a note is under the table only while its figure misses the goal', () => {
  expect(toFiguresSection([resultOf(0.8)], conditions, '', [note])).not.toContain('falls short')
  const missed = toFiguresSection([resultOf(0.6)], conditions, '', [note])
  expect(missed).toContain('≥0.7× **missed** |')
  expect(missed).toContain('- **P1** (0.60): Validation takes the rest.')
})

test('toFiguresSection: a miss without a note says that it is not explained', () => {
  expect(toFiguresSection([resultOf(0.6)], conditions, '', [])).toContain('not explained yet')
  expect(toFiguresSection([resultOf(0.6)], conditions, '', [{ ...note, what: 'another' }])).toContain(
    'not explained yet',
  )
})

test('toFiguresSection: a figure that was not measured says why, in its row and below', () => {
  const section = toFiguresSection([{ figure, missing: 'skipped: no HDFS, no JDK' }], conditions, '', [])
  expect(section).toMatch(/\| P1 \| POST of one event \| – .*\| ≥0\.7×: skipped: no HDFS, no JDK \|/)
  expect(section).toContain('- **P1**, POST of one event: skipped: no HDFS, no JDK.')
})

test('toFiguresSection: a reason is given once, with the ratios that it holds for', () => {
  const section = toFiguresSection([resultOf(0.6), resultOf(0.5)], conditions, '', [note])
  expect(section.match(/Validation/g)).toHaveLength(1)
  expect(section).toContain('- **P1** (0.60, 0.50): Validation')
})

test('toFiguresSection: a detail is not on the page', () => {
  const result = resultOf(0.8)
  const detail = { ...result, figure: { ...figure, isDetail: true, what: 'a detail' } }
  expect(toFiguresSection([result, detail], conditions)).not.toContain('a detail')
})

test('toFiguresSection: figures with more rounds than the others are named', () => {
  const { outcome } = resultOf(0.8)
  const round = { baseline: sample, sluice: sample, disk: { p50Ms: 0.2, p99Ms: 0.3 } }
  const rounds = Array.from({ length: conditions.rounds + 2 }, () => round)
  const section = toFiguresSection([{ figure, rounds, outcome }], conditions)
  expect(section).toContain(`rounds of ${conditions.seconds} s (P1: ${rounds.length});`)
  expect(toFiguresSection([resultOf(0.8)], conditions)).toContain(`rounds of ${conditions.seconds} s;`)
})

test('toFiguresSection: software of others that took part is named with its version', () => {
  expect(toFiguresSection([resultOf(1)], conditions)).toContain(', Node v24;')
  expect(toFiguresSection([resultOf(1)], { ...conditions, others: ['nginx 1'] })).toContain(', Node v24, nginx 1;')
})

test('toFiguresSection: refused requests are shown beside the value', () => {
  const { outcome } = resultOf(1)
  const refusing = { figure, rounds: [], outcome: { ...outcome, sluice: { ...sample, refusedShare: 0.0213 } } }
  expect(toFiguresSection([refusing], conditions)).toContain('26.0 K/s, 12.00 ms, 2.1 % refused, 30.0 µs |')
})

const [sweep] = sweeps
const points = [
  {
    x: 1,
    reading: [
      [1_234, 2],
      [3, undefined],
    ],
    note: '2 % refused',
  },
  { x: 512, missing: 'failed: it ended' },
]

test('toDatedSweep: the plot, and the points that are missing by reason; the terminal has a table', () => {
  if (!sweep) throw new Error('There are no sweeps')
  const section = toDatedSweep({ sweep, points }, conditions)
  expect(section).toContain(`![${sweep.title}](docs/bench-${sweep.name}.svg)`)
  expect(section).toContain('1 connections: 2 % refused.')
  expect(section).toContain('512 connections: failed: it ended.')
  expect(toDatedSweep({ sweep, missing: 'skipped: no disk' }, conditions)).toContain('Not measured: skipped: no disk.')
  expect(toSweepSection({ sweep, points })).toContain('| 1 | 1 234 | 2 | 3 | – |')
  expect(toSweepSection({ sweep, points })).toContain('| 512 | – | – | – | – |')
})

test('toPlot: all panels in one file, each with the lines of both sides', () => {
  if (!sweep) throw new Error('There are no sweeps')
  const plot = toPlot({ sweep, points }, 'a note')
  expect(plot.match(/<svg /g)).toHaveLength(1 + sweep.panels.length)
  expect(plot.match(/<\/svg>/g)).toHaveLength(1 + sweep.panels.length)
  expect(plot.match(/a note/g)).toHaveLength(1)
  expect(toPlot({ sweep, missing: 'failed' }, '')).toContain('no data')
})

test('toPage: what was not measured now stays, and what never was says so', () => {
  const first = toPage({ figures: 'the figures' }, 'an older page')
  expect(first).toContain('the figures')
  expect(first).toContain('Not measured yet: `npm run bench -- --sizes --write`.')
  expect(first).toContain('Not measured yet: `npm run bench -- O1 O2 O3 --write`.')
  for (const { name } of sweeps) expect(first).toContain(`npm run bench -- --sweep ${name} --write`)
  const second = toPage({ sizes: toSizesSection([{ what: 'a', value: '1', beside: '2' }], conditions) }, first)
  expect(second).toContain('the figures')
  expect(second).toContain('| a | 1 | 2 |')
  expect(toPage({}, second)).toBe(second)
})

test('toTable: no cell can end its cell or row', () => {
  expect(toTable([['a'], ['b|c\n d']])).toBe('| a |\n| --- |\n| b\\|c d |')
})

test.each([
  [undefined, '–'],
  [0, '0'],
  [0.012345, '0.0123'],
  [12.345, '12.3'],
  [999.4, '999'],
  [1_234_567.8, '1 234 568'],
])('toNumber: %s is %s', (value, want) => {
  expect(toNumber(value)).toBe(want)
})

test('BENCHMARKS.md: its fixed text is that of the bench, and its plots are there', () => {
  const root = join(import.meta.dirname, '../../..')
  const page = readFileSync(join(root, 'BENCHMARKS.md'), 'utf8')
  expect(page).toBe(toPage({}, page))
  for (const [, path = ''] of page.matchAll(/!\[[^\]]*\]\(([^)]+)\)/g))
    expect(existsSync(join(root, path)), path).toBe(true)
})

import { expect, test } from 'vitest'
import { figures } from '../../bench/figures.ts'
import { noteOf, notes } from '../../bench/shortfalls.ts'

/** The figures that there is a goal for. */
const goals = [
  'P1',
  'P2',
  'P3',
  'P4',
  'P5',
  'P6',
  'P7',
  'P8',
  'P9',
  'P10',
  'P11',
  'P13',
  'P14',
  'P14b',
  'G1',
  'G2',
  'G3',
  'G4',
  'G5',
  'G6',
  'G7',
  'G8',
  'G9',
  'G10',
  'G11',
  'A1',
  'A2',
  'O1',
  'O2',
  'O3',
]

test.each(goals)('%s: is a figure of the bench', id => {
  expect(figures.map(figure => figure.id)).toContain(id)
})

test('figures: each has a baseline, a goal and a name of its own', () => {
  for (const { baselineIs, goal, what } of figures) {
    expect({ baselineIs, goal, what }).toEqual({
      baselineIs: expect.stringMatching(/\S/),
      goal: expect.stringMatching(/[≤≥]/),
      what: expect.stringMatching(/\S/),
    })
  }
  expect(new Set(figures.map(({ id, what }) => `${id} ${what}`)).size).toBe(figures.length)
})

test('notes: each belongs to a figure, and every figure that it means shows it', () => {
  for (const note of notes) {
    const meant = figures.filter(
      ({ id, what }) => id === note.id && (note.what === undefined || what.includes(note.what)),
    )
    expect(meant, `${note.id} ${note.what ?? ''}`).not.toEqual([])
    expect(meant.map(figure => noteOf(figure))).toContain(note)
  }
})

const sample = { rate: 1_000_000, p50Ms: 1, p99Ms: 1, maxMs: 1, cpuUs: 1, clusterCpuUs: 1, megabytes: 1 }

test.each([
  ['P1', 1.3, { p99Ms: 10 }, true],
  ['P1', 1.29, {}, false],
  ['P1', 2, { p99Ms: 11 }, false],
  ['P1 512', 1.3, {}, true],
  ['P1 512', 1.29, {}, false],
  ['P1 2000', 1.2, {}, true],
  ['P1 sockets', 0.75, {}, true],
  ['P1 sockets', 0.74, {}, false],
  ['P1 2000', 1.19, {}, false],
  ['P2', 1.19, {}, false],
  ['P3', 1, {}, true],
  ['P3', 0.99, {}, false],
  ['P4', 0.94, {}, false],
  ['P5', 1.16, {}, false],
  ['P6', 1.3, {}, true],
  ['P6', 1.31, {}, false],
  ['P7', 0.89, {}, false],
  ['P8', 0.4, { rate: 300_000 }, true],
  ['P8', 0.39, {}, false],
  ['P8', 9, { rate: 299_000 }, false],
  ['P9', 2, {}, true],
  ['P9', 1.99, {}, false],
  ['P10', 1.1, {}, true],
  ['P10', 1.11, {}, false],
  ['P11 21', 0, { cpuUs: 4, megabytes: 200 }, true],
  ['P11 21', 9, { cpuUs: 4.1 }, false],
  ['P11 21', 9, { megabytes: 201 }, false],
  ['P11 300', 0, { cpuUs: 6 }, true],
  ['P11 5000', 0, { cpuUs: 12 }, true],
  ['P13 replicated', 1.3, { p50Ms: 8, p99Ms: 40, megabytes: 65 }, true],
  ['P13 replicated', 1.31, {}, false],
  ['P13 replicated', 1, { p50Ms: 8.1 }, false],
  ['P13 replicated', 1, { p99Ms: 41 }, false],
  ['P13 replicated', 1, { megabytes: 66 }, false],
  ['P13 Kafka', 0.5, {}, true],
  ['P13 Kafka', 0.51, {}, false],
  ['P13 alone', 9, { p50Ms: 8, p99Ms: 40 }, true],
  ['P13 alone', 0, { p50Ms: 8.1 }, false],
  ['P13 alone', 0, { p99Ms: 41 }, false],
  ['P14b Smile', 0, { rate: 330_000, cpuUs: 6 }, true],
  ['P14b Smile', 9, { rate: 329_999 }, false],
  ['P14b Smile', 9, { cpuUs: 6.1 }, false],
  ['P14b lines', 0, { rate: 600_000, cpuUs: 2 }, true],
  ['P14b Parquet', 0, { rate: 350_000, cpuUs: 5.5 }, true],
  ['G1', 0.85, {}, true],
  ['G1', 0.84, {}, false],
  ['G1', 1, { megabytes: 65 }, false],
  ['G1 up', 0.84, {}, false],
  ['G1 TLS', 0.8, {}, true],
  ['G1 TLS', 0.79, {}, false],
  ['G1 embedded', 0.84, {}, false],
  ['G1 `OPEN`', 0.85, { megabytes: 64 }, true],
  ['G1 `OPEN`', 0.84, {}, false],
  ['G1 `OPEN`', 1, { megabytes: 65 }, false],
  ['G1 `OPEN`,', 0.9, {}, true],
  ['G1 `OPEN`,', 0.89, {}, false],
  ['G1 `CREATE`', 0.84, {}, false],
  ['G2', 9, { megabytes: 64 }, true],
  ['G2', 0, { megabytes: 65 }, false],
  ['G3', 2, {}, true],
  ['G3', 2.1, {}, false],
  ['G4', 1.29, {}, false],
  ['G5', 0.59, {}, false],
  ['G6', 0, { p50Ms: 301 }, false],
  ['G6 JSON', 1.2, { megabytes: 64 }, true],
  ['G6 JSON', 1.21, { megabytes: 64 }, false],
  ['G6 JSON', 1, { megabytes: 65 }, false],
  ['G6 `LISTSTATUS`', 1.2, { megabytes: 64 }, true],
  ['G6 `LISTSTATUS`', 1.21, {}, false],
  ['G6 `LISTSTATUS`', 1, { megabytes: 65 }, false],
  ['G6 `LISTSTATUS_BATCH`', 2, { megabytes: 64 }, true],
  ['G6 `LISTSTATUS_BATCH`', 2.01, {}, false],
  ['G6 `LISTSTATUS_BATCH`', 1, { megabytes: 65 }, false],
  ['G7', 1.29, {}, false],
  ['G8', 1.5, { megabytes: 300, driftMb: 30 }, true],
  ['G8', 1.51, {}, false],
  ['G8', 1, { megabytes: 301 }, false],
  ['G8', 1, { megabytes: 300, driftMb: 31 }, false],
  ['G9', 0.9, { p99Ms: 1.2 }, true],
  ['G9', 0.89, {}, false],
  ['G9', 1, { p99Ms: 1.21 }, false],
  ['G9', 1, { clusterCpuUs: 1.1 }, false],
  ['G9 embedded', 0.9, { p99Ms: 1.2 }, true],
  ['G9 embedded', 0.89, {}, false],
  ['G9 embedded', 1, { p99Ms: 1.21 }, false],
  ['G10', 1.3, {}, true],
  ['G10', 1.31, {}, false],
  ['G11', 1.3, {}, true],
  ['G11', 1.31, {}, false],
  ['A1', 0, { p99Ms: 11 }, false],
  ['A2', 1.2, {}, false],
  ['A2 listed', 1.5, {}, true],
  ['A2 listed', 1.51, {}, false],
  ['O1', 0.5, {}, true],
  ['O1', 0.5, { cpuUs: 2 }, true],
  ['O1', 0.6, { cpuUs: 2.1 }, false],
  ['O1', 0.49, {}, false],
  ['O1 buffer', 0.49, {}, false],
  ['O2', 1, {}, true],
  ['O2', 0.99, {}, false],
  ['O3 down', 1, {}, true],
  ['O3 down', 0.99, {}, false],
  ['O3 up', 0.99, {}, false],
  ['O3 files', 1, {}, true],
  ['O3 files', 0.99, {}, false],
  ['O3 files', 1, { p99Ms: 1.1 }, false],
  ['O3 files', 1, { clusterCpuUs: 1.1 }, false],
  ['O3 `OPEN`', 1, {}, true],
  ['O3 `OPEN`', 0.99, {}, false],
  ['O3 `OPEN`', 1, { p99Ms: 1.1 }, false],
  ['O3 `OPEN`', 1, { clusterCpuUs: 1.1 }, false],
  ['O3 `LISTSTATUS`', 1.01, {}, false],
  ['O3 names', 1, {}, true],
  ['O3 names', 1.01, {}, false],
])('%s: its goal at ratio %d and %o is met: %s', (id, ratio, more, want) => {
  const [name, word = ''] = id.split(' ')
  const figure = figures.find(one => one.id === name && one.what.includes(word))
  const outcome = { sluice: { ...sample, ...more }, baseline: sample, ratio, ratios: [ratio] }
  expect(figure?.isMet(outcome)).toBe(want)
})

import { describe, expect, test } from 'vitest'
import { toMarkdown, toPlots, toQuarterRows } from '../../soak/report.ts'
import type { Sample } from '../../soak/sample.ts'
import { type Ended, toChecks } from '../../soak/verdict.ts'
import { allIsWell } from '../../suites/ledger-of-client.ts'

/** An hour with a sample each minute. */
const toSamples = (change: (minute: number) => Partial<Sample> = () => ({})): readonly Sample[] =>
  Array.from({ length: 60 }, (_, minute) => ({
    atMs: (minute + 0.5) * 60_000,
    residentMb: 200,
    heapMb: 40,
    externalMb: 10,
    descriptors: 70,
    threads: 13,
    p50Ms: 2,
    p99Ms: 10,
    maxMs: 20,
    syncP99Ms: 1,
    acknowledged: 10,
    backlogFiles: 1,
    backlogMb: 0.1,
    errors: 0,
    ...change(minute),
  }))

const good: Ended = {
  minutes: 60,
  samples: toSamples(),
  quarterP99Ms: [30, 10, 10, 15],
  errors: 0,
  events: allIsWell,
  acknowledged: 600,
  found: 600,
  books: { received: 600, accepted: 600, rejected: 0, committed: 600 },
  strayFiles: 0,
  exitCode: 0,
}

const failing = (ended: Ended): string[] =>
  toChecks(ended)
    .filter(({ holds }) => holds === false)
    .map(({ what }) => what)

describe('toChecks', () => {
  const memory = 'resident memory, last three quarters'
  const descriptors = 'open descriptors, last quarter against the second'
  const latency = 'p99 of intake, last quarter against the second'
  const once = 'every acknowledged event is in the file system once'

  test.each<{ name: string; ended: Partial<Ended>; want: string[] }>([
    { name: 'a good run', ended: {}, want: [] },
    { name: 'a lost event', ended: { events: { ...allIsWell, lost: [7] } }, want: [once] },
    { name: 'an event twice', ended: { events: { ...allIsWell, twice: [7] } }, want: [once] },
    {
      name: 'no event at all',
      ended: { acknowledged: 0, found: 0, books: { received: 0, accepted: 0, rejected: 0, committed: 0 } },
      want: [once],
    },
    {
      name: 'an event that no book has',
      ended: { books: { ...good.books, received: 601 } },
      want: ['the books balance'],
    },
    { name: 'a file left over', ended: { strayFiles: 1 }, want: ['nothing is left over'] },
    { name: 'an error answer', ended: { errors: 1 }, want: ['no error answers'] },
    { name: 'a bad end', ended: { exitCode: null }, want: ['an orderly end'] },
    { name: 'a leak', ended: { samples: toSamples(minute => ({ residentMb: 200 + minute / 2 })) }, want: [memory] },
    {
      name: 'growth in the first quarter',
      ended: { samples: toSamples(minute => ({ residentMb: 200 + Math.min(14, minute) * 5 })) },
      want: [],
    },
    {
      name: 'descriptors that stay open',
      ended: { samples: toSamples(minute => ({ descriptors: 70 + minute / 5 })) },
      want: [descriptors],
    },
    {
      name: 'fewer descriptors than at the start, when all was slower',
      ended: { samples: toSamples(minute => ({ descriptors: minute < 15 ? 90 : 70 })) },
      want: [],
    },
    {
      name: 'descriptors that stay open behind a slow start',
      ended: { samples: toSamples(minute => ({ descriptors: minute < 15 ? 90 : 70 + minute / 5 })) },
      want: [descriptors],
    },
    {
      name: 'a peak of descriptors',
      ended: { samples: toSamples(minute => ({ descriptors: minute === 55 ? 500 : 70 })) },
      want: [],
    },
    { name: 'slower and slower', ended: { quarterP99Ms: [30, 10, 12, 15.1] }, want: [latency] },
    { name: 'too slow to be measured', ended: { quarterP99Ms: [30, 20_000, 20_000, 20_000] }, want: [latency] },
  ])('$name', ({ ended, want }) => {
    expect(failing({ ...good, ...ended })).toEqual(want)
  })

  test('a short run is not judged by its slopes', () => {
    const checks = toChecks({ ...good, minutes: 2, quarterP99Ms: [1, 1, 1, 99] })
    expect(checks.filter(({ holds }) => holds === undefined).map(({ what }) => what)).toEqual([
      memory,
      descriptors,
      latency,
    ])
  })
})

test('toQuarterRows: a row for each quarter, as wide as the header', () => {
  const rows = toQuarterRows(good)
  expect(rows).toHaveLength(5)
  for (const row of rows) expect(row).toHaveLength(rows[0]?.length ?? 0)
})

test('toMarkdown: verdict, table and plots are in the page', () => {
  const page = toMarkdown(good, toChecks(good), {
    date: '2026-01-02',
    command: 'npm run soak',
    rate: 300,
    fileSystem: 'HDFS',
    loadBefore: 0,
    loadAfter: 1,
    complaints: 0,
    note: 'the machine also ran other work',
    visits: 1,
    polls: 2,
    files: 3,
  })
  expect(page).toContain('| resident memory, last three quarters | 0.0 MB/h | < 20 MB/h | holds |')
  expect(page).toContain('the machine also ran other work')
  for (const name of Object.keys(toPlots(good.samples, ''))) expect(page).toContain(`(${name})`)
})

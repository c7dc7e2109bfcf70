import { expect, test } from 'vitest'
import type { GeneratorResult } from '../../overload/load.ts'
import { type Measured, type Overload, placeOf, type Side, toMarkdown } from '../../overload/report.ts'

const times = { p50: 1, p99: 2, max: 3 }
const result: GeneratorResult = {
  due: 1_000,
  sent: 1_000,
  accepted: 100,
  refused: 0,
  acceptedInAll: 100,
  unanswered: 0,
  acceptedMs: times,
  refusedMs: times,
  honestAccepted: 1,
  honestMs: times,
  newMs: times,
  reopened: 0,
  failures: 0,
  firstFailure: 0,
  ownDelayP99Ms: 1,
  nextEvent: 100,
}
const measured: Measured = { result, peakMb: 300, cpuUs: 10 }
const side: Side = { capacity: measured, overload: measured, capacityAfter: measured }
const run: Overload = {
  ...side,
  seconds: 5,
  factor: 10,
  connections: 1_000,
  depth: 1,
  isPinned: true,
  loadBefore: 0,
  bare: side,
  books: { accepted: 100, refused: 0, found: 100, lost: 0, twice: 0, refusedButKept: 0 },
}

test.each([
  [{}, '`npm run overload -- --seconds 5 --connections 1000`', 'R10, 1000 connections, p50/p99 |', 'overload-1000'],
  [
    { connections: 2_000, depth: 10, factor: 20 },
    '`npm run overload -- --seconds 5 --connections 2000 --factor 20 --depth 10`',
    'R10, 2000 connections with 10 requests each, p50/p99 |',
    'overload-2000x10',
  ],
])('toMarkdown: the rows of %o say the command that measures the same again', (more, command, title, place) => {
  const rows = toMarkdown({ ...run, ...more })
  expect(rows).toContain(`, ${command}.`)
  expect(rows).toContain(title)
  expect(placeOf({ ...run, ...more })).toBe(place)
})

test('toMarkdown: what waits for its answers holds back what is due', () => {
  const held = { ...measured, result: { ...result, sent: 500 } }
  expect(toMarkdown(run)).not.toContain('waits for')
  expect(toMarkdown({ ...run, depth: 3, overload: held })).toContain('each connection waits for 3 answers')
})

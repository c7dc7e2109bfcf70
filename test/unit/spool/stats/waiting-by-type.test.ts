import { expect, test } from 'vitest'
import type { EventHead } from '../../../../src/spool/batch.ts'
import type { OpenBucket } from '../../../../src/spool/log/open-buckets.ts'
import { toWaitingByType } from '../../../../src/spool/stats/waiting-by-type.ts'

const toOpen = (name: string, events: number): OpenBucket => {
  const head: EventHead = { index: 0, name, date: 0, granularity: 'HOURLY' }
  return { head, kind: 'smile', events }
}

test.each([
  ['/events', '/events'],
  ['/', ''],
])('toWaitingByType: open and sealed ones below %s, under the names that events have', (outputDirectory, root) => {
  const sealed = new Map([
    [`${root}/A/2026/01/01/00|smile`, 1],
    [`${root}/A/2026/01/01/01|thrift`, 2],
    [`${root}/Caf%C3%A9%20x|smile`, 4],
  ])
  const open = [toOpen('A', 8), toOpen('Café x', 16), toOpen('new', 32)]
  expect(toWaitingByType({ outputDirectory, sealed, open })).toEqual(
    new Map([
      ['A', 11],
      ['Café x', 20],
      ['new', 32],
    ]),
  )
})

test('toWaitingByType: files for another directory have no type', () => {
  const sealed = new Map([
    ['/old/A/2026|smile', 1],
    ['/events2/A/2026|smile', 1],
  ])
  expect(toWaitingByType({ outputDirectory: '/events', sealed, open: [] })).toEqual(new Map())
})

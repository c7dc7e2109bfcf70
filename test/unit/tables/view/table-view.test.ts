import { expect, test } from 'vitest'
import type { Snapshot } from '../../../../src/tables/metadata.ts'
import { toHistory } from '../../../../src/tables/view/table-view.ts'

const snapshotWith = (summary: Readonly<Record<string, string>>): Snapshot => ({
  id: 1n,
  parentId: undefined,
  sequenceNumber: 1,
  timestampMs: 0,
  manifestList: 'hdfs://somewhere/list',
  summary: new Map(Object.entries(summary)),
})

test.each<[string, Readonly<Record<string, string>>, string, number | null]>([
  [
    'a collector',
    { operation: 'append', 'sluice.commit-id': `${'ab'.repeat(16)}-1-2` },
    `sluice ${'ab'.repeat(16)}`,
    null,
  ],
  ['an import', { operation: 'append', 'sluice.import': 'x' }, 'sluice import', null],
  ['a compaction', { operation: 'replace', 'sluice.replacement-id': 'x' }, 'sluice compact', null],
  [
    'a compaction that dropped repeats',
    { operation: 'overwrite', 'sluice.replacement-id': 'x', 'sluice.repeated-rows': '3' },
    'sluice compact',
    3,
  ],
  [
    'a compaction by a collector',
    { operation: 'replace', 'sluice.replacement-id': 'x', 'sluice.collector-id': 'ab'.repeat(16) },
    `sluice compact ${'ab'.repeat(16)}`,
    null,
  ],
  [
    'a retention by a collector',
    { operation: 'delete', 'sluice.replacement-id': 'x', 'sluice.collector-id': 'cd'.repeat(16) },
    `sluice retain ${'cd'.repeat(16)}`,
    null,
  ],
  ['a retention', { operation: 'delete', 'sluice.replacement-id': 'x' }, 'sluice retain', null],
  ['another engine', { operation: 'append', 'engine-name': 'spark', 'engine-version': '4.0' }, 'spark 4.0', null],
  ['a writer that says nothing', { operation: 'append' }, '', null],
])(
  'the history of a table names the writer of the snapshot of %s, and its repeats',
  (_, summary, writer, repeatedRows) => {
    const current = snapshotWith(summary)
    expect(toHistory({ snapshots: [current], current })).toMatchObject([{ writer, repeatedRows }])
  },
)

import { describe, expect, test } from 'vitest'
import type { ImportedFile, ImportReport } from '../../../admin/cli/import/import-spool.ts'
import { countLost, summarizeImport } from '../../../admin/cli/lib/import-run.ts'

const file = (over: Partial<ImportedFile>): ImportedFile => ({
  file: 'writer/1.bin',
  place: 'committed',
  bytes: 10,
  events: 2,
  unreadable: 0,
  details: [],
  outcome: 'imported',
  ...over,
})

const report = (files: readonly ImportedFile[]): ImportReport => ({ files, events: 0, unreadable: 0, skipped: [] })

describe('countLost', () => {
  test.each([
    [{}, 0],
    [{ unreadable: 3 }, 3],
    [{ place: '_tmp', unreadable: 1 }, 0],
    [{ place: '_tmp', unreadable: 2 }, 2],
    [{ place: '_tmp', unreadable: 1, events: 0, outcome: 'left' }, 1],
    [{ place: '_lock', unreadable: 1 }, 1],
  ] as const)('%j', (over, want) => expect(countLost(report([file(over)]))).toBe(want))
})

describe('summarizeImport', () => {
  test('adds up the files of a writer in each place', () => {
    const files = [
      file({}),
      file({ file: 'writer/2.bin', outcome: 'known', events: 0 }),
      file({ place: '_lock', file: 'writer/_lock/3.bin' }),
    ]
    expect(summarizeImport(report(files))).toEqual([
      { writer: 'writer', place: 'committed', files: 2, events: 2, unreadable: 0, bytes: 20, known: 1, left: 0 },
      { writer: 'writer', place: '_lock', files: 1, events: 2, unreadable: 0, bytes: 10, known: 0, left: 0 },
    ])
  })
})

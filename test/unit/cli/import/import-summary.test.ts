import { describe, expect, test } from 'vitest'
import { countLost, summarizeImport, toImportLine } from '../../../../admin/cli/import/import-run.ts'
import type { ImportedFile, ImportReport } from '../../../../admin/cli/import/import-spool.ts'

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

describe('toImportLine', () => {
  const files = [
    file({}),
    file({ outcome: 'known', events: 0 }),
    file({ outcome: 'left', events: 0 }),
    file({ outcome: 'left', events: 0 }),
  ]
  test.each([
    [
      files,
      false,
      '2 events of 1 file taken; the next start of the server takes them on; 1 file taken before; 2 files not taken',
    ],
    [files.slice(0, 1), true, '2 events of 1 file can be taken'],
    [files.slice(2), false, '0 events of 0 files taken; the next start of the server takes them on; 2 files not taken'],
  ] as const)('counts as taken what was: %#', (some, isDryRun, want) => {
    const events = some.reduce((sum, one) => sum + one.events, 0)
    expect(toImportLine({ ...report(some), events }, isDryRun)).toBe(want)
  })
})

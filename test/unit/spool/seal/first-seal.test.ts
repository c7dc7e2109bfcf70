import { describe, expect, test } from 'vitest'
import type { BucketFile, FileRecord } from '../../../../src/spool/files/bucket-file.ts'
import type { Damage } from '../../../../src/spool/ledger/damage-list.ts'
import type { LedgerEntry } from '../../../../src/spool/ledger/ledger-entry.ts'
import { applyEntry, createLedgerState } from '../../../../src/spool/ledger/ledger-state.ts'
import { type FirstSeal, toFirstSeal } from '../../../../src/spool/seal/first-seal.ts'

const nameOf = (segment: number, part = 0): string => `s-${'a'.repeat(32)}-${segment}-${part}.parquet`

const fileOf = (segment: number, part = 0): BucketFile => ({
  name: nameOf(segment, part),
  directory: '/events/A/data/eventDate_hour=2026-01-02-03',
  segment,
  format: 'parquet',
  codec: 'none',
  kind: 'smile',
  length: 1,
  crc: 2,
  events: 1,
  oldest: 3,
})

/** What is known of the first seal of segment 7 after these entries. */
const knownAfter = (...entries: readonly LedgerEntry[]): FirstSeal => {
  const state = createLedgerState(true)
  for (const entry of entries) applyEntry(state, entry)
  return toFirstSeal(state, 7)
}

const nothing: FirstSeal = { refused: [], aside: [], settled: [], placed: [], due: [] }

describe('of a segment that is sealed again', () => {
  const temporary = '/events/_tmp/a/f'
  const states: readonly (readonly [list: 'placed' | 'due' | 'neither', FileRecord['state']])[] = [
    ['neither', { at: 'sealed' }],
    ['due', { at: 'moving', temporary }],
    ['placed', { at: 'placed' }],
    ['placed', { at: 'committed', since: 5 }],
    ['due', { at: 'taken', reason: 'r' }],
    ['neither', { at: 'quarantined', reason: 'r' }],
    ['neither', { at: 'quarantined', reason: 'r', tableGone: true }],
    ['due', { at: 'quarantined', reason: 'r', nameTaken: true }],
  ]
  test.each(states)('a file is %s: %j', (list, state) => {
    const files = [7, 8].map(segment => ({ file: fileOf(segment), state }))
    const expected = list === 'neither' ? nothing : { ...nothing, [list]: [nameOf(7)] }
    expect(knownAfter({ type: 'files', files })).toEqual(expected)
  })

  test('a file that was removed before it was in the file system need not be made again', () => {
    const files = [7, 8].map(segment => ({ file: fileOf(segment), state: { at: 'sealed' } as const }))
    const removed = [7, 8].map(segment => ({ type: 'removed', name: nameOf(segment) }) as const)
    expect(knownAfter({ type: 'files', files }, ...removed)).toEqual({ ...nothing, placed: [nameOf(7)] })
  })

  const piece = (start: number, more: Partial<Damage>): Damage => ({
    file: `segment-7-${start}.damaged`,
    bytes: 10,
    events: 2,
    reason: 'why',
    ...more,
  })
  const damaged = (...damage: readonly Damage[]): LedgerEntry => ({ type: 'damaged', damage })
  const resolved = (start: number): LedgerEntry => ({ type: 'resolved', file: piece(start, {}).file })

  // Its events are somewhere else by then: the segment is not set aside as a whole.
  const done = { placed: [piece(40, {}).file] }

  test.each<[string, readonly LedgerEntry[], Partial<FirstSeal>]>([
    [
      'types that a table refused',
      [damaged(piece(40, { refused: ['A', 'B'] }))],
      {
        refused: [
          ['A', 'why'],
          ['B', 'why'],
        ],
      },
    ],
    [
      'what could not be read',
      [damaged(piece(40, { withheld: true }))],
      { aside: [{ start: 40, end: 50, reason: 'why', isSettled: false }] },
    ],
    [
      'what could not be read, and was decided about',
      [damaged(piece(40, { withheld: true })), resolved(40)],
      { ...done, aside: [{ start: 40, end: 50, reason: 'why', isSettled: true }] },
    ],
    [
      'what a table refused, and was decided about',
      [damaged(piece(40, { refused: ['A'] })), resolved(40)],
      { ...done, refused: [['A', 'why']], settled: [[40, ['A']]] },
    ],
    [
      'a request with a bad event, decided about',
      [damaged(piece(40, {})), resolved(40)],
      { ...done, settled: [[40, []]] },
    ],
    ['a request with a bad event, yet to be decided about', [damaged(piece(40, {}))], {}],
    ['a segment as a whole', [damaged({ ...piece(0, {}), file: 'segment-7.log' })], {}],
    [
      'of another segment',
      [damaged({ ...piece(0, { refused: ['A'], withheld: true }), file: 'segment-77-40.damaged' })],
      {},
    ],
  ])('%s', (_, entries, known) => {
    expect(knownAfter(...entries)).toEqual({ ...nothing, ...known })
  })
})

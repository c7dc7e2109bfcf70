import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { BucketFile, FileRecord } from '../../../../../src/spool/files/bucket-file.ts'
import type { LedgerEntry } from '../../../../../src/spool/ledger/ledger-entry.ts'
import {
  applyEntry,
  createLedgerState,
  type LedgerState,
  toLocalFile,
  toSealed,
} from '../../../../../src/spool/ledger/ledger-state.ts'
import { createFileTable } from '../../../../../src/spool/ledger/table/file-table.ts'

const file = (name: string, rest: Partial<BucketFile> = {}): BucketFile => ({
  name,
  directory: '/events/Hello/2026',
  segment: 1,
  format: 'jsonl',
  codec: 'none',
  kind: 'smile',
  length: 10,
  crc: 0xffff_fffe,
  events: 1,
  oldest: 5,
  ...rest,
})

const named = (segment: number, part: number): string =>
  `20260102T030435.000Z-${'a'.repeat(32)}-${segment}-${part}.jsonl.gz`

/** Few names, so that entries meet; names of any other form among them, and more files than a block of rows holds. */
const names = [
  ...Array.from({ length: 300 }, (_, index) => named(index % 7, index)),
  'a',
  'b-01.x',
  'b-1.x',
  '-0.',
  '-0.x',
  'ä-5.x',
  '',
]
const someName = fc.oneof(fc.constantFrom(...names.slice(290)), fc.constantFrom(...names))
const someFile: fc.Arbitrary<BucketFile> = fc.record({
  name: someName,
  directory: fc.constantFrom('/events/A/2026', '/events/A/2027', '/events/B/2026'),
  segment: fc.nat(9),
  format: fc.constantFrom('native', 'sequencefile', 'jsonl'),
  codec: fc.constantFrom('none', 'gzip'),
  kind: fc.constantFrom('smile', 'thrift'),
  length: fc.nat(2 ** 40),
  crc: fc.nat(0xffff_ffff),
  events: fc.integer({ min: 1, max: 100 }),
  oldest: fc.oneof(fc.nat(20), fc.nat(2 ** 45)),
})
const damage = fc.record({
  file: fc.constantFrom('x', 'y', 'z'),
  bytes: fc.nat(9),
  events: fc.nat(9),
  reason: fc.constant('r'),
})
const someEntry: fc.Arbitrary<LedgerEntry> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('sealed'),
      segment: fc.nat(20),
      files: fc.array(someFile, { maxLength: 200 }),
      keys: fc.constant([]),
      damage: fc.array(damage, { maxLength: 3 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('moving'), name: someName, temporary: someName }) },
  { weight: 5, arbitrary: fc.record({ type: fc.constant('committed'), name: someName, at: fc.nat(99) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('quarantined'), name: someName, reason: fc.string() }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('requeued'), name: someName }) },
  { weight: 5, arbitrary: fc.record({ type: fc.constant('removed'), name: someName }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('damaged'), damage: fc.array(damage, { maxLength: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('resolved'), file: fc.constantFrom('x', 'y') }) },
)

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0)

/** All figures as they follow from the files and pieces, one by one. */
const recompute = (records: readonly FileRecord[], { damage: pieces }: Pick<LedgerState, 'damage'>) => {
  const tally = (some: readonly FileRecord[]) => ({
    files: some.length,
    events: sum(some.map(one => one.file.events)),
    bytes: sum(some.map(one => one.file.length)),
  })
  const waiting = records.filter(({ state }) => state.at === 'sealed' || state.at === 'moving')
  const buckets = new Map<string, number>()
  for (const { file: one } of waiting) {
    const label = `${one.directory}|${one.kind}`
    buckets.set(label, (buckets.get(label) ?? 0) + one.events)
  }
  return {
    size: records.length,
    waiting: tally(waiting),
    states: states.map(at => tally(records.filter(({ state }) => state.at === at))),
    oldest: waiting.length === 0 ? undefined : Math.min(...waiting.map(one => one.file.oldest)),
    buckets: buckets,
    pieces: [pieces.values().length, sum(pieces.values().map(({ events }) => events))],
    // Segment by segment; of few files each, they take no turns.
    waitingNames: [...Map.groupBy(waiting, one => one.file.segment).values()].flat().map(one => one.file.name),
    committedNames: records
      .filter(({ state }) => state.at === 'committed')
      .map(one => one.file.name)
      .sort(),
    quarantinedNames: records
      .filter(({ state }) => state.at === 'quarantined')
      .map(one => one.file.name)
      .sort(),
  }
}
const states = ['sealed', 'moving', 'committed', 'quarantined'] as const

const kept = ({ files, damage: pieces }: LedgerState) => ({
  size: files.size,
  waiting: { ...files.figures.waiting },
  states: states.map(at => ({ ...files.figures.of(at) })),
  oldest: files.figures.oldest,
  buckets: files.figures.buckets,
  pieces: [pieces.size, pieces.events],
  waitingNames: [...files.waiting()].map(one => one.file.name),
  committedNames: [...files.committed()].map(one => one.file.name).sort(),
  quarantinedNames: [...files.inState('quarantined')].map(one => one.file.name).sort(),
})

test('R24: the figures that are kept are those that follow from the files, after any entries', () => {
  fc.assert(
    fc.property(fc.array(someEntry, { maxLength: 60 }), entries => {
      const state = createLedgerState(true)
      // What a plain map makes of the same entries.
      const model = new Map<string, FileRecord>()
      for (const entry of entries) {
        applyEntry(state, entry)
        applyToModel(model, entry)
        expect(kept(state)).toEqual(recompute([...state.files.values()], state))
      }
      expect([...state.files.values()]).toEqual([...model.values()])
      expect([...state.files.names()]).toEqual([...model.keys()])
      for (const name of names) expect(state.files.get(name)).toEqual(model.get(name))
      const temporaries = [...model.values()].flatMap(({ state: one }) => (one.at === 'moving' ? [one.temporary] : []))
      for (const name of names) if (!temporaries.includes(name)) expect(state.files.isMoving(name)).toBe(false)
      if (new Set(temporaries).size === temporaries.length) {
        for (const name of temporaries) expect(state.files.isMoving(name)).toBe(true)
      }
    }),
  )
})

const applyToModel = (model: Map<string, FileRecord>, entry: LedgerEntry): void => {
  const become = (name: string, state: FileRecord['state']): void => {
    const known = model.get(name)
    if (known) model.set(name, { file: state.at === 'committed' ? known.file : toLocalFile(known), state })
  }
  if (entry.type === 'sealed') for (const one of entry.files) model.set(one.name, toSealed(one, model.get(one.name)))
  if (entry.type === 'moving') become(entry.name, { at: 'moving', temporary: entry.temporary })
  if (entry.type === 'committed') become(entry.name, { at: 'committed', since: entry.at })
  if (entry.type === 'quarantined') become(entry.name, { at: 'quarantined', reason: entry.reason })
  if (entry.type === 'requeued') become(entry.name, { at: 'sealed' })
  if (entry.type === 'removed') model.delete(entry.name)
}

describe('createFileTable', () => {
  test('who looks at the files that wait sees each once, also when they go meanwhile, and none that came since', () => {
    const table = createFileTable()
    for (let part = 0; part < 1_000; part++) table.set({ file: file(named(1, part)), state: { at: 'sealed' } })
    const seen: string[] = []
    for (const { file: one } of table.waiting()) {
      seen.push(one.name)
      table.delete(one.name)
      table.set({ file: file(named(2, seen.length)), state: { at: 'sealed' } })
    }
    expect(seen).toEqual(Array.from({ length: 1_000 }, (_, part) => named(1, part)))
    expect(table.figures.waiting.files).toBe(1_000)
  })

  test('committed files come in the order of their commits', () => {
    const table = createFileTable()
    const order = [5, 3, 9, 1]
    for (let part = 0; part < 10; part++) table.set({ file: file(named(1, part)), state: { at: 'sealed' } })
    for (const part of order) table.set({ file: file(named(1, part)), state: { at: 'committed', since: 7 } })
    expect([...table.committed()].map(one => one.file.name)).toEqual(order.map(part => named(1, part)))
    table.delete(named(1, 5))
    expect([...table.committed()].map(one => one.file.name)).toEqual([3, 9, 1].map(part => named(1, part)))
  })

  test('a file that is committed once more is there once, after the others', () => {
    const table = createFileTable()
    const commit = (name: string, since: number) => table.set({ file: file(name), state: { at: 'committed', since } })
    commit('a', 1)
    commit('b', 2)
    commit('a', 3)
    table.set({ file: file('b'), state: { at: 'sealed' } })
    commit('b', 4)
    expect([...table.committed()].map(one => one.file.name)).toEqual(['a', 'b'])
  })

  test('a file with members of another version keeps them', () => {
    const table = createFileTable()
    const odd = { ...file('a'), owner: 'x' }
    table.set({ file: odd, state: { at: 'sealed' } })
    table.set({ file: odd, state: { at: 'committed', since: 1 } })
    expect(table.get('a')).toEqual({ file: odd, state: { at: 'committed', since: 1 } })
    table.delete('a')
    table.set({ file: file('a'), state: { at: 'sealed' } })
    expect(table.get('a')?.file).toEqual(file('a'))
  })
})

import { expect, test } from 'vitest'
import { toSince } from '../../../../src/spool/files/file-since.ts'
import { isCommitted, parseNote, toNote as toNoteOf } from '../../../../src/spool/tables/committed-note.ts'

const id = 'c0ffee'.repeat(6).slice(0, 32)

type Named = ReturnType<typeof file>

const toNote = (
  before: Parameters<typeof toNoteOf>[0],
  files: readonly Named[],
  others: readonly Named[],
  wasRemoved: (name: string) => boolean = () => false,
) => toNoteOf(before, files, others, wasRemoved)

/** A file of a segment that began in a minute of the day. */
const file = (segment: number, part = 0, minute = segment) => ({
  name: `${toSince(Date.UTC(2026, 0, 2, 0, minute))}-${id}-${segment}-${part}.parquet`,
  segment,
})

test('of no note nothing is committed; of a note all up to its segment is, but for what is open', () => {
  expect(isCommitted(undefined, file(1))).toBe(false)
  const note = toNote(undefined, [file(2), file(3)], [file(1), file(3, 1), file(4)])
  expect(note).toEqual({
    segment: 3,
    since: toSince(Date.UTC(2026, 0, 2, 0, 3)),
    open: [file(1).name, file(3, 1).name],
  })
  const committed = [file(1), file(2), file(3), file(3, 1), file(4)].map(one => isCommitted(note, one))
  expect(committed).toEqual([false, true, true, false, false])
  expect(parseNote(JSON.stringify(note))).toEqual(note)
})

test('what was open is committed once it came, and what is in already never opens again', () => {
  const before = toNote(undefined, [file(3)], [file(1), file(2)])
  // The ledger may not know yet that 3 is in.
  const after = toNote(before, [file(1)], [file(2), file(3)])
  expect(after).toMatchObject({ segment: 3, open: [file(2).name] })
  expect([file(1), file(2), file(3)].map(one => isCommitted(after, one))).toEqual([true, false, true])
})

test('a spool that was an older copy and went on has files of numbers that were used: they are not taken for those', () => {
  const note = toNote(undefined, [file(9)], [])
  const [again, next] = [file(8, 0, 30), file(9, 0, 31)]
  expect([again, next].map(one => isCommitted(note, one))).toEqual([false, false])
  const after = toNote(note, [next], [again])
  expect(after).toMatchObject({ segment: 9, open: [again.name] })
  expect([again, next, file(9)].map(one => isCommitted(after, one))).toEqual([false, true, true])
})

test('a clock that is set back takes nothing out', () => {
  const note = toNote(toNote(undefined, [file(3, 0, 50)], []), [file(4, 0, 10)], [])
  expect([file(3, 0, 50), file(4, 0, 10)].map(one => isCommitted(note, one))).toEqual([true, true])
  expect(isCommitted(note, file(5, 0, 11))).toBe(false)
})

test('a property that is not a note stops the commit, and tells what was found', () => {
  for (const text of ['', '{}', 'null', '{"segment":1,"since":"a","open":[1]}', '{"segment":'])
    expect(() => parseNote(text)).toThrow(`not one that a collector has written: ${text}`)
  expect(parseNote(undefined)).toBeUndefined()
})

test('more open files than the metadata should carry hold up those behind them', () => {
  const open = Array.from({ length: 10_001 }, (_, part) => file(1, part))
  expect(() => toNote(undefined, [file(2)], open)).toThrow(/^10001 earlier files .* at most 10000 may be/)
  expect(toNote(undefined, [file(2)], open.slice(1)).open).toHaveLength(10_000)
})

test('what is open stays open although this ledger does not know it, until it is committed or was removed', () => {
  const before = toNote(undefined, [file(4)], [file(1), file(2), file(3)])
  const after = toNote(before, [file(5), file(3)], [], name => name === file(2).name)
  expect(after).toMatchObject({ segment: 5, open: [file(1).name] })
  expect([file(1), file(3)].map(one => isCommitted(after, one))).toEqual([false, true])
})

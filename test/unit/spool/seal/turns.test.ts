import fc from 'fast-check'
import { expect, test } from 'vitest'
import { commitTurns, type WaitingSlot } from '../../../../src/spool/ledger/table/commit-turns.ts'
import { inTurns } from '../../../../src/spool/seal/turns.ts'

test('inTurns: the first of each group, the second of each, and all of them once', () => {
  expect(inTurns(['a1', 'a2', 'a3', 'b1', 'c1', 'c2'], name => name[0])).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3'])
  expect(inTurns([], () => 0)).toEqual([])
})

const slots = (...counts: readonly number[]): WaitingSlot[] =>
  counts
    .flatMap((count, segment) => Array.from({ length: count }, () => segment))
    .map((segment, slot) => ({ slot, segment }))

const order = (waiting: readonly WaitingSlot[]): number[] => [...commitTurns(waiting.values())]

test('commitTurns: ordinary segments go in their order', () => {
  const waiting = slots(...Array.from({ length: 1_000 }, () => 60))
  expect(order(waiting)).toEqual(waiting.map(({ slot }) => slot))
})

test('commitTurns: a segment with thousands of files holds up those behind it by a few', () => {
  const waiting = slots(9_000, 3, 9_000, 2)
  const place = new Map(order(waiting).map((slot, at) => [slot, at]))
  const last = (segment: number): number =>
    Math.max(...waiting.filter(one => one.segment === segment).map(({ slot }) => place.get(slot) ?? -1))
  expect(last(1)).toBeLessThan(70)
  expect(last(3)).toBeLessThan(140)
})

test('commitTurns: each file once, those of a segment in their order, whatever waits', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(300), { maxLength: 300 }), counts => {
      const waiting = slots(...counts)
      const taken = order(waiting)
      expect(taken.toSorted((a, b) => a - b)).toEqual(waiting.map(({ slot }) => slot))
      const segmentOf = (slot: number): number => waiting[slot]?.segment ?? -1
      for (const [segment] of counts.entries()) {
        const own = taken.filter(slot => segmentOf(slot) === segment)
        expect(own).toEqual(own.toSorted((a, b) => a - b))
      }
    }),
    { numRuns: 30 },
  )
})

test('commitTurns: however much waits, it looks so far ahead and no further', () => {
  let looked = 0
  const waiting = function* (): Generator<WaitingSlot> {
    for (const one of slots(30_000, 70_000)) {
      looked++
      yield one
    }
  }
  let taken = 0
  for (const _ of commitTurns(waiting())) {
    taken++
    expect(looked - taken).toBeLessThanOrEqual(20_000)
  }
  expect(taken).toBe(100_000)
})

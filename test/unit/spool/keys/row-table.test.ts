import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { KeptKey } from '../../../../src/spool/batch.ts'
import { idForm, toIdRow } from '../../../../src/spool/keys/id-row.ts'
import { digestOf, hasFingerprint, keyForm, toKeyOutcome, toKeyRow } from '../../../../src/spool/keys/key-row.ts'
import { decodeRows, digestBytes, encodeRows, type WindowRow } from '../../../../src/spool/keys/row-form.ts'
import { createRowTable } from '../../../../src/spool/keys/row-table.ts'

const atOf = ({ head }: WindowRow): number => new DataView(head.buffer, head.byteOffset).getFloat64(keyForm.timeAt)

const kept = (key: string, at = 1, accepted = 1): KeptKey => ({
  key,
  fingerprint: `of ${key}`,
  outcome: { accepted, rejected: 0, errors: [] },
  at,
})

describe('createRowTable', () => {
  test('R24: remembers the latest keys by the order of their arrival, whatever they are and the clock says', () => {
    const some = fc.record({ key: fc.nat(60), at: fc.integer({ min: -1e14, max: 1e14 }), accepted: fc.nat(9) })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.array(some, { maxLength: 300 }), (max, adds) => {
        const table = createRowTable(keyForm, max)
        adds.forEach(({ key, at, accepted }, index) => {
          table.add(toKeyRow(kept(String(key), at, accepted)))
          const window = adds.slice(Math.max(0, index + 1 - max), index + 1)
          const latest = new Map(window.map(one => [one.key, one]))
          expect(table.size).toBe(latest.size)
          expect(table.oldestAt).toBe(window[0]?.at)
          for (let n = 0; n <= 60; n++) {
            const row = table.find(digestOf(String(n)))
            const want = latest.get(n)
            expect(row && [atOf(row), toKeyOutcome(row).accepted]).toEqual(want && [want.at, want.accepted])
          }
        })
        const left = adds.slice(-max)
        const order = left.filter(({ key }, index) => left.findLastIndex(one => one.key === key) === index)
        expect([...table.rows(0)].map(atOf)).toEqual(order.map(({ at }) => at))
      }),
      { numRuns: 60 },
    )
  })

  test('through many more keys than it remembers, in blocks that come and go', () => {
    const table = createRowTable(keyForm, 10_000)
    for (let n = 0; n < 50_000; n++) table.add(toKeyRow(kept(`k${n}`, n)))
    expect([table.size, table.next, table.oldestAt]).toEqual([10_000, 50_000, 40_000])
    expect(table.find(digestOf('k39999'))).toBeUndefined()
    expect(table.has(digestOf('k40000'), 0)).toBe(true)
    expect([...table.rows(49_990)].map(atOf)).toEqual(Array.from({ length: 10 }, (_, n) => 49_990 + n))
  })
})

describe('a row', () => {
  test('is the same when it is read again', () => {
    const rejections = fc.array(fc.record({ index: fc.nat(9), code: fc.string(), detail: fc.string() }), {
      maxLength: 9,
    })
    const outcome = fc.record({ accepted: fc.nat(), rejected: fc.nat(), errors: rejections })
    const some = fc.record({ key: fc.string(), fingerprint: fc.string(), outcome, at: fc.double({ noNaN: true }) })
    fc.assert(
      fc.property(fc.array(some, { maxLength: 5 }), keys => {
        const again = [...decodeRows(keyForm, encodeRows(keyForm, keys.map(toKeyRow)))]
        expect(again.map(toKeyOutcome)).toEqual(keys.map(one => one.outcome))
        expect(again.map(atOf)).toEqual(keys.map(({ at }) => at))
        again.forEach((row, index) => {
          expect(Buffer.from(row.head.subarray(0, digestBytes))).toEqual(Buffer.from(digestOf(keys[index]?.key ?? '')))
          expect(hasFingerprint(row, keys[index]?.fingerprint ?? '')).toBe(true)
          expect(hasFingerprint(row, `${keys[index]?.fingerprint}.`)).toBe(false)
        })
      }),
    )
  })

  test('keeps as many errors as fit; the numbers stay', () => {
    const errors = Array.from({ length: 100 }, (_, index) => ({ index, code: 'c', detail: 'x'.repeat(1_000) }))
    const row = toKeyRow({ ...kept('k'), outcome: { accepted: 5, rejected: 100, errors } })
    expect(row.tail?.length).toBeLessThanOrEqual(16 << 10)
    const outcome = toKeyOutcome(row)
    expect(outcome).toMatchObject({ accepted: 5, rejected: 100 })
    expect(outcome.errors.length).toBeGreaterThan(5)
    expect(outcome.errors).toEqual(errors.slice(0, outcome.errors.length))
  })

  test.each([
    ['of a key', keyForm, toKeyRow(kept('k'))],
    ['of an id', idForm, toIdRow(new Uint8Array(16), 0, 1)],
  ] as const)('%s that is cut is told', (_, form, row) => {
    const bytes = encodeRows(form, [row])
    for (let end = 1; end < bytes.length; end++) {
      expect(() => [...decodeRows(form, bytes.subarray(0, end))]).toThrow('the row is cut')
    }
  })
})

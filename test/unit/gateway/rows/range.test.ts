import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { allRows, createRowWindow, parseRange } from '../../../../src/gateway/rows/range.ts'

describe('parseRange', () => {
  test.each([
    { given: '1-50', want: { first: 0, last: 50 } },
    { given: '0-50', want: { first: 0, last: 50 } },
    { given: '51-100', want: { first: 51, last: 100 } },
    { given: '5-5', want: { first: 5, last: 5 } },
    { given: '1-1', want: { first: 0, last: 1 } },
    { given: '0-0', want: { first: 0, last: 0 } },
    { given: undefined, want: allRows },
    { given: '', want: allRows },
  ])('reads $given', ({ given, want }) => expect(parseRange(given)).toEqual(want))

  test.each(['50-1', '50', '1-2-3', '-5', '5-', 'a-b', ' 1-2', '1-9999999999999999'])('refuses %s', given => {
    expect(() => parseRange(given)).toThrow(expect.objectContaining({ code: 'bad-parameter' }))
  })
})

describe('createRowWindow', () => {
  test('gives the wanted rows however they come, and is done exactly behind the last', () => {
    const sizes = fc.array(fc.nat(7), { maxLength: 20 })
    fc.assert(
      fc.property(sizes, fc.nat(40), fc.nat(40), (batches, first, length) => {
        const window = createRowWindow({ first, last: first + length })
        const taken: number[] = []
        let row = 0
        for (const size of batches) {
          taken.push(...window.take(Array.from({ length: size }, () => row++)))
          expect(window.isDone).toBe(row > first + length)
        }
        const all = Array.from({ length: row }, (_, index) => index)
        expect(taken).toEqual(all.slice(first, first + length + 1))
      }),
    )
  })

  test('ranges of a page follow without a gap or an overlap', () => {
    const rows = Array.from({ length: 200 }, (_, index) => index)
    const of = (range: string) => createRowWindow(parseRange(range)).take(rows)
    expect([...of('1-50'), ...of('51-100'), ...of('101-150')]).toEqual(rows.slice(0, 151))
    expect(of('1-50')).toHaveLength(51)
  })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FormatError } from '../../../src/errors.ts'
import { Budget } from '../../../src/formats/budget.ts'
import { LongJson, parseExactJson } from '../../../src/formats/json-long.ts'
import type { Value } from '../../../src/formats/number.ts'

/** Reads JSON in pieces of a number of bytes; the rest is repeated with the next ones. */
const readIn = (bytes: Buffer, size: number, budget = new Budget('json')): Value => {
  const reader = new LongJson(budget)
  let at = 0
  for (let end = size; !reader.isDone; end += size) at += reader.feed(bytes.subarray(at, end), end >= bytes.length, at)
  // As for the exact parser, the value is all there may be.
  if (!/^[\t\n\r ]*$/.test(bytes.toString('utf8', at))) throw new FormatError('json', at, 'expected the end')
  return reader.value
}

const outcome = (read: () => Value): unknown => {
  try {
    return { value: read() }
  } catch (error) {
    expect(error).toBeInstanceOf(FormatError)
    return 'refused'
  }
}

describe('LongJson', () => {
  test.each([
    '{"a":[1,-0.5e-7,12345678901234567890,1.0],"b":{"c":null,"":true}} ',
    '["\\u00e4\\ud83d\\ude00\\\\","ä€😀","\\\\\\"",""]',
    ' [ [ ] , { } , { "a" : [ false ] } ] ',
    '{"a":1,"a":2,"__proto__":3,"1":4}',
    '"text"',
  ])('reads %s in pieces of any size', text => {
    const bytes = Buffer.from(text)
    const whole = parseExactJson(text)
    for (let size = 1; size <= bytes.length; size++) expect(readIn(bytes, size)).toEqual(whole)
  })

  test.each([
    '',
    '{',
    '{"a"',
    '{"a":',
    '{"a":1',
    '{"a":1,}',
    '[1,]',
    '[1 2]',
    '{"a" 1}',
    '{1:2}',
    '[01]',
    '[1.]',
    '[tru]',
  ])('refuses %s', text => {
    for (const size of [1, 2, 100]) expect(() => readIn(Buffer.from(text), size)).toThrow(FormatError)
  })

  test.each(['["\u0001"]', '["\\x"]', '["\\u12g4"]', '["abc', '["\\"]', '[}', '{]', ']', '[nul', '{"a":1]'])(
    'refuses %j',
    text => {
      for (const size of [1, 3, 100]) expect(() => readIn(Buffer.from(text), size)).toThrow(FormatError)
    },
  )

  test('says where and what', () => {
    expect(() => readIn(Buffer.from('{"a":[1,2}'), 3)).toThrow('json: expected "," or "]", found "}" at byte 9')
    expect(() => readIn(Buffer.from('{"a":[1,2]'), 3)).toThrow('json: expected "," or "}", found the end at byte 10')
    expect(() => readIn(Buffer.from('['.repeat(1_001)), 100)).toThrow('nested deeper than 1000 levels at byte 1000')
    expect(() => readIn(Buffer.from(`[${'1'.repeat(10_001)}]`), 64)).toThrow('number of 10001 characters')
  })

  test('reads what the exact parser reads, in pieces, and refuses the same', () => {
    const json = fc.oneof(
      fc.json(),
      fc.json().map(text => text.slice(0, -1)),
      fc
        .tuple(fc.json(), fc.nat(), fc.constantFrom('"', '\\', '{', ']', ',', ':', '1', 'é', '\\u00'))
        .map(([text, at, char]) => {
          const cut = at % (text.length + 1)
          return text.slice(0, cut) + char + text.slice(cut)
        }),
    )
    fc.assert(
      fc.property(json, fc.integer({ min: 1, max: 20 }), (text, size) => {
        fc.pre(text.isWellFormed())
        const exact = outcome(() => parseExactJson(text))
        expect(outcome(() => readIn(Buffer.from(text), size))).toEqual(exact)
      }),
      { numRuns: 2_000 },
    )
  })

  test('counts while it reads', () => {
    const limits = { of: 'row', values: { max: 4 }, bytes: { max: 6 } }
    const read = (text: string) => readIn(Buffer.from(text), 2, new Budget('json', limits))
    expect(read('{"ab":[1,"cdef"]}')).toEqual({ ab: [1, 'cdef'] })
    expect(() => read('{"ab":[1,2,3]}')).toThrow('at most 4 values')
    expect(() => read('{"ab":"cdefg"}')).toThrow('at most 6 bytes')
    expect(() => read('{"abcdefg"')).toThrow('at most 6 bytes')
  })
})

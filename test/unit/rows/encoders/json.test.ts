import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseJson, stringifyJson } from '../../../../src/formats/json.ts'
import { fromMembers } from '../../../../src/formats/members.ts'
import { Decimal, Float32, Float64, type Value } from '../../../../src/formats/number.ts'
import { createJsonRowEncoder } from '../../../../src/rows/encoders/json.ts'
import { pieceChars } from '../../../../src/rows/encoders/pieces.ts'
import { type Row, toRow } from '../../../../src/rows/row.ts'

const encode = (rows: readonly Row[], pretty = false): string =>
  `[${[...createJsonRowEncoder({ pretty }).encode(rows, true)].join('')}]`

describe('createJsonRowEncoder', () => {
  test.each<{ given: Value; want: string }>([
    { given: 'plain', want: '"plain"' },
    { given: 'q"b\\t\tn\n\u0001', want: '"q\\"b\\\\t\\tn\\n\\u0001"' },
    { given: 'é 世界 🌊', want: '"é 世界 🌊"' },
    { given: '\ud800x', want: '"\\ud800x"' },
    { given: '', want: '""' },
    { given: 0, want: '0' },
    { given: -1.5, want: '-1.5' },
    { given: 9007199254740993n, want: '9007199254740993' },
    { given: -9223372036854775808n, want: '-9223372036854775808' },
    { given: new Float64(3), want: '3.0' },
    { given: new Float64(-0), want: '-0.0' },
    { given: new Float64(Number.NaN), want: '"NaN"' },
    { given: new Float32(0.1), want: '0.1' },
    { given: new Float32(Number.POSITIVE_INFINITY), want: '"Infinity"' },
    { given: Number.NEGATIVE_INFINITY, want: '"-Infinity"' },
    { given: new Decimal(1234567890123456789012n, 2), want: '12345678901234567890.12' },
    { given: true, want: 'true' },
    { given: null, want: 'null' },
    { given: new Uint8Array([104, 105]), want: '"aGk="' },
    { given: [1, new Float64(1), 'x'], want: '[1,1.0,"x"]' },
    { given: { b: [9223372036854775807n], a: null }, want: '{"b":[9223372036854775807],"a":null}' },
  ])('writes $want', ({ given, want }) => {
    expect(encode([toRow({ k: given })])).toBe(`[{"k":${want}}]`)
  })

  test('keeps the order of names that look like numbers, and gives each name once', () => {
    const row = { names: ['10', '2', 'x', 'x'], values: [1, 2, 3, 4] }
    expect(encode([row])).toBe('[{"10":1,"2":2,"Field_2":3,"x":4}]')
    expect(encode([{ names: ['__proto__'], values: ['p'] }])).toBe('[{"__proto__":"p"}]')
  })

  test('joins rows of several shapes, and batches', () => {
    const encoder = createJsonRowEncoder()
    const pieces = [...encoder.encode([toRow({ a: 1 }), toRow({})], true), ...encoder.encode([toRow({ b: 2 })], false)]
    expect(pieces.join('')).toBe('{"a":1},{},{"b":2}')
  })

  test('indents as Jackson does', () => {
    expect(encode([toRow({ a: 1, b: [1] }), toRow({})], true)).toBe(
      '[{\n      "a" : 1,\n      "b" : [\n        1\n      ]\n    }, { }]',
    )
  })

  test('whatever strings a row has, plain and indented JSON give them back', () => {
    const rows = fc.array(fc.dictionary(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' })))
    fc.assert(
      fc.property(rows, fc.boolean(), (dictionaries, pretty) => {
        const objects = dictionaries.map(dictionary => fromMembers(Object.entries(dictionary)))
        expect(parseJson(encode(objects.map(toRow), pretty))).toEqual(objects)
      }),
      { examples: [[[{ 10: 'index', '\u0000mark': 'x', ['__proto__']: 'y' }], false]] },
    )
  })

  test.each([false, true])('long values come in pieces of the same text, pretty: %s', pretty => {
    const list = Array.from({ length: 3_000 }, (_, i) => ({ i, text: `"${i}"`, x: new Float64(i), n: BigInt(i) ** 5n }))
    const value: Value = {
      list,
      deep: [[list, {}, [], null]],
      text: 'ä"😀\n'.repeat(20_000),
      bytes: new Uint8Array(70_001).fill(7),
      __proto: Number.NaN,
    }
    const pieces = [...createJsonRowEncoder({ pretty }).encode([toRow(value), toRow({ value, next: 1 })], true)]
    const text = `[${pieces.join('')}]`
    const indented = (one: Value): string => stringifyJson(one, { indent: 2 }).replaceAll('\n', `\n${' '.repeat(6)}`)
    if (pretty) expect(text).toContain(`"value" : ${indented(value)},\n      "next" : 1`)
    else expect(text).toBe(stringifyJson([value, { value, next: 1 }]))
    expect(parseJson(text)).toEqual(parseJson(stringifyJson([value, { value, next: 1 }])))
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(8 * pieceChars)
  })
})

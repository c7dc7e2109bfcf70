import { deepStrictEqual } from 'node:assert'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FormatError } from '../../../src/errors.ts'
import { parseJson, stringifyJson } from '../../../src/formats/json.ts'
import { parseExactJson } from '../../../src/formats/json-long.ts'
import { Decimal, Float32, Float64, type Value } from '../../../src/formats/number.ts'
import { values } from './values.ts'

const offsetOf = (text: string): number | undefined => {
  try {
    parseJson(text)
  } catch (error) {
    if (error instanceof FormatError) return error.offset
    throw error
  }
  return undefined
}

describe('parseJson', () => {
  const table: readonly { readonly given: string; readonly want: Value }[] = [
    { given: '{"a":1,"b":[true,false,null,"x"]}', want: { a: 1, b: [true, false, null, 'x'] } },
    { given: '{"id":1234567890123456789}', want: { id: 1_234_567_890_123_456_789n } },
    { given: '{"a": 1.0 , "b":1e3}', want: { a: new Float64(1), b: new Float64(1000) } },
    { given: '[1.0]', want: [new Float64(1)] },
    { given: '[-0]', want: [new Float64(-0)] },
    { given: '[ -0.5, 10.250 ]', want: [-0.5, 10.25] },
    { given: '[10, 100, 20.5]', want: [10, 100, 20.5] },
    { given: '-0', want: new Float64(-0) },
    { given: ' 12345678901234567890 ', want: 12_345_678_901_234_567_890n },
    { given: '[3.14159265358979323846]', want: [new Decimal(314_159_265_358_979_323_846n, 20)] },
    { given: '{"ua":"x:1.0, y:1234567890123456789 "}', want: { ua: 'x:1.0, y:1234567890123456789 ' } },
    { given: '["\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00", 1e0]', want: ['"\\/\b\f\n\r\té😀', new Float64(1)] },
    { given: '["a long string beyond twelve", 1e0]', want: ['a long string beyond twelve', new Float64(1)] },
    { given: '{"a":1e0,"a":2}', want: { a: 2 } },
    { given: '[[],{},1e0]', want: [[], {}, new Float64(1)] },
  ]
  test.each(table)('$given', ({ given, want }) => {
    expect(parseJson(given)).toStrictEqual(want)
  })

  test.each(['{"__proto__":{"x":1},"y":2}', '{"__proto__":{"x":1},"y":2.0}'])(
    'keeps the name __proto__ in %s',
    text => {
      const value = parseJson(text)
      expect(Object.keys(value as object)).toEqual(['__proto__', 'y'])
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    },
  )

  const bad: readonly { readonly given: string; readonly want: number }[] = [
    { given: '', want: 0 },
    { given: '   ', want: 3 },
    { given: '{"a":}', want: 5 },
    { given: '{"a" 1}', want: 5 },
    { given: '{a:1}', want: 1 },
    { given: '{"a":1,}', want: 7 },
    { given: '{"a":1 "b":2}', want: 7 },
    { given: '[1,]', want: 3 },
    { given: '[1 2]', want: 3 },
    { given: '[1.]', want: 2 },
    { given: '[01]', want: 2 },
    { given: '[-]', want: 2 },
    { given: '[+1]', want: 1 },
    { given: '[NaN]', want: 1 },
    { given: '[1', want: 2 },
    { given: '"abc', want: 4 },
    { given: '"a\\x"', want: 2 },
    { given: '"a\\u12"', want: 2 },
    { given: '"a\nb"', want: 2 },
    { given: '"a long one, beyond it\t"', want: 22 },
    { given: "['a']", want: 1 },
    { given: '1 2', want: 2 },
    { given: 'truth', want: 0 },
    { given: '\ufeff1', want: 0 },
  ]
  test.each(bad)('refuses $given at $want', ({ given, want }) => {
    expect(offsetOf(given)).toBe(want)
  })

  test('says what it expected and found', () => {
    expect(() => parseJson('{"a":1,}')).toThrow('json: expected a name in quotes, found "}"')
    expect(() => parseJson('[1')).toThrow('expected "," or "]", found the end')
  })

  test('takes 1000 levels and no more, by both ways', () => {
    for (const inner of ['1', '1.0']) {
      expect(offsetOf('['.repeat(1000) + inner + ']'.repeat(1000))).toBeUndefined()
      expect(offsetOf('['.repeat(1001) + inner + ']'.repeat(1001))).toBe(1000)
      expect(offsetOf(`${'{"a":'.repeat(1001)}${inner}${'}'.repeat(1001)}`)).toBe(5000)
    }
    expect(offsetOf('['.repeat(1_000_000))).toBe(1000)
  })

  test('refuses numbers beyond the limits at their place', () => {
    expect(offsetOf(`[1,${'9'.repeat(20_000)}]`)).toBe(3)
    expect(offsetOf('[1,1e99999999999]')).toBe(3)
  })

  test('takes linear time for many escapes', () => {
    const text = `"${'\\\\'.repeat(200_000)}${'\\"'.repeat(200_000)}"`
    expect(parseExactJson(text)).toBe('\\'.repeat(200_000) + '"'.repeat(200_000))
    expect(offsetOf(`"${'\\\\'.repeat(200_000)}${'\\"'.repeat(200_000)}`)).toBe(800_001)
  })
})

test('parseExactJson takes and gives what JSON.parse does, numbers aside', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom('', ' ', '\n\t'), (value, space) => {
      const text = JSON.stringify(value, null, space)
      deepStrictEqual(JSON.parse(stringifyJson(parseExactJson(text))), JSON.parse(text))
    }),
  )
})

describe('stringifyJson', () => {
  const table: readonly { readonly given: Value; readonly want: string }[] = [
    { given: { a: 1, b: [true, null, 'x"'] }, want: '{"a":1,"b":[true,null,"x\\""]}' },
    { given: [1_234_567_890_123_456_789n], want: '[1234567890123456789]' },
    { given: [new Float64(1), new Float64(-0), new Float32(0.1), new Decimal(1250n, 2)], want: '[1.0,-0.0,0.1,12.50]' },
    { given: { n: Number.NaN, i: [Number.NEGATIVE_INFINITY] }, want: '{"n":"NaN","i":["-Infinity"]}' },
    { given: [new Float64(Number.NaN), new Float32(Number.POSITIVE_INFINITY)], want: '["NaN","Infinity"]' },
    { given: { b: Uint8Array.of(1, 2, 255) }, want: '{"b":"AQL/"}' },
    { given: Buffer.from('hi'), want: '"aGk="' },
    { given: 5n, want: '5' },
  ]
  test.each(table)('$want', ({ given, want }) => {
    expect(stringifyJson(given)).toBe(want)
  })

  test('indents', () => {
    expect(stringifyJson({ a: [1n] }, { indent: 2 })).toBe('{\n  "a": [\n    1\n  ]\n}')
  })

  test('refuses a value that contains itself', () => {
    const value: Value[] = []
    value.push(value)
    expect(() => stringifyJson(value)).toThrow(RangeError)
  })

  test('gives a text that parseJson reads back', () => {
    fc.assert(
      fc.property(values({ json: true }), value => {
        // vitest takes an own property `constructor` for the class.
        deepStrictEqual(parseJson(stringifyJson(value)), value)
      }),
    )
  })
})

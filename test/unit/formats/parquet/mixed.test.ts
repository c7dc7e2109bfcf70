import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Float64, type Value } from '../../../../src/formats/number.ts'
import type { Kind } from '../../../../src/formats/parquet/kind.ts'
import { fromMixed, hasMixed, isAmbiguous, toMixed } from '../../../../src/formats/parquet/mixed.ts'
import { values } from '../values.ts'

test.each<[NonNullable<Value>, string]>([
  ['a', 'a'],
  ['"a"', '"a"'],
  ['', ''],
  [5, '5'],
  [2n ** 70n, '1180591620717411303424'],
  [new Float64(1), '1.0'],
  [true, 'true'],
  [[1, 'a'], '[1,"a"]'],
  [{ a: null }, '{"a":null}'],
  [Number.NaN, 'NaN'],
])('toMixed: %o is %s', (value, text) => {
  expect(toMixed(value)).toBe(text)
})

test.each(['5', ' 5', '-0', 'true', 'null', '[]', '{"a":1}', '5e400'])('the text %j could be another value', text => {
  expect(isAmbiguous('mixed', text)).toBe(true)
})

test.each(['a', '', '"5"', '05', 'truth', 'nullable', '[a]', '{', 'NaN'])('the text %j is a text', text => {
  expect(fromMixed(text)).toBe(text)
  expect(isAmbiguous('mixed', text)).toBe(false)
})

test('fromMixed gives back whatever is not ambiguous', () => {
  fc.assert(
    fc.property(values({ json: true }), value => {
      if (value === null || isAmbiguous('mixed', value)) return
      expect(fromMixed(toMixed(value))).toEqual(value)
    }),
  )
})

describe('in lists and structs', () => {
  const kind: Kind = {
    struct: new Map<string, Kind>([
      ['l', { list: 'mixed' }],
      ['t', 'text'],
    ]),
  }

  test('hasMixed finds it, isAmbiguous the text', () => {
    expect(hasMixed(kind)).toBe(true)
    expect(hasMixed({ list: { struct: new Map([['t', 'json' as const]]) } })).toBe(false)
    expect(isAmbiguous(kind, { l: ['a', 5], t: '5' })).toBe(false)
    expect(isAmbiguous(kind, { l: ['a', '5'] })).toBe(true)
  })
})

import { describe, expect, test } from 'vitest'
import { maxTextLength, toPlain, toTyped, type ValueType } from '../../../src/beans/value.ts'

describe('toTyped', () => {
  const good: readonly { given: unknown; type: ValueType; want: unknown }[] = [
    { given: 'a', type: 'string', want: 'a' },
    { given: '', type: 'string', want: '' },
    { given: 7, type: 'long', want: 7 },
    { given: '7', type: 'long', want: 7 },
    { given: '-1.5e2', type: 'double', want: -150 },
    { given: 2 ** 31 - 1, type: 'int', want: 2 ** 31 - 1 },
    { given: true, type: 'boolean', want: true },
    { given: 'false', type: 'boolean', want: false },
    { given: ['a', 'b'], type: 'string[]', want: ['a', 'b'] },
  ]
  test.each(good)('$given as $type', ({ given, type, want }) => expect(toTyped(given, type, 'x')).toEqual(want))

  const bad: readonly { given: unknown; type: ValueType }[] = [
    { given: 1, type: 'string' },
    { given: null, type: 'string' },
    { given: 'x'.repeat(maxTextLength + 1), type: 'string' },
    { given: 1.5, type: 'long' },
    { given: 2 ** 53, type: 'long' },
    { given: 2 ** 31, type: 'int' },
    { given: '', type: 'long' },
    { given: '0x10', type: 'long' },
    { given: Number.NaN, type: 'double' },
    { given: '1e999', type: 'double' },
    { given: 'yes', type: 'boolean' },
    { given: 1, type: 'boolean' },
    { given: 'a', type: 'string[]' },
    { given: ['a', 1], type: 'string[]' },
    { given: {}, type: 'map' },
    { given: undefined, type: 'void' },
  ]
  test.each(bad)('$given is not a $type', ({ given, type }) => {
    expect(() => toTyped(given, type, 'x')).toThrow(expect.objectContaining({ code: 'bad-value' }))
  })
})

describe('toPlain', () => {
  test.each([
    { given: new Map([['a', new Map([['b', 1n]])]]), want: { a: { b: 1 } } },
    { given: new Set([1, 2]), want: [1, 2] },
    { given: 2n ** 70n, want: '1180591620717411303424' },
    { given: undefined, want: null },
    { given: [undefined, () => 1], want: [null, null] },
    { given: new Date(0), want: '1970-01-01T00:00:00.000Z' },
    { given: { a: [{ b: 'c' }] }, want: { a: [{ b: 'c' }] } },
  ])('$given', ({ given, want }) => expect(toPlain(given)).toEqual(want))

  test('a key __proto__ is a key', () => {
    const plain = toPlain(new Map([['__proto__', { polluted: true }]]))
    expect(Object.keys(Object(plain))).toEqual(['__proto__'])
    expect('polluted' in Object(plain)).toBe(false)
  })
})

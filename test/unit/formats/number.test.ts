import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  Decimal,
  Float32,
  Float64,
  maxIntegerBytes,
  maxNumberLength,
  parseNumber,
} from '../../../src/formats/number.ts'

describe('parseNumber', () => {
  const table: readonly { readonly given: string; readonly want: unknown }[] = [
    { given: '0', want: 0 },
    { given: '-17', want: -17 },
    { given: '9007199254740991', want: 9_007_199_254_740_991 },
    { given: '9007199254740992', want: 9_007_199_254_740_992n },
    { given: '-9223372036854775808', want: -9_223_372_036_854_775_808n },
    { given: '-0', want: new Float64(-0) },
    { given: '-0.0', want: new Float64(-0) },
    { given: '0.0', want: new Float64(0) },
    { given: '0e99999999999999999999', want: new Float64(0) },
    { given: '1.0', want: new Float64(1) },
    { given: '1e5', want: new Float64(100_000) },
    { given: '1E+21', want: new Float64(1e21) },
    { given: '1.10', want: 1.1 },
    { given: '15e-1', want: 1.5 },
    { given: '0.1', want: 0.1 },
    { given: '0.30000000000000004', want: 0.30000000000000004 },
    { given: '0.1000000000000000000', want: 0.1 },
    { given: '0.10000000000000000001', want: new Decimal(10_000_000_000_000_000_001n, 20) },
    { given: '3.14159265358979323846', want: new Decimal(314_159_265_358_979_323_846n, 20) },
    { given: '-12345678901234567890.5', want: new Decimal(-123_456_789_012_345_678_905n, 1) },
    { given: '1e400', want: new Decimal(1n, -400) },
    { given: '1.5e-400', want: new Decimal(15n, 401) },
    { given: '5e-324', want: 5e-324 },
  ]
  test.each(table)('$given', ({ given, want }) => {
    expect(parseNumber(given)).toStrictEqual(want)
  })

  test('gives back the value of the text of any double', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), value => {
        const text = Object.is(value, -0) ? '-0.0' : String(value)
        expect(Number(parseNumber(text))).toBe(value)
      }),
    )
  })

  test.each([
    ['an integer of more bytes than allowed', '9'.repeat(9_900)],
    ['more characters than allowed', `0.${'0'.repeat(maxNumberLength)}1`],
    ['an exponent beyond 32 bits', '1e99999999999'],
  ])('refuses %s', (_, text) => {
    expect(() => parseNumber(text)).toThrow(RangeError)
  })

  test('takes the largest integer that is allowed', () => {
    const largest = (1n << BigInt(maxIntegerBytes * 8 - 1)) - 1n
    expect(parseNumber(largest.toString())).toBe(largest)
    expect(() => parseNumber((largest + 1n).toString())).toThrow('4096 bytes')
  })
})

describe('toString', () => {
  test.each([
    [new Float64(1), '1.0'],
    [new Float64(-0), '-0.0'],
    [new Float64(1e21), '1e+21'],
    [new Float64(1.5), '1.5'],
    [new Float64(Number.NaN), 'NaN'],
    [new Float32(0.1), '0.1'],
    [new Float32(29.951), '29.951'],
    [new Float32(3), '3.0'],
    [new Float32(-0), '-0.0'],
    [new Float32(16_777_216), '16777216.0'],
    [new Float32(479_056_064), '479056064.0'],
    [new Float32(-479_056_064), '-479056064.0'],
    [new Float32(Number.POSITIVE_INFINITY), 'Infinity'],
    [new Decimal(1250n, 2), '12.50'],
    [new Decimal(-5n, 1), '-0.5'],
    [new Decimal(5n, 3), '0.005'],
    [new Decimal(7n, 0), '7'],
    [new Decimal(1n, -400), '1E+400'],
    [new Decimal(-15n, 401), '-1.5E-400'],
  ])('%# gives %s', (value, want) => {
    expect(value.toString()).toBe(want)
  })

  test('of a float reads back as that float', () => {
    fc.assert(
      fc.property(fc.float({ noNaN: true, noDefaultInfinity: true }), value => {
        expect(Math.fround(Number(new Float32(value).toString()))).toBe(value)
      }),
    )
  })
})

test('a wrapper counts as its value', () => {
  expect(Number(new Float64(2)) + Number(new Float32(0.5)) + Number(new Decimal(25n, 1))).toBe(5)
})

test('a decimal refuses a scale beyond 32 bits', () => {
  expect(() => new Decimal(1n, 2 ** 31)).toThrow(RangeError)
})

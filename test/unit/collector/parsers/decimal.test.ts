import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseDecimalInteger, parseDouble } from '../../../../src/collector/parsers/decimal.ts'

describe('parseDouble', () => {
  test.each<[string, number | undefined]>([
    ['1', 1],
    ['+1.', 1],
    ['.5', 0.5],
    ['-2.72', -2.72],
    ['1e3', 1000],
    ['1E-3d', 0.001],
    ['1.5f', 1.5],
    [' 1.5 ', 1.5],
    ['NaN', Number.NaN],
    ['-Infinity', -Infinity],
    ['+Infinity', Infinity],
    ['1e999', Infinity],
    ['0x1p3', 8],
    ['0x1.8p1', 3],
    ['-0X.8P1D', -1],
    ['0x0p9999', 0],
    ['0x1p-1074', 5e-324],
    ['0x1p1023', 2 ** 1023],
    ['0x1p1024', Infinity],
    ['0x1p-9999', 0],
    ['-0', -0],
    ['-.5', -0.5],
    ['-', undefined],
    ['-.', undefined],
    ['1.2.3', undefined],
    ['0.30000000000000', 0.3],
    ['', undefined],
    ['.', undefined],
    ['1_0', undefined],
    ['0x1', undefined],
    ['0xp1', undefined],
    [`0x${'f'.repeat(65)}p1`, undefined],
    ['infinity', undefined],
    ['1e', undefined],
    ['1 2', undefined],
    ['9'.repeat(513), undefined],
  ])('%j', (given, want) => {
    expect(parseDouble(given)).toBe(want)
  })
  test('reads what JavaScript writes', () => {
    fc.assert(
      fc.property(fc.double(), value => {
        expect(parseDouble(String(value))).toBe(value === 0 ? 0 : value)
      }),
    )
  })
})

test('parseDouble reads few digits as the nearest double', () => {
  const digits = fc.stringMatching(/^-?\d{0,8}\.?\d{0,9}$/)
  fc.assert(
    fc.property(digits, text => {
      expect(parseDouble(text)).toBe(/\d/.test(text) ? Number(text) : undefined)
    }),
    { numRuns: 1_000 },
  )
})

describe('parseDecimalInteger', () => {
  test.each<[string, number | bigint | undefined]>([
    ['007', 7],
    ['999999999999999', 999_999_999_999_999],
    ['1000000000000000', 1_000_000_000_000_000n],
    ['+5', 5n],
    ['-0', 0n],
    ['-9223372036854775809', -9223372036854775809n],
    ['', undefined],
    ['+', undefined],
    ['1.0', undefined],
    ['0x10', undefined],
    [' 1', undefined],
    ['9'.repeat(513), undefined],
  ])('%j', (given, want) => {
    expect(parseDecimalInteger(given)).toBe(want)
  })
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toJavaDouble, toJavaFloat } from '../../../src/formats/java-text.ts'

test.each([
  [0, '0.0'],
  [-0, '-0.0'],
  [1, '1.0'],
  [-3.5, '-3.5'],
  [1e-3, '0.001'],
  [9.99e-4, '9.99E-4'],
  [1e-5, '1.0E-5'],
  [1e-7, '1.0E-7'],
  [1.25e-10, '1.25E-10'],
  [9_999_999.5, '9999999.5'],
  [1e7, '1.0E7'],
  [1.5e10, '1.5E10'],
  [12_345_678, '1.2345678E7'],
  [1e21, '1.0E21'],
  [Number.MAX_VALUE, '1.7976931348623157E308'],
  [Number.MIN_VALUE, '5.0E-324'],
  [Number.NaN, 'NaN'],
  [Number.NEGATIVE_INFINITY, '-Infinity'],
])('a double %d is %s', (value, want) => expect(toJavaDouble(value)).toBe(want))

test.each([
  [Math.fround(0.1), '0.1'],
  [3, '3.0'],
  [Math.fround(1e10), '1.0E10'],
  [Math.fround(3.4028235e38), '3.4028235E38'],
])('a float %d is %s', (value, want) => expect(toJavaFloat(value)).toBe(want))

test('what is written reads back as the same number', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true }), value => {
      expect(Number(toJavaDouble(value))).toBe(value)
    }),
  )
  fc.assert(
    fc.property(fc.float({ noNaN: true }), value => {
      expect(Math.fround(Number(toJavaFloat(value)))).toBe(value)
    }),
  )
})

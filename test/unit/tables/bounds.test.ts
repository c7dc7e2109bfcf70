import { Buffer } from 'node:buffer'
import { expect, test } from 'vitest'
import type { Leaf } from '../../../src/formats/parquet/schema.ts'
import { compareBounds, toBound, truncateBound } from '../../../src/tables/bounds.ts'

const leaf = (type: NonNullable<Leaf['element']['type']>, logical?: Leaf['logical']): Leaf => ({
  index: 0,
  element: { name: 'a', type, repetition: 'optional' },
  logical,
  maxDefinition: 1,
  maxRepetition: 0,
})
const bytes = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex')
const time = (unit: 'MILLIS' | 'MICROS' | 'NANOS') => ({ kind: 'TIMESTAMP', unit, isUtc: true }) as const

test.each<[string, Leaf, string, string | undefined]>([
  ['boolean', leaf('BOOLEAN'), '01', '01'],
  ['int', leaf('INT32'), '01000000', '01000000'],
  ['long', leaf('INT64'), 'feffffffffffffff', 'feffffffffffffff'],
  // Of a file from before a column became wider.
  ['long', leaf('INT32'), 'feffffff', 'feffffffffffffff'],
  ['double', leaf('FLOAT'), '0000003f', '000000000000e03f'],
  ['double', leaf('DOUBLE'), '000000000000f87f', undefined],
  ['float', leaf('FLOAT'), '0000c07f', undefined],
  ['date', leaf('INT32', { kind: 'DATE' }), '01000000', '01000000'],
  ['timestamptz', leaf('INT64', time('MILLIS')), '0100000000000000', 'e803000000000000'],
  ['timestamptz', leaf('INT64', time('MICROS')), '0100000000000000', '0100000000000000'],
  ['timestamptz', leaf('INT64', time('NANOS')), '0100000000000000', undefined],
  ['timestamptz', leaf('INT64', time('MILLIS')), 'ffffffffffffff7f', undefined],
  ['timestamptz', leaf('INT64'), '0100000000000000', undefined],
  ['string', leaf('BYTE_ARRAY'), '6162', '6162'],
  ['string', leaf('INT64'), '0100000000000000', undefined],
  ['decimal(9,2)', leaf('INT32'), '7b000000', '7b'],
  ['decimal(18,2)', leaf('INT64'), '80ffffffffffffff', '80'],
  ['decimal(38,2)', leaf('FIXED_LEN_BYTE_ARRAY'), '000000ff', '00ff'],
  ['uuid', leaf('FIXED_LEN_BYTE_ARRAY'), '00', undefined],
])('a bound of %s', (type, of, parquet, iceberg) => {
  expect(toBound(bytes(parquet), type, of)?.toString('hex')).toBe(iceberg)
})

const long = (value: bigint): Buffer => {
  const buffer = Buffer.alloc(8)
  buffer.writeBigInt64LE(value)
  return buffer
}

test('bounds are compared by their type', () => {
  expect(compareBounds(long(-1n), long(1n), 'long')).toBeLessThan(0)
  expect(compareBounds(long(2n ** 62n), long(-(2n ** 62n)), 'timestamptz')).toBeGreaterThan(0)
  expect(compareBounds(Buffer.from('a'), Buffer.from('b'), 'string')).toBeLessThan(0)
  expect(compareBounds(bytes('ff'), bytes('01'), 'decimal(9,2)')).toBeLessThan(0)
})

const a16 = 'a'.repeat(16)
test.each<[string, 'string' | 'binary', string, string, string | undefined]>([
  ['a short text stays', 'string', a16, a16, a16],
  ['a long one ends behind 16 characters', 'string', `${a16}b`, a16, `${a16.slice(1)}b`],
  ['characters count, not bytes', 'string', '😀'.repeat(16), '😀'.repeat(16), '😀'.repeat(16)],
  [
    'no half of a surrogate pair',
    'string',
    `${'\u{d7ff}'.repeat(16)}a`,
    '\u{d7ff}'.repeat(16),
    `${'\u{d7ff}'.repeat(15)}\u{e000}`,
  ],
  ['nothing is above the last character', 'string', '\u{10ffff}'.repeat(17), '\u{10ffff}'.repeat(16), undefined],
])('bounds that are cut: %s', (_, type, text, lower, upper) => {
  expect(truncateBound(Buffer.from(text), type, 'lower')?.toString()).toBe(lower)
  expect(truncateBound(Buffer.from(text), type, 'upper')?.toString()).toBe(upper)
})

test('bounds of binary that are cut count bytes', () => {
  const long = Buffer.concat([Buffer.alloc(15, 1), Buffer.of(0xff, 0)])
  expect(truncateBound(long, 'binary', 'lower')).toEqual(long.subarray(0, 16))
  expect(truncateBound(long, 'binary', 'upper')).toEqual(Buffer.concat([Buffer.alloc(14, 1), Buffer.of(2)]))
  expect(truncateBound(Buffer.alloc(17, 0xff), 'binary', 'upper')).toBeUndefined()
})

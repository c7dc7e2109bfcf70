import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FormatError } from '../../../../src/errors.ts'
import { ThriftReader } from '../../../../src/formats/thrift/reader.ts'
import { corpus, run } from '../../../fuzz/targets/thrift.ts'

const skip = (type: number, hex: string): number => {
  const reader = new ThriftReader(new Uint8Array(Buffer.from(hex, 'hex')))
  reader.skip(type)
  return reader.offset
}

describe('ThriftReader.skip', () => {
  test.each([
    { name: 'string', type: 11, hex: '000000026161', want: 6 },
    { name: 'struct within a struct', type: 12, hex: '0c0001020001010000ff', want: 9 },
    { name: 'list of strings', type: 15, hex: '0b00000002000000016100000000', want: 14 },
    { name: 'list of i32', type: 15, hex: '08000000020000000100000002', want: 13 },
    { name: 'empty list of no type', type: 15, hex: '0000000000', want: 5 },
    { name: 'map of string to i16', type: 13, hex: '0b0600000001000000016b0007', want: 13 },
    { name: 'empty map of no types', type: 13, hex: '000000000000', want: 6 },
    { name: 'set of lists', type: 14, hex: '0f00000001' + '0300000001ff', want: 11 },
  ])('goes over a $name', ({ type, hex, want }) => {
    expect(skip(type, hex)).toBe(want)
    for (let end = 0; end < want; end++) expect(() => skip(type, hex.slice(0, 2 * end))).toThrow(FormatError)
  })

  test.each([
    {
      name: 'a count beyond the input',
      type: 15,
      hex: '0c7fffffff00',
      want: 'expected at most 1 elements in what is left, found 2147483647 at byte 1',
    },
    { name: 'a negative count', type: 14, hex: '02ffffffff', want: 'found -1 at byte 1' },
    {
      name: 'elements of an unknown type',
      type: 15,
      hex: '0100000001ff',
      want: 'expected a value of a known type, found unknown type 1 at byte 5',
    },
    { name: 'an unknown type', type: 16, hex: '00', want: 'found unknown type 16 at byte 0' },
  ])('refuses $name', ({ type, hex, want }) => {
    expect(() => skip(type, hex)).toThrow(want)
  })

  test('refuses depth, in structs and in lists', () => {
    expect(() => skip(12, '0c0001'.repeat(10_000))).toThrow('nested deeper than 64 levels')
    expect(() => skip(15, '0f00000001'.repeat(10_000))).toThrow('nested deeper than 64 levels')
    expect(skip(12, '0c0001'.repeat(64) + '00'.repeat(65))).toBe(64 * 4 + 1)
  })
})

test('a reader keeps to its part of the bytes, and names offsets of the whole', () => {
  const reader = new ThriftReader(Uint8Array.of(9, 9, 0, 5, 9, 9), 2, 5)
  expect(reader.i16()).toBe(5)
  expect(() => reader.i32()).toThrow('expected an i32 of 4 bytes, found 1 at byte 4')
  expect(() => new ThriftReader(new Uint8Array(2), 0, 3)).toThrow(RangeError)
})

describe('fuzzing', () => {
  test('prefixes and mutations of the corpus end in a value or a FormatError', () => {
    for (const seed of corpus()) {
      for (let end = 0; end <= seed.length; end++) expect(() => run(seed.slice(0, end))).not.toThrow()
      fc.assert(
        fc.property(fc.nat(seed.length - 1), fc.nat(255), (at, byte) => {
          const bytes = Uint8Array.from(seed)
          bytes[at] = byte
          run(bytes)
        }),
        { numRuns: 1000 },
      )
    }
  })

  test('so do any bytes', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 100 }), run), { numRuns: 2000 })
  })
})

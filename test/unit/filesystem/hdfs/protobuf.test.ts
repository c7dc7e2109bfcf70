import { describe, expect, test } from 'vitest'
import { FormatError } from '../../../../src/errors.ts'
import {
  bool,
  bytes,
  count64,
  type FieldType,
  int64,
  sfixed32,
  sfixed64,
  signed64,
  sint32,
  sint64,
  string,
  uint32,
  uint64,
} from '../../../../src/filesystem/hdfs/protobuf/field-types.ts'
import { delimited, message, optional, repeated, required } from '../../../../src/filesystem/hdfs/protobuf/message.ts'

/** One field of a type, and the bytes that `protoc --encode` makes of it. */
const row = <T>(name: string, type: FieldType<T>, value: T, hex: string) => ({
  name,
  hex,
  encode: () => message('M', { v: required(1, type) }).encode({ v: value }),
  decode: (text: string) => message('M', { v: required(1, type) }).decode(Buffer.from(text, 'hex')).v,
  value,
})

const rows = [
  row('uint64', uint64, 0n, '0800'),
  row('uint64', uint64, 150n, '089601'),
  row('uint64', uint64, 2n ** 53n + 1n, '088180808080808010'),
  row('uint64', uint64, 2n ** 64n - 1n, '08ffffffffffffffffff01'),
  row('int64', int64, -1n, '08ffffffffffffffffff01'),
  row('int64', int64, -(2n ** 63n), '0880808080808080808001'),
  row('count64', count64, Number.MAX_SAFE_INTEGER, '08ffffffffffffff0f'),
  row('signed64', signed64, Number.MAX_SAFE_INTEGER, '08ffffffffffffff0f'),
  row('signed64', signed64, -1, '08ffffffffffffffffff01'),
  row('signed64', signed64, 1_700_000_000_000, '0880d095ffbc31'),
  row('uint32', uint32, 2 ** 32 - 1, '08ffffffff0f'),
  row('sint32', sint32, -3, '0805'),
  row('sint32', sint32, 2 ** 31 - 1, '08feffffff0f'),
  row('sint32', sint32, -(2 ** 31), '08ffffffff0f'),
  row('sint64', sint64, -1, '0801'),
  row('sint64', sint64, 2 ** 40, '08808080808040'),
  row('bool', bool, true, '0801'),
  row('sfixed32', sfixed32, -2, '0dfeffffff'),
  row('sfixed64', sfixed64, -1, '09ffffffffffffffff'),
  row('string', string, 'é', '0a02c3a9'),
  row('bytes', bytes, Buffer.from([0, 255]), '0a0200ff'),
]

describe('protobuf', () => {
  test.for(rows)('$name $value is $hex', ({ encode, decode, value, hex }) => {
    expect(encode().toString('hex')).toBe(hex)
    expect(decode(hex)).toEqual(value)
  })

  const Inner = message('Inner', { id: required(1, uint32), name: optional(2, string) })
  const Outer = message('Outer', { first: optional(1, Inner), all: repeated(2, Inner), numbers: repeated(3, uint32) })

  test('messages nest, lists keep their order, and what is absent stays absent', () => {
    const value = { first: { id: 1, name: 'a' }, all: [{ id: 2 }, { id: 3, name: '' }], numbers: [7, 300] }
    expect(Outer.decode(Outer.encode(value))).toEqual(value)
    expect(Outer.decode(new Uint8Array(0))).toEqual({ all: [], numbers: [] })
    expect(Outer.encode({ all: [], numbers: [] })).toHaveLength(0)
  })

  test('unknown fields are skipped, in nested messages too, and numbers of a list may be packed', () => {
    // 9: varint, 10: 64 bits, 11: bytes, 12: 32 bits; inside of `first` 9 again; then packed 1, 300
    const hex = '480151010203040506070852026162650a0b0c0d0a04080548011a0301ac02'
    expect(Outer.decode(Buffer.from(hex, 'hex'))).toEqual({ first: { id: 5 }, all: [], numbers: [1, 300] })
  })

  test('of a field that comes twice the last one counts', () => {
    expect(Inner.decode(Buffer.from('08010802', 'hex'))).toEqual({ id: 2 })
  })

  test.for([
    ['a required field that is missing', '120161', /Inner\.id: expected a value/],
    ['one that is missing in a nested message', '', /./],
    ['a number that ends', '08ff', /Inner\.id: expected the rest of a number at byte 2/],
    ['a length beyond the end', '08011205616263', /Inner\.name: expected 5 bytes, found 3 at byte 4/],
    ['a length of 2^60', '080112808080808080808010', /Inner\.name: expected a number below 2\^53/],
    ['a number of 33 bits', '088080808010', /Inner\.id: expected a number of 32 bits/],
    ['a number of eleven bytes', '08ffffffffffffffffffff01', /Inner\.id: expected a number/],
    ['another wire type', '0a0161', /Inner\.id: expected the wire type 0, found 2/],
    ['a group', '08014b', /Inner: expected the wire type 0, 1, 2 or 5, found 3/],
    ['field number 0', '080100', /Inner: expected the number of a field/],
  ] as const)('%s is an error with its place', ([, hex, reason]) => {
    if (hex === '') {
      expect(() => Outer.decode(Buffer.from('0a021200', 'hex'))).toThrow(/Inner\.id: expected a value/)
      return
    }
    const decode = () => Inner.decode(Buffer.from(hex, 'hex'))
    expect(decode).toThrow(FormatError)
    expect(decode).toThrow(reason)
  })

  test('a nested message cannot reach beyond its end', () => {
    // `first` of two bytes, whose name claims three
    expect(() => Outer.decode(Buffer.from('0a0412036162630801', 'hex'))).toThrow(
      /Inner\.name: expected 3 bytes, found 2/,
    )
  })

  test.for([-1, 1.5, 2 ** 53, Number.NaN])('%s cannot be written as an unsigned number', value => {
    expect(() => Inner.encode({ id: value })).toThrow(RangeError)
  })

  test('any value of any length survives', () => {
    for (let bit = 0n; bit < 64n; bit++) {
      for (const value of [2n ** bit, 2n ** bit - 1n]) {
        expect(
          message('M', { v: required(1, uint64) }).decode(message('M', { v: required(1, uint64) }).encode({ v: value }))
            .v,
        ).toBe(value)
      }
    }
    for (const length of [0, 1, 127, 128, 16_383, 16_384, 100_000]) {
      const name = 'x'.repeat(length)
      expect(Inner.decode(Inner.encode({ id: 1, name })).name).toHaveLength(length)
    }
  })

  test.for(['08808080808080808040', '08ffffffffffffffff7f'])('a time of 2^53 or more (%s) is refused', hex => {
    const decode = () => message('M', { v: required(1, signed64) }).decode(Buffer.from(hex, 'hex'))
    expect(decode).toThrow(/M\.v: expected a number between -2\^53 and 2\^53/)
  })

  test('a list has no more entries than a cluster names, packed or not', () => {
    const List = message('List', { numbers: repeated(1, uint32), all: repeated(2, message('None', {})) })
    const fields = (of: string, count: number): Buffer => Buffer.alloc(count * 2, of, 'hex')
    expect(List.decode(fields('0801', 1_000_000)).numbers).toHaveLength(1_000_000)
    const head = Buffer.from('0ac1843d', 'hex')
    expect(() => List.decode(Buffer.concat([head, Buffer.alloc(1_000_001)]))).toThrow(
      /List\.numbers: expected at most 1000000 of them/,
    )
    expect(() => List.decode(fields('1200', 1_000_001))).toThrow(/List\.all: expected at most 1000000 of them/)
  })

  test('messages follow their lengths', () => {
    expect(delimited(Uint8Array.of(1, 2), new Uint8Array(200)).subarray(0, 5)).toEqual(Buffer.from([2, 1, 2, 0xc8, 1]))
  })
})

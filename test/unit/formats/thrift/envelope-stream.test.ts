import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FormatError } from '../../../../src/errors.ts'
import { encodeRecord, readRecords, type ThriftRecord } from '../../../../src/formats/thrift/envelope-stream.ts'
import { decodeFields, encodeFields } from '../../../../src/formats/thrift/field-list.ts'
import { encodeThriftText } from '../../../../src/formats/thrift/text.ts'
import { type ThriftField, thriftType } from '../../../../src/formats/thrift/types.ts'

const { bool, byte, double, i16, i32, i64, string } = thriftType
const hex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'hex'))
const text = (id: number, value: string): ThriftField => ({ id, type: string, value: encodeThriftText(value) })
/** 2009-01-02T03:04:05.006Z */
const date = 1_230_865_445_006

/** Records of GET requests as old servers stored them: the query, what it means, the bytes. */
const stored: readonly {
  query: string
  typeName: string
  granularity?: string
  fields: readonly ThriftField[]
  bytes: string
}[] = [
  {
    query: '/1 Hello,sWorld',
    typeName: 'Hello',
    fields: [text(1, 'World')],
    bytes: '0a0000011e954c308e00000006484f55524c590b00000000000548656c6c6f0b00010000000d0b000100000005576f726c640000',
  },
  {
    query: '/1 Hello,',
    typeName: 'Hello',
    fields: [],
    bytes: '0a0000011e954c308e00000006484f55524c590b00000000000548656c6c6f0b0001000000010000',
  },
  {
    query: '/1 E,sA,,sB',
    typeName: 'E',
    fields: [text(1, 'A'), text(3, 'B')],
    bytes: '0a0000011e954c308e00000006484f55524c590b000000000001450b0001000000110b000100000001410b000300000001420000',
  },
  {
    query: '/1 E,b1,b0',
    typeName: 'E',
    fields: [
      { id: 1, type: bool, value: true },
      { id: 2, type: bool, value: false },
    ],
    bytes: '0a0000011e954c308e00000006484f55524c590b000000000001450b00010000000902000101020002000000',
  },
  {
    query: '/1 E,1-128,2-32768,4-2147483648,8-9223372036854775808',
    typeName: 'E',
    fields: [
      { id: 1, type: byte, value: -128 },
      { id: 2, type: i16, value: -32_768 },
      { id: 3, type: i32, value: -2_147_483_648 },
      { id: 4, type: i64, value: -(2n ** 63n) },
    ],
    bytes:
      '0a0000011e954c308e00000006484f55524c590b000000000001450b00010000001c030001800600028000080003800000000a000480000000000000000000',
  },
  {
    query: '/1 E,d3.14,d-2.72,d0,dNaN',
    typeName: 'E',
    fields: [3.14, -2.72, 0, Number.NaN].map((value, index) => ({ id: index + 1, type: double, value })),
    bytes:
      '0a0000011e954c308e00000006484f55524c590b000000000001450b00010000002d04000140091eb851eb851f040002c005c28f5c28f5c304000300000000000000000400047ff80000000000000000',
  },
  {
    query: '/2 TestEvent,1!,20,4z,81!',
    typeName: 'TestEvent',
    fields: [
      { id: 1, type: byte, value: 0 },
      { id: 2, type: i16, value: 1 },
      { id: 3, type: i32, value: 63 },
      { id: 4, type: i64, value: 128n },
    ],
    bytes:
      '0a0000011e954c308e00000006484f55524c590b000000000009546573744576656e740b00010000001c0300010006000200010800030000003f0a000400000000000000800000',
  },
  {
    query: '/2 event-name,sstring,b0,b1,100,2A0,4B0B0,8C0C0C0,d3.1459',
    typeName: 'event-name',
    fields: [
      text(1, 'string'),
      { id: 2, type: bool, value: false },
      { id: 3, type: bool, value: true },
      { id: 4, type: byte, value: 65 },
      { id: 5, type: i16, value: 705 },
      { id: 6, type: i32, value: 3_150_593 },
      { id: 7, type: i64, value: 13_978_833_729n },
      { id: 8, type: double, value: 3.1459 },
    ],
    bytes:
      '0a0000011e954c308e00000006484f55524c590b00000000000a6576656e742d6e616d650b00010000003c0b000100000006737472696e6702000200020003010300044106000502c1080006003013010a0007000000034134134104000840092acd9e83e4260000',
  },
  {
    query: '/1 E,sx gr=DAILY',
    typeName: 'E',
    granularity: 'DAILY',
    fields: [text(1, 'x')],
    bytes: '0a0000011e954c308e000000054441494c590b000000000001450b0001000000090b000100000001780000',
  },
  {
    query: '/1 E,sx gr=minute',
    typeName: 'E',
    granularity: 'MINUTE',
    fields: [text(1, 'x')],
    bytes: '0a0000011e954c308e000000064d494e5554450b000000000001450b0001000000090b000100000001780000',
  },
  {
    query: '/1 E,xdate',
    typeName: 'E',
    fields: [{ id: 1, type: i64, value: BigInt(date) }],
    bytes: '0a0000011e954c308e00000006484f55524c590b000000000001450b00010000000c0a00010000011e954c308e0000',
  },
]

const hello = '0a0000011e954c308e00000006484f55524c590b00000000000548656c6c6f0b00010000000d0b000100000005576f726c640000'
const other =
  '0a0000011e954c308e000000054441494c590b00000000000548656c6c6f0b0002000000056f746865720b00010000000d0b000100000005576f726c640000'

describe('encodeRecord', () => {
  test.each(stored)('$query', ({ typeName, granularity = 'HOURLY', fields, bytes }) => {
    const record = encodeRecord({ date, granularity, typeName, payload: encodeFields(fields) })
    expect(Buffer.from(record).toString('hex')).toBe(bytes)
  })

  test('writes a name only where it differs, between type name and payload', () => {
    const payload = encodeFields([text(1, 'World')])
    const record = encodeRecord({ date, granularity: 'DAILY', typeName: 'Hello', name: 'other', payload })
    expect(Buffer.from(record).toString('hex')).toBe(other)
    const same = encodeRecord({ date, granularity: 'HOURLY', typeName: 'Hello', name: 'Hello', payload })
    expect(Buffer.from(same).toString('hex')).toBe(hello)
  })

  test.each([Number.NaN, 0.5, 2 ** 53, Number.POSITIVE_INFINITY])('refuses the date %d', bad => {
    expect(() => encodeRecord({ date: bad, granularity: 'DAILY', typeName: 'E', payload: Uint8Array.of(0) })).toThrow(
      RangeError,
    )
  })

  test('survives reading', () => {
    const name = fc.string({ unit: 'binary', maxLength: 40 })
    const record = fc.record({
      date: fc.maxSafeInteger(),
      granularity: fc.string({ unit: 'grapheme-ascii', maxLength: 64 }),
      typeName: name,
      name,
      payload: fc.uint8Array({ maxLength: 300 }),
    })
    fc.assert(
      fc.property(fc.array(record, { maxLength: 5 }), records => {
        const parts = records.map(encodeRecord)
        const found = [...readRecords(Buffer.concat(parts))]
        expect(found.map(toInit)).toEqual(records.map(init => ({ ...init, payload: [...init.payload] })))
        const ends = parts.map((_, i) => Buffer.concat(parts.slice(0, i + 1)).length)
        expect(found.map(({ end }) => end)).toEqual(ends)
        expect(found.map(({ start }) => start)).toEqual([0, ...ends].slice(0, ends.length))
      }),
    )
  })
})

describe('readRecords', () => {
  test.each(stored)('$query', ({ typeName, granularity = 'HOURLY', fields, bytes }) => {
    const [record, ...more] = readRecords(hex(bytes))
    expect(more).toEqual([])
    expect(record).toMatchObject({ start: 0, end: bytes.length / 2, date, granularity, typeName, name: typeName })
    expect(Buffer.from(encodeFields(decodeFields(record?.payload ?? hex('00'))))).toEqual(
      Buffer.from(encodeFields(fields)),
    )
  })

  test('reads the records of an old spool file', () => {
    const bytes = readFileSync(new URL('../../../fixtures/thrift/spool-2fuu.thrift', import.meta.url))
    const records = [...readRecords(bytes)]
    expect(records.map(({ start, end }) => [start, end])).toEqual([
      [0, 68],
      [68, 136],
    ])
    for (const record of records) {
      expect(record).toMatchObject({
        date: 1_230_775_384_000,
        granularity: 'HOURLY',
        typeName: 'FuuEvent',
        name: 'FuuEvent',
      })
      expect(decodeFields(record.payload)).toMatchObject([
        { id: 0, type: string },
        { id: 1, type: i64, value: 100n },
      ])
    }
  })

  test('gives an unequal name, an unknown granularity and an empty body as they are', () => {
    const [first, second] = readRecords(hex(hello + other))
    expect([first?.name, second?.name, second?.granularity]).toEqual(['Hello', 'other', 'DAILY'])
    expect([...readRecords(hex(hello.replace('484f55524c59', '686f75726c79')))][0]?.granularity).toBe('hourly')
    expect([...readRecords(new Uint8Array())]).toEqual([])
  })

  test('gives good records before it throws for what follows', () => {
    for (const tail of ['58', '0a', other.slice(0, 60), '0b000100000005576f726c6400']) {
      const { records, error } = drain(hex(hello + tail))
      expect(records).toHaveLength(1)
      expect(error).toBeInstanceOf(FormatError)
      expect((error as FormatError).offset).toBeGreaterThanOrEqual(hello.length / 2)
    }
  })

  test('is never misled by a cut', () => {
    const whole = hex(hello + other)
    for (let end = 1; end < whole.length; end++) {
      const { records, error } = drain(whole.subarray(0, end))
      expect(records).toHaveLength(end < hello.length / 2 ? 0 : 1)
      if (end !== hello.length / 2) expect(error).toBeInstanceOf(FormatError)
    }
  })

  test.each([
    { name: 'no separator', bytes: hello.slice(2), want: "expected a record's separator 10, found 0 at byte 0" },
    {
      name: 'a date beyond 2^53',
      bytes: '0a7fffffffffffffff00000000',
      want: 'expected a date within ±2^53 ms, found 9223372036854776000 at byte 1',
    },
    {
      name: 'a granularity beyond its limit',
      bytes: `0a000000000000000000000041${'61'.repeat(65)}`,
      want: 'expected a granularity of at most 64 bytes, found 65 at byte 9',
    },
    {
      name: 'a granularity beyond the end',
      bytes: '0a00000000000000007fffffff',
      want: 'expected a length of at most the 0 bytes left, found 2147483647 at byte 9',
    },
  ])('refuses $name', ({ bytes, want }) => {
    expect(() => [...readRecords(hex(bytes))]).toThrow(want)
  })
})

const toInit = ({ date, granularity, typeName, name, payload }: ThriftRecord): unknown => ({
  date,
  granularity,
  typeName,
  name,
  payload: [...payload],
})

const drain = (bytes: Uint8Array): { readonly records: ThriftRecord[]; readonly error?: unknown } => {
  const records: ThriftRecord[] = []
  try {
    for (const record of readRecords(bytes)) records.push(record)
  } catch (error) {
    return { records, error }
  }
  return { records }
}

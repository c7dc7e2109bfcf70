import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Field, field, toQueryText } from '../../../clients/tracker/fields.ts'
import { toQuery } from '../../../clients/tracker/get-sender.ts'
import { parseEventQuery } from '../../../src/collector/parsers/query.ts'
import { decodeFields } from '../../../src/formats/thrift/field-list.ts'

const context = { now: 0, header: () => undefined, ip: () => undefined } as unknown as Parameters<
  typeof parseEventQuery
>[2]

describe('toQueryText', () => {
  test.each([
    { fields: [], version: 1, want: 'A' },
    { fields: [field.bool(true), field.bool(false)], version: 1, want: 'A,b1,b0' },
    { fields: [field.byte(-128), field.i16(-32_768), field.i32(127)], version: 1, want: 'A,1-128,2-32768,4127' },
    { fields: [field.i64(-(2n ** 63n))], version: 1, want: 'A,8-9223372036854775808' },
    { fields: [field.byte(65), field.i16(705), field.i32(3_150_593)], version: 2, want: 'A,100,2A0,4B0B0' },
    { fields: [field.i64(13_978_833_729n), field.byte(0), field.i64(-1)], version: 2, want: 'A,8C0C0C0,1-,8-0' },
    { fields: [field.double(3.1459), field.annotation('ua')], version: 2, want: 'A,d3.1459,xua' },
    {
      fields: [field.text('text/plain; charset=iso-8859-1, ü%+')],
      version: 1,
      want: 'A,stext%2Fplain%3B%20charset%3Diso-8859-1%2C%20%C3%BC%25%2B',
    },
    { fields: [field.text('half \ud800')], version: 2, want: 'A,shalf%20%EF%BF%BD' },
  ] as const)('version $version: $want', ({ fields, version, want }) => {
    expect(toQueryText('A', fields, version)).toBe(want)
  })

  test.each(['', 'a,b'])('refuses the name %j', name => {
    expect(() => toQueryText(name, [], 1)).toThrow(TypeError)
  })

  test.each([
    () => field.byte(128),
    () => field.i16(-32_769),
    () => field.i32(2 ** 31),
    () => field.i64(2n ** 63n),
    () => field.i64(2 ** 53),
    () => field.i32(1.5),
  ])('%s is refused', make => {
    expect(make).toThrow(RangeError)
  })

  test('a server reads what is written', () => {
    const anyField: fc.Arbitrary<Field> = fc.oneof(
      fc.boolean().map(field.bool),
      fc.integer({ min: -128, max: 127 }).map(field.byte),
      fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }).map(field.i32),
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(field.i64),
      fc.double({ noNaN: true }).map(field.double),
      fc.string({ unit: 'binary' }).map(field.text),
    )
    fc.assert(
      fc.property(fc.array(anyField, { maxLength: 8 }), fc.constantFrom(1 as const, 2 as const), (fields, version) => {
        // Through the query string and its own decode, as over HTTP.
        const query = toQuery({ eventName: 'A b+c%', fields }, version, 0)
        const v = new URLSearchParams(query).get('v') ?? ''
        const read = parseEventQuery(v, version, context)
        expect(read.name).toBe('A b+c%')
        const values = decodeFields(read.payload).map(({ value }) =>
          value instanceof Uint8Array ? Buffer.from(value).toString() : value,
        )
        expect(values).toEqual(
          fields.map(({ type, value }) => (type === '8' || typeof value !== 'bigint' ? value : Number(value))),
        )
      }),
    )
  })
})

describe('toQuery', () => {
  test('has the date of the event, and its granularity where it has one', () => {
    const event = { eventName: 'A', fields: [], date: 1_230_865_445_006 }
    expect(toQuery(event, 1, 5)).toBe('v=A&date=2009-01-02T03%3A04%3A05.006Z')
    expect(toQuery({ ...event, granularity: 'DAILY' }, 1, 5)).toMatch(/&gr=DAILY$/)
    expect(toQuery({ eventName: 'A', fields: [] }, 1, 5)).toBe('v=A&date=1970-01-01T00%3A00%3A00.005Z')
  })

  test('refuses what no server takes', () => {
    expect(() => toQuery({ eventName: 'A', fields: [field.text('x'.repeat(8_000))] }, 1, 0)).toThrow(RangeError)
    expect(() => toQuery({ eventName: 'A', fields: [], date: -1 }, 1, 0)).toThrow(RangeError)
  })
})

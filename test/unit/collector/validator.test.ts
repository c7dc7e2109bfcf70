import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseJsonEvents } from '../../../src/collector/parsers/json.ts'
import { parseSmileEvents } from '../../../src/collector/parsers/smile.ts'
import type { ExpectedField } from '../../../src/collector/validation/field-schema.ts'
import { createValidator } from '../../../src/collector/validation/validator.ts'
import { runAtOnce } from '../../../src/collector/work-turns.ts'
import { SluiceError } from '../../../src/errors.ts'
import { Decimal, Float32, Float64, type Value } from '../../../src/formats/number.ts'
import { createSmileWriter } from '../../../src/formats/smile/writer.ts'
import { encodeRecord } from '../../../src/formats/thrift/envelope-stream.ts'
import { encodeFields, type ThriftField, thriftType } from '../../../src/formats/thrift/field-list.ts'
import { D } from './fakes.ts'

const types = ['boolean', 'byte', 'short', 'integer', 'long', 'double', 'string', 'date', 'ip'] as const

/** Every type has a field of its own name. */
const schemas: ReadonlyMap<string, readonly ExpectedField[]> = new Map([
  ['Order', [{ id: 1, name: 'total', type: 'double' } as const, { id: 2, name: 'count', type: 'integer' } as const]],
  ['All', types.map((type, index) => ({ id: index + 1, name: type, type }))],
  ['Odd', [{ id: 1, name: 'x', type: 'blob' }]],
])
const lookup = (name: string): readonly ExpectedField[] | undefined => schemas.get(name)
const validate = createValidator({ lookup })

const event = (payload: unknown, eventName = 'Order') => JSON.stringify({ eventName, payload })
const good = event({ total: 1.5 })
const bad = event({ total: 'much' })
const detail = 'Order.total is a string; expected double'

const defaults = { date: D, granularity: 'HOURLY', maxEvents: 100_000, maxValues: 100_000 } as const
const jsonFault = (payload: string): string | undefined =>
  validate(parseJsonEvents(Buffer.from(`{"eventName":"All","payload":${payload}}`), defaults))[0]?.detail
const smileFault = (payload: Value): string | undefined =>
  validate(runAtOnce(parseSmileEvents(encodeSmile({ eventName: 'All', payload }), defaults)))[0]?.detail
const thriftFault = (...fields: ThriftField[]): string | undefined => {
  const body = encodeRecord({ typeName: 'All', date: D, granularity: 'HOURLY', payload: encodeFields(fields) })
  return validate({ format: 'thrift', body, events: [{ index: 0, name: 'All', date: D, granularity: 'HOURLY' }] })[0]
    ?.detail
}

describe('createValidator: JSON', () => {
  const fits: Record<(typeof types)[number], { good: string[]; bad: [given: string, found: string][] }> = {
    boolean: {
      good: ['true', 'false', 'null'],
      bad: [
        ['1', 'the number 1'],
        ['"true"', 'a string'],
      ],
    },
    byte: {
      good: ['-128', '127', '1.0', 'null'],
      bad: [
        ['128', 'the number 128'],
        ['1.5', 'the number 1.5'],
      ],
    },
    short: {
      good: ['-32768', '32767'],
      bad: [
        ['32768', 'the number 32768'],
        ['-32769', 'the number -32769'],
      ],
    },
    integer: {
      good: ['-2147483648', '2147483647'],
      bad: [
        ['2147483648', 'the number 2147483648'],
        ['[1]', 'an array'],
      ],
    },
    long: {
      good: ['9223372036854775807', '-9223372036854775808', '1e3'],
      bad: [
        ['1e19', 'the number 10000000000000000000.0'],
        ['0.1', 'the number 0.1'],
        ['"5"', 'a string'],
      ],
    },
    double: {
      good: ['1', '-0.5', '1e300', '123456789012345678901234567890'],
      bad: [
        ['"1.5"', 'a string'],
        ['{}', 'an object'],
      ],
    },
    string: {
      good: ['""', '"é"'],
      bad: [
        ['5', 'the number 5'],
        ['false', 'a boolean'],
      ],
    },
    date: {
      good: ['1230865445006', '"2009-01-02"', '"2009-01-02T03:04:05.006Z"'],
      bad: [
        ['"yesterday"', '"yesterday"'],
        ['1.5', 'the number 1.5'],
        ['true', 'a boolean'],
      ],
    },
    ip: {
      good: ['-1062731775', '"192.168.0.1"', '"::1"'],
      bad: [
        ['"192.168.0.256"', '"192.168.0.256"'],
        ['4294967296', 'the number 4294967296'],
      ],
    },
  }
  const rows = types.flatMap(type => [
    ...fits[type].good.map(given => [type, given, undefined] as const),
    ...fits[type].bad.map(([given, found]) => [type, given, `All.${type} is ${found}; expected ${type}`] as const),
  ])
  test.each(rows)('%s %s', (type, given, want) => expect(jsonFault(`{"${type}":${given}}`)).toBe(want))

  test.each([
    ['{}', undefined],
    ['{"eventDate":1230865445006,"eventGranularity":"DAILY"}', undefined],
    ['{"nothing":null}', 'All.nothing is not a field of its schema'],
    ['{"byte":1,"a b":1}', 'All."a b" is not a field of its schema'],
    ['{"__proto__":1}', 'All.__proto__ is not a field of its schema'],
    ['{"toString":1}', 'All.toString is not a field of its schema'],
  ])('fields: %s', (payload, want) => expect(jsonFault(payload)).toBe(want))

  test('a type that this version does not know takes everything', () => {
    const parsed = parseJsonEvents(Buffer.from(event({ x: { deep: [1] } }, 'Odd')), defaults)
    expect(validate(parsed)).toEqual([])
  })

  test('a schema that changes counts from then on', () => {
    let fields: readonly ExpectedField[] | undefined
    const changing = createValidator({ lookup: () => fields })
    const parsed = parseJsonEvents(Buffer.from(good), defaults)
    expect(changing(parsed)).toEqual([])
    fields = [{ id: 1, name: 'total', type: 'string' }]
    expect(changing(parsed).map(one => one.detail)).toEqual(['Order.total is the number 1.5; expected string'])
    fields = [{ id: 1, name: 'total', type: 'double' }]
    expect(changing(parsed)).toEqual([])
  })

  test('a body without an event that has a schema is not read', () => {
    const events = [{ index: 0, name: 'Unknown', date: D, granularity: 'HOURLY' }] as const
    expect(validate({ format: 'json', events, body: Buffer.from('no JSON') })).toEqual([])
  })

  test('only listed events are looked at', () => {
    const { format, body, events } = parseJsonEvents(Buffer.from(`[${bad},${good},${bad}]`), defaults)
    expect(validate({ format, body, events: events.slice(1) })).toEqual([
      { index: 2, name: 'Order', detail, action: 'warn' },
    ])
  })
})

describe('createValidator: Smile', () => {
  test.each<[field: string, given: Value, want: string | undefined]>([
    ['long', 2n ** 63n - 1n, undefined],
    ['long', 2n ** 63n, 'All.long is the number 9223372036854775808; expected long'],
    ['integer', 2n ** 53n, 'All.integer is the number 9007199254740992; expected integer'],
    ['byte', new Float64(1), undefined],
    ['byte', new Float32(1.5), 'All.byte is the number 1.5; expected byte'],
    ['double', new Decimal(15n, 1), undefined],
    ['double', new Float32(0.1), undefined],
    ['date', new Decimal(15n, 1), 'All.date is the number 1.5; expected date'],
    ['string', Uint8Array.of(1), 'All.string is binary; expected string'],
    ['string', null, undefined],
  ])('%s %s', (field, given, want) => expect(smileFault({ [field]: given })).toBe(want))
})

describe('createValidator: Thrift', () => {
  const text = Buffer.from('x')
  const field: Readonly<Record<string, Omit<ThriftField, 'id'>>> = {
    bool: { type: thriftType.bool, value: true },
    byte: { type: thriftType.byte, value: 1 },
    i16: { type: thriftType.i16, value: 1 },
    i32: { type: thriftType.i32, value: 1 },
    i64: { type: thriftType.i64, value: 1n },
    double: { type: thriftType.double, value: 1 },
    string: { type: thriftType.string, value: text },
  }
  const wires: Readonly<Record<string, readonly string[]>> = {
    boolean: ['bool'],
    byte: ['byte'],
    short: ['i16'],
    integer: ['i32'],
    long: ['i64'],
    double: ['double'],
    string: ['string'],
    date: ['i64'],
    ip: ['i32', 'string'],
  }
  test.each(types)('%s has its wire types, and no others', type => {
    const id = types.indexOf(type) + 1
    const fitting = Object.keys(field).filter(wire => thriftFault({ id, ...field[wire] } as ThriftField) === undefined)
    expect(fitting).toEqual(wires[type])
  })

  test('faults name field and wire type', () => {
    expect(thriftFault({ id: 6, type: thriftType.string, value: text })).toBe(
      'All.double is string (11); expected double',
    )
    expect(thriftFault({ id: 99, type: thriftType.string, value: text })).toBe('All.99 is not a field of its schema')
    expect(thriftFault()).toBeUndefined()
  })
})

describe('createValidator: whatever the parsers take', () => {
  const payload = fc.dictionary(
    fc.constantFrom(...types, 'eventGranularit', '__proto__'),
    fc.jsonValue({ maxDepth: 3 }),
  )

  test('JSON and Smile of the same values have the same faults', () => {
    fc.assert(
      fc.property(payload, value => {
        // Without a prototype key, which an object literal cannot hold.
        const clean = Object.fromEntries(Object.entries(value).filter(([key]) => key !== '__proto__'))
        const exact: unknown = JSON.parse(JSON.stringify(clean))
        // The exact reader distinguishes doubles without a fraction from integers, and shows it.
        expect(smileFault(exact as Value)?.replace('.0;', ';')).toBe(jsonFault(JSON.stringify(exact)))
      }),
      { numRuns: 200 },
    )
  })

  test('bodies made of anything never fail in the validator', () => {
    const pieces = fc.constantFrom(good, bad, event({ a: 1 }, 'All'), '7', '[', ']', ',', '{"', ' garbage ', '[]', '\n')
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), parts => {
        const parsed = tryParse(parts.join(''))
        if (!parsed) return
        const mismatches = validate(parsed)
        // The values that the parser kept replace the body.
        expect(validate({ ...parsed, values: parsed.takeValues?.() })).toEqual(mismatches)
        expect(parsed.takeValues?.()).toBeUndefined()
        const found = mismatches.map(({ index }) => index)
        const known = parsed.events.map(({ index }) => index)
        expect(known).toEqual(expect.arrayContaining(found))
      }),
      { numRuns: 300 },
    )
  })
})

const encodeSmile = (value: Value): Uint8Array => {
  const writer = createSmileWriter()
  writer.write(value)
  return writer.take()
}

const tryParse = (body: string): ReturnType<typeof parseJsonEvents> | undefined => {
  try {
    return parseJsonEvents(Buffer.from(body), defaults)
  } catch (error) {
    if (error instanceof SluiceError) return undefined
    throw error
  }
}

import { describe, expect, test } from 'vitest'
import { encodeRecord } from '../../../src/formats/thrift/envelope-stream.ts'
import { encodeFields, type ThriftField, thriftType } from '../../../src/formats/thrift/field-list.ts'
import { createToMessage, type MessageOptions, maxKeyLength } from '../../../src/realtime/message.ts'
import type { Batch } from '../../../src/spool/batch.ts'
import { decodeEvents } from '../../../src/spool/events/decode-events.ts'

const head = { index: 0, name: 'Hello', date: 1_767_323_045_000, granularity: 'HOURLY' } as const
const stamp = '"eventDate":1767323045000,"eventGranularity":"HOURLY"'

const messageOf = (batch: Pick<Batch, 'format' | 'body'>, options?: MessageOptions) => {
  const [event] = decodeEvents({ events: [head], ...batch })
  if (!event) throw new Error('no event')
  return createToMessage(options)(event)
}
const json = (payload: string, options?: MessageOptions) =>
  messageOf({ format: 'json', body: Buffer.from(`{"eventName":"Hello","payload":${payload}}`) }, options)
const thrift = (fields: readonly ThriftField[], options?: MessageOptions) => {
  const { name: typeName, date, granularity } = head
  const body = encodeRecord({ typeName, name: typeName, date, granularity, payload: encodeFields(fields) })
  return messageOf({ format: 'thrift', body }, options)
}

describe('a JSON event', () => {
  test('is its payload, with what says where it belongs', () => {
    const { text, bytes, ...rest } = json('{"b":1,"a":"x"}')
    expect(bytes).toBeGreaterThan(text.length)
    expect(text).toBe(`{"b":1,"a":"x",${stamp}}`)
    expect(rest).toEqual({ eventName: 'Hello', date: head.date, granularity: 'HOURLY', key: undefined })
  })
  test.each(['9007199254740993', '1.0', '-9223372036854775808'])('keeps %s as it is', number => {
    expect(json(`{"n":${number}}`).text).toBe(`{"n":${number},${stamp}}`)
  })
})

describe('a Thrift event', () => {
  const fields: readonly ThriftField[] = [
    { id: 1, type: thriftType.string, value: Buffer.from('Grüße') },
    { id: 2, type: thriftType.i64, value: 9_007_199_254_740_993n },
    { id: 3, type: thriftType.double, value: 1 },
    { id: 4, type: thriftType.string, value: Uint8Array.of(0xff, 0xfe) },
    { id: -5, type: thriftType.bool, value: true },
  ]
  test('has field ids where its type is unknown', () => {
    expect(JSON.parse(thrift(fields).text)).toMatchObject({ 1: 'Grüße', 3: 1, 4: '//4=', '-5': true })
    expect(thrift(fields).text).toContain('"2":9007199254740993,"3":1.0')
    expect(thrift(fields).text).toContain(stamp)
  })
  test('has names where they are known, by id and not by place', () => {
    const names = new Map([
      [3, 'price'],
      [1, 'who'],
      [4, '__proto__'],
    ])
    const { text } = thrift(fields, { fieldNames: name => (name === 'Hello' ? names : undefined) })
    for (const part of ['"who":"Grüße"', '"2":9007199254740993', '"price":1.0', '"__proto__":"//4="']) {
      expect(text).toContain(part)
    }
  })
})

describe('the key', () => {
  test.each([
    ['{"user":"u1"}', 'u1'],
    ['{"user":17}', '17'],
    ['{"user":9007199254740993}', '9007199254740993'],
    ['{"user":""}', ''],
    ['{"user":null}', undefined],
    ['{"other":1}', undefined],
    [`{"user":"${'x'.repeat(maxKeyLength + 1)}"}`, undefined],
  ])('of %.40s', (payload, want) => expect(json(payload, { keyField: 'user' }).key).toBe(want))
  test('is not an inherited property', () => expect(json('{}', { keyField: 'constructor' }).key).toBeUndefined())
})

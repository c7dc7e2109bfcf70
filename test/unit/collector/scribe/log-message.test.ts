import { describe, expect, test } from 'vitest'
import { type LogEvent, parseLogMessage } from '../../../../src/collector/scribe/log-message.ts'
import { encodeEnvelope } from '../../../../src/formats/thrift/envelope.ts'
import { decodeFields, encodeFields, thriftType } from '../../../../src/formats/thrift/field-list.ts'
import { D, now } from '../fakes.ts'

const parse = (category: string, message: string | Uint8Array): LogEvent =>
  parseLogMessage(category, Buffer.from(message), now)

/** Date, granularity and fields by id. */
const look = ({ date, granularity, payload }: LogEvent): unknown => ({
  date,
  granularity,
  fields: Object.fromEntries(
    decodeFields(payload).map(({ id, value }) => [
      id,
      value instanceof Uint8Array ? Buffer.from(value).toString() : value,
    ]),
  ),
})

const hourly = (fields: Record<number, unknown>, date = D) => ({ date, granularity: 'HOURLY', fields })
const struct = 'CwABAAAABVdvcmxkAA=='
const envelope = 'rO0ABXc3AAAAMwAAAR6VTDCOAAAABkhPVVJMWQsAAAAAAAVIZWxsbwsAAQAAAA0LAAEAAAAFV29ybGQAAA=='

describe('parseLogMessage', () => {
  test.each([
    ['a field list', 'Hello', `${D}:${struct}`, hourly({ 1: 'World' })],
    ['without padding', 'Hello', `${D}:${struct.replaceAll('=', '')}`, hourly({ 1: 'World' })],
    ['broken into lines', 'Hello', `${D}:CwABAAAA\r\nBVdvcmxkAA==\r\n`, hourly({ 1: 'World' })],
    ['in the alphabet of URLs', 'c', `${D}:CwABAAAAA___PwA`, hourly({ 1: '\ufffd\ufffd?' })],
    ['an envelope, whose date counts', 'Hello', `1:${envelope}`, hourly({ 1: 'World' })],
    ['text, now', 'myMsg', `${now}:msg`, hourly({ 1: 'msg' }, now)],
    ['text that looks like base64', 'hello', `${D}:world`, hourly({ 1: 'world' })],
    ['a run of colons', 'c', `${D}::msg`, hourly({ 1: 'msg' })],
    ['colons in front', 'c', `::${D}:msg`, hourly({ 1: 'msg' })],
    ['colons in text behind a date', 'c', `${D}:GET http://x/: 200\n`, hourly({ 1: 'GET http://x/: 200\n' })],
    ['no number in front', 'c', 'abc:msg', hourly({ 1: 'abc:msg' }, now)],
    ['a word in front', 'c', 'ERROR: disk full', hourly({ 1: 'ERROR: disk full' }, now)],
    ['a word in front of a field list', 'Hello', `abc:${struct}`, hourly({ 1: 'World' }, now)],
    ['a space in front of the number', 'c', ' 12:msg', hourly({ 1: ' 12:msg' }, now)],
    ['a sign', 'c', '+12:msg', hourly({ 1: 'msg' }, 12)],
    ['a date before 1970', 'c', '-1:msg', hourly({ 1: 'msg' }, now)],
    ['a date after 9999', 'c', '253402300800000:msg', hourly({ 1: 'msg' }, now)],
    ['a struct without fields', 'c', `${D}:AA==`, hourly({})],
    ['text that begins like a struct', 'c', `${D}:AAAA batteries`, hourly({ 1: 'AAAA batteries' })],
    ['a struct that is cut short', 'c', `${D}:CwABAAAABVdvcmxk`, hourly({ 1: 'CwABAAAABVdvcmxk' })],
    ['UTF-8 text', 'c', `${D}:Grüße ☃`, hourly({ 1: 'Grüße ☃' })],
    ['a damaged object stream', 'c', `${D}:rO0ABXc3AAAAMwAA`, hourly({ 1: 'rO0ABXc3AAAAMwAA' })],
    ['an envelope of another name', 'Other', `1:${envelope}`, hourly({ 1: `1:${envelope}` }, now)],
    ['no colon', 'myMsg', 'msg', hourly({ 1: 'msg' }, now)],
    ['no first part', 'c', ':msg', hourly({ 1: ':msg' }, now)],
    ['no second part', 'c', `${D}:`, hourly({ 1: '' })],
    ['nothing', 'c', '', hourly({ 1: '' }, now)],
    ['three parts', 'c', '1:2:3', hourly({ 1: '1:2:3' }, now)],
    ['a time of day', 'c', '12:30:45 started', hourly({ 1: '12:30:45 started' }, now)],
  ])('%s', (_, category, message, want) => expect(look(parse(category, message))).toEqual(want))

  test('the fields of an OpsAlert', () => {
    const alert =
      'CwABAAAABk5BR0lPUwsAAgAAAA9uYWdpb3NAbmluZy5jb20LAAMAAAAPcGllcnJlQG5pbmcuY29tCwAEAAAADkFsZXJ0aW5nIGFsZXJ0CgAFAAABHpVMMI4A'
    expect(look(parse('OpsAlert', `${D}:${alert}`))).toEqual(
      hourly({ 1: 'NAGIOS', 2: 'nagios@ning.com', 3: 'pierre@ning.com', 4: 'Alerting alert', 5: BigInt(D) }),
    )
  })

  test('a field list of more fields than an event may have is text, whole', () => {
    const list = encodeFields([1, 2, 3].map(id => ({ id, type: thriftType.bool, value: true })))
    const message = `${D}:${Buffer.from(list).toString('base64')}`
    const fieldsOf = (maxFields: number) =>
      decodeFields(parseLogMessage('c', Buffer.from(message), now, maxFields).payload).length
    expect([fieldsOf(2), fieldsOf(3)]).toEqual([1, 3])
  })

  test('bytes that are not text are kept unchanged', () => {
    const bytes = Uint8Array.of(0xff, 0xfe, 0, 0x80)
    const event = parse('c', Buffer.concat([Buffer.from(`${D}:`), bytes]))
    expect(decodeFields(event.payload)).toEqual([{ id: 1, type: thriftType.string, value: Buffer.from(bytes) }])
  })
})

describe('a Java object stream', () => {
  const payload = encodeFields([{ id: 3, type: thriftType.i32, value: 42 }])
  const long = encodeFields([{ id: 1, type: thriftType.string, value: Buffer.alloc(2_000, 'x') }])

  const i32 = (value: number): Buffer => {
    const bytes = Buffer.alloc(4)
    bytes.writeInt32BE(value)
    return bytes
  }
  const date = Buffer.alloc(8)
  date.writeBigInt64BE(BigInt(D))
  /** As `ObjectOutputStream` writes it: blocks of 1024 bytes at most. */
  const toStream = (data: Uint8Array, rest = ''): string => {
    const blocks: Uint8Array[] = []
    for (let at = 0; at < data.length; at += 1_024) {
      const block = data.subarray(at, at + 1_024)
      blocks.push(
        block.length > 255
          ? Buffer.concat([Uint8Array.of(0x7a), i32(block.length)])
          : Uint8Array.of(0x77, block.length),
        block,
      )
    }
    return Buffer.concat([Buffer.from('aced0005', 'hex'), ...blocks, Buffer.from(rest, 'latin1')]).toString('base64')
  }
  const toRecord = (granularity: string, bytes: Uint8Array, at: Uint8Array = date): Buffer => {
    const event = Buffer.concat([
      at,
      i32(granularity.length),
      Buffer.from(granularity),
      encodeEnvelope({ typeName: 'E', payload: bytes }),
    ])
    return Buffer.concat([i32(event.length), event])
  }

  test('in several blocks', () => {
    const event = look(parse('E', `1:${toStream(toRecord('DAILY', long))}`))
    expect(event).toEqual({ date: D, granularity: 'DAILY', fields: { 1: 'x'.repeat(2_000) } })
  })

  test.each([
    ['~r\0\x16com.example.Granularity\0\0\0\0\0\0\0\0t\0\x07MONTHLY', 'MONTHLY'],
    ['', 'HOURLY'],
  ])('of the older form, with the granularity behind it', (rest, granularity) => {
    const event = Buffer.concat([date, encodeEnvelope({ typeName: 'E', payload })])
    const stream = toStream(Buffer.concat([i32(event.length), event]), rest)
    expect(look(parse('E', `1:${stream}`))).toEqual({ date: D, granularity, fields: { 3: 42 } })
  })

  test('with an invalid payload, or a date before 1970, is text, whole', () => {
    const early = Buffer.alloc(8, 0xff)
    for (const record of [toRecord('DAILY', Uint8Array.of(7)), toRecord('DAILY', payload, early)]) {
      const message = `1:${toStream(record)}`
      expect(look(parse('E', message))).toEqual(hourly({ 1: message }, now))
    }
  })

  test('cut at any byte is text, or an event of its own', () => {
    const whole = Buffer.from(toStream(toRecord('DAILY', payload)), 'base64')
    for (let end = 0; end < whole.length; end++) {
      const text = whole.subarray(0, end).toString('base64').replaceAll('=', '')
      if (text !== '') expect(look(parse('E', `${D}:${text}`))).toEqual(hourly({ 1: text }))
    }
  })
})

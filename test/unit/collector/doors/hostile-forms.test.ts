/** The same as `hostile-bodies.test.ts` of what is not JSON: Protocol Buffers, deliveries of Firehose, forms, queries. */
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { doorNames } from '../../../../src/collector/doors/door-names.ts'
import { createTestCollector, knock, storedEvents } from '../fakes.ts'

type Made = ReturnType<typeof createTestCollector>
type Send = (made: Made, body: string | Uint8Array) => Promise<Response>

const at =
  (id: Parameters<typeof knock>[1], target: string, type = 'application/json', headers = {}): Send =>
  ({ collector }, body) =>
    knock(collector, id, target, body, { type, headers })
const otlp = at('postOtlpLogs', '/v1/logs', 'application/x-protobuf')
const firehose = at('postFirehose', '/firehose?name=A', 'application/json', { 'x-amz-firehose-request-id': 'r' })
const posthog = at('postPostHogE', '/e/?compression=base64', 'application/x-www-form-urlencoded')
const snowplow: Send = ({ collector }, query) =>
  knock(collector, 'getSnowplow', `/i${String(query)}`, '', { method: 'GET', type: '' })

const open = (): Made => createTestCollector({ doors: new Set(doorNames), maxBodyBytes: 2_000_000 })
const outcomeOf = async (send: Send, body: string | Uint8Array): Promise<readonly [status: number, kept: number]> => {
  const made = open()
  const response = await send(made, body)
  await response.text()
  return [response.status, storedEvents(made.spool).length]
}
const payloadsOf = async (send: Send, body: string | Uint8Array): Promise<readonly unknown[]> => {
  const made = open()
  expect(Math.floor((await send(made, body)).status / 100)).toBe(2)
  return storedEvents(made.spool).map(({ payload }) => payload)
}

const varint = (value: number): readonly number[] =>
  value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(Math.floor(value / 128))]
const tag = (number: number, wire: number): readonly number[] => varint(number * 8 + wire)
const field = (number: number, content: Uint8Array | string): Buffer => {
  const bytes = Buffer.from(content)
  return Buffer.concat([Buffer.from([...tag(number, 2), ...varint(bytes.length)]), bytes])
}
const nest = (levels: number, around: (inner: Buffer) => Buffer): Buffer => {
  let made: Buffer = Buffer.alloc(0)
  for (let level = 0; level < levels; level++) made = around(made)
  return made
}
const ofRecords = (...records: readonly Buffer[]): Buffer =>
  field(1, field(2, Buffer.concat(records.map(record => field(2, record)))))
const ofBody = (anyValue: Buffer): Buffer => ofRecords(field(5, anyValue))
const record = field(5, field(1, 'é'))

const delivery = (...records: readonly unknown[]): string =>
  JSON.stringify({ requestId: 'r', timestamp: 1, records: records.map(data => ({ data })) })
const base64 = (text: string): string => Buffer.from(text).toString('base64')
// In base64 without padding, which is not needed.
const event = '{"event":"A","n":"abcd"}'
const zipped =
  [0, 1, 2].map(spaces => gzipSync(' '.repeat(spaces) + event)).find(({ length }) => length % 3 === 0) ?? ''
const toForm = (bytes: string | Uint8Array): string =>
  `data=${encodeURIComponent(Buffer.from(bytes).toString('base64'))}`

const goods: readonly (readonly [name: string, send: Send, body: string | Uint8Array, kept: number, from: number])[] = [
  ['OTLP, Protocol Buffers', otlp, ofRecords(record, record), 2, 1],
  ['Firehose', firehose, delivery(base64('{"a":1}'), base64('text'), '/w=='), 3, 1],
  ['PostHog, a form', posthog, toForm(event), 1, 1],
  ['PostHog, a form of gzip', posthog, toForm(zipped), 1, 1],
  ['PostHog, a form of JSON', posthog, `data=${encodeURIComponent(event)}`, 1, 1],
]

describe.each(goods)('%s', (_, send, body, kept, from) => {
  test.each([0, 300_000])('is taken, also with %i bytes of white space', async spaces => {
    const bytes = send === otlp ? Buffer.from(body) : Buffer.concat([Buffer.from(body), Buffer.alloc(spaces, ' ')])
    const [status, count] = await outcomeOf(send, send === posthog ? body : bytes)
    expect([Math.floor(status / 100), count]).toEqual([2, kept])
  })

  test('cut off anywhere it is refused, and nothing of it is kept', async () => {
    const bytes = Buffer.from(body)
    for (let end = from; end < bytes.length; end++) {
      const [status, count] = await outcomeOf(send, bytes.subarray(0, end))
      expect([status >= 400, count], bytes.toString('latin1', 0, end)).toEqual([true, 0])
    }
  })
})

const refused: readonly (readonly [name: string, send: Send, body: string | Uint8Array])[] = [
  ['Protocol Buffers: nothing', otlp, ''],
  ['Protocol Buffers: a length beyond the end', otlp, Buffer.from([0x0a, 0x7f, 1])],
  ['Protocol Buffers: a length of 2 GB', otlp, Buffer.from([0x0a, ...varint(2 ** 31), 1])],
  ['Protocol Buffers: a length of 2^63', otlp, Buffer.from([0x0a, ...Array(9).fill(0xff), 0x7f, 1])],
  ['Protocol Buffers: a number without end', otlp, Buffer.alloc(1_000_000, 0xff)],
  ['Protocol Buffers: the field 0', otlp, field(1, Buffer.from([0x02, 0x00]))],
  ['Protocol Buffers: a wire type that is none', otlp, field(1, Buffer.from([0x0f, 0x00]))],
  ['Protocol Buffers: a group that does not end', otlp, field(1, Buffer.from([0x7b]))],
  ['Protocol Buffers: the end of a group', otlp, field(1, Buffer.from([0x7c]))],
  ['Protocol Buffers: groups in groups', otlp, field(1, Buffer.alloc(500_000, 0x7b))],
  ['Protocol Buffers: another type', otlp, field(1, Buffer.from([...tag(2, 0), 1]))],
  ['Protocol Buffers: a text that is not UTF-8', otlp, ofBody(field(1, Buffer.from('ff00fe', 'hex')))],
  ['Protocol Buffers: a field twice', otlp, ofRecords(Buffer.concat([record, record]))],
  ['Protocol Buffers: 10,000 levels of lists', otlp, ofBody(nest(10_000, inner => field(5, field(1, inner))))],
  [
    'Protocol Buffers: 10,000 levels of members',
    otlp,
    ofBody(nest(10_000, inner => field(6, field(1, Buffer.concat([field(1, 'k'), field(2, inner)]))))),
  ],
  ['Protocol Buffers: JSON', otlp, '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{}]}]}]}'],
  ['Protocol Buffers: gzip that nobody tells', otlp, gzipSync(ofRecords(record))],
  ['Protocol Buffers: too many records', otlp, field(1, field(2, Buffer.alloc(400_002, field(2, ''))))],
  ['Firehose: base64 that is none', firehose, delivery('{"a":1}')],
  ['Firehose: base64 with spaces', firehose, delivery(' e30=')],
  ['Firehose: data that is no text', firehose, delivery(7)],
  ['Firehose: no data', firehose, '{"records":[{}]}'],
  ['Firehose: data twice', firehose, '{"records":[{"data":"e30=","data":"e30="}]}'],
  ['Firehose: one of three without data', firehose, '{"records":[{"data":"e30="},{},{"data":"e30="}]}'],
  ['Firehose: a record that is none', firehose, '{"records":["e30="]}'],
  ['Firehose: records that are none', firehose, '{"records":{"data":"e30="}}'],
  ['Firehose: a list', firehose, '[{"data":"e30="}]'],
  ['Firehose: nothing', firehose, ''],
  ['Firehose: something behind it', firehose, `${delivery('e30=')}x`],
  ['Firehose: records twice, with another form', firehose, '{"records":[{"data":"e30="}],"records":7}'],
  ['Firehose: 100,000 levels', firehose, `{"a":${'['.repeat(100_000)}`],
  ['Firehose: too many records', firehose, `{"records":[${'{"data":""},'.repeat(150_000)}{"data":""}]}`],
  ['a form: no data', posthog, 'data='],
  ['a form: no base64', posthog, 'data=%21%21%21'],
  ['a form: base64 with something else in it', posthog, `data=${base64(event).replace('e', 'e%00')}`],
  ['a form: data twice', posthog, `${toForm(event)}&${toForm(event)}`],
  ['a form: data twice, once in another spelling', posthog, `${toForm(event)}&d%61ta=${base64(event)}`],
  ['a form: base64 of something else', posthog, toForm('hello')],
  ['a form: of a form', posthog, toForm(toForm(event))],
  ['a form: gzip in gzip', posthog, toForm(gzipSync(gzipSync(event)))],
  ['a form: gzip that becomes too much', posthog, toForm(gzipSync(Buffer.alloc(9_000_000, ' ')))],
  ['a form: gzip cut off', posthog, toForm(gzipSync(event).subarray(0, -5))],
  ['a form: JSON that is not UTF-8', posthog, Buffer.from('data={"event":"A\xff"}', 'latin1')],
  ['a form: JSON with an escape that is none', posthog, 'data={"event":"A%zz"}'],
  ['a form: JSON with an escape that is not UTF-8', posthog, 'data={"event":"A%ff"}'],
  ['a form: another field first', posthog, `compression=gzip&${toForm(event)}`],
  ['a form: 100,000 levels', posthog, toForm('['.repeat(100_000))],
  ['a query: nothing', snowplow, ''],
  ['a query: empty', snowplow, '?'],
  ['a query: no type', snowplow, '?aid=1'],
  ['a query: an empty type', snowplow, '?e='],
  ['a query: half an escape', snowplow, '?e=pv&page=%4'],
  ['a query: an escape that is none', snowplow, '?e=pv&page=%zz'],
  ['a query: bytes that are not UTF-8', snowplow, '?e=pv&page=%ff%fe'],
  ['a query: half a pair', snowplow, '?e=pv&page=%ED%A0%80'],
  ['a query: a name that is not UTF-8', snowplow, '?e=pv&%ff=1'],
  ['a query: raw Latin-1', snowplow, '?e=pv&page=\xe9'],
  ['a query: too long', snowplow, `?e=pv&page=${'x'.repeat(9_000)}`],
]

test.each(refused)('%s is refused', async (_, send, body) => {
  const [status, kept] = await outcomeOf(send, body)
  expect([status >= 400, kept]).toEqual([true, 0])
})

const taken: readonly (readonly [name: string, send: Send, body: string | Uint8Array, payloads: readonly unknown[]])[] =
  [
    ['unknown fields', otlp, ofRecords(field(99, 'x')), [expect.objectContaining({ _unknown: expect.any(String) })]],
    ['a delivery without records', firehose, delivery(), []],
    ['JSON that is no object', firehose, delivery(base64('[1]')), [{ data: '[1]' }]],
    ['too many levels for JSON', firehose, delivery(base64('{"a":'.repeat(1_000))), [{ data: '{"a":'.repeat(1_000) }]],
    ['bytes', firehose, delivery('/wA='), [{ data_base64: '/wA=' }]],
    ['a form with other fields', posthog, `${toForm(event)}&compression=base64`, [{ event: 'A', n: 'abcd' }]],
    ['a form of JSON', posthog, 'data={"event":"A","n":"a+%2B%C3%A9"}', [{ event: 'A', n: 'a +é' }]],
    [
      'a field of a query twice: the first counts',
      snowplow,
      '?e=pv&page=a&page=b',
      [expect.objectContaining({ page: 'a' })],
    ],
    ['a field without a value', snowplow, '?e=pv&page&x=', [expect.objectContaining({ page: '', x: '' })]],
    ['a field with more equals signs', snowplow, '?e=pv&page=a=b', [expect.objectContaining({ page: 'a=b' })]],
    ['raw UTF-8', snowplow, '?e=pv&page=\xc3\xa9+x', [expect.objectContaining({ page: 'é x' })]],
    ['a name of the language', snowplow, '?e=pv&constructor=1', [expect.objectContaining({ constructor: '1' })]],
  ]

test.each(taken)('%s is taken as it is meant', async (_, send, body, payloads) => {
  expect(await payloadsOf(send, body)).toEqual(payloads)
})

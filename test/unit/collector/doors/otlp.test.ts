import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { type CallInit, createTestCollector, D, knock, now, storedEvents } from '../fakes.ts'

const open = { doors: new Set(['otlp'] as const) }
type Made = ReturnType<typeof createTestCollector>
const send = (made: Made, body: string | Uint8Array, init: CallInit & { type?: string } = {}) =>
  knock(made.collector, 'postOtlpLogs', '/v1/logs', body, init)
const request = (...records: readonly string[]): string =>
  `{"resourceLogs":[{"schemaUrl":"r","scopeLogs":[{"logRecords":[${records.join(',')}],"scope":{"name":"s"},"schemaUrl":"u"}],"resource":{"attributes":[]}}]}`

const tag = (number: number, wire: number): readonly number[] => varint(number * 8 + wire)
const varint = (value: number): readonly number[] =>
  value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(Math.floor(value / 128))]
const bytes = (number: number, value: readonly number[] | string): readonly number[] => {
  const content = typeof value === 'string' ? [...Buffer.from(value)] : value
  return [...tag(number, 2), ...varint(content.length), ...content]
}
const fixed64 = (number: number, value: bigint): readonly number[] => {
  const buffer = Buffer.alloc(8)
  buffer.writeBigUInt64LE(value)
  return [...tag(number, 1), ...buffer]
}
const double = (number: number, value: number): readonly number[] => {
  const buffer = Buffer.alloc(8)
  buffer.writeDoubleLE(value)
  return [...tag(number, 1), ...buffer]
}
const nanos = BigInt(D) * 1_000_000n + 123n
const ofRecords = (...records: readonly (readonly number[])[]): Uint8Array =>
  Uint8Array.from(
    bytes(1, [
      ...bytes(1, bytes(1, [...bytes(1, 'service.name'), ...bytes(2, bytes(1, 'shop'))])),
      ...bytes(2, [...bytes(1, bytes(1, 'scope')), ...records.flatMap(record => bytes(2, record))]),
    ]),
  )
const protobuf = { type: 'application/x-protobuf' }

describe('OTLP: JSON', () => {
  test('each record is an event, with the values beside it', async () => {
    const made = createTestCollector(open)
    const record = `{"timeUnixNano":"${nanos}","body":{"stringValue":"é","n":1.10}}`
    const response = await send(made, request(record, '{"eventName":"order.placed","observedTimeUnixNano":"0"}'))
    expect([response.status, await response.json()]).toEqual([200, { partialSuccess: {} }])
    const beside = { resource: { attributes: [] }, resourceSchemaUrl: 'r', scope: { name: 's' }, scopeSchemaUrl: 'u' }
    expect(storedEvents(made.spool)).toMatchObject([
      { name: 'log', date: D, payload: { ...beside, timeUnixNano: String(nanos) } },
      { name: 'order.placed', date: now, payload: beside },
    ])
    expect(Buffer.from(made.spool.batches[0]?.body ?? []).toString()).toContain(record.slice(1))
  })

  test('a refused part is reported as partial success, and a refused whole as 400', async () => {
    const made = createTestCollector(open)
    const response = await send(made, request('{}', '7'))
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({
      partialSuccess: { rejectedLogRecords: '1', errorMessage: expect.any(String) },
    })
    expect(storedEvents(made.spool)).toHaveLength(1)
    expect((await send(made, request('7'))).status).toBe(400)
  })

  test.each([
    ['another document', '{"resourceSpans":[]}', 400],
    ['an element that is none', '{"resourceLogs":[1]}', 400],
    ['no records', '{"resourceLogs":[{"resource":{}}]}', 200],
    ['a type of its own', request('{}'), 415, 'text/xml'],
    ['not JSON', 'x', 400],
  ])('%s', async (_, body, status, type = 'application/json') => {
    const made = createTestCollector(open)
    expect((await send(made, body, { type })).status).toBe(status)
    expect(made.spool.batches).toEqual([])
  })
})

describe('OTLP: Protocol Buffers', () => {
  test('become the same JSON, and no number is rounded', async () => {
    const made = createTestCollector(open)
    const values: [readonly number[], object][] = [
      [bytes(1, 'é "x"'), { stringValue: 'é "x"' }],
      [[...tag(2, 0), 1], { boolValue: true }],
      [[...tag(3, 0), ...Array.from({ length: 9 }, () => 0xff), 1], { intValue: '-1' }],
      [double(4, 0.1), { doubleValue: 0.1 }],
      [double(4, Number.NaN), { doubleValue: 'NaN' }],
      [bytes(5, bytes(1, bytes(1, 'a'))), { arrayValue: { values: [{ stringValue: 'a' }] } }],
      [bytes(6, bytes(1, bytes(1, 'k'))), { kvlistValue: { values: [{ key: 'k' }] } }],
      [bytes(7, [0xff, 0]), { bytesValue: '/wA=' }],
      [[], {}],
    ]
    const record = (value: readonly number[]): readonly number[] => [
      ...fixed64(1, nanos),
      ...tag(2, 0),
      9,
      ...bytes(5, value),
      ...tag(8, 5),
      1,
      0,
      0,
      0,
      ...bytes(9, [0xab, 0xcd]),
      ...bytes(12, 'order'),
      ...bytes(99, 'new'),
    ]
    const body = gzipSync(ofRecords(...values.map(([value]) => record(value))))
    const response = await send(made, body, { ...protobuf, headers: { 'content-encoding': 'gzip' } })
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
      200,
      'application/x-protobuf',
      '',
    ])
    const attributes = [{ key: 'service.name', value: { stringValue: 'shop' } }]
    expect(storedEvents(made.spool)).toMatchObject(
      values.map(([, value]) => ({
        name: 'order',
        date: D,
        payload: {
          resource: { attributes },
          scope: { name: 'scope' },
          timeUnixNano: String(nanos),
          severityNumber: expect.anything(),
          body: value,
          traceId: 'abcd',
          _unknown: Buffer.from(bytes(99, 'new')).toString('base64'),
        },
      })),
    )
  })

  test('a refused part is reported in the same form', async () => {
    const made = createTestCollector({ ...open, maxValuesPerEvent: 20 })
    const many = Array.from({ length: 30 }, () => bytes(6, bytes(1, 'k'))).flat()
    const response = await send(made, ofRecords([], many), protobuf)
    expect(response.status).toBe(200)
    const answer = Buffer.from(await response.arrayBuffer())
    expect([answer[0], answer[2], answer[3], answer[4]]).toEqual([0x0a, 0x08, 1, 0x12])
    expect(answer.toString('latin1')).toContain('more than 20 values')
    expect(storedEvents(made.spool)).toHaveLength(1)
  })

  test('many records are the same, in turns', async () => {
    const made = createTestCollector(open)
    const records = Array.from({ length: 6_000 }, (_, n) => [
      ...fixed64(1, nanos),
      ...bytes(5, bytes(1, `${n} ${'x'.repeat(40)}`)),
    ])
    expect((await send(made, ofRecords(...records), protobuf)).status).toBe(200)
    expect(storedEvents(made.spool)).toHaveLength(6_000)
  })

  test.each([
    ['JSON', [...Buffer.from(request('{}'))]],
    ['a message that breaks off', [...ofRecords([])].slice(0, -1)],
    ['a text that is not UTF-8', bytes(1, bytes(3, [0xff]))],
    ['another type of value', bytes(1, bytes(2, bytes(2, [...tag(1, 0), 1])))],
    ['a field twice', bytes(1, [...bytes(3, 'a'), ...bytes(3, 'b')])],
    ['nothing', []],
  ])('%s is refused', async (_, body) => {
    const made = createTestCollector(open)
    expect((await send(made, Uint8Array.from(body), protobuf)).status).toBe(400)
    expect(made.spool.batches).toEqual([])
  })
})

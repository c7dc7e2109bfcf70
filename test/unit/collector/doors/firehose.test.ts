import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { firehose } from '../../../../src/collector/doors/firehose.ts'
import { type CallInit, createCall, createTestCollector, D, knock, now, storedEvents } from '../fakes.ts'

const open = { doors: new Set(['firehose'] as const) }
type Made = ReturnType<typeof createTestCollector>
const requestId = '43b8e724-dbac-4510-adb7-ef211c6044b9'
const send = (
  made: Made,
  body: string | Uint8Array,
  { query = '?name=Order', ...init }: CallInit & { query?: string } = {},
) =>
  knock(made.collector, 'postFirehose', `/firehose${query}`, body, {
    ...init,
    headers: { 'x-amz-firehose-request-id': requestId, 'x-amz-firehose-protocol-version': '1.0', ...init.headers },
  })
const base64 = (data: string | Uint8Array): string => Buffer.from(data).toString('base64')
const delivery = (...records: readonly (string | Uint8Array)[]): string =>
  JSON.stringify({ requestId, timestamp: 1_578_090_903_599, records: records.map(data => ({ data: base64(data) })) })
const bodyOf = ({ spool }: Made): string => Buffer.from(spool.batches[0]?.body ?? []).toString()

describe('records', () => {
  const rows: [name: string, record: string | Uint8Array, payload: string][] = [
    ['an object', '{"n":1.10,"big":12345678901234567890}', '{"n":1.10,"big":12345678901234567890}'],
    ['an object and the end of a line', ' {"a":"é"}\r\n', ' {"a":"é"}\r\n'],
    ['two objects', '{"a":1}\n{"a":2}', String.raw`{"data":"{\"a\":1}\n{\"a\":2}"}`],
    ['an object that is damaged', '{"a":01}', String.raw`{"data":"{\"a\":01}"}`],
    ['an array', '[1]', '{"data":"[1]"}'],
    ['text', 'GET / "200"\n', String.raw`{"data":"GET / \"200\"\n"}`],
    ['nothing', '', '{"data":""}'],
    ['bytes', Uint8Array.of(0xff, 0), '{"data_base64":"/wA="}'],
  ]
  test.each(rows)('%s', async (_, record, payload) => {
    const made = createTestCollector(open)
    const response = await send(made, delivery(record))
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json'])
    expect(await response.json()).toEqual({ requestId, timestamp: expect.any(Number) })
    expect(bodyOf(made)).toBe(`[{"eventName":"Order","payload":${payload.trimEnd().trimStart()}}]`)
    expect(made.spool.batches).toMatchObject([{ api: 'POST_Firehose_API' }])
  })

  test('each is an event; its date is what it says, that of the parameter, or of the receipt', async () => {
    const made = createTestCollector(open)
    await send(made, gzipSync(delivery(`{"eventDate":${D}}`, '{}')), { headers: { 'content-encoding': 'gzip' } })
    const query = '?name=Order&date=2009-01-02T03:04:05.006Z&gr=DAILY'
    await send(made, delivery('{}'), { query, headers: { 'x-amz-firehose-request-id': 'another' } })
    expect(storedEvents(made.spool)).toMatchObject([
      { name: 'Order', date: D },
      { name: 'Order', date: now },
      { name: 'Order', date: D, path: 'Order/2009/01/02' },
    ])
  })

  test.each([
    ['{"commonAttributes":{"stage":"test"}}', { stage: 'test' }],
    ['{"stage":"test"}', { stage: 'test' }],
    ['stage=test', 'stage=test'],
  ])('parameters of the stream: %s', async (header, commonAttributes) => {
    const made = createTestCollector(open)
    const headers = { 'x-amz-firehose-common-attributes': header }
    expect((await send(made, delivery('{"a":1}', '{"commonAttributes":1}'), { headers })).status).toBe(200)
    expect(storedEvents(made.spool).map(({ payload }) => payload)).toEqual([
      { commonAttributes, a: 1 },
      { commonAttributes: 1 },
    ])
  })

  test('many are the same, in turns', async () => {
    const made = createTestCollector(open)
    const response = await send(
      made,
      delivery(...Array.from({ length: 10_000 }, (_, n) => `{"n":${n},"x":"${'y'.repeat(30)}"}`)),
    )
    expect(response.status).toBe(200)
    expect(storedEvents(made.spool)[9_999]).toMatchObject({ payload: { n: 9_999 } })
  })
})

describe('refusals have the form of Firehose', () => {
  test.each([
    ['a closed door', delivery('{}'), 404, {}, new Set<'firehose'>()],
    ['no name', delivery('{}'), 400, { query: '' }],
    ['not JSON', 'x', 400],
    ['no records', '{"requestId":"x"}', 400],
    ['data that is not base64', '{"records":[{"data":"{}"}]}', 400],
    ['no data', '{"records":[{}]}', 400],
    ['data twice', '{"records":[{"data":"","data":""}]}', 400],
    ['a record that is none', '{"records":["e30="]}', 400],
    ['too much', delivery('x'.repeat(2_000)), 413],
    ['an encoding that is not known', delivery('{}'), 415, { headers: { 'content-encoding': 'br' } }],
  ])('%s', async (_, body, status, init = {}, doors: Set<'firehose'> = open.doors) => {
    const made = createTestCollector({ doors, maxBodyBytes: 1_000 })
    const response = await send(made, body, init)
    expect([response.status, response.headers.get('content-type')]).toEqual([status, 'application/json'])
    expect(await response.json()).toEqual({
      requestId,
      timestamp: expect.any(Number),
      errorMessage: expect.stringMatching(/./),
    })
    expect(made.spool.batches).toEqual([])
  })

  test('no request id', async () => {
    const made = createTestCollector(open)
    const response = await knock(made.collector, 'postFirehose', '/firehose?name=A', delivery('{}'))
    expect([response.status, await response.json()]).toMatchObject([400, { requestId: '' }])
  })

  test('one record that cannot be stored: the others are kept', async () => {
    const made = createTestCollector({ ...open, maxValuesPerEvent: 5 })
    const response = await send(made, delivery('{"a":1}', '{"a":[1,2,3,4,5,6]}', '{"a":2}'))
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { requestId, errorMessage: expect.stringContaining('1 of 3') },
    ])
    expect(storedEvents(made.spool).map(({ payload }) => payload)).toEqual([{ a: 1 }, { a: 2 }])
  })
})

test('the request and the position of a record are its identity', () => {
  const call = createCall('/firehose', { headers: { 'x-amz-firehose-request-id': requestId } })
  const defaults = { name: 'Order', date: now, granularity: 'HOURLY', maxEvents: 10, maxValues: 5, call } as const
  const { ids } = firehose.short(Buffer.from(delivery('{"a":1}', '{"a":[1,2,3,4,5,6]}', '{"a":1}')), defaults)
  expect(ids).toEqual([`${requestId} 0`, `${requestId} 2`])
})

import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createTestCollector, D, now, outcomeOf, post, storedEvents, whole } from './fakes.ts'

const hex = (text: string): Buffer => Buffer.from(text, 'hex')

const S1 =
  '3a290a03f8fa886576656e744e616d654573616d706c65867061796c6f6164fa886576656e744461746525010f252943049c8f6576656e744772616e756c617269747945484f55524c598866697273744e616d65426a6f65876c6173744e616d65467369785061636b8c7468654e756d62657246697665cafbfbf9'
const S2 = `${S1.slice(0, -2)}fa400141fa4225010f252943049c43024403450446cafbfbf9`
const S3 = '3a290a03fa886576656e744e616d654041867061796c6f6164fa8078c2fbfb'
const bare3 = S3.slice(8)
const sample = { eventDate: D, eventGranularity: 'HOURLY', firstName: 'joe', lastName: 'sixPack', theNumberFive: 5 }

describe.each(['application/json+smile', 'application/smile'])('POST Smile (S1–S8) as %s', type => {
  const x1 = { x: 1 }
  const rows: [name: string, body: string, status: number, payloads?: unknown[], rejected?: number][] = [
    ['S1', S1, 202, [sample]],
    ['S2: back references', S2, 202, [sample, sample]],
    ['S3', S3, 202, [x1]],
    ['S3 twice', S3 + S3, 202, [x1, x1]],
    ['S3 without the second header', S3 + bare3, 202, [x1, x1]],
    ['S3 without any header', bare3 + bare3, 202, [x1, x1]],
    ['S4: behind an end marker', `${S3}ff${S3}`, 202, [x1, x1]],
    ['S4: two arrays', S1 + S1, 202, [sample, sample]],
    ['S5: an empty array', '3a290a03f8f9', 202, []],
    ['a header alone', '3a290a03', 400],
    ['S5: empty', '', 400],
    ['a JSON array', Buffer.from(`[${'{"eventName":"A","payload":{}},'.repeat(3)}{}]`).toString('hex'), 400],
    [
      'a long JSON text',
      Buffer.from(`{"eventName":"A","payload":{"x":"${'y'.repeat(400_000)}"}}`).toString('hex'),
      400,
    ],
    ['S5: JSON', Buffer.from('{"eventName":"A","payload":{}}').toString('hex'), 400],
    ['S6: without the array end', S1.slice(0, -2), 202, [sample], 1],
    ['S6: cut within the event', S1.slice(0, -12), 400],
    ['cut within the second event', S2.slice(0, -8), 202, [sample], 1],
    ['a number among events', `3a290a03f8c2${bare3}f9`, 202, [x1], 1],
  ]
  test.each(rows)('%s', async (_, body, status, payloads = [], rejected = 0) => {
    const { collector, spool } = createTestCollector()
    const response = await post(collector, hex(body), { type })
    expect(response.status).toBe(status)
    expect(storedEvents(spool).map(({ payload }) => payload)).toEqual(payloads)
    if (status === 202 && rejected > 0) expect((await outcomeOf(response)).rejected).toBe(rejected)
  })
  test('S7: all types, and the date decides the bucket', async () => {
    const { collector, spool } = createTestCollector()
    const S7 =
      '3a290a03fa886576656e744e616d654041867061796c6f6164fa886576656e744461746525010f252943049c8f6576656e744772616e756c6172697479454d494e55544580738468c3a96c6c6f806223806e218064290040044757050f2e0a1f826e656724a18262696725015026411a8282617272f8c2c401f9806ffa807801fbfbfb'
    await post(collector, hex(S7), { type })
    expect(storedEvents(spool)).toMatchObject([
      { name: 'A', path: 'A/2009/01/02/03/04', payload: { s: 'héllo', neg: -17 } },
    ])
  })
  test.each([
    ['one clean document goes on as it came', S2, S2],
    ['of several one array is made', S3 + bare3, undefined],
  ])('%s', async (_, body, want) => {
    const { collector, spool } = createTestCollector()
    await post(collector, hex(body), { type })
    const [batch] = spool.batches
    expect(batch).toMatchObject({ api: 'POST_Smile_API', format: 'smile', events: [{ index: 0 }, { index: 1 }] })
    const kept = Buffer.from(batch?.body ?? []).toString('hex')
    if (want === undefined) expect(kept.startsWith('3a290a03f8fa') && kept.endsWith('f9')).toBe(true)
    else expect(kept).toBe(want)
  })
  test('date holds for events without one', async () => {
    const { collector, spool } = createTestCollector()
    await post(collector, hex(S3), { type, query: '?date=2009-01-02T03:04:05.006Z' })
    expect(storedEvents(spool).map(({ date }) => date)).toEqual([D])
  })
  test('the old client: its spool files, exactly 202', async () => {
    for (const name of ['spool-2events', 'spool-sample5', 'spool-types']) {
      const { collector, spool } = createTestCollector()
      const smile = readFileSync(new URL(`../../fixtures/smile/${name}.smile`, import.meta.url))
      const response = await post(collector, smile, { type })
      expect([response.status, response.headers.has('warning')]).toEqual([202, false])
      expect(await outcomeOf(response)).toEqual(whole(spool.batches[0]?.events.length ?? 0))
      expect(Buffer.compare(Buffer.from(spool.batches[0]?.body ?? []), smile)).toBe(0)
    }
  })
})

const R1 = '0a0000011e954c308e00000006484f55524c590b00000000000548656c6c6f0b00010000000d0b000100000005576f726c640000'
const P8 = `${R1}0a0000011e954c308e000000054441494c590b00000000000548656c6c6f0b0002000000056f746865720b00010000000d0b000100000005576f726c640000`
const P1 = '0b000100000005576f726c6400'
const P2 = '02000101030002fe06000302c1080004003013010a0005000000034134134104000640091eb851eb851f0b000700000002c3a900'

describe('POST Thrift (P1–P12)', () => {
  const world = { 1: 'World' }
  const rows: [name: string, type: string, query: string, body: string, status: number, payloads?: unknown[]][] = [
    ['P1', 'ning/thrift', '?name=Hello', P1, 202, [world]],
    ['P1', 'ning/1.0', '?name=Hello', P1, 202, [world]],
    ['P1', 'application/octet-stream', '?name=Hello', P1, 202, [world]],
    ['P1', '', '?name=Hello', P1, 202, [world]],
    ['a name: a bare struct', 'application/thrift', '?name=Hello', P1, 202, [world]],
    [
      'a bare struct may begin as a record',
      'application/thrift',
      '?name=H',
      '0a00010000011e954c308e00',
      202,
      [{ 1: BigInt(D) }],
    ],
    ['P2', '', '?name=H', P2, 202, [{ 1: true, 2: -2, 3: 705, 4: 3150593, 5: 13978833729n, 6: 3.14, 7: 'é' }]],
    ['P3', '', '?name=H', '0b000100000001410b0003000000014200', 202, [{ 1: 'A', 3: 'B' }]],
    ['P4', '', '?name=H', '00', 202, [{}]],
    ['P5: cut', '', '?name=H', P1.slice(0, -2), 400],
    ['P5: empty', '', '?name=H', '', 400],
    ['P5: a struct within', '', '?name=H', '0c00010000', 400],
    ['P6: bytes behind', '', '?name=H', `${P1}6a756e6b`, 202, [world]],
    ['no name', '', '', P1, 400],
    ['an empty name', '', '?name=', P1, 400],
    ['an empty name', 'application/thrift', '?name=', P1, 400],
    ['P7', 'application/thrift', '?date=2011-01-01&gr=YEARLY', R1, 202, [world]],
    ['P8', 'application/thrift', '', P8, 202, [world, world]],
    ['P9: a bare list without a name', 'application/thrift', '', P1, 400],
    ['P9: without the separator', 'application/thrift', '', R1.slice(2), 400],
    ['P9: empty', 'application/thrift', '', '', 400],
    ['P10: a byte behind', 'application/thrift', '', `${R1}58`, 202, [world]],
    ['P10: the next one is cut', 'application/thrift', '', `${R1}0a`, 202, [world]],
    [
      'P11: granularity in lower case',
      'application/thrift',
      '',
      R1.replace('484f55524c59', '686f75726c79'),
      202,
      [world],
    ],
    ['an unknown granularity', 'application/thrift', '', R1.replace('484f55524c59', '484f55524c60'), 400],
  ]
  test.each(rows)('%s %s%s', async (_, type, query, body, status, payloads = []) => {
    const { collector, spool } = createTestCollector()
    const response = await post(collector, hex(body), { type, query })
    expect(response.status).toBe(status)
    expect(storedEvents(spool).map(({ payload }) => payload)).toEqual(payloads)
  })
  test('bare lists take name, date and granularity from the query', async () => {
    const { collector, spool } = createTestCollector()
    await post(collector, hex(P1), { type: 'ning/thrift', query: '?name=Hello&date=2009-01-02T03:04:05.006Z&gr=daily' })
    await post(collector, hex(P1), { type: 'application/thrift', query: '?name=Hello' })
    expect(storedEvents(spool)).toMatchObject([{ path: 'Hello/2009/01/02' }, { date: now }])
    expect(spool.batches.map(({ api }) => api)).toEqual(['POST_ThriftLegacy_API', 'POST_Thrift_API'])
  })
  test('records are kept as sent, names included; the damage after them is not', async () => {
    const { collector, spool } = createTestCollector()
    const response = await post(collector, hex(`${P8}0a00`), { type: 'application/thrift' })
    expect(Buffer.from(spool.batches[0]?.body ?? []).toString('hex')).toBe(P8)
    expect(await outcomeOf(response)).toMatchObject({ accepted: 2, rejected: 1, errors: [{ index: 2 }] })
  })
  test('a granularity is stored in upper case, the name beside it unchanged', async () => {
    const { collector, spool } = createTestCollector()
    await post(collector, hex(P8.replace('4441494c59', '6461696c79')), { type: 'application/thrift' })
    expect(Buffer.from(spool.batches[0]?.body ?? []).toString('hex')).toBe(P8)
  })
  test.each([
    ['a name that is no path', R1.replace('48656c6c6f', '482f6c6c6f'), 'bad-event-name'],
    ['a date beyond the year 9999', R1.replace('0000011e954c308e', '0001011e954c308e'), 'bad-event'],
    ['a payload that is no field list', R1.replace('0b000100000005576f', '0c000100000005576f'), 'bad-event'],
    ['bytes behind the payload', R1.replace('0b00010000000d0b', '0b00010000000d00'), 'bad-event'],
  ])('a record with %s is refused alone', async (_, record, code) => {
    const { collector, spool } = createTestCollector()
    const response = await post(collector, hex(R1 + record + R1), { type: 'application/thrift' })
    expect(await outcomeOf(response)).toMatchObject({ accepted: 2, rejected: 1, errors: [{ index: 1, code }] })
    expect(spool.batches[0]?.events.map(({ index }) => index)).toEqual([0, 1])
    expect(storedEvents(spool).map(({ payload }) => payload)).toEqual([{ 1: 'World' }, { 1: 'World' }])
  })
})

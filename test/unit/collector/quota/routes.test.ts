import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { Collector } from '../../../../src/collector/collector.ts'
import { doorNames } from '../../../../src/collector/doors/door-names.ts'
import { admitToQuota } from '../../../../src/collector/quota/call-quota.ts'
import { createQuota } from '../../../../src/collector/quota/quota.ts'
import type { QuotaSettings } from '../../../../src/collector/quota/quota-settings.ts'
import { defaultCollectorSettings } from '../../../../src/collector/settings.ts'
import { SluiceError } from '../../../../src/errors.ts'
import { toAwaitable } from '../../../../src/http/call/answer.ts'
import { parseList } from '../../../suites/structured-fields.ts'
import { operationsOfSenders, settingsOfSdks } from '../../contract/fixture.ts'
import { type CallInit, createCall, createTestCollector, get, knock, post } from '../fakes.ts'
import { openTestScribe, toFrame, toLog } from '../scribe/calls.ts'
import { usualQuota } from './usual-quota.ts'

/** After the first request nothing is left, for longer than any test takes. */
const one: QuotaSettings = { ...usualQuota, eventsPerSecond: undefined, bytesPerSecond: 1, burstSeconds: 1 }

const open = (quota: QuotaSettings = one) => createTestCollector({ quota, doors: new Set(doorNames) })

const json = (value: unknown): string => JSON.stringify(value)
const pad = 'x'.repeat(1_000)
const event = json({ eventName: 'A', payload: { pad } })
const segment = json({ batch: [{ type: 'page', pad }] })
const posthog = json({ event: 'A', pad })
const snowplow = json({ data: [{ e: 'pv', pad }] })
const logs = json({ resourceLogs: [{ scopeLogs: [{ logRecords: [{ body: { stringValue: pad } }] }] }] })
const delivery = json({
  requestId: 'r',
  timestamp: 1,
  records: [{ data: Buffer.from(json({ pad })).toString('base64') }],
})

type Send = (collector: Collector, init: CallInit) => Promise<Response>
const door =
  (id: keyof Collector['doorHandlers'], target: string, body: string, more: CallInit & { type?: string } = {}): Send =>
  (collector, init) =>
    knock(collector, id, target, body, { ...more, ...init })

const problemType = 'application/problem+json'

/** Every operation that takes events, and the types of bodies of the collector's own. */
const routes: readonly [id: string, way: string, send: Send, status: number, type: string][] = [
  ['getEventV1', '', (collector, init) => get(collector, `/1?v=A,s${pad}`, init), 429, problemType],
  ['getEventV2', '', (collector, init) => get(collector, `/2?v=A,s${pad}`, init), 429, problemType],
  ['postEvent', 'JSON', (collector, init) => post(collector, event, init), 429, problemType],
  [
    'postEvent',
    'in turns',
    (collector, init) => post(collector, json([{ eventName: 'A', payload: { pad: pad.repeat(300) } }]), init),
    429,
    problemType,
  ],
  [
    'postEvent',
    'lines',
    (collector, init) => post(collector, json({ pad }), { ...init, query: '?name=A', type: 'application/x-ndjson' }),
    429,
    problemType,
  ],
  [
    'postEvent',
    'CSV',
    (collector, init) => post(collector, `a\n${pad}`, { ...init, query: '?name=A', type: 'text/csv' }),
    429,
    problemType,
  ],
  [
    'postEvent',
    'CloudEvents',
    (collector, init) =>
      post(collector, json({ specversion: '1.0', id: '1', source: '/', type: 'A', data: { pad } }), {
        ...init,
        type: 'application/cloudevents+json',
      }),
    429,
    problemType,
  ],
  [
    'postEvent',
    'no type',
    (collector, init) => post(collector, event, { ...init, type: 'image/png' }),
    429,
    problemType,
  ],
  ['postOtlpLogs', '', door('postOtlpLogs', '/v1/logs', logs), 429, 'application/json'],
  ['postSegment', '', door('postSegment', '/v1/batch', segment), 429, problemType],
  ['postRudderStackBeacon', '', door('postRudderStackBeacon', '/beacon/v1/batch', segment), 429, problemType],
  ['postSnowplow', '', door('postSnowplow', '/com.snowplowanalytics.snowplow/tp2', snowplow), 429, problemType],
  ['getSnowplow', '', door('getSnowplow', `/i?e=pv&page=${pad}`, '', { method: 'GET' }), 429, problemType],
  [
    'postPostHogBatch',
    '',
    door('postPostHogBatch', '/batch/', json({ batch: [JSON.parse(posthog)] })),
    503,
    problemType,
  ],
  ['postPostHogCapture', '', door('postPostHogCapture', '/capture/', posthog), 503, problemType],
  ['postPostHogE', '', door('postPostHogE', '/e/', posthog), 503, problemType],
  ['postPostHogEvent', '', door('postPostHogEvent', '/i/v0/e/', posthog), 503, problemType],
  [
    'postFirehose',
    '',
    door('postFirehose', '/firehose?name=A', delivery, { headers: { 'x-amz-firehose-request-id': 'r' } }),
    429,
    'application/json',
  ],
]

test('all operations that take events are tried', () => {
  expect(new Set([...routes.map(([id]) => id), ...settingsOfSdks])).toEqual(new Set(operationsOfSenders))
})

describe.each(routes)('%s %s', (_, __, send, status, type) => {
  test('is refused only to a sender over its quota, in the form of the route', async () => {
    const { collector, spool } = open()
    // Also what cannot be read counts.
    await send(collector, { peer: '10.0.0.1' })
    const kept = spool.batches.length
    const refused = await send(collector, { peer: '10.0.0.1' })
    expect(refused.status).toBe(status)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(1)
    const wait = Number(refused.headers.get('retry-after'))
    expect(parseList(refused.headers.get('ratelimit') ?? '')).toEqual([{ value: 'bytes', params: { r: 0, t: wait } }])
    expect(parseList(refused.headers.get('ratelimit-policy') ?? '')).toEqual([
      { value: 'bytes', params: { q: 1, w: 1, qu: 'content-bytes' } },
    ])
    expect(refused.headers.get('content-type')).toBe(type)
    expect(refused.headers.get('access-control-allow-origin')).toBe('*')
    expect(refused.headers.get('access-control-expose-headers')).toBe('Retry-After, RateLimit, RateLimit-Policy')
    expect(await refused.text()).toContain('collector.quota.bytes-per-second')
    expect(spool.batches).toHaveLength(kept)
    expect((await send(collector, { peer: '10.0.0.2' })).status).not.toBe(status)
  })
})

describe('a request over the quota', () => {
  test('is counted as one event, and not as a mistake of its sender', async () => {
    const { collector, spool } = open()
    await post(collector, event)
    const refused = await post(collector, event)
    expect(await refused.json()).toMatchObject({ code: 'rate-limited', status: 429 })
    expect(collector.counters.POST_Json_API).toMatchObject({
      requests: 2,
      failures: 1,
      accepted: 1,
      throttled: 1,
      unread: 1,
      malformed: 0,
      rejected: 1,
      received: 2,
    })
    expect(collector.live.recent()).toEqual([])
    expect(spool.refused).toEqual([])
    expect(collector.slowed.list()).toMatchObject([{ by: 'address', name: '127.0.0.1', requests: 1 }])
  })

  test('is looked at before its body, and before what else is wrong with it', async () => {
    const { collector } = open()
    await post(collector, event)
    let isRead = false
    const chunks = {
      *[Symbol.iterator]() {
        isRead = true
        yield Buffer.from(event)
      },
    }
    const asked = await post(collector, '', { chunks: chunks as never, headers: { 'content-encoding': 'nonsense' } })
    expect([asked.status, isRead]).toEqual([429, false])
  })

  test('HEAD hears what GET would hear, and costs nothing', async () => {
    const { collector } = open()
    const target = `/1?v=A,s${pad}`
    expect((await get(collector, target, { method: 'HEAD' })).status).toBe(202)
    expect((await get(collector, target)).status).toBe(202)
    expect((await get(collector, target, { method: 'HEAD' })).status).toBe(429)
  })

  test('what could not be read counts as one event', async () => {
    const { collector } = open({ ...usualQuota, eventsPerSecond: 1, burstSeconds: 1 })
    expect((await post(collector, '{')).status).toBe(400)
    expect((await post(collector, '{')).status).toBe(400)
    expect((await post(collector, event)).status).toBe(429)
  })

  describe('costs the bytes that came', () => {
    const peer = '10.0.0.1'
    /** What is owed is seconds: with this many bytes each. */
    const costOf = async (
      perSecond: number,
      send: (collector: Collector) => Promise<Response>,
      status: number,
    ): Promise<number> => {
      const { collector } = createTestCollector({
        quota: { ...one, bytesPerSecond: perSecond },
        maxBodyBytes: 100_000,
        maxDecompressedBytes: 200_000,
      })
      expect((await send(collector)).status).toBe(status)
      const next = await post(collector, event, { peer })
      return Number(next.headers.get('retry-after') ?? 0) * perSecond
    }
    const malformed = '{'.repeat(500)
    const chunks = [Buffer.from(malformed), Buffer.from(malformed)]
    const gzip = { 'content-encoding': 'gzip' }
    const ways: readonly [
      way: string,
      send: (collector: Collector) => Promise<Response>,
      status: number,
      bytes: number,
    ][] = [
      [
        'and not those announced',
        collector => post(collector, '', { peer, chunks: [], headers: { 'content-length': '99999999999' } }),
        413,
        0,
      ],
      ['in chunks, of a body that cannot be read', collector => post(collector, '', { peer, chunks }), 400, 1_000],
      ['as a whole, where all events are refused', collector => post(collector, json([{ pad }]), { peer }), 202, 1_010],
      ['as a whole', collector => post(collector, event, { peer }), 202, event.length],
      [
        'decompressed, where they were',
        collector => post(collector, gzipSync('{'.repeat(5_000)), { peer, headers: gzip }),
        400,
        5_000,
      ],
      [
        'of a body that breaks off',
        collector =>
          post(collector, '', {
            peer,
            chunks: breaksOff(Buffer.from(malformed)),
            headers: { 'content-length': '90000' },
          }),
        400,
        500,
      ],
      [
        'until there was too much of it',
        collector => post(collector, '', { peer, chunks: Array.from({ length: 300 }, () => Buffer.from(malformed)) }),
        413,
        100_000,
      ],
    ]
    test.each(ways)('%s', async (_, send, status, bytes) => {
      const perSecond = Math.max(1, Math.round(bytes / 50))
      const cost = await costOf(perSecond, send, status)
      // Some seconds may pass in between.
      expect(cost).toBeGreaterThanOrEqual(bytes - 3 * perSecond)
      expect(cost).toBeLessThanOrEqual(bytes)
    })

    test('decompressed so far, where the rest cannot be', async () => {
      const sent = gzipSync('{'.repeat(1_000_000))
      const cost = await costOf(1_000, collector => post(collector, sent, { peer, headers: gzip }), 413)
      expect(cost).toBeGreaterThan(7_000)
    })
  })

  test.each(routes)('%s %s with a bad parameter costs what came, and meets the quota', async (id, _way, send) => {
    const { collector } = open()
    const error = new SluiceError('bad-parameter', 'gr is not known')
    const method = id.startsWith('get') ? 'GET' : 'POST'
    const made = createCall(`/${pad}`, { method, peer: '10.0.0.1' }).withOperation(id, {})
    const call = { ...made, whole: Buffer.from(event) }
    const refuse = async () => toAwaitable(collector.refuse(error, call))
    await expect(refuse()).rejects.toMatchObject({ code: 'bad-parameter' })
    await expect(refuse()).rejects.toMatchObject({ code: 'rate-limited' })
    expect((await send(collector, { peer: '10.0.0.1' })).headers.get('ratelimit')).toMatch(/^"bytes"/)
  })

  test('of which the body is not read to its end costs what comes of it all the same', async () => {
    const { collector } = open({ ...one, bytesPerSecond: 10_000, burstSeconds: 1 })
    const refuse = async (bytes: number) => {
      const headers = { 'content-length': String(bytes) }
      const chunks = Array.from({ length: 10 }, () => Buffer.alloc(bytes / 10_000))
      const init = { method: 'POST', peer: '10.0.0.1', headers, chunks }
      const made = createCall('/', init).withOperation('postEvent', {})
      return toAwaitable(collector.refuse(new SluiceError('bad-parameter', 'gr is not known'), made))
    }
    await expect(refuse(100_000_000)).rejects.toMatchObject({ code: 'bad-parameter' })
    await expect(refuse(10_000)).rejects.toMatchObject({ code: 'rate-limited', headers: { 'retry-after': '6' } })
  })

  test('requests at the same time have what is left together', async () => {
    const { collector, spool } = open({ ...one, bytesPerSecond: event.length, burstSeconds: 10 })
    const all = await Promise.all(Array.from({ length: 100 }, () => post(collector, event)))
    // Some of a second is over by then.
    expect(all.filter(({ status }) => status === 202).length).toBeOneOf([10, 11])
    expect(spool.batches.length).toBeOneOf([10, 11])
  })

  test('that turns out to be more than it announced is refused where others were quicker, and pays what came', async () => {
    const { collector, spool } = open({ ...usualQuota, eventsPerSecond: 10, burstSeconds: 1 })
    const body = `[${Array.from({ length: 300 }, () => event).join()}]`
    const all = await Promise.all(Array.from({ length: 5 }, () => post(collector, '', { chunks: [Buffer.from(body)] })))
    expect(all.filter(({ status }) => status === 429)).toHaveLength(4)
    expect(spool.batches).toHaveLength(1)
    expect(collector.counters.POST_Json_API).toMatchObject({ accepted: 300, throttled: 1_200, received: 1_500 })
    expect((await post(collector, event)).headers.get('retry-after')).toBeOneOf(['29', '30'])
  })

  test('whose key is in its body takes nothing of its address before that is read', async () => {
    const settings = () => ({
      ...defaultCollectorSettings,
      knowsCallers: true,
      quota: { ...one, by: 'token' as const },
    })
    const parts = { quota: createQuota({ settings, tellSlowed: () => {} }), settings }
    const sent = createCall('/capture', { method: 'POST', body: posthog })
    const call = sent.withOperation('postPostHogCapture', {})
    expect(admitToQuota(parts, call, undefined)).toBeDefined()
    expect(admitToQuota(parts, call, undefined)).toBeDefined()
    expect(admitToQuota(parts, call, { name: 'a', has: () => true })).toBeDefined()
    expect(() => admitToQuota(parts, call, { name: 'a', has: () => true })).toThrow('quota')
  })

  test('whose key is over its quota says when its address is let in again, too', async () => {
    const caller = { name: 'shop', has: () => true }
    const quota = { ...usualQuota, eventsPerSecond: 10, burstSeconds: 1 }
    const { collector } = createTestCollector(
      { quota, knowsCallers: true, doors: new Set(doorNames) },
      { authorizeKey: () => caller },
    )
    const send = (events: number) =>
      knock(
        collector,
        'postPostHogBatch',
        '/batch/',
        json({ batch: Array.from({ length: events }, () => ({ event: 'A' })) }),
      )
    expect((await send(200)).status).toBe(200)
    const refused = await send(500)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, expect.toBeOneOf(['49', '50'])])
  })

  test('that the server takes in, and then has no room for, costs nothing', async () => {
    const quota = { ...usualQuota, eventsPerSecond: 10, burstSeconds: 1 }
    const { collector, spool } = createTestCollector({ quota })
    spool.failure = new SluiceError('unavailable', 'disk')
    const body = `[${Array.from({ length: 300 }, () => event).join()}]`
    expect((await post(collector, body)).status).toBe(503)
    expect((await post(collector, body)).status).toBe(503)
    spool.failure = undefined
    expect((await post(collector, body)).status).toBe(202)
    expect((await post(collector, body)).status).toBe(429)
  })

  test('a forwarded text that is not an address is not a sender of its own', async () => {
    const { collector } = open()
    const from = (text: string) => ({ peer: '', headers: { 'x-forwarded-for': text } })
    await post(collector, event, from('10.0.0.7'))
    expect((await post(collector, event, from('10.0.0.7'))).status).toBe(429)
    await post(collector, event, from('made up'))
    expect((await post(collector, event, from('made up'))).status).toBe(202)
  })

  test('what the server had no room for costs nothing', async () => {
    const { collector } = createTestCollector({ quota: one, maxInflightBytes: 10 })
    for (let i = 0; i < 3; i++) expect((await post(collector, event)).status).toBe(503)
  })

  test('events of one request count one by one, the refused ones too', async () => {
    const { collector } = open({ ...usualQuota, eventsPerSecond: 2_000, burstSeconds: 1 })
    await post(collector, `[${Array.from({ length: 40_000 }, () => '{"eventName":"A","payload":{}},{}').join()}]`)
    const { headers } = await post(collector, event)
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(21)
  }, 20_000)

  test.each([
    ['kept', toLog([{ category: 'A', message: pad }])],
    ['all refused', toLog([{ category: '', message: pad }])],
    ['cut short', toLog([{ category: 'A', message: pad }]).subarray(0, -10)],
  ])('costs the bytes of its message on Scribe: %s', async (_, message) => {
    const bytesPerSecond = 20
    const scribe = await openTestScribe({}, { quota: { ...one, bytesPerSecond } })
    const client = await scribe.connect()
    client.send(toFrame(message))
    await client.answer()
    const { headers } = await post(scribe.collector, event)
    const cost = Number(headers.get('retry-after')) * bytesPerSecond
    expect(cost).toBeGreaterThan(message.length - 3 * bytesPerSecond)
    expect(cost).toBeLessThanOrEqual(message.length)
    await scribe.close()
  })

  test('costs nothing on Scribe where there was no room for it', async () => {
    const scribe = await openTestScribe({}, { quota: one, maxEventQueueSize: 1 })
    const client = await scribe.connect()
    const entry = { category: 'A', message: pad }
    client.send(toFrame(toLog([entry, entry])))
    expect(await client.answer()).toMatchObject({ result: 1 })
    client.send(toFrame(toLog([entry])))
    expect(await client.answer()).toMatchObject({ result: 0 })
    await scribe.close()
  })

  test('is TRY_LATER for Scribe', async () => {
    const scribe = await openTestScribe({}, { quota: one })
    const client = await scribe.connect()
    const call = toLog([{ category: 'A', message: pad }])
    client.send(Buffer.concat([call, call]))
    expect([await client.answer(), await client.answer()]).toMatchObject([{ result: 0 }, { result: 1 }])
    expect(scribe.spool.batches).toHaveLength(1)
    expect(scribe.collector.counters.SCRIBE_API).toMatchObject({ requests: 2, failures: 1, throttled: 1, accepted: 1 })
    expect(scribe.collector.slowed.list()).toMatchObject([{ by: 'address', name: '127.0.0.1', requests: 1 }])
    await scribe.close()
  })
})

/** Chunks of a body whose client goes away. */
const breaksOff = (first: Uint8Array): readonly Uint8Array[] => {
  const chunks = {
    *[Symbol.iterator]() {
      yield first
      throw new SluiceError('bad-request', 'The body was cut short')
    },
  }
  return chunks as never
}

import { deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { SluiceError } from '../../../src/errors.ts'
import { createTestCollector, get, post, storedEvents } from './fakes.ts'

const E = '{"eventName":"A","payload":{"x":1}}'
const kilobyte = `{"eventName":"A","payload":{"x":"${'a'.repeat(1000)}"}}`

describe('POST: content types', () => {
  test.each([
    ['application/json; charset=utf-8', 202],
    ['APPLICATION/JSON', 202],
    ['text/plain;charset=UTF-8', 202],
    ['application/x-ndjson', 202],
    ['Application/X-NDJSON; charset=utf-8', 202],
    ['application/smile', 400],
    ['application/x-smile', 415],
    ['application/x-www-form-urlencoded', 415],
    ['nonsense', 415],
    ['application/octet-stream', 400],
  ])('%s', async (type, status) => {
    const { collector } = createTestCollector()
    expect((await post(collector, E, { type })).status).toBe(status)
  })
  test('answers are open to pages and cached nowhere', async () => {
    const { collector } = createTestCollector()
    for (const response of [
      await post(collector, E, { type: 'text/plain' }),
      await post(collector, `${E} x`),
      await post(collector, E, { type: 'image/png' }),
      await post(collector, '{'),
    ]) {
      expect(response.headers.get('cache-control')).toBe('private, no-cache, no-store, no-transform, proxy-revalidate')
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
    }
  })
})

describe('POST: Content-Encoding', () => {
  const large = Buffer.from(`[${Array.from({ length: 20_000 }, (_, i) => E.replace('1', `${i}`)).join(',')}]`)
  const rows: [encoding: string, encode: (bytes: Uint8Array) => Uint8Array][] = [
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['GZIP', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['zstd', zstdCompressSync],
    ['identity', bytes => bytes],
    ['identity, gzip', gzipSync],
    ['deflate, gzip', bytes => gzipSync(deflateSync(bytes))],
  ]
  test.each(rows)('%s, small and large', async (encoding, encode) => {
    const { collector, spool } = createTestCollector()
    const headers = { 'content-encoding': encoding }
    expect((await post(collector, encode(Buffer.from(E)), { headers })).status).toBe(202)
    expect((await post(collector, encode(large), { headers })).status).toBe(202)
    expect(spool.batches.map(({ events }) => events.length)).toEqual([1, 20_000])
    expect(Buffer.compare(Buffer.from(spool.batches[1]?.body ?? []), large)).toBe(0)
    expect(collector.admission.inflightBytes).toBe(0)
  })
  test.each([
    ['br', gzipSync(E), 415],
    ['gzip, gzip, gzip', gzipSync(E), 415],
    ['gzip', Buffer.from(E), 400],
    ['gzip', gzipSync(E).subarray(0, -4), 400],
    ['deflate', deflateSync(E).subarray(0, 20), 400],
    ['zstd', Buffer.from(E), 400],
    ['gzip', gzipSync(large).subarray(0, -9), 400],
    ['gzip', Buffer.alloc(0), 400],
  ])('%s that cannot be undone', async (encoding, body, status) => {
    const { collector, spool } = createTestCollector()
    const response = await post(collector, body, { headers: { 'content-encoding': encoding } })
    expect([response.status, spool.batches.length]).toEqual([status, 0])
    expect(response.headers.get('accept-encoding')).toBe(status === 415 ? 'gzip, deflate, zstd' : null)
  })
  test('a bomb is 413 before it has grown', async () => {
    const { collector } = createTestCollector({ maxDecompressedBytes: 1_000_000 })
    const bomb = gzipSync(Buffer.alloc(20_000_000))
    for (const [encoding, body] of [
      ['gzip', bomb],
      ['gzip, gzip', gzipSync(bomb)],
      ['zstd', zstdCompressSync(Buffer.alloc(20_000_000))],
    ] as const) {
      expect((await post(collector, body, { headers: { 'content-encoding': encoding } })).status).toBe(413)
    }
    expect(collector.admission.inflightBytes).toBe(0)
  })
  test('inflated bytes count against all that is in flight', async () => {
    const { collector } = createTestCollector({ maxInflightBytes: 100_000 })
    const response = await post(collector, gzipSync(Buffer.alloc(1_000_000)), {
      headers: { 'content-encoding': 'gzip' },
    })
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
    expect(collector.admission.inflightBytes).toBe(0)
  })
})

describe('POST: limits', () => {
  test('a body that announces too much, or has too much, is 413', async () => {
    const { collector, spool } = createTestCollector({ maxBodyBytes: 1_500 })
    expect((await post(collector, kilobyte)).status).toBe(202)
    expect((await post(collector, kilobyte + kilobyte)).status).toBe(413)
    const chunks = [Buffer.from(kilobyte), Buffer.from(kilobyte)]
    expect((await post(collector, '', { chunks })).status).toBe(413)
    expect((await post(collector, '', { chunks: chunks.slice(1) })).status).toBe(202)
    expect(spool.batches).toHaveLength(2)
  })
  test.each([
    ['application/json', `[${E},${E},${E},${E}]`],
    ['application/json', `${E}${E}${E}${E}`],
    ['application/json+smile', Buffer.from(`3a290a03f8${'c2'.repeat(4)}f9`, 'hex')],
  ])('more events than a request may hold: %s %s', async (type, body) => {
    const { collector, spool } = createTestCollector({ maxEventsPerRequest: 3 })
    expect((await post(collector, body, { type })).status).toBe(413)
    expect(spool.batches).toEqual([])
  })
})

describe('admission', () => {
  test('bytes in flight: the next request is 503 until one has ended', async () => {
    const { collector, spool } = createTestCollector({ maxInflightBytes: 1_500 })
    let open = (): void => undefined
    spool.gate = new Promise(resolve => {
      open = resolve
    })
    const first = post(collector, kilobyte)
    const refused = await post(collector, kilobyte)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
    expect((await post(collector, '', { chunks: [Buffer.from(kilobyte)] })).status).toBe(503)
    open()
    expect((await first).status).toBe(202)
    expect((await post(collector, kilobyte)).status).toBe(202)
    expect(collector.admission).toMatchObject({ inflightBytes: 0, queuedEvents: 0, requests: 0 })
    expect(collector.counters.POST_Json_API).toMatchObject({ requests: 4, failures: 2, lost: 2, accepted: 2 })
  })
  test('events waiting: none of a request that does not fit is kept', async () => {
    const { collector, spool } = createTestCollector({ maxEventQueueSize: 3 })
    let open = (): void => undefined
    spool.gate = new Promise(resolve => {
      open = resolve
    })
    const first = post(collector, `[${E},${E}]`)
    // Let the first one reach its append; only promises precede it.
    await new Promise(resolve => setImmediate(resolve))
    expect((await post(collector, `[${E},${E}]`)).status).toBe(503)
    const second = get(collector, '/1?v=A')
    open()
    expect([(await first).status, (await second).status]).toEqual([202, 202])
    expect(storedEvents(spool)).toHaveLength(3)
    expect(collector.counters.POST_Json_API).toMatchObject({ received: 4, accepted: 2, rejected: 2, lost: 2 })
  })
  test.each([
    ['overloaded', 503, 'lost'],
    ['draining', 503, 'ignored'],
    ['unavailable', 503, 'errored'],
  ] as const)('a spool that is %s', async (code, status, counter) => {
    const { collector, spool } = createTestCollector()
    spool.failure = new SluiceError(code, 'no')
    expect((await get(collector, '/1?v=A')).status).toBe(status)
    expect((await post(collector, `[${E},${E}, 7]`)).status).toBe(status)
    expect(collector.counters.GET_API).toMatchObject({ received: 1, rejected: 1, [counter]: 1 })
    expect(collector.counters.POST_Json_API).toMatchObject({ received: 3, rejected: 3, malformed: 1, [counter]: 2 })
    expect(collector.admission.queuedEvents).toBe(0)
  })
})

describe('POST: Prefer: handling=strict', () => {
  const bad = '{"eventName":"A"}'
  const strict = { headers: { prefer: 'respond-async, handling=strict', 'idempotency-key': 'k' } }
  test('a request of which nothing was accepted is a 422 that says why, each time', async () => {
    const { collector, spool } = createTestCollector()
    for (const attempt of [1, 2]) {
      const response = await post(collector, `[${bad},${bad}]`, strict)
      expect([attempt, response.status, response.headers.get('content-type')]).toEqual([
        attempt,
        422,
        'application/problem+json',
      ])
      expect(await response.json()).toMatchObject({
        code: 'nothing-accepted',
        detail: 'All 2 events were refused: payload is missing; expected an object',
        accepted: 0,
        rejected: 2,
        errors: [
          { index: 0, code: 'bad-event' },
          { index: 1, code: 'bad-event' },
        ],
      })
      expect(response.headers.get('preference-applied')).toBe('handling=strict')
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
    }
    expect(spool.batches).toHaveLength(0)
    // Nothing was kept, the key neither: the same key with a good body is the first one.
    expect((await post(collector, E, strict)).status).toBe(202)
    const { requests, failures, malformed, accepted } = collector.counters.POST_Json_API
    expect([requests, failures, malformed, accepted]).toEqual([3, 2, 4, 1])
  })
  test.each([
    ['one of two', `[${bad},${E}]`, 'handling=strict'],
    ['an empty array, in which nothing is wrong', '[]', 'handling=strict'],
    ['another preference', bad, 'handling=lenient'],
    ['another word', bad, 'mishandling=strict'],
  ])('%s is a 202', async (_, body, prefer) => {
    const { collector } = createTestCollector()
    expect((await post(collector, body, { headers: { prefer } })).status).toBe(202)
  })
})

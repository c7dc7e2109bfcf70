import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { counterRowBytes, toCounterRows } from '../../../src/collector/counter-rows.ts'
import { type CollectorCounters, createCounters, maxCountedTypes, otherTypes } from '../../../src/collector/counters.ts'
import { createLatency, latencyLength } from '../../../src/collector/latency.ts'
import { apis } from '../../../src/spool/apis.ts'
import { createTestCollector, get, outcomeOf, post, storedEvents } from './fakes.ts'

const E = '{"eventName":"A","payload":{"x":1}}'

/** The equations at the head of `counters.ts`. */
const expectBalanced = (counters: CollectorCounters): void => {
  for (const api of apis) {
    const { received, accepted, filtered, rejected, malformed, lost, errored, ignored, unknown, byType } = counters[api]
    expect(received).toBe(accepted + filtered + rejected + unknown)
    expect(rejected).toBe(malformed + lost + errored + ignored)
    expect([...byType.values()].reduce((sum, events) => sum + events, 0)).toBe(accepted)
  }
}

describe('R13: the books balance', () => {
  const types = ['application/json', 'application/json+smile', 'application/thrift', 'text/plain', '']
  const pieces = [
    E,
    '[',
    ']',
    ',',
    '{',
    '7',
    ' ',
    '\u00e9',
    '"eventName"',
    '{"eventName":"F","payload":{}}',
    '[]',
    '\\',
    '"',
  ]
  const text = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map(parts => Buffer.from(parts.join('')))
  const body = fc.oneof(
    text,
    fc.uint8Array({ maxLength: 64 }).map(bytes => Buffer.from(bytes)),
  )
  const filters = { host: [], ip: [], useragent: [], path: [], 'event-type': ['F'] }

  test('for any body: 202 or a 4xx, and the answer matches what was kept', async () => {
    await fc.assert(
      fc.asyncProperty(body, fc.constantFrom(...types), fc.constantFrom('', '?name=N'), async (bytes, type, query) => {
        const { collector, spool } = createTestCollector({ filters, maxEventsPerRequest: 8 })
        const response = await post(collector, bytes, { type, query })
        expect(response.status === 202 || (response.status >= 400 && response.status < 500)).toBe(true)
        expectBalanced(collector.counters)
        const kept = storedEvents(spool)
        expect(kept.every(({ payload }) => typeof payload === 'object' && payload !== null)).toBe(true)
        if (response.status !== 202) expect(kept).toEqual([])
        if (!response.headers.has('warning')) return
        const { accepted, rejected } = await outcomeOf(response)
        const count = collector.counters
        const sum = (name: 'accepted' | 'filtered' | 'rejected') => apis.reduce((all, api) => all + count[api][name], 0)
        expect([accepted, rejected]).toEqual([sum('accepted') + sum('filtered'), sum('rejected')])
        expect(kept).toHaveLength(sum('accepted'))
      }),
      { numRuns: 400 },
    )
  })

  test('for any v', async () => {
    const v = fc.oneof(
      fc.string({ maxLength: 40 }),
      fc
        .array(fc.constantFrom('A', ',', 'b1', '1', '8', 'd', 's', 'x', 'xip', '%', '+', '-', '!', 'z'), {
          maxLength: 12,
        })
        .map(parts => parts.join('')),
    )
    await fc.assert(
      fc.asyncProperty(v, fc.constantFrom('/1', '/2'), async (value, path) => {
        const { collector, spool } = createTestCollector()
        const response = await get(collector, `${path}?v=${encodeURIComponent(value.toWellFormed())}`)
        expect([202, 400]).toContain(response.status)
        expect(storedEvents(spool)).toHaveLength(response.status === 202 ? 1 : 0)
        expectBalanced(collector.counters)
      }),
      { numRuns: 400 },
    )
  })
})

describe('counters', () => {
  test('are kept for each way in', async () => {
    const { collector } = createTestCollector()
    await get(collector, '/1?v=A')
    await get(collector, '/2?v=A,q')
    await post(collector, `[${E},${E},7]`)
    const { GET_API, GET_Base64_API, POST_Json_API, POST_Smile_API } = collector.counters
    expect(GET_API).toMatchObject({ requests: 1, failures: 0, received: 1, accepted: 1 })
    expect(GET_Base64_API).toMatchObject({ requests: 1, failures: 1, received: 1, rejected: 1, malformed: 1 })
    expect(POST_Json_API).toMatchObject({ requests: 1, failures: 0, received: 3, accepted: 2, malformed: 1 })
    expect(POST_Json_API.byType).toEqual(new Map([['A', 2]]))
    expect(POST_Json_API.bytesByType).toEqual(new Map([['A', `[${E},${E},7]`.length]]))
    expect([POST_Json_API.latency.summary().count, POST_Smile_API.requests]).toEqual([1, 0])
  })
  test('event names beyond the thousandth share one figure', () => {
    const { SCRIBE_API } = createCounters()
    SCRIBE_API.recordKept(
      Array.from({ length: maxCountedTypes + 5 }, (_, i) => ({ name: `n${i}` })),
      maxCountedTypes + 5,
    )
    SCRIBE_API.recordKept([{ name: 'n0' }, { name: 'n0' }, { name: 'new' }], 30)
    expect(SCRIBE_API.byType.size).toBe(maxCountedTypes + 1)
    expect([SCRIBE_API.byType.get(otherTypes), SCRIBE_API.byType.get('n0')]).toEqual([6, 3])
    expect([SCRIBE_API.bytesByType.get(otherTypes), SCRIBE_API.bytesByType.get('n0')]).toEqual([15, 21])
  })
})

describe('latency', () => {
  test('of nothing is zero', () => {
    expect(new Set(Object.values(createLatency().summary()))).toEqual(new Set([0]))
  })
  test('1 to 1000 ms', () => {
    const latency = createLatency()
    for (let ms = 1000; ms >= 1; ms--) latency.record(ms)
    const { stdDevMs, ...exact } = latency.summary()
    expect(exact).toEqual({
      count: 1000,
      totalMs: 500500,
      minMs: 1,
      maxMs: 1000,
      meanMs: 500.5,
      p50Ms: 500,
      p75Ms: 750,
      p95Ms: 950,
      p98Ms: 980,
      p99Ms: 990,
      p999Ms: 999,
    })
    expect(stdDevMs).toBeCloseTo(288.82, 2)
  })
  test('percentiles are of the newest, extremes of all', () => {
    const latency = createLatency()
    latency.record(1_000_000)
    for (let i = 0; i < 5000; i++) latency.record(2)
    expect(latency.summary()).toMatchObject({ count: 5001, maxMs: 1_000_000, minMs: 2, p999Ms: 2 })
  })
  test('of several threads is that of all their times', () => {
    const times = fc.array(fc.tuple(fc.integer({ min: 0, max: 2 }), fc.integer({ min: 0, max: 40_000 })), {
      maxLength: 60,
    })
    fc.assert(
      fc.property(times, recorded => {
        const rows = Array.from({ length: 3 }, () => new Float64Array(latencyLength))
        const threads = rows.map(row => createLatency(row, rows))
        const alone = createLatency()
        for (const [thread, ms] of recorded) {
          threads[thread]?.record(ms)
          alone.record(ms)
        }
        for (const thread of threads) {
          const { meanMs, stdDevMs, ...exact } = thread.summary()
          const { meanMs: wantedMean, stdDevMs: wantedStdDev, ...wanted } = alone.summary()
          expect(exact).toEqual(wanted)
          expect(meanMs).toBeCloseTo(wantedMean, 6)
          expect(stdDevMs).toBeCloseTo(wantedStdDev, 6)
          expect(thread.counts()).toEqual(alone.counts())
        }
      }),
    )
  })
})

describe('counters of several threads', () => {
  const create = () => {
    const rows = toCounterRows(new SharedArrayBuffer(3 * counterRowBytes))
    return [0, 1, 2].map(row => createCounters({ rows, row }))
  }

  test('each thread counts for itself, and reads the sums', () => {
    const threads = create()
    for (const [row, counters] of threads.entries()) {
      for (const [i, api] of apis.entries()) {
        counters[api].record('accepted', 10 ** row * (i + 1))
        counters[api].record('lost', row)
        counters[api].recordTime(row)
      }
    }
    for (const counters of threads) {
      for (const [i, api] of apis.entries()) {
        expect(counters[api]).toMatchObject({ accepted: 111 * (i + 1), lost: 3, rejected: 3, requests: 0 })
        expect(counters[api].received).toBe(111 * (i + 1) + 3)
        expect(counters[api].latency.summary()).toMatchObject({ count: 3, maxMs: 2 })
      }
    }
  })

  test('there is no row beyond the last one', () => {
    expect(() => createCounters({ row: 1 })).toThrow(RangeError)
  })
})

import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { type CallInit, createTestCollector, D, knock, now, storedEvents } from '../fakes.ts'

const open = { doors: new Set(['posthog'] as const) }
type Made = ReturnType<typeof createTestCollector>
const send = (made: Made, body: string | Uint8Array, init: CallInit & { type?: string } = {}) =>
  knock(made.collector, 'postPostHogEvent', '/i/v0/e/?ip=1&compression=x', body, init)
const date = '2009-01-02T03:04:05.006Z'
const event = (more = ''): string =>
  `{"event":"Order","uuid":"u1","distinct_id":"d","timestamp":"${date}","properties":{"n":1.10,"big":12345678901234567890${more}}}`
const form = (bytes: Buffer): string => `data=${encodeURIComponent(bytes.toString('base64'))}`

describe('PostHog: bodies', () => {
  const one = event()
  const rows: [name: string, body: string | Uint8Array, type?: string][] = [
    ['an event', one],
    ['an array', `[${one}]`],
    ['a batch', `{"api_key":"secret","batch":[${one}]}`],
    ['text', one, 'text/plain'],
    ['gzip that only the bytes tell', gzipSync(`[${one}]`), 'text/plain'],
    ['a form', form(Buffer.from(one)), 'application/x-www-form-urlencoded'],
    [
      'a form whose plus is not escaped',
      `data=${Buffer.from(`${one} ~~~>>>???`.slice(0, one.length)).toString('base64')}`,
    ],
    ['a form of gzip', form(gzipSync(one)), 'application/x-www-form-urlencoded'],
  ]
  test.each(rows)('%s', async (_, body, type = 'application/json') => {
    const made = createTestCollector(open)
    const response = await send(made, body, { type })
    expect([response.status, await response.json()]).toEqual([200, { status: 'Ok' }])
    expect(storedEvents(made.spool)).toMatchObject([{ name: 'Order', date: D, payload: { uuid: 'u1' } }])
    const stored = Buffer.from(made.spool.batches[0]?.body ?? []).toString()
    expect(stored).toBe(`[{"eventName":"Order","payload":${one}}]`)
    expect(made.spool.batches).toMatchObject([{ api: 'POST_PostHog_API' }])
  })

  test('keys are not stored, wherever they are', async () => {
    const made = createTestCollector(open)
    const body = `{"token":"secret","sent_at":"x","batch":[
      ${event(',"token":"secret"')},
      {"event":"A","api_key":"secret","properties":{"token":"secret"}},
      {"event":"B","token":"secret","properties":{ "a" : 1 , "token" : "secret" , "b" : {"token":"inner"} }, "x":1},
      {"event":"C","properties":"token"}]}`
    expect((await send(made, body)).status).toBe(200)
    expect(Buffer.from(made.spool.batches[0]?.body ?? []).toString()).not.toContain('secret')
    expect(storedEvents(made.spool)).toMatchObject([
      { name: 'Order', payload: { uuid: 'u1' } },
      { name: 'A', date: now, payload: { sent_at: 'x', event: 'A', properties: {} } },
      { name: 'B', payload: { properties: { a: 1, b: { token: 'inner' } }, x: 1 } },
      { name: 'C', payload: { properties: 'token' } },
    ])
  })

  test.each([
    ['first', '{"token":"secret","event":"A","b":1.10}', '{"event":"A","b":1.10}'],
    ['last', '{"event":"A","b":1.10 , "token":"secret"}', '{"event":"A","b":1.10}'],
    ['in the middle', '{"event":"A", "token" : "secret" , "b":1.10,"c":2}', '{"event":"A","b":1.10,"c":2}'],
    ['two in a row', '{"event":"A","token":"secret","api_key":"secret","b":1}', '{"event":"A","b":1}'],
    ['alone below', '{"event":"A","properties":{"token":"secret"},"b":1}', '{"event":"A","properties":{},"b":1}'],
    [
      'below and above',
      '{"token":"secret","properties":{"a":1,"token":"secret"},"event":"A"}',
      '{"properties":{"a":1},"event":"A"}',
    ],
    ['below, and first', '{"properties":{"token":"secret","a":1},"event":"A"}', '{"properties":{"a":1},"event":"A"}'],
    ['escaped', '{"event":"A","\\u0074oken":"secret","b":1}', '{"event":"A","b":1}'],
    ['twice', '{"token":"secret","event":"A","token":"secret"}', '{"event":"A"}'],
  ])('a key is cut out: %s', async (_, body, stored) => {
    const made = createTestCollector(open)
    expect((await send(made, body)).status).toBe(200)
    expect(Buffer.from(made.spool.batches[0]?.body ?? []).toString()).toBe(`[{"eventName":"A","payload":${stored}}]`)
  })

  test.each([
    ['no name', '{"properties":{}}', 400],
    ['one of two without a name', `[${one},{}]`, 400, 1],
    ['neither JSON nor a form', 'x=1', 400],
    ['a form that is not JSON', 'data=%%%', 400],
    ['a form without data', 'data=', 400],
    ['damaged gzip', gzipSync(one).subarray(0, 40), 400],
    ['gzip that inflates to too much', gzipSync(Buffer.alloc(5_000_000)), 413],
    ['no event', '[]', 200],
  ])('%s', async (_, body, status, kept = 0) => {
    const made = createTestCollector(open)
    expect((await send(made, body)).status).toBe(status)
    expect(storedEvents(made.spool)).toHaveLength(kept)
  })
})

test.each([
  ['the time in the id, where nothing else says it', '0190163d-8694-739b-aea5-966c26f8ad91', undefined, 0x0190163d8694],
  ['in capitals', '0190163D-8694-739B-AEA5-966C26F8AD91', undefined, 0x0190163d8694],
  ['the timestamp before it', '0190163d-8694-739b-aea5-966c26f8ad91', date, D],
  ['a timestamp that is no date', '0190163d-8694-739b-aea5-966c26f8ad91', 'x', 0x0190163d8694],
  ['an id of another version', '0190163d-8694-439b-aea5-966c26f8ad91', undefined, now],
  ['an id of another variant', '0190163d-8694-739b-cea5-966c26f8ad91', undefined, now],
  ['an id beyond the year 9999', 'ffffffff-8694-739b-aea5-966c26f8ad91', undefined, now],
])('PostHog: the date is %s', async (_, uuid, timestamp, want) => {
  const made = createTestCollector(open)
  expect((await send(made, JSON.stringify({ event: 'A', uuid, timestamp, offset: 5 }))).status).toBe(200)
  expect(storedEvents(made.spool)).toMatchObject([{ date: want }])
})

test('a door that is not open says so', async () => {
  const made = createTestCollector()
  expect((await send(made, event())).status).toBe(404)
})

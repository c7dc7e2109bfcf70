import { describe, expect, test } from 'vitest'
import { type CallInit, createTestCollector, D, knock, now, storedEvents } from '../fakes.ts'

const open = { doors: new Set(['snowplow'] as const) }
type Made = ReturnType<typeof createTestCollector>
const tp2 = (made: Made, body: string, init: CallInit & { type?: string } = {}) =>
  knock(made.collector, 'postSnowplow', '/com.snowplowanalytics.snowplow/tp2', body, init)
const schema = 'iglu:com.snowplowanalytics.snowplow/payload_data/jsonschema/1-0-4'
const wrap = (...events: readonly unknown[]): string => JSON.stringify({ schema, data: events })

const inner = (name: string): string =>
  JSON.stringify({
    schema: 'iglu:com.snowplowanalytics.snowplow/unstruct_event/jsonschema/1-0-0',
    data: { schema: `iglu:com.acme/${name}/jsonschema/1-0-0`, data: { schema: 'iglu:x/y/z/1-0-0' } },
  })
const encode = (text: string): string => Buffer.from(text).toString('base64url')

describe('Snowplow: events in a body', () => {
  const rows: [name: string, event: object, want: object][] = [
    ['a page view', { e: 'pv', eid: 'x', dtm: String(D), stm: '1' }, { name: 'page_view', date: D }],
    ['the true time counts first', { e: 'pp', ttm: String(D), dtm: '1' }, { name: 'page_ping', date: D }],
    ['a time that is none', { e: 'se', dtm: 'soon' }, { name: 'struct', date: now }],
    ['a self-describing event', { e: 'ue', ue_pr: inner('ad_click') }, { name: 'ad_click' }],
    ['the same, encoded', { e: 'ue', ue_px: encode(inner('ad_click')) }, { name: 'ad_click' }],
    ['one that cannot be read', { e: 'ue', ue_px: '%%%' }, { name: 'unstruct' }],
    ['a type that nobody knows', { e: 'a/b' }, { name: 'a_b' }],
    ['a type that objects have', { e: 'constructor' }, { name: 'constructor' }],
  ]
  test.each(rows)('%s', async (_, event, want) => {
    const made = createTestCollector(open)
    const response = await tp2(made, wrap(event), { headers: { cookie: 'a=b; sp=me; c=d' } })
    expect([response.status, await response.text()]).toEqual([200, 'ok'])
    expect(storedEvents(made.spool)).toMatchObject([{ ...want, payload: { schema, nuid: 'me', ...event } }])
    expect(made.spool.batches).toMatchObject([{ api: 'Snowplow_API' }])
  })

  test.each([
    ['no type', wrap({ eid: 'x' }), 400],
    ['no list', '{"schema":"x"}', 400],
    ['an event alone', '{"e":"pv"}', 400],
    ['not JSON', 'e=pv', 400],
    ['no events', wrap(), 200],
  ])('%s', async (_, body, status) => {
    const made = createTestCollector(open)
    expect((await tp2(made, body)).status).toBe(status)
    expect(made.spool.batches).toEqual([])
  })

  test('the cookie is set, kept, or left alone', async () => {
    const made = createTestCollector(open)
    const first = (await tp2(made, wrap({ e: 'pv' }))).headers.get('set-cookie')
    const [, nuid] = /^sp=([\w-]{36}); Max-Age=31536000; Path=\/; HttpOnly$/.exec(first ?? '') ?? []
    expect(storedEvents(made.spool)).toMatchObject([{ payload: { nuid } }])
    const again = await tp2(made, wrap({ e: 'pv' }), { headers: { cookie: `sp=${nuid}` } })
    expect(again.headers.get('set-cookie')).toBe(first)
    const anonymous = await tp2(made, wrap({ e: 'pv' }), { headers: { cookie: 'sp=x', 'sp-anonymous': '*' } })
    expect(anonymous.headers.has('set-cookie')).toBe(false)
    expect(storedEvents(made.spool)[2]?.payload).toEqual({ schema, e: 'pv' })
    const odd = await tp2(made, wrap({ e: 'pv' }), { headers: { cookie: 'sp=a"b' } })
    expect(odd.headers.get('set-cookie')).toMatch(/^sp=[\w-]{36};/)
  })
})

describe('Snowplow: an event in a query', () => {
  const pixel = (made: Made, target: string, method = 'GET', headers = {}) =>
    knock(made.collector, 'getSnowplow', target, '', { method, type: '', headers })

  test('all parameters are its fields', async () => {
    const made = createTestCollector(open)
    const response = await pixel(made, `/i?e=pv&dtm=${D}&page=A+b%20%C3%BC&url=https%3A%2F%2Fshop.example%2F%3Fa%3D1`)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/gif'])
    expect(Buffer.from(await response.arrayBuffer()).toString('latin1')).toMatch(/^GIF89a/)
    const payload = { e: 'pv', dtm: String(D), page: 'A b ü', url: 'https://shop.example/?a=1' }
    expect(storedEvents(made.spool)).toMatchObject([{ name: 'page_view', date: D, payload }])
  })

  test('of a repeated one the first counts', async () => {
    const made = createTestCollector(open)
    expect((await pixel(made, '/i?e=pv&page=A&e=se&page=B&__proto__=x')).status).toBe(200)
    expect(storedEvents(made.spool)).toMatchObject([{ name: 'page_view', payload: { e: 'pv', page: 'A' } }])
    expect(Object.keys(Object(storedEvents(made.spool)[0]?.payload))).toContain('__proto__')
  })

  test('no event, and HEAD', async () => {
    const made = createTestCollector(open)
    expect((await pixel(made, '/i?x=1')).status).toBe(400)
    expect((await pixel(made, '/i?e=pv', 'HEAD')).status).toBe(200)
    expect(made.spool.batches).toEqual([])
  })

  test('an idempotency key is that of one query, however it is escaped', async () => {
    const made = createTestCollector(open)
    const answers = ['/i?e=pv&page=A+b', '/i?e=pv&page=%41%20b', '/i?e=pv&page=B'].map(target =>
      pixel(made, target, 'GET', { 'idempotency-key': 'k' }),
    )
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 422])
    expect(storedEvents(made.spool)).toHaveLength(1)
  })
})

test('a door that is not open says so', async () => {
  const made = createTestCollector()
  expect((await tp2(made, wrap({ e: 'pv' }))).status).toBe(404)
  expect((await knock(made.collector, 'getSnowplow', '/i?e=pv', '', { method: 'GET' })).status).toBe(404)
})

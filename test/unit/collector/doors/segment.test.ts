import { describe, expect, test } from 'vitest'
import { type CallInit, createTestCollector, D, knock, now, storedEvents } from '../fakes.ts'

const open = { doors: new Set(['segment'] as const) }
const date = '2009-01-02T03:04:05.006Z'
/** As the Node SDK of Segment sends it. */
const track = `{"type":"track","event":"Order","messageId":"m1","timestamp":"${date}","userId":"u","properties":{"total":1.10,"n":12345678901234567890},"context":{},"_metadata":{"nodeVersion":"24"}}`

const send = (
  made: ReturnType<typeof createTestCollector>,
  path: string,
  body: string | Uint8Array,
  init: CallInit & { type?: string } = {},
) => knock(made.collector, 'postSegment', path, body, init)

describe('Segment: batches', () => {
  test('each call is an event, with the values beside the batch, except the key', async () => {
    const made = createTestCollector(open)
    const body = `{"batch":[${track},{"type":"page","originalTimestamp":"${date}","sentAt":"x"},{"type":"identify"}],"writeKey":"secret","sentAt":"2020-01-01T00:00:00Z"}`
    const response = await send(made, '/v1/batch', body)
    expect([response.status, await response.json()]).toEqual([200, { success: true }])
    expect(storedEvents(made.spool)).toMatchObject([
      { name: 'Order', date: D, payload: { messageId: 'm1', sentAt: '2020-01-01T00:00:00Z' } },
      { name: 'page', date: D, payload: { sentAt: 'x' } },
      { name: 'identify', date: now },
    ])
    const stored = Buffer.from(made.spool.batches[0]?.body ?? []).toString()
    expect(stored).toContain(`"payload":{"sentAt":"2020-01-01T00:00:00Z",${track.slice(1)}}`)
    expect(stored).not.toContain('secret')
    expect(made.spool.batches).toMatchObject([{ api: 'POST_Segment_API' }])
  })

  test('a call that is refused makes it a 400, and the others are kept', async () => {
    const made = createTestCollector(open)
    const response = await send(made, '/v1/batch', `{"batch":[${track},{"event":"x"},7]}`)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ accepted: 1, rejected: 2, errors: [{ index: 1 }, { index: 2 }] })
    expect(storedEvents(made.spool)).toHaveLength(1)
  })

  test.each([
    ['a name that is escaped', `{"\\u0062atch":[${track},{"type":"page"}]}`, 2],
    ['an event that speaks of one', `{"type":"page","x":{"batch":[1]}}`, 1],
    ['a text that speaks of one', `{"type":"page","x":"\\"batch\\""}`, 1],
    ['two of the name', `{"batch":[${track}],"batch":[{"type":"page"}]}`, 2],
  ])('what a batch is: %s', async (_, body, count) => {
    const made = createTestCollector(open)
    expect((await send(made, '/v1/batch', body)).status).toBe(200)
    expect(storedEvents(made.spool)).toHaveLength(count)
  })

  test('a long batch is the same', async () => {
    const made = createTestCollector(open)
    const calls = Array.from({ length: 2_000 }, (_, n) => track.replace('"m1"', `"m${n}","writeKey":"secret"`))
    expect((await send(made, '/v1/batch', `{"batch":[${calls.join(',')}],"sentAt":"x"}`)).status).toBe(200)
    expect(storedEvents(made.spool)[1_999]).toMatchObject({
      name: 'Order',
      payload: { messageId: 'm1999', sentAt: 'x' },
    })
    expect(Buffer.from(made.spool.batches[0]?.body ?? []).includes('secret')).toBe(false)
  })

  test('what is repeated in each event is bounded', async () => {
    const made = createTestCollector(open)
    const body = `{"batch":[${Array.from({ length: 2_000 }, () => '{"type":"page"}').join(',')}],"context":"${'x'.repeat(20_000)}"}`
    expect((await send(made, '/v1/batch', body)).status).toBe(413)
    expect(made.spool.batches).toEqual([])
  })

  test.each([
    ['an empty batch', '{"batch":[]}', 200],
    ['no batch, and no call', '{"writeKey":"x"}', 400],
    ['a batch that is no array', '{"batch":{}}', 400],
    ['an array', `[${track}]`, 400],
    ['not JSON', '{"batch":[', 400],
    ['an empty body', '', 400],
    ['a member beside it that is not JSON', `{"batch":[${track}],"x":01}`, 400],
    ['a member beside it that nests too deep', `{"batch":[${track}],"x":${'['.repeat(600)}${']'.repeat(600)}}`, 400],
  ])('%s', async (_, body, status) => {
    const made = createTestCollector(open)
    expect((await send(made, '/v1/batch', body)).status).toBe(status)
    expect(made.spool.batches).toEqual([])
  })
})

describe('Segment: single calls', () => {
  test.each([
    ['/v1/track', '{"event":"A b","userId":"u"}', 'A b', 'track'],
    ['/v1/t', '{"event":"A/b","writeKey":"secret"}', 'A_b', 'track'],
    ['/v1/track/?x=1', '{"userId":"u"}', 'track', 'track'],
    ['/v1/identify', '{}', 'identify', 'identify'],
    ['/v1/page', '{ "writeKey" : "secret" }', 'page', 'page'],
    ['/v1/group', '{"type":"group","writeKey":"secret","x":1}', 'group', 'group'],
    ['/v1/alias', '{"a":{"writeKey":"inner"}}', 'alias', 'alias'],
    ['/v1/track', '{"type":"identify"}', 'identify', 'identify'],
  ])('%s %s', async (path, body, name, type) => {
    const made = createTestCollector(open)
    const response = await send(made, path, body, { type: 'text/plain' })
    expect(response.status).toBe(200)
    const { writeKey: _, ...rest } = JSON.parse(body)
    expect(storedEvents(made.spool)).toEqual([expect.objectContaining({ name, payload: { type, ...rest } })])
  })

  test.each(['/v1/toString', '/v1/delete', '/v1/', '/v1/track/x'])('%s is nowhere', async path => {
    const made = createTestCollector(open)
    expect((await send(made, path, '{}')).status).toBe(404)
    expect(made.spool.batches).toEqual([])
  })
})

test('RudderStack: a batch by beacon', async () => {
  const made = createTestCollector(open)
  const path = '/beacon/v1/batch?writeKey=KEY'
  const response = await knock(made.collector, 'postRudderStackBeacon', path, `{"batch":[${track}]}`, {
    type: 'text/plain',
  })
  expect(response.status).toBe(200)
  expect(storedEvents(made.spool)).toMatchObject([{ name: 'Order', date: D }])
})

test('a door that is not open says so', async () => {
  const made = createTestCollector()
  const response = await send(made, '/v1/batch', `{"batch":[${track}]}`)
  expect(response.status).toBe(404)
  expect(await response.json()).toMatchObject({ detail: expect.stringMatching(/collector\.doors.*segment/) })
  expect(made.spool.batches).toEqual([])
})

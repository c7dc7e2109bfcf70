import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { CollectorSettings } from '../../../../src/collector/settings.ts'
import { toSender } from '../../../../src/collector/submit/event-ids.ts'
import { createAuth, createToken } from '../../../../src/http/auth/auth.ts'
import { createDoorKeys } from '../../../../src/http/auth/door-keys.ts'
import { hashToken } from '../../../../src/http/auth/token-callers.ts'
import { silentLogger } from '../../../../src/log/log.ts'
import { createTestCollector, knock, refusedEvents } from '../../collector/fakes.ts'
import { usualQuota } from '../../collector/quota/usual-quota.ts'
import { createTestApp } from '../../contract/fixture.ts'

const tokens = { sender: createToken(), reader: createToken() }

const start = async (way: 'authorize' | 'authorizeLater', settings: Partial<CollectorSettings> = {}) => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-door-keys-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const path = join(directory, 'tokens')
  const line = (name: string, role: string, token: string) => `${name} ${role} sha256:${hashToken(token)}\n`
  await writeFile(path, line('shop', 'send', tokens.sender) + line('ann', 'read', tokens.reader))
  const auth = await createAuth({ path, logger: silentLogger })
  onTestFinished(() => auth.close())
  const keys = createDoorKeys(auth)
  const doors = new Set(['segment'] as const)
  const { collector, spool } = createTestCollector({ doors, ...settings }, { authorizeKey: keys.authorizeKey })
  const guard = { authorize: keys[way], onRefusal: collector.refuse }
  return { spool, collector, app: createTestApp({ handlers: collector.doorHandlers, guard }) }
}

const basic = (user: string, password = ''): string => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
const call = (more: object = {}): string => JSON.stringify({ type: 'page', ...more })
const batch = (more: object = {}): string => JSON.stringify({ batch: [{ type: 'page' }], ...more })
const { sender, reader } = tokens
const calls = (first: string | undefined, second: string, x = ''): string =>
  JSON.stringify({
    batch: [
      { type: 'page', writeKey: first },
      { type: 'page', writeKey: second, x },
    ],
  })

test.each([
  ['Bearer', call(), `Bearer ${sender}`, 200],
  ['the user of Basic', call(), basic(sender), 200],
  ['the user of Basic, with a password', batch(), basic(sender, 'x'), 200],
  ['another token', call(), basic('nobody'), 401],
  ['another token, and a good key', call({ writeKey: sender }), basic('nobody'), 401],
  ['without the role', call(), basic(reader), 403],
  ['a header that is neither', call(), 'Digest x', 401],
  ['nothing', call(), undefined, 401],
  ['a key in a call', call({ writeKey: sender }), undefined, 200],
  ['a key beside a batch', batch({ writeKey: sender }), undefined, 200],
  ['a key in a long batch', batch({ writeKey: sender, x: 'y'.repeat(300_000) }), undefined, 200],
  ['no key in a long batch', batch({ x: 'y'.repeat(300_000) }), undefined, 401],
  ['a key without the role', call({ writeKey: reader }), undefined, 403],
  ['another key', call({ writeKey: 'nobody' }), undefined, 401],
  ['a key that is no text', call({ writeKey: 1 }), undefined, 401],
  ['the same key in each call', calls(sender, sender), undefined, 200],
  ['a key in one call of two', calls(undefined, sender), undefined, 200],
  ['different keys in calls', calls(sender, 'other'), undefined, 401],
  ['different keys in calls, the first one unknown', calls('other', sender), undefined, 401],
  ['different keys in the calls of a long batch', calls(sender, 'other', 'y'.repeat(300_000)), undefined, 401],
  [
    'a key beside a batch, whatever its calls say',
    batch({ batch: [{ type: 'page', writeKey: 'other' }], writeKey: sender }),
    undefined,
    200,
  ],
  [
    'another key beside a batch, whatever its calls say',
    batch({ batch: [{ type: 'page', writeKey: sender }], writeKey: 'other' }),
    undefined,
    401,
  ],
  ['a header, whatever the calls say', calls('other', 'others'), basic(sender), 200],
])('%s', async (_, body, authorization, status) => {
  const { app, spool, collector } = await start('authorizeLater')
  const headers = { 'content-type': 'application/json', ...(authorization === undefined ? {} : { authorization }) }
  const response = await app.request('/v1/batch', { method: 'POST', body, headers })
  expect(response.status).toBe(status)
  expect(spool.batches).toHaveLength(status === 200 ? 1 : 0)
  // A caller that is refused has sent no event that could not be read.
  expect(collector.counters.POST_Segment_API).toMatchObject({ requests: 1, malformed: 0 })
})

test.each([
  ['a header', { authorization: basic(sender) }, {}],
  ['the body', {}, { writeKey: sender }],
])('a quota is one of the key, in %s, from wherever it comes', async (_, headers, members) => {
  const { app, spool, collector } = await start('authorizeLater', { quota: { ...usualQuota, eventsPerSecond: 1 } })
  const send = (address: string, count: number): Response | Promise<Response> =>
    app.request('/v1/batch', {
      method: 'POST',
      body: JSON.stringify({ batch: Array.from({ length: count }, () => ({ type: 'page' })), ...members }),
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address, ...headers },
    })
  expect((await send('10.0.0.1', 100)).status).toBe(200)
  const refused = await send('10.0.0.2', 3)
  expect(refused.status).toBe(429)
  expect(await refused.text()).not.toContain(sender)
  expect(spool.batches).toHaveLength(1)
  const { received, accepted, throttled } = collector.counters.POST_Segment_API
  expect([received, accepted, throttled]).toEqual([100 + throttled, 100, 'writeKey' in members ? 3 : 1])
  expect(collector.slowed.list()).toMatchObject([{ by: 'token', name: 'shop', requests: 1 }])
})

test('the address pays nothing for what is in the quota of a key in the body', async () => {
  const { app } = await start('authorizeLater', {
    quota: { ...usualQuota, eventsPerSecond: undefined, bytesPerSecond: 100 },
  })
  const send = async (key: string): Promise<number> => {
    const body = JSON.stringify({ batch: Array.from({ length: 30 }, () => ({ type: 'page' })), writeKey: key })
    const more = { 'x-forwarded-for': '10.0.0.1', 'content-length': String(body.length) }
    const headers = { 'content-type': 'application/json', ...more }
    return (await app.request('/v1/batch', { method: 'POST', body, headers })).status
  }
  expect([await send(sender), await send(sender), await send(sender)]).toEqual([200, 200, 429])
  // Of the address nothing is used up but by the last one.
  expect(await send('nobody')).toBe(401)
})

test('a body that was read for the key in it is paid for by its address, where the key is over its quota', async () => {
  const quota = { ...usualQuota, eventsPerSecond: 1, burstSeconds: 50 }
  const { app } = await start('authorizeLater', { quota })
  const send = async (address: string, count: number, key: string): Promise<string> => {
    const body = JSON.stringify({ batch: Array.from({ length: count }, () => ({ type: 'page' })), writeKey: key })
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': address }
    const { status } = await app.request('/v1/batch', { method: 'POST', body, headers })
    return `${status}`
  }
  expect(await send('10.0.0.1', 200, sender)).toBe('200')
  expect(await send('10.0.0.2', 100, sender)).toBe('429')
  // Its address is over its quota now, whatever key it shows.
  expect(await send('10.0.0.2', 1, 'nobody')).toBe('429')
  expect(await send('10.0.0.3', 1, 'nobody')).toBe('401')
})

test('no quota is evaded by a second key: that of the one which counts is charged for all', async () => {
  const { app, spool } = await start('authorizeLater', { quota: { ...usualQuota, eventsPerSecond: 1 } })
  const send = (body: string, headers = {}): Response | Promise<Response> =>
    app.request('/v1/batch', { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } })
  const both = batch({
    batch: Array.from({ length: 100 }, () => ({ type: 'page', writeKey: 'other' })),
    writeKey: sender,
  })
  expect((await send(both)).status).toBe(200)
  expect((await send(both)).status).toBe(429)
  expect((await send(calls('other', 'others'), { authorization: basic(sender) })).status).toBe(429)
  expect((await send(calls(sender, 'other'))).status).toBe(401)
  expect(spool.batches).toHaveLength(1)
})

test('where bodies hold no key, a header is needed', async () => {
  const { app, spool } = await start('authorize')
  const body = call({ writeKey: sender })
  const response = await app.request('/v1/batch', { method: 'POST', body, headers: { 'content-type': 'text/plain' } })
  expect([response.status, spool.batches]).toEqual([401, []])
})

test.each([
  ['its access key', { 'x-amz-firehose-access-key': sender }, 404],
  ['another', { 'x-amz-firehose-access-key': 'nobody' }, 401],
  ['one without the role', { 'x-amz-firehose-access-key': reader }, 403],
  ['one beside a header that counts', { 'x-amz-firehose-access-key': sender, authorization: 'Bearer nobody' }, 401],
  ['none', {}, 401],
])('Firehose: %s', async (_, headers, status) => {
  const { app } = await start('authorize')
  const more = { 'content-type': 'application/json', 'x-amz-firehose-request-id': 'r' }
  const response = await app.request('/firehose?name=A', {
    method: 'POST',
    body: '{}',
    headers: { ...more, ...headers },
  })
  // Its door is closed here.
  expect(response.status).toBe(status)
})

test('a page of any origin may ask whether it may send, and send', async () => {
  const { app } = await start('authorizeLater')
  const preflight = await app.request('/v1/track', { method: 'OPTIONS', headers: { origin: 'https://shop.example' } })
  expect(preflight.status).toBe(204)
  expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
  const allowed = preflight.headers.get('access-control-allow-headers')?.split(', ')
  expect(allowed).toEqual(expect.arrayContaining(['authorization', 'content-type', 'anonymousid']))
  const response = await app.request('/v1/t', { method: 'POST', body: call({ writeKey: sender }) })
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
})

describe('what is refused before it is read', () => {
  const refuse = async (authorization: string | undefined, body: string) => {
    const { app, spool, collector } = await start('authorizeLater')
    const headers = { 'content-type': 'application/json', ...(authorization === undefined ? {} : { authorization }) }
    const { status } = await app.request('/v1/batch', { method: 'POST', body, headers })
    const rows = refusedEvents(spool).map(({ payload }) => Object(payload) as { readonly sender?: string })
    const shown = collector.live.recent().map(({ sent }) => sent)
    return { status, rows, shown, submitted: spool.batches }
  }

  test('is of the caller that its header names, whatever key is in it', async () => {
    const damaged = `{"writeKey":"other","batch":7`
    const { rows } = await refuse(`Bearer ${sender}`, damaged)
    const shop = { name: 'shop', has: () => true }
    expect(rows).toMatchObject([{ sender: toSender(shop, undefined) }])
    expect(JSON.stringify(rows)).not.toContain('other')
  })

  test.each([
    ['another token', call({ writeKey: sender }), 'Bearer nobody', 401],
    ['no role', call(), `Bearer ${reader}`, 403],
    ['another key', call({ writeKey: 'nobody' }), undefined, 401],
    ['another key in a long batch', batch({ writeKey: 'nobody', x: 'y'.repeat(300_000) }), undefined, 401],
  ])('nothing is kept, nor shown, of a caller that is refused itself: %s', async (_, body, authorization, status) => {
    const refused = await refuse(authorization, body)
    expect(refused.status).toBe(status)
    expect(refused.rows).toEqual([])
    expect(refused.shown.filter(sent => sent !== undefined)).toEqual([])
  })
})

test('without tokens it is of the key that it says, before that is hidden', async () => {
  const senders = async (body: string) => {
    const { collector, spool } = createTestCollector({ doors: new Set(['segment'] as const) })
    await knock(collector, 'postSegment', '/v1/batch', body)
    return refusedEvents(spool).map(({ payload }) => Object(payload).sender as unknown)
  }
  const [a, b] = [await senders('{"writeKey":"a","batch":7'), await senders('{"writeKey":"b","batch":7')]
  expect([a, b]).toEqual([[toSender(undefined, 'a')], [toSender(undefined, 'b')]])
  expect(a).not.toEqual(b)
})

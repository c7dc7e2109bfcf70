import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createToken } from '../../src/http/auth/auth.ts'
import { hashToken } from '../../src/http/auth/token-callers.ts'
import { toTokenLine } from '../../src/http/auth/token-file.ts'
import type { Role } from '../../src/http/roles.ts'
import { startTestServer } from '../suites/admin.ts'

type Message = { readonly event: string; readonly data: Record<string, unknown> }
type Server = Awaited<ReturnType<typeof startTestServer>>

/** Looks at live events until the test ends; messages arrive one after another. */
const look = async (server: Server, query = '', headers: Record<string, string> = {}) => {
  const response = await server.admin(`/live${query}`, { headers })
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  onTestFinished(() => reader?.cancel().catch(() => {}))
  let text = ''
  const next = async (): Promise<Message | undefined> => {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end >= 0) {
        const lines = text.slice(0, end).split('\n')
        text = text.slice(end + 2)
        const of = (name: string) => lines.find(line => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? ''
        return { event: of('event'), data: JSON.parse(of('data')) as Record<string, unknown> }
      }
      const { done, value } = (await reader?.read()) ?? { done: true }
      if (done) return undefined
      text += value
    }
  }
  expect(await next()).toMatchObject({ event: 'hello', data: { startedAt: expect.any(Number) } })
  /** The next message of an event. */
  const event = async (): Promise<Message | undefined> => {
    for (;;) {
      const message = await next()
      if (message?.event !== 'figures') return message
    }
  }
  return { next, event }
}

const post = (server: Server, body: string | Uint8Array<ArrayBuffer>, type = 'application/json') =>
  server.server('/rest/1.0/event', { method: 'POST', headers: { 'content-type': type }, body })

test('U5: an event is seen as it comes, with its fields, by whichever API', async () => {
  const server = await startTestServer({ transport: 'node' })
  const { event } = await look(server)
  await post(server, '{"eventName":"Order","payload":{"id":12345678901234567890,"item":{"name":"hat"}}}')
  expect(await event()).toMatchObject({
    event: 'accepted',
    data: {
      api: 'POST_Json_API',
      type: 'Order',
      peer: '127.0.0.1',
      format: 'json',
      isCut: false,
      fields: { item: { name: 'hat' } },
    },
  })
  await server.server('/1?v=Page,sindex.html,4200')
  expect(await event()).toMatchObject({ data: { api: 'GET_API', type: 'Page', fields: { 1: 'index.html', 2: 200 } } })
})

test('U5: a refused event is seen with its reason and what was sent; the newest ones are there at once', async () => {
  const server = await startTestServer({ transport: 'node' })
  await post(server, '{"eventName":"Order","payload":7}')
  await server.server('/1?v=Page,q1')
  await post(server, Uint8Array.of(0x3a, 0x29, 0x0a, 0, 255), 'application/json+smile')
  await post(server, `[{"eventName":"Long","payload":{"text":"${'x'.repeat(9_000)}"}},{"eventName":"Long"}]`)
  const { event } = await look(server)
  const refused = [await event(), await event(), await event(), await event()]
  expect(refused).toMatchObject([
    {
      event: 'rejected',
      data: {
        api: 'POST_Json_API',
        peer: '127.0.0.1',
        code: 'bad-event',
        detail: expect.stringContaining('payload'),
        events: 1,
        sent: { text: '{"eventName":"Order","payload":7}', bytes: 33, isCut: false },
      },
    },
    { data: { api: 'GET_API', sent: { text: '/1?v=Page,q1', isCut: false } } },
    { data: { api: 'POST_Smile_API', sent: { base64: 'OikKAP8=', bytes: 5 } } },
    {
      data: {
        events: 1,
        detail: expect.any(String),
        sent: { text: expect.stringMatching(/^\[\{"eventName":"Long".*x$/), isCut: true },
      },
    },
  ])
  await post(server, '{"eventName":"Late"')
  expect(await event()).toMatchObject({ event: 'rejected', data: { sent: { text: '{"eventName":"Late"' } } })
})

test('what is looked for is what is shown', async () => {
  const server = await startTestServer({ transport: 'node' })
  await post(server, '{"eventName":"Order"')
  const orders = await look(server, '?type=Ord*&text=HAT&events=accepted')
  const refused = await look(server, '?events=rejected')
  for (const [type, text] of [
    ['Order', 'coat'],
    ['Page', 'hat'],
    ['Order', 'hat'],
  ] as const)
    await post(server, JSON.stringify({ eventName: type, payload: { text } }))
  expect(await orders.event()).toMatchObject({ data: { type: 'Order', fields: { text: 'hat' } } })
  expect(await refused.event()).toMatchObject({ event: 'rejected' })
})

test('where looks at the fields, typed and exact; who asks for it is shown no refused request', async () => {
  const server = await startTestServer({ transport: 'node' })
  await post(server, '{"eventName":"Order"')
  const { event } = await look(server, `?where=${encodeURIComponent('id = 9007199254740993 and shop.city ~ "BERN"')}`)
  for (const [id, city] of [
    ['9007199254740992', 'Bern'],
    ['9007199254740993', 'Biel'],
    ['9007199254740993', `${'x'.repeat(2_000)}, Bern`],
  ] as const)
    await post(server, `{"eventName":"Order","payload":{"id":${id},"shop":{"city":"${city}"}}}`)
  expect(await event()).toMatchObject({ event: 'accepted', data: { isCut: true } })
})

test('figures come once a second', async () => {
  const server = await startTestServer({ transport: 'node' })
  const { next } = await look(server)
  await post(server, '{"eventName":"Order","payload":{}}')
  expect((await next())?.event).toBe('accepted')
  expect(await next()).toMatchObject({
    event: 'figures',
    data: { accepted: 1, rejected: 0, shown: 1, isSampled: false, notLookedAt: 0, problem: null },
  })
})

test('an open live view does not delay the end of the server', async () => {
  const server = await startTestServer({ transport: 'node' })
  const { event } = await look(server)
  await server.close()
  expect(await event()).toBeUndefined()
})

test.each([
  { query: '?tpye=Order', detail: 'There is no parameter "tpye"; there are type, text, events, where' },
  { query: '?events=none', detail: 'events: expected all, accepted or rejected, found "none"' },
  { query: '?where=a+is+5', detail: expect.stringMatching(/^where: .*expected/) },
  { query: `?where=${'x'.repeat(4_097)}`, detail: expect.stringMatching(/^where: .*4096/) },
  { query: `?text=${'x'.repeat(1_001)}`, detail: 'text: at most 1000 characters, found 1001' },
])('refuses $query', async ({ query, detail }) => {
  const server = await startTestServer()
  const response = await server.admin(`/live${query}`)
  expect([response.status, await response.json()]).toMatchObject([400, { detail }])
})

test('HEAD says what GET would, and looks at nothing', async () => {
  const server = await startTestServer()
  const response = await server.admin('/live', { method: 'HEAD' })
  expect([response.status, response.headers.get('content-type'), response.body]).toEqual([
    200,
    'text/event-stream',
    null,
  ])
})

test('sixteen viewers are allowed at a time, and none without a collector', async () => {
  const server = await startTestServer({ transport: 'node' })
  for (let i = 0; i < 16; i++) await look(server)
  expect((await server.admin('/live')).status).toBe(503)
  const gateway = await startTestServer({ set: ['services=gateway'] })
  expect((await gateway.admin('/live')).status).toBe(404)
})

test('both roles are needed: events are what files hold', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-live-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const granted: readonly Role[][] = [['view'], ['read'], ['view', 'read']]
  const tokens = granted.map(createToken)
  const path = join(directory, 'tokens')
  await writeFile(path, tokens.map((token, i) => toTokenLine(`t${i}`, granted[i] ?? [], hashToken(token))).join('\n'))
  const server = await startTestServer({ set: [`auth.tokens=${path}`] })
  const statusOf = async (token: string) =>
    (await server.admin('/live', { method: 'HEAD', headers: { authorization: `Bearer ${token}` } })).status
  expect(await Promise.all(tokens.map(statusOf))).toEqual([403, 403, 200])
  expect((await server.admin('/live')).status).toBe(401)
})

import { expect, onTestFinished, test } from 'vitest'
import { createCollector } from '../../../src/collector/collector.ts'
import { intakeFormats } from '../../../src/collector/formats/formats.ts'
import { defaultCollectorSettings } from '../../../src/collector/settings.ts'
import { createLaneRoutes } from '../../../src/contract/lane-routes.ts'
import type { Guard } from '../../../src/contract/service.ts'
import { toUnauthenticated } from '../../../src/http/auth/token-callers.ts'
import { createEdge } from '../../../src/http/edge/node.ts'
import { silentLogger } from '../../../src/log/log.ts'
import { createFakeSpool } from '../collector/fakes.ts'
import { contract, createTestApp, createTestService } from '../contract/fixture.ts'
import { createRawClient, toPost } from './raw-client.ts'

/** A collector behind a socket, on the lane or by the usual one. */
const start = async (way: 'lane' | 'usual', authorize?: Guard['authorize']) => {
  const spool = createFakeSpool()
  const knowsCallers = authorize !== undefined
  const collector = createCollector({ spool, settings: () => ({ ...defaultCollectorSettings, knowsCallers }) })
  const { getEventV1, getEventV2, postEvent } = collector.handlers
  const handlers = { getEventV1, getEventV2, postEvent }
  const guard = { authorize, onRefusal: collector.refuse }
  const edge = await createEdge({
    name: 'server',
    host: '127.0.0.1',
    port: 0,
    fetch: createTestApp({ handlers, guard }).fetch,
    ...(way === 'lane' ? { lane: createLaneRoutes(contract, createTestService({ handlers, guard })) } : {}),
    logger: silentLogger,
    limits: { idleGraceMs: 10 },
  })
  onTestFinished(() => edge.close())
  return { spool, collector, client: await createRawClient(edge.port) }
}

const refused = [
  { name: 'no event', request: 'GET /1 HTTP/1.1\r\nHost: localhost\r\n\r\n', status: 400, api: 'GET_API' },
  {
    name: 'an empty event',
    request: 'GET /2?v= HTTP/1.1\r\nHost: localhost\r\n\r\n',
    status: 400,
    api: 'GET_Base64_API',
  },
  {
    name: 'a long URL',
    request: `GET /1?v=a&x=${'x'.repeat(9_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    status: 414,
    api: 'GET_API',
  },
  {
    name: 'another type',
    request: toPost('/rest/1.0/event', 'x', 'Content-Type: image/png\r\n'),
    status: 415,
    api: 'POST_Json_API',
  },
  {
    name: 'no type, and a bad parameter',
    request: toPost('/rest/1.0/event?gr=x', 'x'),
    status: 400,
    api: 'POST_ThriftLegacy_API',
  },
  ...intakeFormats.flatMap(({ api, mediaTypes }) =>
    mediaTypes
      .filter(type => type !== '*/*')
      .map(type => ({
        name: `${type} and a bad parameter`,
        request: toPost('/rest/1.0/event?gr=x', 'x', `Content-Type: ${type.replace('*', '1.0')}; a=b\r\n`),
        status: 400,
        api,
      })),
  ),
]

test.each(['lane', 'usual'] as const)('what the contract refuses is counted (the %s way)', async way => {
  for (const { name, request, status, api } of refused) {
    const { collector, client } = await start(way)
    client.send(request)
    expect([name, await client.until(/^HTTP\/1\.1 \d{3}/)]).toEqual([name, `HTTP/1.1 ${status}`])
    const counted = Object.entries(collector.counters).map(([one, { requests, failures }]) => [one, requests, failures])
    expect([name, counted.filter(([, requests]) => requests !== 0)]).toEqual([name, [[api, 1, 1]]])
    client.socket.destroy()
  }
})

/** Each with the kind that its body is of; `HEAD` counts under none. */
const withoutToken = [
  { name: 'a beacon', request: 'GET /1?v=A HTTP/1.1\r\nHost: localhost\r\n\r\n', api: 'GET_API' },
  { name: 'HEAD', request: 'HEAD /2?v=A HTTP/1.1\r\nHost: localhost\r\n\r\n', api: undefined },
  {
    name: 'JSON',
    request: toPost('/rest/1.0/event', '{"eventName":"A","payload":{}}', 'Content-Type: application/json\r\n'),
    api: 'POST_Json_API',
  },
  {
    name: 'Thrift',
    request: toPost('/rest/1.0/event?name=A', '\u0000', 'Content-Type: application/thrift\r\n'),
    api: 'POST_Thrift_API',
  },
] as const

test.each(['lane', 'usual'] as const)(
  'a caller who may not send is refused with the headers of an intake answer; the request is counted, no event is (the %s way)',
  async way => {
    for (const { name, request, api } of withoutToken) {
      const { spool, collector, client } = await start(way, () => {
        throw toUnauthenticated('no token')
      })
      client.send(request)
      const head = await client.until(/^HTTP\/1\.1 401 [\s\S]*?\r\n\r\n/)
      expect([name, head]).toEqual([name, expect.stringMatching(/\r\nwww-authenticate: Bearer/i)])
      expect(head).toMatch(/\r\naccess-control-allow-origin: \*\r\n/i)
      const counted = Object.entries(collector.counters).filter(([, { requests }]) => requests > 0)
      const want = { requests: 1, failures: 1, received: 0, unread: 0 }
      expect([name, counted]).toMatchObject([name, api === undefined ? [] : [[api, want]]])
      expect(spool.batches).toEqual([])
      client.socket.destroy()
    }
  },
)

test.each(['lane', 'usual'] as const)(
  'a caller who may send is answered as without the check (the %s way)',
  async way => {
    const asked: string[] = []
    const { collector, client } = await start(way, (call, role) => void asked.push(`${role} ${call.operationId}`))
    const event = '{"eventName":"A","payload":{}}'
    client.send(toPost('/rest/1.0/event', `${event}7`, 'Content-Type: application/json\r\n'))
    expect(await client.until(/^HTTP\/1\.1 \d{3}[\s\S]*?\r\n\r\n/)).toMatch(/^HTTP\/1\.1 202/)
    expect(await client.until(/^\{.*?\]\}/)).toContain('"accepted":1,"rejected":1')
    expect([asked, collector.counters.POST_Json_API.accepted]).toEqual([['send postEvent'], 1])
    client.socket.destroy()
  },
)

test.each(['lane', 'usual'] as const)(
  'what is refused is stored of those who may send alone (the %s way)',
  async way => {
    const request = toPost('/rest/1.0/event?gr=x', '{"eventName":"A"}', 'Content-Type: application/json\r\n')
    const storedOf = async (authorize?: Guard['authorize']): Promise<number> => {
      const { spool, client } = await start(way, authorize)
      client.send(request)
      await client.until(/^HTTP\/1\.1 400/)
      client.socket.destroy()
      return spool.refused.length
    }
    const stranger = (): never => {
      throw toUnauthenticated('no token')
    }
    const sender = { name: 'shop', has: () => true }
    expect([await storedOf(stranger), await storedOf(() => sender), await storedOf()]).toEqual([0, 1, 1])
  },
)

import { expect, onTestFinished, test } from 'vitest'
import { createCollector } from '../../../src/collector/collector.ts'
import { createHotRoutes } from '../../../src/contract/hot.ts'
import type { OnRefusal } from '../../../src/contract/request-check.ts'
import { createEdge } from '../../../src/http/node.ts'
import { silentLogger } from '../../../src/log/log.ts'
import { createFakeSpool } from '../collector/fakes.ts'
import { contract, createHandlers, createTestApp } from '../contract/fixture.ts'
import { createRawClient, toPost } from './raw-client.ts'

const ids = ['getEventV1', 'getEventV2', 'postEvent'] as const

/** A collector behind a socket, by the short way or by the usual one. */
const start = async (way: 'short' | 'usual') => {
  const collector = createCollector({ spool: createFakeSpool() })
  const { getEventV1, getEventV2, postEvent } = collector.handlers
  const handlers = { ...createHandlers(), getEventV1, getEventV2, postEvent }
  const onRefusal: OnRefusal = (operation, error) => collector.refuse(operation.id, error)
  const edge = await createEdge({
    name: 'server',
    host: '127.0.0.1',
    port: 0,
    fetch: createTestApp({ handlers, onRefusal }).fetch,
    ...(way === 'short' ? { hot: createHotRoutes(contract, handlers, ids, { onRefusal }) } : {}),
    logger: silentLogger,
    limits: { idleGraceMs: 10 },
  })
  onTestFinished(() => edge.close())
  return { collector, client: await createRawClient(edge.port) }
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
] as const

test.each(['short', 'usual'] as const)('what the contract refuses is counted (the %s way)', async way => {
  for (const { name, request, status, api } of refused) {
    const { collector, client } = await start(way)
    client.send(request)
    expect([name, await client.until(/^HTTP\/1\.1 \d{3}/)]).toEqual([name, `HTTP/1.1 ${status}`])
    const counted = Object.entries(collector.counters).map(([one, { requests, failures }]) => [one, requests, failures])
    expect([name, counted.filter(([, requests]) => requests !== 0)]).toEqual([name, [[api, 1, 1]]])
    client.socket.destroy()
  }
})

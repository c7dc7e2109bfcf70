import { afterEach, expect, test } from 'vitest'
import { createCollector } from '../../../../src/collector/collector.ts'
import { createLaneRoutes } from '../../../../src/contract/lane-routes.ts'
import { createEdge, type Edge } from '../../../../src/http/edge/node.ts'
import { silentLogger } from '../../../../src/log/log.ts'
import { apis } from '../../../../src/spool/apis.ts'
import { createFakeSpool } from '../../collector/fakes.ts'
import {
  contract,
  createTestApp,
  createTestService,
  operationsOfSenders,
  settingsOfSdks,
} from '../../contract/fixture.ts'
import { createRawClient, toPost } from '../raw-client.ts'

let edge: Edge | undefined
afterEach(() => edge?.close())

/** The routes of a collector whose clock says that time flies, on the lane or by the usual one. */
const start = async (way: 'lane' | 'usual') => {
  const spool = createFakeSpool()
  const clock = { now: Date.now, monotonicMs: steps(7) }
  const collector = createCollector({ spool, clock })
  const { getEventV1, getEventV2, postEvent } = collector.handlers
  const handlers = { getEventV1, getEventV2, postEvent }
  const guard = { shed: collector.shed }
  edge = await createEdge({
    name: 'server',
    host: '127.0.0.1',
    port: 0,
    fetch: createTestApp({ handlers, guard }).fetch,
    ...(way === 'lane' ? { lane: createLaneRoutes(contract, createTestService({ handlers, guard })) } : {}),
    logger: silentLogger,
    limits: { idleGraceMs: 10 },
  })
  return { spool, collector, client: await createRawClient(edge.port) }
}

test.each([
  ['lane', 'application/json', 'POST_Json_API'],
  ['usual', 'application/json', 'POST_Json_API'],
  ['lane', 'text/plain;charset=UTF-8', 'POST_Json_API'],
  ['usual', 'application/thrift', 'POST_Thrift_API'],
  ['lane', 'ning/1.0', 'POST_ThriftLegacy_API'],
] as const)(
  'R10: what turn after turn brings too much of is refused with 503 and Retry-After, counted as what it is, and the connection lives on (the %s way, %s)',
  async (way, type, api) => {
    const { spool, collector, client } = await start(way)
    const requestsAtOnce = 1_000
    // A struct without fields is the shortest body of Thrift.
    const body = api === 'POST_Json_API' ? '{"eventName":"a","payload":{}}' : '\0'
    const many = toPost('/rest/1.0/event?name=a', body, `Content-Type: ${type}\r\n`).repeat(requestsAtOnce)
    let requests = 0
    let accepted = 0
    let refused = 0
    // Nothing is, before a turn after a long one; the kernel decides in how many turns they arrive.
    while (requests % requestsAtOnce > 0 || refused === 0) {
      if (requests++ % requestsAtOnce === 0) client.send(many)
      const head = await client.until(/^HTTP\/1\.1 \d{3}[\s\S]*?\r\n\r\n/)
      if (head.startsWith('HTTP/1.1 202')) {
        accepted++
        expect(await client.until(/^\{[^}]*\}/)).toBe('{"accepted":1,"rejected":0,"errors":[]}')
      } else {
        refused++
        expect(head).toMatch(/^HTTP\/1\.1 503 .*\r\n/)
        expect(head).toMatch(/\r\nretry-after: 1\r\n/)
        expect(head).toMatch(/\r\ncontent-type: application\/problem\+json\r\n/)
        expect(await client.until(/^\{[^}]*\}/)).toContain('"code":"overloaded"')
      }
    }
    expect(accepted).toBeGreaterThan(requests / 2)
    expect(spool.batches).toHaveLength(accepted)
    expect(collector.counters[api]).toMatchObject({
      requests,
      accepted,
      received: requests,
      rejected: refused,
      lost: refused,
      unread: refused,
    })
    client.send('GET /1?v=a HTTP/1.1\r\nHost: localhost\r\n\r\n')
    expect(await client.until(/^HTTP\/1\.1 \d{3}[\s\S]*?\r\n\r\n/)).toMatch(/^HTTP\/1\.1 202/)
    client.socket.destroy()
  },
)

test('what brings no event is refused as well, and counts as none', async () => {
  const collector = createCollector({ spool: createFakeSpool(), clock: { now: Date.now, monotonicMs: steps(101) } })
  const shed = async (operationId: string, method: string): Promise<Response | undefined> => {
    for (let turn = 0; turn < 3; turn++) {
      for (let i = 0; i < 1_000; i++) {
        const answer = collector.shed(operationId, { method, header: () => undefined })
        if (answer) return answer
      }
      await new Promise(setImmediate)
    }
    return undefined
  }
  for (const id of settingsOfSdks) expect((await shed(id, 'GET'))?.status).toBe(503)
  for (const id of operationsOfSenders) expect((await shed(id, 'HEAD'))?.status).toBe(503)
  for (const api of apis) expect(collector.counters[api]).toMatchObject({ requests: 0, failures: 0, received: 0 })
  expect((await shed('postOtlpLogs', 'POST'))?.status).toBe(503)
  expect(collector.counters.POST_Otlp_API).toMatchObject({ requests: 1, lost: 1, received: 1 })
})

/** A clock that advances at each look. */
const steps = (ms: number) => {
  let now = 0
  return () => {
    now += ms
    return now
  }
}

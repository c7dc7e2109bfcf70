import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { doorNames } from '../../src/collector/doors/door-names.ts'
import { parseList } from '../suites/structured-fields.ts'
import { openThreadedApp, type ThreadedApp } from '../suites/threaded-app.ts'
import { operationsOfSenders, settingsOfSdks } from '../unit/contract/fixture.ts'
import { createRawClient } from '../unit/http/raw-client.ts'

const pad = 'x'.repeat(100)
const json = 'application/json'
const event = JSON.stringify({ eventName: 'A', payload: { pad } })
const posthog = JSON.stringify({ event: 'A', pad })

type Request = {
  readonly method: string
  readonly target: string
  readonly type?: string
  readonly body?: string
  readonly headers?: string
}
const post = (target: string, body: string, more: Partial<Request> = {}): Request => ({
  method: 'POST',
  target,
  type: json,
  body,
  ...more,
})
const get = (target: string): Request => ({ method: 'GET', target })

/** An unknown parameter of a route cannot be a bad one there. */
const withBadParameter = (request: Request): Request =>
  request.method === 'GET'
    ? { ...request, target: `${request.target}&gr=never` }
    : { ...request, headers: `${request.headers ?? ''}Idempotency-Key: ${'k'.repeat(300)}\r\n` }

/** Each route that takes events: its operation, a request, and the status after which its senders retry. */
const routes: readonly (readonly [id: string, way: string, request: Request, status: number])[] = [
  ['getEventV1', '', get(`/1?v=A,s${pad}`), 429],
  ['getEventV2', '', get(`/2?v=A,s${pad}`), 429],
  ['postEvent', 'JSON', post('/rest/1.0/event', event), 429],
  ['postEvent', 'Smile', post('/rest/1.0/event', pad, { type: 'application/json+smile' }), 429],
  ['postEvent', 'Thrift', post('/rest/1.0/event?name=A', pad, { type: 'ning/thrift' }), 429],
  ['postEvent', 'lines', post('/rest/1.0/event?name=A', event, { type: 'application/x-ndjson' }), 429],
  ['postEvent', 'CSV', post('/rest/1.0/event?name=A', `a\n${pad}`, { type: 'text/csv' }), 429],
  [
    'postEvent',
    'CloudEvents',
    post('/rest/1.0/event', JSON.stringify({ specversion: '1.0', id: '1', source: '/', type: 'A', data: pad }), {
      type: 'application/cloudevents+json',
    }),
    429,
  ],
  ['postOtlpLogs', '', post('/v1/logs', JSON.stringify({ resourceLogs: [], pad })), 429],
  ['postSegment', '', post('/v1/batch', JSON.stringify({ batch: [{ type: 'page', pad }] })), 429],
  ['postRudderStackBeacon', '', post('/beacon/v1/batch', JSON.stringify({ batch: [{ type: 'page', pad }] })), 429],
  ['postSnowplow', '', post('/com.snowplowanalytics.snowplow/tp2', JSON.stringify({ data: [{ e: 'pv', pad }] })), 429],
  ['getSnowplow', '', get(`/i?e=pv&page=${pad}`), 429],
  ['postPostHogBatch', '', post('/batch/', JSON.stringify({ batch: [JSON.parse(posthog)] })), 503],
  ['postPostHogCapture', '', post('/capture/', posthog), 503],
  ['postPostHogE', '', post('/e/', posthog), 503],
  ['postPostHogEvent', '', post('/i/v0/e/', posthog), 503],
  [
    'postFirehose',
    '',
    post('/firehose?name=A', JSON.stringify({ requestId: 'r', timestamp: 1, records: [], pad }), {
      headers: 'X-Amz-Firehose-Request-Id: r\r\n',
    }),
    429,
  ],
]

test('all routes that take events are tried', () => {
  expect(new Set([...routes.map(([id]) => id), ...settingsOfSdks])).toEqual(new Set(operationsOfSenders))
})

describe.each([1, 2])('with %i threads', threads => {
  let server: ThreadedApp
  beforeAll(async () => {
    const quota = ['collector.quota.bytes-per-second=1', 'collector.quota.burst-seconds=1']
    server = await openThreadedApp(threads, [`collector.doors=${doorNames.join()}`, ...quota])
  })
  afterAll(() => server.close())
  let senders = 0

  /** The status, and headers by name, of the last of some requests of one address, each over a connection of its own. */
  const send = async (...requests: readonly Request[]): Promise<{ status: number; headers: Map<string, string> }> => {
    const address = `10.0.${threads}.${++senders}`
    let head = ''
    for (const { method, target, type, body, headers = '' } of requests) {
      const client = await createRawClient(Number(new URL(server.urls['server'] ?? '').port))
      const entity = body === undefined ? '' : `Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n`
      client.send(
        `${method} ${target} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${address}\r\n${headers}${entity}\r\n${body ?? ''}`,
      )
      head = await client.until(/^HTTP\/1\.1 \d+ [\s\S]*?\r\n\r\n/)
      client.socket.destroy()
    }
    const lines = head.trimEnd().split('\r\n').slice(1)
    const entries = lines.map(line => line.split(/: ?(.*)/s).slice(0, 2))
    return {
      status: Number(head.slice(9, 12)),
      headers: new Map(entries.map(([name = '', value = '']) => [name.toLowerCase(), value])),
    }
  }

  test.each(routes)(
    '%s %s refuses a sender over its quota, also with a bad parameter',
    async (id, _, request, status) => {
      const bad = withBadParameter(request)
      for (const requests of [
        [request, request],
        [request, bad],
        [bad, bad],
        [bad, request],
      ]) {
        const { status: refused, headers } = await send(...requests)
        expect(refused).toBe(status)
        const wait = Number(headers.get('retry-after'))
        expect(wait).toBeGreaterThan(0)
        expect(parseList(headers.get('ratelimit') ?? '')).toEqual([{ value: 'bytes', params: { r: 0, t: wait } }])
        expect(parseList(headers.get('ratelimit-policy') ?? '')).toEqual([
          { value: 'bytes', params: { q: 1, w: 1, qu: 'content-bytes' } },
        ])
      }
      if (id !== 'getSnowplow') expect((await send(bad)).status).toBe(400)
    },
  )
})

import { glob, mkdtemp, readFile, rm } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { createApp } from '../../src/app/app.ts'
import type { App } from '../../src/app/app-type.ts'
import { doorNames } from '../../src/collector/doors/door-names.ts'
import { loadConfig } from '../../src/config/config.ts'
import { createEdge } from '../../src/http/edge/node.ts'
import { silentLogger } from '../../src/log/log.ts'

/**
 * The same requests through each way into the collector: the short one of the Node listener, the usual one, and
 * `app.fetch`. What a client sees, and what is counted, must not depend on the way.
 */
type Asked = {
  readonly method?: string
  readonly target: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Without an announced length. @default false */
  readonly inChunks?: boolean
}

const json = { 'content-type': 'application/json' }
const one = '{"eventName":"Order","payload":{"id":1}}'
const post = (body: string | Uint8Array, headers: Readonly<Record<string, string>> = json, query = ''): Asked => ({
  method: 'POST',
  target: `/rest/1.0/event${query}`,
  headers,
  body,
})
const urlOf = (chars: number): string => `/1?v=E,s${'x'.repeat(chars - '/1?v=E,s'.length)}`
/** One string field with the text `World`. */
const thrift = Buffer.from('0b000100000005576f726c6400', 'hex')
const smile = Buffer.from('3a290a00fa846e616d6541610000fb', 'hex')
const maxBody = 128 * 1024
/** More than is stored of a refused request. */
const long = `[${one}${' '.repeat(100_000)}]`
const inChunks = (asked: Asked): Asked => ({ ...asked, inChunks: true })

/** Senders of other makes: what is taken, refused in their own words, and not there. */
function doorRows(): Readonly<Record<string, Asked>> {
  const at = (target: string, body: string | Uint8Array, headers: Readonly<Record<string, string>> = json): Asked => ({
    method: 'POST',
    target,
    headers,
    body,
  })
  const protobuf = { 'content-type': 'application/x-protobuf' }
  const delivery = { ...json, 'x-amz-firehose-request-id': 'r1' }
  return {
    'Segment, a call': at('/v1/t', '{"event":"A","messageId":"m1"}', { 'content-type': 'text/plain' }),
    'Segment, the call again': at('/v1/track/?x=1', '{"event":"A","messageId":"m1"}'),
    'Segment, a batch with a bad call': at('/v1/batch', '{"batch":[{"type":"page"},7]}'),
    'Segment, a call that is none': at('/v1/delete', '{}'),
    'Segment, a key in the head': at('/v1/page', '{}', { ...json, authorization: 'Basic a2V5Og==' }),
    'Segment, settings': { target: '/v1/projects/KEY/settings', headers: { host: 'localhost:1' } },
    'Segment, settings of nothing': { target: '/v1/projects/KEY' },
    'RudderStack, settings': { target: '/sourceConfig/?writeKey=KEY' },
    'RudderStack, a beacon': at('/beacon/v1/batch?writeKey=KEY', '{"batch":[{"type":"page"}]}'),
    'Snowplow, an event': at('/com.snowplowanalytics.snowplow/tp2', '{"data":[{"e":"pv"}]}', {
      ...json,
      cookie: 'sp=0190163d-8694-739b-aea5-966c26f8ad91',
    }),
    'Snowplow, a pixel': { target: '/i?e=pv', headers: { 'sp-anonymous': '*' } },
    'Snowplow, a pixel without an event': { target: '/i', headers: { 'sp-anonymous': '*' } },
    'Snowplow, too much': at('/com.snowplowanalytics.snowplow/tp2', ' '.repeat(maxBody + 1)),
    'PostHog, an event': at('/e/?ip=1', '{"event":"A","token":"k"}'),
    'PostHog, gzip that only the bytes tell': at('/i/v0/e/', gzipSync('[{"event":"A"}]'), {
      'content-type': 'text/plain',
    }),
    'PostHog, nothing': at('/batch/', '{"batch":[{}]}'),
    'PostHog, another spelling': at('/capture', '{"event":"A"}'),
    'PostHog, flags': at('/flags/?v=2', '{}'),
    'PostHog, settings': { target: '/array/KEY/config.js' },
    'OTLP, records': at('/v1/logs', '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{}]}]}]}'),
    'OTLP, a record of two': at('/v1/logs', '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{},7]}]}]}'),
    'OTLP, Protocol Buffers that are none': at('/v1/logs', 'x', protobuf),
    'OTLP, another type': at('/v1/logs', '{}', { 'content-type': 'text/xml' }),
    'Firehose, a delivery without records': at('/firehose?name=A', '{"records":7}', delivery),
    'Firehose, without its id': at('/firehose?name=A', '{"records":[]}'),
    'a door with gzip': at('/v1/page', gzipSync('{}'), { ...json, 'content-encoding': 'gzip' }),
    'a door, with an answer that it has not': at('/v1/page', '{}', { ...json, accept: 'text/html' }),
    'a path of nothing': at('/v1/%', '{"type":"page"}'),
    'a path that is too long for a call': at(`/v1/${'x'.repeat(65)}`, '{"type":"page"}'),
    'settings at a path of nothing': { target: '/array/%' },
    'HEAD of settings': { method: 'HEAD', target: '/array/KEY/config' },
    'HEAD of a door': { method: 'HEAD', target: '/i?e=pv' },
    'PUT of a door': { method: 'PUT', target: '/batch/' },
  }
}

const table: Readonly<Record<string, Asked>> = {
  'GET /1': { target: '/1?v=Page,sx,b1' },
  'GET /2': { target: '/2?v=Page,sx' },
  'GET with a date and granularity': { target: '/1?v=Page&date=2009-01-02T03:04:05Z&gr=DAILY' },
  'GET that accepts errors only': { target: '/2?v=Page,sx', headers: { accept: 'application/problem+json' } },
  'GET without v': { target: '/1' },
  'GET with v that cannot be read': { target: '/1?v=Page,q' },
  'GET with v twice': { target: '/1?v=A&v=B' },
  'GET with half an escape': { target: '/1?v=Page%2' },
  'GET /1 with a path parameter': { target: '/1;jsessionid=7?v=Page' },
  'GET with a blank granularity': { target: '/1?v=Page&gr=%20' },
  'strict POST of nothing good': post('{"eventName":"Order"}', { ...json, prefer: 'handling=strict' }),
  'GET with a granularity that is none': { target: '/1?v=Page&gr=EON' },
  'GET of the longest URL': { target: urlOf(8_192) },
  'GET of a URL one longer': { target: urlOf(8_193) },
  'GET for a client behind a proxy': {
    target: '/1?v=Page,xip',
    headers: { 'x-forwarded-for': '10.1.2.3', 'user-agent': 'table', referer: 'http://example.org/a?b' },
  },
  'HEAD /1': { method: 'HEAD', target: '/1?v=Page' },
  'OPTIONS /1': { method: 'OPTIONS', target: '/1' },
  'PUT /1': { method: 'PUT', target: '/1?v=Page' },
  'OPTIONS of events': { method: 'OPTIONS', target: '/rest/1.0/event' },
  'GET of events': { target: '/rest/1.0/event' },
  'one event': post(one),
  'a batch': post(`[${one},${one}]`),
  'a batch with a bad event': post(`[${one},{"eventName":7},${one}]`),
  'only bad events': post('[{"eventName":7},{"payload":{}}]'),
  'only bad events, strictly': post('[{"eventName":7}]', { ...json, prefer: 'handling=strict' }),
  'events one after another': post(`${one}\n${one}\n`),
  'an empty array': post('[]'),
  'an event cut short': post(one.slice(0, -1)),
  'an empty body': post(''),
  'no body at all': { method: 'POST', target: '/rest/1.0/event', headers: json },
  'text of a beacon': post(one, { 'content-type': 'text/plain;charset=UTF-8' }),
  'a type that is not taken': post(one, { 'content-type': 'application/xml' }),
  'bytes without a type': post(thrift, {}, '?name=Hello'),
  'a date in the query': post(one, json, '?date=2009-01-02T03:04:05Z'),
  'a date that is none': post(one, json, '?date=yesterday'),
  'a date that is none, in chunks': inChunks(post(one, json, '?date=yesterday')),
  'a date that is none, for much': post(long, json, '?date=yesterday'),
  'a date that is none, for much in chunks': inChunks(post(long, json, '?date=yesterday')),
  'a type that is not taken, in chunks': inChunks(post(one, { 'content-type': 'application/xml' })),
  'much of a type that is not taken': post(long, { 'content-type': 'application/xml' }),
  'an event cut short, in chunks': inChunks(post(one.slice(0, -1))),
  'an encoding that is not known, in chunks': inChunks(post(one, { ...json, 'content-encoding': 'br2' })),
  'a batch with a bad event, in chunks': inChunks(post(`[${one},{"eventName":8}]`)),
  gzip: post(gzipSync(one), { ...json, 'content-encoding': 'gzip' }),
  deflate: post(deflateSync(one), { ...json, 'content-encoding': 'deflate' }),
  zstd: post(zstdCompressSync(Buffer.from(one)), { ...json, 'content-encoding': 'zstd' }),
  'an encoding that is not known': post(one, { ...json, 'content-encoding': 'br2' }),
  'gzip that is none': post(one, { ...json, 'content-encoding': 'gzip' }),
  'a body that is too long': post(`[${one}${' '.repeat(maxBody)}]`),
  'Smile that is no event': post(smile, { 'content-type': 'application/json+smile' }),
  'Thrift fields': post(thrift, { 'content-type': 'application/thrift' }, '?name=Hello'),
  'Thrift fields of old': post(thrift, { 'content-type': 'ning/thrift' }, '?name=Hello'),
  'Thrift fields without a name': post(thrift, { 'content-type': 'ning/thrift' }),
  'Thrift that is cut short': post(thrift.subarray(0, 7), { 'content-type': 'application/thrift' }, '?name=Hello'),
  'a key': post(one, { ...json, 'idempotency-key': 'k1' }),
  'the key again': post(one, { ...json, 'idempotency-key': 'k1' }),
  'the key with another body': post(`[${one}]`, { ...json, 'idempotency-key': 'k1' }),
  'a key that is too long': post(one, { ...json, 'idempotency-key': 'k'.repeat(5_000) }),
  'an event with a long name': post(`{"eventName":"${'n'.repeat(300)}","payload":{}}`),
  ...doorRows(),
}

type Answer = { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string }
type Way = {
  ask(asked: Asked): Promise<Answer>
  counters(): Promise<readonly string[]>
  /** @returns what is stored of refused requests */
  close(): Promise<readonly RefusedRow[]>
}
type RefusedRow = Readonly<Record<string, unknown>>
type Sender = Pick<Way, 'ask'> & { close(): Promise<void> }

/** They belong to the connection, or say when. */
const hopHeaders = new Set(['connection', 'keep-alive', 'date', 'transfer-encoding'])

const toAnswer = (status: number, headers: Iterable<readonly [string, string]>, body: string): Answer => ({
  status,
  headers: Object.fromEntries(
    [...headers]
      .filter(([name]) => !hopHeaders.has(name) && name !== 'content-length')
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  ),
  body: body.replace(/"timestamp":\d+/, '"timestamp":0'),
})

const askOverSocket = (
  url: string,
  { method = 'GET', target, headers = {}, body, inChunks: isChunked }: Asked,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    // One that is to be the last of its connection is nothing for the short way.
    const kept = { connection: 'keep-alive', ...headers }
    const request = httpRequest({ hostname, port, method, path: target, headers: kept, agent: false }, response => {
      const pairs = Object.entries(response.headers).map(([name, value]) => [name, String(value)] as const)
      text(response).then(body => resolve(toAnswer(response.statusCode ?? 0, pairs, body)), reject)
    })
    request.on('error', reject)
    if (isChunked) {
      request.write(body)
      request.end()
    } else request.end(body)
  })

type OpenApp = { readonly app: App; readonly close: () => Promise<readonly RefusedRow[]> }

const openApp = async (threads: number): Promise<OpenApp> => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-ways-'))
  const settings = [
    `data.dir=${directory}`,
    'server.port=0',
    'admin.port=0',
    'collector.scribe.enabled=false',
    `collector.max-body-bytes=${maxBody}`,
    `server.threads=${threads}`,
    `collector.doors=${doorNames.join(',')}`,
    'collector.output.format=jsonl',
    'collector.output.compression=none',
    // Peers differ from way to way; what a proxy says of them does not.
    'collector.trusted-proxies=127.0.0.1',
  ]
  const { settings: loaded } = loadConfig({
    argv: settings.flatMap(one => ['--set', one]),
    env: {},
    cwd: directory,
    readFile: () => {
      throw Object.assign(new Error('no settings file'), { code: 'ENOENT' })
    },
  })
  // Everything happens at the same time, so that answers and counters can be compared to the letter. Threads have a clock of
  // their own.
  const clock = threads > 1 ? {} : { now: () => 1_767_323_045_000 }
  const app = await createApp({ settings: loaded, logger: silentLogger, ...clock })
  const close = async (): Promise<readonly RefusedRow[]> => {
    await app.close()
    const rows = await readRefused(directory)
    await rm(directory, { recursive: true, force: true })
    return rows
  }
  return { app, close }
}

/** The parts that do not depend on time and place of arrival. */
const readRefused = async (directory: string): Promise<readonly RefusedRow[]> => {
  const files = await Array.fromAsync(glob('**/_refused/**/*.jsonl', { cwd: directory }))
  const texts = await Promise.all(files.map(file => readFile(join(directory, file), 'utf8')))
  return texts
    .flatMap(text => text.split('\n').filter(line => line !== ''))
    .map((line): RefusedRow => {
      const { payload } = JSON.parse(line) as { readonly payload: RefusedRow }
      const { id: _, when: __, peer: ___, eventDate: ____, ...row } = payload
      return row
    })
    .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
}

/** The counters of intake as Prometheus sees them: no times and no bytes of the process. */
const countersOf = async (app: App): Promise<readonly string[]> => {
  const response = await app.adminFetch(new Request('http://127.0.0.1/metrics'))
  return (await response.text()).split('\n').filter(line => /^collector_(events|requests)_\w+\{/.test(line))
}

const openWay = async (ask: (app: App) => Promise<Sender>, threads = 1): Promise<Way> => {
  const { app, close } = await openApp(threads)
  const way = await ask(app)
  return {
    ask: way.ask,
    counters: () => countersOf(app),
    close: async () => {
      await way.close()
      return close()
    },
  }
}

const askStarted = async (app: App): Promise<Sender> => {
  const url = (await app.start()).find(({ name }) => name === 'server')?.url ?? ''
  return { ask: asked => askOverSocket(url, asked), close: async () => {} }
}

const open = {
  'the short way': () => openWay(askStarted),
  'edge threads': () => openWay(askStarted, 3),
  'the usual way': () =>
    openWay(async ({ fetch }) => {
      const edge = await createEdge({
        name: 'usual',
        host: '127.0.0.1',
        port: 0,
        fetch: async (request, env) => fetch(request, env),
        logger: silentLogger,
      })
      return { ask: asked => askOverSocket(edge.url, asked), close: () => edge.close() }
    }),
  'app.fetch': () =>
    openWay(async ({ fetch }) => ({
      ask: async ({ method = 'GET', target, headers = {}, body, inChunks: isChunked }) => {
        const sent = body === undefined ? undefined : Buffer.from(body)
        // A server that hands over a `Request` has read this one from the wire.
        const length = sent === undefined || isChunked ? {} : { 'content-length': String(sent.length) }
        const init = { method, headers: { ...headers, ...length }, ...(sent === undefined ? {} : { body: sent }) }
        const response = await fetch(new Request(`http://127.0.0.1${target}`, init))
        const content = method === 'HEAD' ? '' : await response.text()
        return toAnswer(response.status, response.headers, content)
      },
      close: async () => {},
    })),
}

const ways = new Map<string, Way>()
const answers = new Map<string, Map<string, Answer>>()
const counters = new Map<string, readonly string[]>()
const refused = new Map<string, readonly RefusedRow[]>()

beforeAll(async () => {
  for (const [name, opened] of Object.entries(open)) {
    const way = await opened()
    ways.set(name, way)
    const given = new Map<string, Answer>()
    for (const [what, asked] of Object.entries(table)) given.set(what, await way.ask(asked))
    answers.set(name, given)
    counters.set(name, await way.counters())
  }
  for (const [name, way] of ways) refused.set(name, await way.close())
})

test.each(Object.keys(table))(
  '%s is answered alike on the short way, by threads, the usual way and app.fetch',
  what => {
    const [short, threaded, usual, direct] = Object.keys(open).map(name => answers.get(name)?.get(what))
    expect(threaded).toEqual(short)
    expect(usual).toEqual(short)
    expect(direct).toEqual(short)
  },
)

test('requests are counted alike on each way', () => {
  const [short, threaded, usual, direct] = Object.keys(open).map(name => counters.get(name))
  expect(short?.length).toBeGreaterThan(5)
  expect(threaded).toEqual(short)
  expect(usual).toEqual(short)
  expect(direct).toEqual(short)
})

test('what is refused is stored alike on each way', () => {
  const [short, threaded, usual, direct] = Object.keys(open).map(name => refused.get(name))
  expect(threaded).toEqual(short)
  expect(usual).toEqual(short)
  expect(direct).toEqual(short)
})

const isOfContent = (status: number): boolean => [400, 415, 422].includes(status)
/** Paths that accept no events, and overload, which Snowplow gets in other words. */
const notStored: ReadonlySet<string> = new Set([
  'a path of nothing',
  'a path that is too long for a call',
  'Snowplow, too much',
])
const refusedBodies = Object.entries(table).filter(
  ([what, { method, body }]) => method === 'POST' && body !== undefined && !notStored.has(what),
)

test.each(refusedBodies)('%s: what is refused for its content is stored', (what, { target, body = '' }) => {
  for (const way of Object.keys(open)) {
    const { status = 0 } = answers.get(way)?.get(what) ?? {}
    if (!isOfContent(status)) continue
    const rows = refused.get(way)?.filter(row => row['target'] === target) ?? []
    const sent = Buffer.from(body).subarray(0, 65_536)
    const isSent = (row: RefusedRow): boolean =>
      row['position'] !== undefined || row['sent'] === sent.toString() || row['sentBase64'] === sent.toString('base64')
    expect(rows.some(isSent), `${way}: ${JSON.stringify(rows)}`).toBe(true)
  }
})

test('the table holds what is taken, what is refused, and what is refused unread', () => {
  const statuses = new Set([...(answers.get('the short way')?.values() ?? [])].map(({ status }) => status))
  expect([...statuses]).toEqual(expect.arrayContaining([202, 204, 400, 405, 413, 414, 415, 422]))
})

test.each(['GET /1 with a path parameter', 'GET with a blank granularity'])('%s is taken', name => {
  for (const way of ways.keys()) expect(answers.get(way)?.get(name)?.status).toBe(202)
})

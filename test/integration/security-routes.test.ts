import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type RouteRow, toRouteRows } from '../../scripts/generate/tables.ts'
import { doorNames } from '../../src/collector/doors/door-names.ts'
import { writeSynced } from '../../src/disk/write-synced.ts'
import { createToken } from '../../src/http/auth/auth.ts'
import { TicketRefused } from '../../src/http/auth/tickets.ts'
import { hashToken } from '../../src/http/auth/token-callers.ts'
import { toTokenLine } from '../../src/http/auth/token-file.ts'
import { type Role, roles } from '../../src/http/roles.ts'
import { newMetadata } from '../../src/tables/new-table.ts'
import { createTestServer, type TestServer } from '../suites/admin.ts'
import { chunksOf } from '../suites/filesystem.ts'
import { createMemoryFileSystem } from '../suites/memory-filesystem.ts'
import { createTearingDisk } from '../suites/tearing-disk.ts'
import { dateField } from '../unit/tables/a-table.ts'

/** Every router that the application makes, so that no route can hide from the table. */
const { routers } = vi.hoisted(() => ({ routers: [] as { readonly routes: readonly { path: string }[] }[] }))
vi.mock('hono', async load => {
  const hono = await load<typeof import('hono')>()
  class Hono extends hono.Hono {
    constructor() {
      super()
      routers.push(this)
    }
  }
  return { ...hono, Hono }
})

const tokens = Object.fromEntries(roles.map(role => [role, createToken()])) as Record<Role, string>
/** Of a caller with the roles `view` and `read`. */
const looker = createToken()
/** Every door is open, to those with a token. */
const sending = ['collector.auth=token', `collector.doors=${doorNames.join(',')}`]
const json = { 'content-type': 'application/json' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }

type Sample = { readonly target: string; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }

/** A valid request for each route, for a permitted caller. Routes that are not here need no more than their path. */
const samples: Readonly<Record<string, Sample>> = {
  'GET /1': { target: '/1?v=Hello' },
  'GET /2': { target: '/2?v=Hello' },
  'POST /rest/1.0/event': {
    target: '/rest/1.0/event',
    headers: json,
    body: '{"eventName":"Hello","payload":{}}',
  },
  'POST /v1/logs': { target: '/v1/logs', headers: json, body: '{"resourceLogs":[]}' },
  'GET /v1/projects/*': { target: '/v1/projects/KEY/settings' },
  'POST /v1/*': { target: '/v1/page', headers: json, body: '{}' },
  'GET /sourceConfig': { target: '/sourceConfig' },
  'POST /beacon/v1/batch': { target: '/beacon/v1/batch', headers: json, body: '{"batch":[]}' },
  'POST /com.snowplowanalytics.snowplow/tp2': {
    target: '/com.snowplowanalytics.snowplow/tp2',
    headers: json,
    body: '{"data":[{"e":"pv"}]}',
  },
  'GET /i': { target: '/i?e=pv' },
  ...Object.fromEntries(
    ['/batch', '/capture', '/e', '/i/v0/e'].map(target => [
      `POST ${target}`,
      { target, headers: json, body: '{"event":"Hello"}' },
    ]),
  ),
  'POST /firehose': {
    target: '/firehose?name=Hello',
    headers: { ...json, 'x-amz-firehose-request-id': 'r' },
    body: '{"records":[]}',
  },
  'GET /array/*': { target: '/array/KEY/config' },
  'POST /flags': { target: '/flags', headers: json, body: '{}' },
  'POST /decide': { target: '/decide', headers: json, body: '{}' },
  'GET /rest/1.0/hdfs': { target: '/rest/1.0/hdfs?path=/f' },
  'POST /rest/1.0/hdfs': { target: '/rest/1.0/hdfs?path=/d&action=delete&recursive=true', headers: form },
  'GET /rest/1.0/json': { target: '/rest/1.0/json?path=/f' },
  'GET /rest/1.0/text': { target: '/rest/1.0/text?path=/f' },
  'GET /rest/1.0/binary': { target: '/rest/1.0/binary?path=/f' },
  'GET /files/*': { target: '/files/f' },
  'GET /iceberg/v1/*': { target: '/iceberg/v1/namespaces' },
  'GET /iceberg/files/*': { target: '/iceberg/files/t/metadata/v1.metadata.json' },
  'GET /rest/1.0/viewer': { target: '/rest/1.0/viewer?object=e30=' },
  'POST /rest/1.0': { target: '/rest/1.0?path=/new', body: 'x' },
  'DELETE /rest/1.0': { target: '/rest/1.0?path=/f' },
  'GET /webhdfs/v1/*': { target: '/webhdfs/v1/f?op=OPEN' },
  'PUT /webhdfs/v1/*': { target: '/webhdfs/v1/new?op=CREATE&data=true', body: 'x' },
  'POST /webhdfs/v1/*': { target: '/webhdfs/v1/f?op=APPEND&data=true', body: '' },
  'DELETE /webhdfs/v1/*': { target: '/webhdfs/v1/f?op=DELETE' },
  'POST /login': { target: '/login', headers: form, body: `token=${tokens.read}` },
  'POST /rpc': { target: '/rpc', headers: json, body: '{"jsonrpc":"2.0","id":1,"method":"version"}' },
  'POST /jolokia': { target: '/jolokia', headers: json, body: '{"type":"version"}' },
  'POST /jolokia/*': { target: '/jolokia/', headers: json, body: '{"type":"version"}' },
  'GET /jolokia/*': { target: '/jolokia/version' },
  'POST /console/session': { target: '/console/session', headers: json, body: JSON.stringify({ token: tokens.view }) },
  'GET /quarantine/*': { target: '/quarantine/piece' },
  'GET /console/*': { target: '/console/main.js' },
}

const rows = toRouteRows().map(row => ({ ...row, route: `${row.method} ${row.path}` }))
const directory = mkdtempSync(join(tmpdir(), 'sluice-routes-'))
const files = createMemoryFileSystem()
let server: TestServer

beforeAll(async () => {
  const path = join(directory, 'tokens')
  const lines = roles.map(role => toTokenLine(role, [role], hashToken(tokens[role])))
  writeFileSync(path, [...lines, toTokenLine('looker', ['view', 'read'], hashToken(looker))].join('\n'))
  const disk = createTearingDisk()
  await disk.mkdir('_quarantine')
  await writeSynced(disk, '_quarantine/piece', Buffer.from('x'))
  const set = [`auth.tokens=${path}`, ...sending]
  server = await createTestServer({ disk, fileSystem: files, set })
})
afterAll(async () => {
  await server.close()
  rmSync(directory, { recursive: true, force: true })
})

const emptyTable = JSON.stringify({
  ...newMetadata({
    location: 'file:///t',
    fields: [dateField],
    lastColumnId: 1,
    dateField,
    properties: {},
    now: 0,
  }),
})

type Row = RouteRow & { readonly route: string }

/** A token that may call a route. */
const toToken = ({ roles: [role], also }: Row): string => (also === 'read' ? looker : tokens[(role ?? 'read') as Role])

const send = async (
  row: Row,
  headers: Readonly<Record<string, string>> = {},
  method = row.method,
): Promise<Response> => {
  // What a row before has deleted is there again.
  for (const path of ['/f', '/d/f']) await files.create(path, chunksOf('x'), { overwrite: true })
  await files.create('/t/metadata/v1.metadata.json', chunksOf(emptyTable), { overwrite: true })
  await files.delete('/new')
  const { target, body, headers: usual }: Sample = samples[row.route] ?? { target: row.path }
  const sent = body === undefined || method === 'GET' ? {} : { body }
  const call = row.part === 'management' ? server.admin : server.server
  const response = await call(target, {
    ...sent,
    method,
    headers: { ...usual, ...headers },
    redirect: 'manual',
  })
  await response.body?.cancel()
  return response
}
const bearer = (token: string): Readonly<Record<string, string>> => ({ authorization: `Bearer ${token}` })
const cookie = (id: string): Readonly<Record<string, string>> => ({ cookie: `sluice-session=${id}` })

test('S1: a token of WebHDFS counts as one in the header, and for nothing else', async () => {
  await files.create('/f', chunksOf('x'), { overwrite: true })
  const ask = async (path: string, method: string, query: string) =>
    (await server.server(`${path}?${query}`, { method })).status
  for (const role of roles) {
    const delegation = `delegation=${tokens[role]}`
    expect(await ask('/webhdfs/v1/f', 'GET', `op=OPEN&${delegation}`), role).toBe(role === 'read' ? 200 : 403)
    expect(await ask('/webhdfs/v1/d', 'PUT', `op=MKDIRS&${delegation}`), role).toBe(role === 'write' ? 200 : 403)
    expect(await ask('/rest/1.0/binary', 'GET', `path=/f&${delegation}`), role).toBe(401)
  }
  expect(await ask('/webhdfs/v1/f', 'GET', `op=OPEN&delegation=${hashToken(tokens.read)}`)).toBe(401)
  expect(await ask('/webhdfs/v1/f', 'GET', 'op=OPEN&user.name=read')).toBe(401)
  // A caller who may read does not learn that he may write.
  const access = `op=CHECKACCESS&delegation=${tokens.read}&fsaction`
  expect(await ask('/webhdfs/v1/f', 'GET', `${access}=r--`)).toBe(200)
  expect(await ask('/webhdfs/v1/f', 'GET', `${access}=rw-`)).toBe(403)
})

/** The id of a new session, as the login page opens it for any token. */
const logIn = async (token: string): Promise<string> => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const answer = await server.server('/login', { method: 'POST', headers, body: `token=${token}`, redirect: 'manual' })
  return /^sluice-session=([^;]{40,});/.exec(answer.headers.get('set-cookie') ?? '')?.[1] ?? ''
}

test('S1: every route that the application serves stands in the table, and the other way round', () => {
  const served = new Set(routers.flatMap(({ routes }) => routes.map(({ path }) => path.replace(/(?<=.)\/$/, ''))))
  expect(served).toEqual(new Set(rows.map(({ path }) => path)))
})

const closed = rows.filter(row => row.roles.length > 0)
const open = rows.filter(row => row.roles.length === 0)

describe('with tokens', () => {
  test.each(closed)('S1: $route needs a token with its role', async row => {
    const without = [
      {},
      bearer(createToken()),
      bearer(hashToken(tokens.read)),
      { authorization: `Basic ${tokens.read}` },
    ]
    for (const headers of [...without, cookie(createToken()), cookie(tokens.read)]) {
      const { status, headers: answered } = await send(row, headers)
      expect([status, answered.get('www-authenticate')], JSON.stringify(headers)).toEqual([
        401,
        'Bearer realm="sluice"',
      ])
    }
    if (row.method === 'GET') expect((await send(row, {}, 'HEAD')).status).toBe(401)
    for (const role of roles) {
      const { status } = await send(row, bearer(tokens[role]))
      if (row.roles.includes(role) && row.also === undefined) expect(status, role).toBeLessThan(400)
      else expect(status, role).toBe(403)
    }
    expect((await send(row, bearer(toToken(row)))).status).toBeLessThan(400)
  })

  test.each(closed)('S3: $route takes a cookie unless any page may call it', async row => {
    const status = (await send(row, cookie(await logIn(toToken(row))))).status
    if (row.part === 'collector') expect(status).toBe(401)
    else expect(status).toBeLessThan(400)
  })

  test.each(open)('S1: $route is open', async row => {
    expect((await send(row)).status).toBeLessThan(400)
  })

  test.each(rows)('S1: $route has no other methods that do something', async row => {
    const known = rows.filter(({ part, path }) => part === row.part && path === row.path).map(({ method }) => method)
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter(one => !known.includes(one))) {
      const { status } = await send(row, {}, method)
      // Iceberg's catalog says 406 for what it does not do. `/console/*` also covers `/console/session`, and `/v1/*` what has no route; what may not be is a success.
      expect([401, 404, 405, 406], method).toContain(status)
    }
  })
})

/** What other pages can make a browser send, and what DNS rebinding makes of an address. */
const attacks: readonly Readonly<Record<string, string>>[] = [
  { origin: 'http://evil.example' },
  { origin: 'null' },
  { origin: 'http://localhost:9999' },
  { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' },
  { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
  { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
  { host: 'evil.example' },
  { host: 'evil.example', origin: 'http://evil.example', 'sec-fetch-site': 'same-origin' },
  { host: 'localhost.evil.example' },
  { host: '127.0.0.1@evil.example' },
]
const isAsset = ({ path }: Row): boolean => path.startsWith('/static/')
const guarded = rows.filter(row => (row.part === 'gateway' && !isAsset(row)) || row.part === 'management')

describe('from other pages and under other names', () => {
  test.each(guarded)('S1: $route is refused, whatever token comes with it', async row => {
    for (const attack of attacks) {
      const { status } = await send(row, { ...bearer(toToken(row)), ...attack })
      expect(status, JSON.stringify(attack)).toBe(403)
    }
    // A form of another page follows no link: only a GET does.
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
    const { status } = await send(row, { ...(row.roles.length > 0 ? bearer(toToken(row)) : {}), ...link })
    if (row.method === 'GET') expect(status).toBeLessThan(400)
    else expect(status).toBe(403)
    for (const path of ['/f', '/d/f']) expect((await files.getFileStatus(path)).length).toBe(1)
  })

  test.each(rows.filter(isAsset))('S1: $route holds nothing, and any page may load it', async row => {
    for (const attack of attacks) expect((await send(row, attack)).status, JSON.stringify(attack)).toBe(200)
  })

  test.each(rows)('S3: $route answers other origins with CORS headers only where it takes events', async row => {
    const [role] = row.roles
    const headers = role ? bearer(tokens[role as Role]) : {}
    for (const method of [row.method, 'OPTIONS']) {
      const answer = await send(row, { ...headers, origin: 'http://evil.example' }, method)
      // What no page sends has no preflight.
      const isForPages = row.path !== '/firehose' || method !== 'OPTIONS'
      const want = row.part === 'collector' && isForPages ? '*' : null
      expect(answer.headers.get('access-control-allow-origin'), method).toBe(want)
      expect(answer.headers.get('access-control-allow-credentials'), method).toBeNull()
    }
  })

  test('S1: what changes something in the management takes JSON only', async () => {
    const types = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', '']
    const changing = rows.filter(
      ({ part, method, path }) => part === 'management' && method === 'POST' && path !== '/console/logout',
    )
    expect(changing.length).toBeGreaterThan(2)
    for (const row of changing) {
      for (const type of types) {
        const { status } = await send(row, { ...bearer(tokens.operate), 'content-type': type })
        expect([row.route, type, status]).toEqual([row.route, type, 415])
      }
    }
  })
})

/** What each route says to a page of this origin: who may see the answer, and whether cookies may go along. */
const corsOf = async (row: Row, origin: string, method: string): Promise<readonly (string | null)[]> => {
  const [role] = row.roles
  const { headers } = await send(row, { ...(role ? bearer(tokens[role as Role]) : {}), origin }, method)
  return ['access-control-allow-origin', 'access-control-allow-credentials'].map(name => headers.get(name))
}

describe('S3: with collector.allowed-origins', () => {
  let plain: TestServer
  beforeAll(async () => {
    const path = join(directory, 'tokens')
    plain = server
    const set = [`auth.tokens=${path}`, ...sending, 'collector.allowed-origins=https://shop.example']
    server = await createTestServer({ fileSystem: files, set })
  })
  afterAll(async () => {
    await server.close()
    server = plain
  })

  // What no page sends has no preflight.
  const isForPages = (row: Row): boolean => row.part === 'collector' && row.path !== '/firehose'

  test.each(rows.filter(row => row.path !== '/firehose'))(
    '$route lets pages of these origins see answers only where it takes events, and no other page anywhere',
    async row => {
      for (const method of [row.method, 'OPTIONS']) {
        const want = isForPages(row) ? ['https://shop.example', 'true'] : [null, null]
        expect(await corsOf(row, 'https://shop.example', method), method).toEqual(want)
        for (const origin of ['http://evil.example', 'null', 'https://shop.example.evil.example']) {
          expect(await corsOf(row, origin, method), `${method} ${origin}`).toEqual([null, null])
        }
      }
    },
  )

  test.each(rows.filter(isForPages))('$route says so to refusals, too', async row => {
    const refused = await send(row, { ...bearer('nobody'), origin: 'https://shop.example' })
    if (row.roles.length > 0) expect(refused.status).toBe(401)
    expect(refused.headers.get('access-control-allow-origin')).toBe('https://shop.example')
    expect(refused.headers.get('access-control-allow-credentials')).toBe('true')
    expect(refused.headers.get('vary')).toMatch(/\borigin\b/i)
  })
})

/** Negotiate for a principal of this name, as the server below takes it. */
const ticketOf = (name: string): Readonly<Record<string, string>> => ({ authorization: `Negotiate ${name}` })

describe('S7: with tickets', () => {
  let plain: TestServer
  beforeAll(async () => {
    const path = join(directory, 'rules')
    const rules = roles.filter(role => role !== 'send').map(role => `principal: "${role}@TEST" roles: ${role}`)
    writeFileSync(path, [...rules, ...roles.map(role => toTokenLine(role, [role], hashToken(tokens[role])))].join('\n'))
    plain = server
    server = await createTestServer({
      fileSystem: files,
      set: [`auth.tokens=${path}`, ...sending, 'auth.kerberos.keytab=/none'],
      acceptTicket: async name => {
        if (!/^[a-z]+$/.test(name)) throw new TicketRefused('No ticket')
        return { principal: `${name}@TEST`, answer: `for-${name}` }
      },
    })
  })
  afterAll(async () => {
    await server.close()
    server = plain
  })

  test.each(closed)('S7: $route maps Kerberos and tokens to the same roles', async row => {
    for (const role of roles) {
      const { status, headers } = await send(row, ticketOf(role))
      const byToken = (await send(row, bearer(tokens[role]))).status
      const counts = row.part !== 'collector' && role !== 'send'
      expect(status, role).toBe(counts ? byToken : 401)
      const proof = counts ? `Negotiate for-${role}` : challengeOf(row)
      expect(headers.get('www-authenticate'), role).toBe(proof)
    }
  })

  test.each(closed)('S7: $route asks for a ticket, unless any page may call it', async row => {
    for (const headers of [{}, ticketOf('1'), { authorization: 'Negotiate' }, ticketOf('stranger')]) {
      const { status, headers: answered } = await send(row, headers)
      expect([status, answered.get('www-authenticate')]).toEqual([401, challengeOf(row)])
    }
    // A valid ticket ends the delay after failures.
    await send(closed.find(({ part }) => part === 'gateway') ?? row, ticketOf('read'))
  })

  const challengeOf = ({ part }: Row): string => (part === 'collector' ? 'Bearer realm="sluice"' : 'Negotiate')

  test.each(guarded)('S7: $route is refused to other pages, whatever ticket a browser adds', async row => {
    for (const attack of attacks) {
      const { status, headers } = await send(row, { ...ticketOf(row.roles[0] ?? 'read'), ...attack })
      expect([status, headers.get('www-authenticate')], JSON.stringify(attack)).toEqual([403, null])
    }
  })

  test.each(open)('S7: $route is open with a ticket', async row => {
    expect((await send(row, ticketOf('view'))).status).toBeLessThan(400)
  })
})

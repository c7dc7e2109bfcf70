import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { RpcHttpError, RpcUnreachable } from '../../admin/client/errors.ts'
import { createRpcClient } from '../../admin/client/rpc-client.ts'
import { createToken } from '../../src/http/auth/auth.ts'
import { hashToken } from '../../src/http/auth/token-callers.ts'
import { toTokenLine } from '../../src/http/auth/token-file.ts'
import type { Role } from '../../src/http/roles.ts'
import { createTestServer, startTestServer, type TestServer } from '../suites/admin.ts'
import { inEachTurn } from '../suites/turns.ts'

const directories: string[] = []
afterEach(async () => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true })
})

const writer = 'sluice.metrics.collector:name=HDFSWriter'
const json = { 'content-type': 'application/json' }
const post = (server: TestServer, body: string, headers: Readonly<Record<string, string>> = json): Promise<Response> =>
  server.admin('/rpc', { method: 'POST', headers, body })
const call = async (server: TestServer, message: unknown): Promise<unknown> =>
  (await post(server, JSON.stringify(message))).json()
const rpc = (method: string, params?: unknown): unknown => ({ jsonrpc: '2.0', id: 1, method, params })

/** A server that needs tokens, and a token for each of these lists of roles. */
const startGuarded = async (
  ...granted: readonly (readonly Role[])[]
): Promise<{ server: TestServer; tokens: string[] }> => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-admin-'))
  directories.push(directory)
  const path = join(directory, 'tokens')
  const tokens = granted.map(createToken)
  writeFileSync(path, tokens.map((token, i) => toTokenLine(`t${i}`, granted[i] ?? [], hashToken(token))).join('\n'))
  return { server: await startTestServer({ set: [`auth.tokens=${path}`] }), tokens }
}

describe('the protocol', () => {
  test.each([
    { name: 'no JSON', given: '{', want: { id: null, error: { code: -32700 } } },
    { name: 'null', given: 'null', want: { id: null, error: { code: -32600 } } },
    { name: 'an empty batch', given: '[]', want: { id: null, error: { code: -32600 } } },
    { name: 'no version', given: '{"id":1,"method":"version"}', want: { id: 1, error: { code: -32600 } } },
    {
      name: 'a method that is not text',
      given: '{"jsonrpc":"2.0","id":1,"method":1}',
      want: { id: 1, error: { code: -32600 } },
    },
    {
      name: 'params that are a text',
      given: '{"jsonrpc":"2.0","id":1,"method":"version","params":"x"}',
      want: { id: 1, error: { code: -32600 } },
    },
    {
      name: 'an id that is an object',
      given: '{"jsonrpc":"2.0","id":{},"method":"version"}',
      want: { id: null, error: { code: -32600 } },
    },
    {
      name: 'an unknown method',
      given: '{"jsonrpc":"2.0","id":"a","method":"nothing"}',
      want: { id: 'a', error: { code: -32601 } },
    },
    {
      name: 'a name of a prototype',
      given: '{"jsonrpc":"2.0","id":1,"method":"__proto__"}',
      want: { id: 1, error: { code: -32601 } },
    },
    {
      name: 'constructor',
      given: '{"jsonrpc":"2.0","id":1,"method":"constructor"}',
      want: { id: 1, error: { code: -32601 } },
    },
    {
      name: 'missing params',
      given: '{"jsonrpc":"2.0","id":1,"method":"search"}',
      want: { id: 1, error: { code: -32602 } },
    },
    {
      name: 'unknown params',
      given: '{"jsonrpc":"2.0","id":1,"method":"version","params":{"x":1}}',
      want: { id: 1, error: { code: -32602 } },
    },
    {
      name: '__proto__ as a param',
      given: '{"jsonrpc":"2.0","id":1,"method":"version","params":{"__proto__":1}}',
      want: { id: 1, error: { code: -32602 } },
    },
    {
      name: 'too many by position',
      given: '{"jsonrpc":"2.0","id":1,"method":"search","params":["*:*",1]}',
      want: { id: 1, error: { code: -32602 } },
    },
    {
      name: 'a malformed name',
      given: '{"jsonrpc":"2.0","id":1,"method":"read","params":["x"]}',
      want: { id: 1, error: { code: -32602, data: { code: 'bad-name' } } },
    },
    {
      name: 'no such bean',
      given: '{"jsonrpc":"2.0","id":1,"method":"read","params":["a:b=c"]}',
      want: { id: 1, error: { code: -32002, data: { code: 'bean-not-found' } } },
    },
    {
      name: 'no such attribute',
      given: `{"jsonrpc":"2.0","id":1,"method":"read","params":["${writer}","__proto__"]}`,
      want: { id: 1, error: { code: -32003 } },
    },
    {
      name: 'no such operation',
      given: `{"jsonrpc":"2.0","id":1,"method":"exec","params":["${writer}","constructor"]}`,
      want: { id: 1, error: { code: -32004 } },
    },
    {
      name: 'an argument too many',
      given: `{"jsonrpc":"2.0","id":1,"method":"exec","params":["${writer}","enableFlush",[1]]}`,
      want: { id: 1, error: { code: -32602 } },
    },
    {
      name: 'a value of another type',
      given: `{"jsonrpc":"2.0","id":1,"method":"write","params":["${writer}","CutoffTime","soon"]}`,
      want: { id: 1, error: { code: -32602 } },
    },
    {
      name: 'a read by position',
      given: `{"jsonrpc":"2.0","id":null,"method":"read","params":["${writer}","CutoffTime"]}`,
      want: { id: null, result: { value: 0 } },
    },
  ])('$name', async ({ given, want }) => {
    const response = await post(await startTestServer(), given)
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', ...want })
  })

  test('notifications are carried out and not answered', async () => {
    const server = await startTestServer()
    const notification = { jsonrpc: '2.0', method: 'exec', params: { mbean: writer, operation: 'disableFlush' } }
    const response = await post(server, JSON.stringify([notification]))
    expect([response.status, await response.text()]).toEqual([204, ''])
    expect((await server.rpc.read(writer, 'FlushEnabled')).value).toBe(false)
  })

  test('a batch has an outcome for each call, in order: a read behind a write sees it', async () => {
    const server = await startTestServer()
    const outcomes = await server.rpc.batch([
      { method: 'write', params: { mbean: writer, attribute: 'CutoffTime', value: 5 } },
      { method: 'read', params: { mbean: writer, attribute: 'CutoffTime' } },
      { method: 'nothing' },
      { method: 'version' },
    ])
    expect(outcomes).toMatchObject([
      { result: 0 },
      { result: { value: 5, timestamp: 1_767_323_045_000 } },
      { error: { code: -32601 } },
      { result: { product: 'sluice' } },
    ])
  })

  test('A2: between the calls of a batch others get their turn', async () => {
    const server = await startTestServer()
    const calls = Array.from({ length: 5 }, () => rpc('read', { mbean: writer }))
    const next = (): void => void server.clock.ms++
    const answers = (await inEachTurn(next, () => call(server, calls))) as { result: { timestamp: number } }[]
    const timestamps = answers.map(({ result }) => result.timestamp)
    expect(new Set(timestamps).size).toBe(5)
    expect(timestamps).toEqual(timestamps.toSorted((a, b) => a - b))
  })

  test('a bad request in a batch has its own error, and the others run', async () => {
    expect(await call(await startTestServer(), [1, rpc('version')])).toMatchObject([
      { id: null, error: { code: -32600 } },
      { id: 1, result: { product: 'sluice' } },
    ])
  })

  test('101 calls are too many, and none of them runs', async () => {
    const server = await startTestServer()
    const calls = Array.from({ length: 101 }, () => rpc('exec', { mbean: writer, operation: 'disableFlush' }))
    expect(await call(server, calls)).toMatchObject({
      error: { code: -32600, message: expect.stringContaining('100') },
    })
    expect((await server.rpc.read(writer, 'FlushEnabled')).value).toBe(true)
    expect(await call(server, calls.slice(0, 100))).toHaveLength(100)
  })

  test('one request reads a bounded number of beans', async () => {
    const server = await startTestServer()
    const types = Array.from({ length: 1_000 }, (_, i) => `{"eventName":"t${i}","payload":{}}`)
    await server.server('/rest/1.0/event', { method: 'POST', headers: json, body: `[${types.join(',')}]` })
    const answers = await call(
      server,
      Array.from({ length: 25 }, () => rpc('read', { mbean: '*:*', attribute: 'AcceptedEvents' })),
    )
    expect(answers).toHaveLength(25)
    expect(Object(answers)[19].result.value).toBeDefined()
    expect(Object(answers)[24].error).toMatchObject({ code: -32007, data: { code: 'too-many' } })
  })

  test('rpc.discover describes every method in OpenRPC', async () => {
    const document = Object(await (await startTestServer()).rpc.call('rpc.discover'))
    expect(document.openrpc).toMatch(/^1\./)
    expect(document.methods.map(({ name }: { name: string }) => name)).toEqual([
      'version',
      'list',
      'search',
      'read',
      'write',
      'exec',
      'rpc.discover',
    ])
    const exec = document.methods.find(({ name }: { name: string }) => name === 'exec')
    expect(exec.params.map((param: { name: string; required: boolean }) => [param.name, param.required])).toEqual([
      ['mbean', true],
      ['operation', true],
      ['arguments', false],
    ])
  })
})

describe('list, search and read', () => {
  test('list gives pages with what the beans offer', async () => {
    const server = await startTestServer()
    const names: string[] = []
    for (let after: string | undefined, more = true; more; more = after !== undefined) {
      const page = await server.rpc.list({ limit: 7, ...(after === undefined ? {} : { after }) })
      names.push(...page.beans.map(({ mbean }) => mbean))
      after = page.next
    }
    expect(names).toEqual(await server.rpc.search('*:*'))
    const { beans } = await server.rpc.list({ path: writer })
    expect(beans).toMatchObject([
      {
        mbean: writer,
        attributes: { CutoffTime: { type: 'long', writable: true }, nbLocalFiles: { type: 'int', writable: false } },
        operations: { enableFlush: { arguments: [], returns: 'map' } },
      },
    ])
  })

  test.each([
    { path: 'sluice.metrics.collector.filters', want: 5 },
    { path: 'sluice.metrics.collector.filters/name=Host', want: 1 },
    { path: '*.filters:*', want: 5 },
    { path: 'nothing', want: 0 },
  ])('list by path $path: $want', async ({ path, want }) => {
    expect((await (await startTestServer()).rpc.list({ path })).beans).toHaveLength(want)
  })

  test('read takes one, several or all attributes, and patterns', async () => {
    const { rpc: client } = await startTestServer()
    expect((await client.read(writer, 'CutoffTime')).value).toBe(0)
    expect((await client.read(writer, ['CutoffTime', 'FlushEnabled'])).value).toEqual({
      CutoffTime: 0,
      FlushEnabled: true,
    })
    expect(Object.keys((await client.read(writer)).value)).toEqual([
      'nbLocalFiles',
      'FlushEnabled',
      'Drained',
      'CutoffTime',
    ])
    expect((await client.readMany('*:name=HDFSWriter,*', 'CutoffTime')).value).toEqual({ [writer]: { CutoffTime: 0 } })
    expect((await client.readMany('*:name=HDFSWriter,*', ['Nothing'])).value).toEqual({})
  })
})

describe('S1: who may do what', () => {
  const attempt = async (promise: Promise<unknown>): Promise<unknown> =>
    promise.then(
      () => 'ok',
      (error: unknown) => (error instanceof RpcHttpError ? error.status : Object(error).data?.code),
    )

  test.each([
    { roles: ['view'], read: 'ok', exec: 'denied' },
    { roles: ['operate'], read: 'denied', exec: 'ok' },
    { roles: ['view', 'operate'], read: 'ok', exec: 'ok' },
    { roles: ['send', 'read', 'write'], read: 403, exec: 403 },
  ] as const)('$roles: read $read, exec $exec', async ({ roles, read, exec }) => {
    const { server, tokens } = await startGuarded(roles)
    const client = createRpcClient({
      url: server.adminUrl,
      token: tokens[0] ?? '',
      fetch: request => server.admin('/rpc', request),
    })
    expect(await attempt(client.read(writer))).toBe(read)
    expect(await attempt(client.search('*:*'))).toBe(read)
    expect(await attempt(client.list())).toBe(read)
    expect(await attempt(client.exec(writer, 'enableFlush'))).toBe(exec)
    expect(await attempt(client.write(writer, 'CutoffTime', 1))).toBe(exec)
  })

  test.each(['/rpc', '/jolokia', '/metrics'])('%s without a token: 401', async path => {
    const { server } = await startGuarded(['view'])
    const init = path === '/rpc' ? { method: 'POST', headers: json, body: '{}' } : {}
    const response = await server.admin(path, init)
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="sluice"'])
    expect((await server.admin('/livez')).status).toBe(200)
  })

  test('a management open to the network without tokens does not start', async () => {
    await expect(createTestServer({ set: ['admin.host=0.0.0.0'] })).rejects.toThrow('without a token')
  })

  test('each write and operation leaves a line: who, bean, arguments, result; refused ones too', async () => {
    const { server, tokens } = await startGuarded(['view'], ['operate'])
    const send = (token: string | undefined, method: string, params: unknown): Promise<Response> =>
      post(server, JSON.stringify(rpc(method, params)), { ...json, authorization: `Bearer ${token}` })
    await send(tokens[0], 'exec', { mbean: writer, operation: 'enableFlush' })
    await send(tokens[1], 'write', { mbean: writer, attribute: 'CutoffTime', value: 9 })
    await send(tokens[1], 'exec', { mbean: 'a:b=c', operation: 'x', arguments: [1] })
    await send(tokens[0], 'read', { mbean: writer })
    const lines = server.log.filter(({ msg }) => msg === 'management')
    expect(lines).toMatchObject([
      { who: 't0', action: 'exec', mbean: writer, member: 'enableFlush', arguments: '[]', outcome: 'denied' },
      { who: 't1', action: 'write', mbean: writer, member: 'CutoffTime', arguments: '9', outcome: 'ok', result: '0' },
      { who: 't1', action: 'exec', mbean: 'a:b=c', member: 'x', arguments: '[1]', outcome: 'failed' },
    ])
    expect(JSON.stringify(server.log)).not.toContain(tokens[0])
  })
})

describe('S1: where a request comes from', () => {
  const message = JSON.stringify(rpc('exec', { mbean: writer, operation: 'disableFlush' }))
  test.each([
    { name: 'a page of another site', headers: { ...json, origin: 'https://evil.example' }, want: 403 },
    { name: 'no-cors of another site', headers: { ...json, 'sec-fetch-site': 'cross-site' }, want: 403 },
    { name: 'a rebound name', headers: { ...json, host: 'evil.example' }, want: 403 },
    { name: 'a form', headers: { 'content-type': 'application/x-www-form-urlencoded' }, want: 415 },
    { name: 'a beacon', headers: { 'content-type': 'text/plain' }, want: 415 },
    { name: 'no type', headers: { 'content-type': '' }, want: 415 },
    { name: 'packed', headers: { ...json, 'content-encoding': 'gzip' }, want: 415 },
    {
      name: 'the console itself',
      headers: { ...json, origin: 'http://127.0.0.1', 'sec-fetch-site': 'same-origin' },
      want: 200,
    },
    { name: 'a program', headers: { 'content-type': 'application/json; charset=utf-8' }, want: 200 },
  ])('$name: $want', async ({ headers, want }) => {
    const server = await startTestServer()
    expect((await post(server, message, headers)).status).toBe(want)
    expect((await server.rpc.read(writer, 'FlushEnabled')).value).toBe(want !== 200)
  })

  test('GET is refused, and more than 1 MB', async () => {
    const server = await startTestServer()
    const got = await server.admin('/rpc')
    expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
    expect((await post(server, `"${'x'.repeat(1_048_576)}"`)).status).toBe(413)
  })

  test('a console of an allowed origin passes its preflight and may read; others may not', async () => {
    const server = await startTestServer({ set: ['admin.allowed-origins=https://Console.example'] })
    const headers = { origin: 'https://console.example' }
    const preflight = await server.admin('/rpc', { method: 'OPTIONS', headers })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-headers')).toContain('authorization')
    const answer = await post(server, message, { ...json, ...headers, 'sec-fetch-site': 'cross-site' })
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, 'https://console.example'])
    const other = await server.admin('/rpc', { method: 'OPTIONS', headers: { origin: 'https://evil.example' } })
    expect([other.status, other.headers.get('access-control-allow-origin')]).toEqual([403, null])
  })
})

describe('createRpcClient', () => {
  test('says that the server does not answer', async () => {
    const cause = new Error('connect ECONNREFUSED 127.0.0.1:9')
    const client = createRpcClient({
      url: 'http://h:9/',
      fetch: () => Promise.reject(new TypeError('failed', { cause })),
    })
    await expect(client.version()).rejects.toThrow(RpcUnreachable)
    await expect(client.version()).rejects.toThrow('http://h:9 does not answer: connect ECONNREFUSED 127.0.0.1:9')
  })

  test('says that something else answers', async () => {
    const client = createRpcClient({ url: 'http://x', fetch: () => new Response('<html>') })
    await expect(client.version()).rejects.toThrow('is this the management listener?')
    const gone = createRpcClient({ url: 'http://x', fetch: () => new Response('gone', { status: 502 }) })
    await expect(gone.version()).rejects.toMatchObject({ name: 'RpcHttpError', status: 502 })
    const odd = createRpcClient({ url: 'http://x', fetch: () => new Response('{}') })
    await expect(odd.version()).rejects.toThrow('not a JSON-RPC response')
    await expect(odd.batch([{ method: 'version' }])).rejects.toThrow('not a JSON-RPC response')
  })
})

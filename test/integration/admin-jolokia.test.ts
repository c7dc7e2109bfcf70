import JolokiaSimple from '@jolokia.js/simple'
import Jolokia from 'jolokia.js'
import { describe, expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { postJson, startTestServer, type TestServer } from '../suites/admin.ts'
import { inEachTurn } from '../suites/turns.ts'

const { version } = packageJson
const domain = 'sluice.metrics.collector'
const writer = `${domain}:name=HDFSWriter`
const filter = `${domain}.filters:name=UserAgent`
const get = async (server: TestServer, path: string): Promise<Record<string, unknown>> =>
  Object(await (await server.admin(`/jolokia${path}`)).json())
const post = async (server: TestServer, body: unknown, query = ''): Promise<Record<string, unknown>> => {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  return Object(await (await server.admin(`/jolokia${query}`, init)).json())
}
/** Seconds of the test's clock. */
const timestamp = 1_767_323_045

describe('GET', () => {
  test.each(['', '/', '/version'])('%s: version', async path => {
    expect(await get(await startTestServer(), path)).toEqual({
      request: { type: 'version' },
      value: {
        agent: version,
        protocol: '8.0',
        config: expect.any(Object),
        info: { product: 'sluice', vendor: 'sluice', version },
      },
      timestamp,
      status: 200,
    })
  })

  test.each([
    { path: `/read/${writer}/CutoffTime`, want: 0 },
    { path: `/read/${writer}/CutoffTime,FlushEnabled`, want: { CutoffTime: 0, FlushEnabled: true } },
    { path: `/read/${writer}`, want: { CutoffTime: 0, FlushEnabled: true, nbLocalFiles: 0 } },
    { path: `/read/${writer}/*`, want: { CutoffTime: 0, FlushEnabled: true, nbLocalFiles: 0 } },
    { path: `/read/${encodeURIComponent(writer)}/CutoffTime/`, want: 0 },
    { path: `?p=/read/${writer}/CutoffTime`, want: 0 },
    { path: `/?p=/read/${writer}/CutoffTime`, want: 0 },
    { path: `//?p=read/${encodeURIComponent(writer)}/CutoffTime/`, want: 0 },
    { path: `/read/${writer}/FlushEnabled?p=/read/${writer}/CutoffTime`, want: true },
    { path: `/read/*:name=HDFSWriter,*/CutoffTime`, want: { [writer]: { CutoffTime: 0 } } },
    { path: `/read/*:name=HDFSWriter,*/CutoffTime/*/CutoffTime`, want: { [writer]: 0 } },
    { path: '/read/sluice.metrics:name=Runtime/Versions/node', want: process.versions.node },
    { path: '/read/sluice.metrics.filesystem:name=FileSystem,path=!//Path', want: '/' },
    { path: '/search/*:name=HDFS*,*', want: [writer] },
    { path: `/list/${domain}/name=HDFSWriter/attr/CutoffTime/type`, want: 'long' },
    { path: '/list?maxDepth=1', want: { [domain]: 1, [`${domain}.filters`]: 1, 'sluice.metrics': 1 } },
    { path: `/list/${domain}.filters?maxDepth=1`, want: { 'name=Host': 1, 'name=IP': 1 } },
  ])('$path', async ({ path, want }) => {
    const answer = await get(await startTestServer(), path)
    expect(answer).toMatchObject({ status: 200, timestamp })
    if (typeof want === 'object' && !Array.isArray(want)) expect(answer['value']).toMatchObject(want)
    else expect(answer['value']).toEqual(want)
  })

  test.each([
    { path: `/exec/${writer}/disableFlush`, status: 403, type: 'java.lang.SecurityException' },
    { path: `/write/${writer}/CutoffTime/5`, status: 403, type: 'java.lang.SecurityException' },
    { path: '/read/a:b=c', status: 404, type: 'javax.management.InstanceNotFoundException' },
    { path: '/read/*:b=c', status: 404, type: 'javax.management.InstanceNotFoundException' },
    { path: `/read/${writer}/Nothing`, status: 404, type: 'javax.management.AttributeNotFoundException' },
    { path: `/read/${writer}/__proto__`, status: 404, type: 'javax.management.AttributeNotFoundException' },
    { path: `/read/${writer}/CutoffTime/deeper`, status: 400, type: 'java.lang.IllegalArgumentException' },
    {
      path: '/read/sluice.metrics:name=Runtime/Versions/__proto__',
      status: 400,
      type: 'java.lang.IllegalArgumentException',
    },
    { path: '/read/nothing', status: 400, type: 'javax.management.MalformedObjectNameException' },
    { path: '/read', status: 400, type: 'java.lang.IllegalArgumentException' },
    { path: '/list/nothing', status: 404, type: 'javax.management.InstanceNotFoundException' },
    { path: '/nothing', status: 400, type: 'java.lang.IllegalArgumentException' },
    { path: `/${'a/'.repeat(100)}`, status: 400, type: 'java.lang.IllegalArgumentException' },
  ])('$path: $status', async ({ path, status, type }) => {
    const server = await startTestServer()
    const response = await server.admin(`/jolokia${path}`)
    const answer = Object(await response.json())
    expect([response.status, answer.status, answer.error_type, answer.timestamp]).toEqual([
      200,
      status,
      type,
      timestamp,
    ])
    expect(answer.error).toMatch(new RegExp(`^${type} : .`))
    expect(answer).not.toHaveProperty('value')
    expect(answer).not.toHaveProperty('stacktrace')
    expect((await server.rpc.read(writer)).value).toMatchObject({ FlushEnabled: true, CutoffTime: 0 })
  })
})

describe('POST', () => {
  test('reads, writes and runs; says what was asked', async () => {
    const server = await startTestServer()
    const write = { type: 'write', mbean: writer, attribute: 'CutoffTime', value: 7 }
    expect(await post(server, write)).toEqual({ request: write, value: 0, timestamp, status: 200 })
    const read = { type: 'READ', mbean: writer, attribute: ['CutoffTime'] }
    expect(await post(server, read)).toEqual({
      request: { ...read, type: 'read' },
      value: { CutoffTime: 7 },
      timestamp,
      status: 200,
    })
    const exec = { type: 'exec', mbean: filter, operation: 'addPattern(java.lang.String)', arguments: ['^bot'] }
    expect(await post(server, exec)).toMatchObject({ request: exec, value: { changed: true, patterns: ['^bot'] } })
    expect(await post(server, { type: 'exec', mbean: writer, operation: 'disableFlush' })).toMatchObject({
      value: { flushEnabled: false },
    })
  })

  test('A2: between the requests of a bulk others get their turn', async () => {
    const server = await startTestServer()
    const requests = Array.from({ length: 5 }, () => ({ type: 'read', mbean: writer }))
    const nextSecond = (): void => {
      server.clock.ms += 1_000
    }
    const answers = Object.values(await inEachTurn(nextSecond, () => post(server, requests)))
    expect(new Set(answers.map(answer => Object(answer).timestamp)).size).toBe(5)
  })

  test('a bulk has an answer for each, failures included', async () => {
    const answers = await post(await startTestServer(), [
      { type: 'version' },
      { type: 'read', mbean: 'a:b=c' },
      null,
      { type: 'search', mbean: '*:name=HDFSWriter' },
    ])
    expect(answers).toMatchObject([
      { status: 200 },
      { status: 404, request: { type: 'read', mbean: 'a:b=c' } },
      { status: 400, error_type: 'java.lang.IllegalArgumentException' },
      { status: 200, value: [writer] },
    ])
  })

  test.each([
    ['a read-only attribute', { type: 'write', mbean: writer, attribute: 'nbLocalFiles', value: 1 }],
    ['an unknown attribute', { type: 'write', mbean: writer, attribute: 'Nothing', value: 1 }],
    ['reading an unknown attribute', { type: 'read', mbean: writer, attribute: 'Nothing' }],
  ])('%s is not found', async (_, given) => {
    expect(await post(await startTestServer(), given)).toMatchObject({
      status: 404,
      error_type: 'javax.management.AttributeNotFoundException',
    })
  })

  test.each([
    { name: 'another target', given: { type: 'read', mbean: writer, target: { url: 'service:jmx:x' } }, status: 403 },
    { name: 'a type that is none', given: { type: 'nothing' }, status: 400 },
    { name: 'no name', given: { type: 'read' }, status: 400 },
    {
      name: 'a value of another type',
      given: { type: 'write', mbean: writer, attribute: 'CutoffTime', value: [] },
      status: 400,
    },
    {
      name: 'a part of a value',
      given: { type: 'write', mbean: writer, attribute: 'CutoffTime', value: 1, path: 'a' },
      status: 400,
    },
    { name: 'too few arguments', given: { type: 'exec', mbean: filter, operation: 'addPattern' }, status: 400 },
    {
      name: 'a bad argument',
      given: { type: 'exec', mbean: filter, operation: 'addPattern', arguments: ['('] },
      status: 400,
    },
    { name: 'text', given: 'x', status: 400 },
  ])('$name: $status', async ({ given, status }) => {
    expect(await post(await startTestServer(), given)).toMatchObject({ status })
  })

  test('too many requests, no JSON and another type are refused', async () => {
    const server = await startTestServer()
    expect(
      await post(
        server,
        Array.from({ length: 101 }, () => ({ type: 'version' })),
      ),
    ).toMatchObject({ status: 400 })
    const send = (body: string, type: string) =>
      server.admin('/jolokia', { method: 'POST', headers: { 'content-type': type }, body })
    expect(Object(await (await send('{', 'application/json')).json())).toMatchObject({ status: 400 })
    expect((await send('{"type":"version"}', 'text/plain')).status).toBe(415)
    expect((await server.admin('/jolokia', { method: 'DELETE' })).status).toBe(405)
  })

  test('options: ignoreErrors, includeRequest, listCache, listKeys', async () => {
    const server = await startTestServer()
    const read = { type: 'read', mbean: writer, attribute: ['CutoffTime', 'Nothing'] }
    expect(await post(server, read)).toMatchObject({ status: 404 })
    expect(await post(server, { ...read, config: { ignoreErrors: true } })).toMatchObject({
      value: { CutoffTime: 0, Nothing: expect.stringMatching(/^ERROR: .*AttributeNotFound/) },
    })
    expect(await post(server, { type: 'version' }, '?includeRequest=false')).not.toHaveProperty('request')
    const cached = Object((await post(server, { type: 'list', config: { listCache: true, listKeys: true } }))['value'])
    expect(cached.cache).toEqual({})
    expect(cached.domains[domain]['name=HDFSWriter'].keys).toEqual({ name: 'HDFSWriter' })
  })
})

describe('the clients of Jolokia', () => {
  test('jolokia.js, with GET, POST and a bulk', async () => {
    const server = await startTestServer({ transport: 'node' })
    await postJson(server, '{"eventName":"A","payload":{}}')
    const client = new Jolokia({ url: `${server.adminUrl}/jolokia` })
    const spool = `${domain}:name=Spool`
    for (const method of ['get', 'post'] as const) {
      const answer = Object(
        await client.request({ type: 'read', mbean: spool, attribute: 'WrittenEvents' }, { method }),
      )
      expect([Jolokia.isError(answer), answer.value]).toEqual([false, 1])
      const all = Object(await client.request({ type: 'read', mbean: spool }, { method }))
      expect(all.value).toMatchObject({ WrittenEvents: 1, Accepting: true })
    }
    const answers = await client.request([
      { type: 'exec', mbean: writer, operation: 'processLeftBelowFiles', arguments: [] },
      { type: 'read', mbean: 'a:b=c' },
    ])
    expect(answers).toMatchObject([{ value: { files: 1 } }, { status: 404 }])
    expect(Jolokia.isError(Object(answers)[1])).toBe(true)
    const refused = Object(
      await client.request({ type: 'exec', mbean: writer, operation: 'disableFlush' }, { method: 'get' }),
    )
    expect([refused.status, Jolokia.isError(refused)]).toEqual([403, true])
    expect(await client.request({ type: 'version' })).toMatchObject({ value: { protocol: '8.0' } })
  })

  test('jolokia-simple', async () => {
    const server = await startTestServer({ transport: 'node' })
    const client = new JolokiaSimple({ url: `${server.adminUrl}/jolokia` })
    expect(await client.getAttribute(writer, 'CutoffTime')).toBe(0)
    expect(await client.setAttribute(writer, 'CutoffTime', 12)).toBe(0)
    expect(await client.getAttribute(writer, 'CutoffTime')).toBe(12)
    expect(await client.getAttribute('sluice.metrics:name=Runtime', 'Versions', 'node')).toBe(process.versions.node)
    expect(await client.execute(writer, 'disableFlush')).toMatchObject({ flushEnabled: false, changed: true })
    expect(await client.execute(filter, 'addPattern', 'x')).toMatchObject({ patterns: ['x'] })
    expect(await client.search(`${domain}.filters:*`)).toHaveLength(5)
    expect(await client.version()).toMatchObject({ protocol: '8.0' })
    expect(Object(await client.list())[domain]['name=HDFSWriter'].op.enableFlush.ret).toBe('java.util.Map')
    expect(await client.list([domain, 'name=HDFSWriter', 'attr', 'CutoffTime', 'rw'])).toBe(true)
    await expect(client.getAttribute(writer, 'Nothing')).rejects.toMatch(/AttributeNotFoundException/)
  })
})

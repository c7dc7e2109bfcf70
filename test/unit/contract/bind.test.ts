import { Hono } from 'hono'
import { describe, expect, test } from 'vitest'
import { bindOperations } from '../../../src/contract/bind.ts'
import { SluiceError } from '../../../src/errors.ts'
import { contract, createHandlers, createTestApp, createTestService, parseContract, type Seen } from './fixture.ts'

const post = (body: string, headers: Readonly<Record<string, string>> = {}) => ({ method: 'POST', body, headers })

describe('bindOperations', () => {
  test.each([
    { request: 'GET /1?v=A,sB', want: 202 },
    { request: 'GET /1/?v=A,sB', want: 202 },
    { request: 'GET /2/?v=A,sB', want: 202 },
    { request: 'GET /1.0/healthcheck/', want: 200 },
    { request: 'GET /livez', want: 200 },
    { request: 'HEAD /1?v=A', want: 202 },
    { request: 'GET /1', want: 400, code: 'bad-parameter' },
    { request: 'HEAD /1', want: 400 },
    { request: 'GET /1?v=A&gr=never', want: 400, code: 'bad-parameter' },
    { request: 'POST /1?v=A', want: 405, code: 'method-not-allowed', allow: 'GET, HEAD, OPTIONS' },
    { request: 'PUT /2/', want: 405, code: 'method-not-allowed', allow: 'GET, HEAD, OPTIONS' },
    { request: 'GET /rest/1.0/event', want: 405, code: 'method-not-allowed', allow: 'POST, OPTIONS' },
    { request: 'HEAD /rest/1.0/event', want: 405, allow: 'POST, OPTIONS' },
    { request: 'GET /rest/1.0', want: 405, code: 'method-not-allowed', allow: 'POST, DELETE, OPTIONS' },
    { request: 'PROPFIND /livez', want: 405, code: 'method-not-allowed', allow: 'GET, HEAD, OPTIONS' },
    { request: 'OPTIONS /1', want: 204, allow: 'GET, HEAD, OPTIONS' },
    { request: 'OPTIONS /rest/1.0/event/', want: 204, allow: 'POST, OPTIONS' },
    { request: 'OPTIONS /nowhere', want: 404, code: 'not-found' },
    { request: 'GET /1//', want: 404, code: 'not-found' },
    { request: 'GET /rest/1x0/json', want: 404, code: 'not-found' },
    { request: 'GET /constructor', want: 404, code: 'not-found' },
    { request: 'GET /rest/1.0/json?path=/', want: 503, code: 'unavailable' },
    { request: 'DELETE /rest/1.0?path=/a', want: 503, code: 'unavailable' },
    { request: 'GET /rest/1.0/json', want: 400, code: 'bad-parameter' },
  ])('answers $request with $want', async ({ request, want, code, allow }) => {
    const [method = '', target = ''] = request.split(' ')
    const response = await createTestApp().request(target, { method })
    expect(response.status).toBe(want)
    expect(response.headers.get('allow') ?? undefined).toBe(allow)
    if (code !== undefined) expect(await response.json()).toMatchObject({ status: want, code })
  })

  test('gives the handler of GET a HEAD, and drops and cancels its body', async () => {
    const cancelled: string[] = []
    const seen: string[] = []
    const app = createTestApp({
      handlers: {
        getLiveness: call => {
          seen.push(call.method)
          return new Response(new ReadableStream({ cancel: () => void cancelled.push(call.method) }), {
            headers: { 'content-length': '7' },
          })
        },
      },
    })
    const response = await app.request('/livez', { method: 'HEAD' })
    expect(response.body).toBeNull()
    expect(response.headers.get('content-length')).toBe('7')
    expect([seen, cancelled]).toEqual([['HEAD'], ['HEAD']])
  })

  test.each([
    { path: '/1?v=A', accept: 'image/png', want: 202 },
    { path: '/2?v=A', accept: 'image/png', want: 202 },
    { path: '/2?v=A', accept: 'image/png, */*;q=0.1', want: 202 },
    { path: '/2?v=A', accept: 'text/*', want: 202 },
    { path: '/rest/1.0/json?path=/', accept: 'text/csv', want: 406 },
    { path: '/rest/1.0/json?path=/', accept: 'application/problem+json', want: 503 },
    { path: '/rest/1.0/text?path=/', accept: 'text/csv', want: 503 },
    { path: '/rest/1.0/text?path=/', accept: 'image/png, */*;q=0.1', want: 503 },
    { path: '/rest/1.0/text?path=/', accept: 'text/*', want: 503 },
    { path: '/rest/1.0/text?path=/', accept: 'application/problem+json', want: 503 },
    { path: '/rest/1.0/hdfs', accept: 'application/json', want: 406 },
    { path: '/rest/1.0/binary?path=/a', accept: 'image/png', want: 503 },
  ])('answers Accept: $accept on $path with $want', async ({ path, accept, want }) => {
    const seen: Seen = {}
    const response = await createTestApp({ seen }).request(path, { headers: { accept } })
    expect(response.status).toBe(want)
    if (want === 406) expect(seen.call).toBeUndefined()
  })

  test.each([
    { type: 'application/json', want: 202 },
    { type: 'Application/JSON; charset=UTF-8', want: 202 },
    { type: 'application/json+smile', want: 202 },
    { type: 'application/thrift', want: 202 },
    { type: 'ning/thrift', want: 202 },
    { type: 'ning/1.0', want: 202 },
    { type: 'application/octet-stream', want: 202 },
    { type: 'text/plain;charset=UTF-8', want: 202 },
    // Data of a CloudEvent in binary mode: the handler refuses what is not one.
    { type: 'image/png', want: 202 },
    { path: '/login', type: 'text/xml', want: 415 },
    { path: '/login', type: 'application/json', want: 415 },
    { path: '/login', type: 'nonsense', want: 415 },
  ])('answers a POST of $type with $want', async ({ path = '/rest/1.0/event', type, want }) => {
    const seen: Seen = {}
    const response = await createTestApp({ seen }).request(path, post('{}', { 'content-type': type }))
    expect(response.status).toBe(want)
    if (want === 415) expect(seen.call).toBeUndefined()
  })

  test('lets a POST without a content type pass', async () => {
    const response = await createTestApp().request('/rest/1.0/event?name=A', {
      method: 'POST',
      body: new Uint8Array([0]),
    })
    expect(response.status).toBe(202)
  })

  test('hands over typed parameters with their defaults', async () => {
    const seen: Seen = {}
    await createTestApp({ seen }).request(
      '/rest/1.0/event?name=A&gr=daily&x=1',
      post('{}', { 'idempotency-key': 'k 1' }),
    )
    expect(seen.call?.params).toEqual({ name: 'A', gr: 'DAILY', 'Idempotency-Key': 'k 1' })
    expect(seen.call?.operationId).toBe('postEvent')
    await createTestApp({ seen }).request('/1?v=Hello,sA%252CsB&v=second')
    expect(seen.call?.params).toEqual({ v: 'Hello,sA%2CsB', gr: 'HOURLY' })
  })

  test('decodes a parameter once: what is encoded twice stays encoded once', async () => {
    const seen: Seen = {}
    await createTestApp({ seen }).request('/1?v=A%2CsB%2520C+D%FF')
    expect(seen.call?.params).toMatchObject({ v: 'A,sB%20C D\uFFFD' })
  })

  test.each([
    { chars: 8192, want: 202 },
    { chars: 8193, want: 414 },
  ])('answers a path and query of $chars characters with $want', async ({ chars, want }) => {
    const target = '/1?v=A&pad='.padEnd(chars, 'x')
    const response = await createTestApp().request(`http://a-host-of-some-length${target}`)
    expect(response.status).toBe(want)
  })

  test('refuses a long URL of an unknown path as too long', async () => {
    const response = await createTestApp().request(`/nowhere?${'x'.repeat(8192)}`)
    expect(await response.json()).toMatchObject({ code: 'uri-too-long' })
  })

  test('shows nothing of an unknown error, and reports every error', async () => {
    const reported: unknown[] = []
    const failure = new Error('secret')
    const app = createTestApp({
      onError: error => reported.push(error),
      handlers: {
        getLiveness: () => {
          throw failure
        },
        getReadiness: async () => {
          throw new SluiceError('draining', 'Stopping')
        },
      },
    })
    const [live, ready] = [await app.request('/livez'), await app.request('/readyz')]
    expect([live.status, await live.text()]).toEqual([500, expect.not.stringContaining('secret')])
    expect([ready.status, ready.headers.get('retry-after')]).toEqual([503, '1'])
    expect(reported).toEqual([failure, expect.objectContaining({ code: 'draining' })])
  })

  test('leaves out the operations whose tag no service has, and those that a service does without', async () => {
    const { getEventV1, getEventV2 } = createHandlers()
    const app = new Hono()
    const handlers = { getEventV1, getEventV2, postEvent: undefined }
    bindOperations(app, contract, [{ ...createTestService(), tags: ['events'], handlers }])
    expect((await app.request('/rest/1.0/json?path=/')).status).toBe(404)
    expect((await app.request('/rest/1.0/event', post('{}'))).status).toBe(404)
    expect((await app.request('/1?v=A')).status).toBe(202)
  })

  test('checks the source of every method of a path, before all else, and of errors', async () => {
    const asked: string[] = []
    const app = createTestApp({ guard: { checkSource: ({ req }) => void asked.push(`${req.method} ${req.path}`) } })
    for (const [method, path] of [
      ['GET', '/1?v=A'],
      ['GET', '/1/?v=A'],
      ['GET', '/1'],
      ['OPTIONS', '/1'],
      ['PUT', '/rest/1.0/event'],
      ['GET', '/nowhere'],
    ] as const) {
      await app.request(path, { method })
    }
    expect(asked).toEqual(['GET /1', 'GET /1/', 'GET /1', 'OPTIONS /1', 'PUT /rest/1.0/event'])
  })

  test('lets a service render the errors of its paths, and only of these', async () => {
    const app = createTestApp({ guard: { renderError: () => new Response('a page', { status: 418 }) } })
    expect(await (await app.request('/1')).text()).toBe('a page')
    expect((await app.request('/1', { method: 'PUT' })).status).toBe(418)
    expect((await app.request('/nowhere')).status).toBe(404)
  })
})

describe('bindOperations refuses', () => {
  const refusal = (handlers: object) => () =>
    bindOperations(new Hono(), contract, [{ ...createTestService(), handlers }])

  test('an operation without a handler', () => {
    const { getEventV1: _left, ...rest } = createHandlers()
    expect(refusal(rest)).toThrow(new TypeError('Operations without a handler: getEventV1'))
  })

  test('a handler without an operation', () => {
    expect(refusal({ ...createHandlers(), fly: () => new Response() })).toThrow(
      new TypeError('Handlers without an operation: fly'),
    )
  })
})

test('parseContract of a copy of the document binds alike', async () => {
  const copy = parseContract(JSON.stringify(contract.document))
  expect((await createTestApp({ of: copy }).request('/1?v=A')).status).toBe(202)
})

import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSmileWriter } from '../../src/formats/smile/writer.ts'
import { commitAll } from '../integration/clients/server.ts'
import { isRequired } from '../suites/hdfs.ts'
import { type RunningServer, type Runtime, runtimes, startRuntime, whyNot } from './runtimes/runtime-process.ts'

/** The HTTP suite: the same requests, and the same answers, wherever the application runs. */
const describeHttp = (server: () => RunningServer, { sendsLengths = true }: Runtime): void => {
  const call = (path: string, init?: RequestInit): Promise<Response> =>
    fetch(`${server().url}${path}`, { redirect: 'manual', ...init })
  const post = (body: NonNullable<RequestInit['body']>, headers: Record<string, string> = {}): Promise<Response> =>
    call('/rest/1.0/event', { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } })
  const statusOf = async (answer: Promise<Response>): Promise<number> => {
    const response = await answer
    await response.arrayBuffer()
    return response.status
  }
  const rowsOf = async (path: string): Promise<unknown[]> => {
    await commitAll(server().adminUrl)
    const response = await call(`/rest/1.0/json?path=${path}&recursive=true`)
    const { entries } = (await response.json()) as { entries: { content: unknown[] }[] }
    return entries.flatMap(entry => entry.content)
  }
  const event = (eventName: string, n: number): string => JSON.stringify({ eventName, payload: { n, eventDate: 1000 } })

  test.each([
    ['/livez', 200],
    ['/readyz', 200],
    ['/1.0/healthcheck', 200],
    ['/openapi.json', 200],
    ['/docs', 200],
    ['/rest/1.0/hdfs', 200],
    ['/static/pages.css', 200],
    ['/', 303],
    ['/nowhere', 404],
    ['/1', 400],
    ['/1?v=A,b2', 400],
    ['/1?v=A,sx', 202],
    ['/2?v=A,420', 202],
    ['/rest/1.0/json', 400],
    ['/rest/1.0/json?path=/nothing', 404],
    [`/1?v=A,s${'x'.repeat(9_000)}`, 414],
  ])('GET %s is %i', async (path, status) => {
    expect(await statusOf(call(path))).toBe(status)
  })

  test('errors are problems', async () => {
    const response = await call('/1?v=A,b2')
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    expect(await response.json()).toMatchObject({ status: 400, code: 'bad-event' })
  })

  test('HEAD has no body and records nothing, OPTIONS names the methods', async () => {
    const head = await call('/1?v=NotSent,sx', { method: 'HEAD' })
    expect(await head.text()).toBe('')
    const options = await call('/1', { method: 'OPTIONS' })
    expect(options.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
    expect(await statusOf(call('/1?v=A', { method: 'PUT' }))).toBe(405)
    expect(await statusOf(call('/rest/1.0/json?path=/events/NotSent'))).toBe(404)
  })

  test('takes events in every form', async () => {
    const writer = createSmileWriter()
    writer.write({ eventName: 'Forms', payload: { n: 3, eventDate: 1000 } })
    const smile = new Uint8Array(writer.take())
    const thrift = new Uint8Array([0x08, 0, 1, 0, 0, 0, 7, 0])
    const answers = [
      post(event('Forms', 1)),
      post(new Uint8Array(gzipSync(event('Forms', 2))), { 'content-encoding': 'gzip' }),
      post(smile, { 'content-type': 'application/json+smile' }),
      call('/rest/1.0/event?name=FormsThrift', {
        method: 'POST',
        body: thrift,
        headers: { 'content-type': 'application/thrift' },
      }),
      post(event('Forms', 4), { 'content-type': 'text/plain' }),
    ]
    expect(await Promise.all(answers.map(statusOf))).toEqual([202, 202, 202, 202, 202])
    const numbers = (await rowsOf('/events/Forms')).map(row => (row as { n: number }).n)
    expect(numbers.sort((a, b) => a - b)).toEqual([1, 2, 3, 4])
    expect(await rowsOf('/events/FormsThrift')).toMatchObject([{ 1: 7 }])
    expect(await statusOf(post('<xml/>', { 'content-type': 'text/xml' }))).toBe(415)
    expect(await statusOf(post('nonsense'))).toBe(400)
  })

  test('keeps the good events, and tells the others', async () => {
    const response = await post(`[${event('Partly', 1)},{"eventName":"Partly"},${event('Partly', 2)}]`)
    expect(response.status).toBe(202)
    expect(response.headers.get('warning')).toBe('199 sluice "2 accepted, 1 rejected"')
    expect(await response.json()).toMatchObject({ accepted: 2, rejected: 1, errors: [{ index: 1 }] })
  })

  test('a repeated request counts once', async () => {
    const headers = { 'idempotency-key': 'k-1' }
    expect(await statusOf(post(event('Once', 1), headers))).toBe(202)
    expect(await statusOf(post(event('Once', 1), headers))).toBe(202)
    expect(await statusOf(post(event('Once', 2), headers))).toBe(422)
    expect(await rowsOf('/events/Once')).toHaveLength(1)
  })

  test('files go up, come back, and are deleted', async () => {
    const bytes = new Uint8Array(3_000_000).map((_, index) => index % 251)
    const upload = (): Promise<Response> => call('/rest/1.0?path=/data/big.bin', { method: 'POST', body: bytes })
    expect(await statusOf(upload())).toBe(201)
    expect(await statusOf(upload())).toBe(409)
    const whole = await call('/rest/1.0/binary?path=/data/big.bin')
    const etag = whole.headers.get('etag') ?? ''
    expect(whole.headers.get('content-length')).toBe(sendsLengths ? '3000000' : null)
    expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true)
    const part = await call('/rest/1.0/binary?path=/data/big.bin', { headers: { range: 'bytes=10-13' } })
    expect([part.status, [...new Uint8Array(await part.arrayBuffer())]]).toEqual([206, [10, 11, 12, 13]])
    const same = call('/rest/1.0/binary?path=/data/big.bin', { headers: { 'if-none-match': etag } })
    expect(await statusOf(same)).toBe(304)
    expect(await statusOf(call('/rest/1.0?path=/data', { method: 'DELETE' }))).toBe(409)
    expect(await statusOf(call('/rest/1.0?path=/data&recursive=true', { method: 'DELETE' }))).toBe(200)
  })

  test('a form uploads, rows are read as JSON and as text', async () => {
    const form = new FormData()
    form.set('file', new File(['a\tb\nc\td\n'], 'rows.txt'))
    expect(await statusOf(call('/rest/1.0?path=/forms/', { method: 'POST', body: form }))).toBe(201)
    expect(await rowsOf('/forms/rows.txt')).toEqual([
      { 'col-0': 'a', 'col-1': 'b' },
      { 'col-0': 'c', 'col-1': 'd' },
    ])
    const text = await call('/rest/1.0/text?path=/forms/rows.txt&range=0-0')
    expect(await text.text()).toBe('a,b\r\n')
    const page = await call('/rest/1.0/hdfs?path=/forms/rows.txt')
    expect(await page.text()).toMatch(/^<!doctype html>/i)
  })
}

describe.each(runtimes)('on $name', runtime => {
  const reason = whyNot(runtime)
  if (reason !== undefined && !isRequired('runtimes')) {
    console.warn(`skipped on ${runtime.name}: ${reason}`)
    test.skip(reason, () => {})
    return
  }
  let server: RunningServer | undefined
  beforeAll(async () => {
    server = await startRuntime(runtime)
  })
  afterAll(async () => void (await server?.stop()))
  describeHttp(() => {
    if (server === undefined) throw new Error('The server has not been started')
    return server
  }, runtime)

  test('ends on SIGTERM once everything is done', async () => {
    const own = await startRuntime(runtime)
    expect(await own.stop()).toBe(0)
  })
})

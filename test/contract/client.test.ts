import { describe, expect, test } from 'vitest'
import { createSluiceClient } from '../../clients/generated/client.ts'
import { parseExactJson } from '../../clients/generated/exact-json.ts'
import type { Handlers } from '../../src/contract/operations.ts'
import { createTestApp, type Seen } from '../unit/contract/fixture.ts'

const createClientOf = (handlers: Partial<Handlers>, seen: Seen = {}, token?: string) => {
  const app = createTestApp({ handlers, seen })
  return createSluiceClient({
    baseUrl: 'http://sluice.test/',
    fetch: async request => app.fetch(request),
    ...(token === undefined ? {} : { token }),
  })
}

const json = (text: string, status = 200) =>
  new Response(text, { status, headers: { 'content-type': 'application/json; charset=utf-8' } })

describe('createSluiceClient', () => {
  test('sends parameters, and gives nothing for an empty body', async () => {
    const seen: Seen = {}
    const client = createClientOf({
      getEventV1: call => {
        seen.call = call
        return new Response(null, { status: 202 })
      },
    })
    const { data, error, response } = await client.GET('/1', { params: { query: { v: 'A,sé b', gr: 'DAILY' } } })
    expect([data, error, response.status]).toEqual([undefined, undefined, 202])
    expect(seen.call?.params).toEqual({ v: 'A,sé b', gr: 'DAILY' })
  })

  test('sends an event as JSON, its bigints exactly', async () => {
    const sent: string[] = []
    const client = createClientOf({
      postEvent: async call => {
        sent.push(call.header('content-type') ?? '', new TextDecoder().decode(await call.bytes(1000)))
        return json('{"accepted":1,"rejected":0,"errors":[]}', 202)
      },
    })
    const { data } = await client.POST('/rest/1.0/event', {
      body: [{ eventName: 'A', payload: { big: 9223372036854775807n, small: 1 } }],
    })
    expect(sent).toEqual(['application/json', '[{"eventName":"A","payload":{"big":9223372036854775807,"small":1}}]'])
    expect(data).toEqual({ accepted: 1, rejected: 0, errors: [] })
  })

  test('sends bytes as they are, with the type given', async () => {
    const sent: unknown[] = []
    const client = createClientOf(
      {
        postEvent: async call => {
          sent.push(call.header('content-type'), call.header('authorization'), await call.bytes(1000))
          return new Response(null, { status: 202 })
        },
      },
      {},
      'secret',
    )
    await client.POST('/rest/1.0/event', {
      params: { header: { 'Idempotency-Key': 'k' } },
      headers: { 'content-type': 'application/json+smile' },
      body: new Uint8Array([0x3a, 0x29, 0x0a, 0xff]),
    })
    expect(sent).toEqual(['application/json+smile', 'Bearer secret', new Uint8Array([0x3a, 0x29, 0x0a, 0xff])])
  })

  test('keeps integers that a double would round', async () => {
    const client = createClientOf({
      readJson: () =>
        json('{"path":"/a","parentPath":"/","entries":[{"content":[{"id":9223372036854775807,"n":1.5}]}]}'),
    })
    const { data } = await client.GET('/rest/1.0/json', { params: { query: { path: '/a' } } })
    expect(data?.entries[0]?.content).toEqual([{ id: 9223372036854775807n, n: 1.5 }])
  })

  test('gives text where the answer is not JSON', async () => {
    const client = createClientOf({
      getLiveness: () => new Response('ok\n', { headers: { 'content-type': 'text/plain' } }),
    })
    const { data } = await client.GET('/livez')
    expect(data).toBe('ok\n')
  })

  test('streams a download', async () => {
    const client = createClientOf({ readBinary: () => new Response('bytes') })
    const { data } = await client.GET('/rest/1.0/binary', { params: { query: { path: '/a' } }, parseAs: 'stream' })
    expect(await new Response(data).text()).toBe('bytes')
  })

  test('gives the problem of a refused call', async () => {
    const { error, response } = await createClientOf({}).GET('/1', { params: { query: { v: '' } } })
    expect([response.status, error?.code]).toEqual([400, 'bad-parameter'])
  })
})

describe('parseExactJson', () => {
  test.each([
    { given: '9007199254740993', want: 9007199254740993n },
    { given: '[-9223372036854775808,1]', want: [-9223372036854775808n, 1] },
    { given: '{"a":1234567890123456.5}', want: { a: 1234567890123456.5 } },
    { given: '{"a":"1234567890123456789"}', want: { a: '1234567890123456789' } },
    { given: '[1e400]', want: [Number.POSITIVE_INFINITY] },
    { given: 'null', want: null },
  ])('reads $given', ({ given, want }) => {
    expect(parseExactJson(given)).toEqual(want)
  })

  test('refuses what is not JSON', () => {
    expect(() => parseExactJson('{"a":1234567890123456789')).toThrow(SyntaxError)
  })
})

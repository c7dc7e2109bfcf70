import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { createPostSender, type PostOptions } from '../../../clients/tracker/post-sender.ts'
import { readSmile } from '../../../src/formats/smile/reader.ts'

const createSender = (answer: () => Response | Promise<Response>, options: Partial<PostOptions> = {}) => {
  const calls: { readonly url: string; readonly init: RequestInit }[] = []
  const sender = createPostSender({
    url: 'http://collector.test/',
    fetch: async (url, init) => {
      calls.push({ url, init })
      return await answer()
    },
    ...options,
  })
  return { sender, calls }
}

const attempt = { key: 'key-1', from: 0, signal: new AbortController().signal }
const accepted = () => new Response(null, { status: 202 })
const problem =
  (status: number, code: string, headers = {}) =>
  () =>
    new Response(JSON.stringify({ code, detail: 'why' }), { status, headers })

describe('createPostSender', () => {
  test('sends JSON as one array, with the key and the token', async () => {
    const { sender, calls } = createSender(accepted, { format: 'json', token: 'secret', compress: false })
    const records = [1n, 2n ** 60n].map(n => sender.encode({ eventName: 'A', payload: { n } }, 7))
    expect(await sender.send(records, attempt)).toEqual({ kind: 'settled', rejected: [], unlisted: 0 })
    expect(calls[0]?.url).toBe('http://collector.test/rest/1.0/event')
    expect(calls[0]?.init).toMatchObject({
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'key-1', authorization: 'Bearer secret' },
    })
    expect(Buffer.from(calls[0]?.init.body as Uint8Array).toString()).toBe(
      '[{"eventName":"A","payload":{"eventDate":7,"n":1}},{"eventName":"A","payload":{"eventDate":7,"n":1152921504606846976}}]',
    )
  })

  test('sends Smile as documents one after another, compressed where that helps', async () => {
    const { sender, calls } = createSender(accepted)
    const records = Array.from({ length: 50 }, (_, n) => sender.encode({ eventName: 'A', payload: { n } }, 7))
    await sender.send(records, attempt)
    expect(calls[0]?.init.headers).toMatchObject({
      'content-type': 'application/json+smile',
      'content-encoding': 'gzip',
    })
    const events = [...readSmile(gunzipSync(calls[0]?.init.body as Uint8Array))]
    expect(events).toHaveLength(50)
    expect(events[49]).toEqual({ eventName: 'A', payload: { eventDate: 7, n: 49 } })
    expect(sender.describe(records[3] ?? new Uint8Array())).toEqual({ eventName: 'A', payload: { eventDate: 7, n: 3 } })
  })

  test('reads which events were refused', async () => {
    const report = { accepted: 1, rejected: 3, errors: [{ index: 2, code: 'bad-event', detail: 'why' }, 7] }
    const { sender } = createSender(() => new Response(JSON.stringify(report), { status: 202 }))
    expect(await sender.send([], attempt)).toEqual({
      kind: 'settled',
      rejected: [{ index: 2, code: 'bad-event', detail: 'why' }],
      unlisted: 2,
    })
  })

  test.each([
    {
      name: 'busy',
      answer: problem(503, 'overloaded', { 'retry-after': '3' }),
      want: { kind: 'retry', afterMs: 3_000 },
    },
    {
      name: 'busy for ages',
      answer: problem(503, 'x', { 'retry-after': '999999' }),
      want: { kind: 'retry', afterMs: 3_600_000 },
    },
    {
      name: 'busy until a date that is past',
      answer: problem(503, 'x', { 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }),
      want: { kind: 'retry', afterMs: 0 },
    },
    {
      name: 'a success that is no 202',
      answer: () => new Response('<html>', { status: 200 }),
      want: { kind: 'retry' },
    },
    { name: 'a redirect', answer: () => new Response(null, { status: 302 }), want: { kind: 'retry' } },
    { name: 'another address', answer: problem(404, 'not-found'), want: { kind: 'retry' } },
    { name: 'no token', answer: problem(401, 'unauthenticated'), want: { kind: 'retry' } },
    {
      name: 'a bad request',
      answer: problem(400, 'bad-event'),
      want: { kind: 'refused', code: 'bad-event', detail: 'why' },
    },
    { name: 'a body that is too large', answer: problem(413, 'too-large'), want: { kind: 'too-large' } },
    {
      name: 'a key that the server knows',
      answer: problem(422, 'key-reused'),
      want: { kind: 'settled', rejected: [] },
    },
    {
      name: 'an answer of megabytes',
      answer: () => new Response('x'.repeat(3_000_000), { status: 503 }),
      want: { kind: 'retry' },
    },
    {
      name: 'no answer',
      answer: () => Promise.reject(new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') })),
      want: { kind: 'retry', error: expect.objectContaining({ message: expect.stringContaining('ECONNREFUSED') }) },
    },
  ])('$name', async ({ answer, want }) => {
    const { sender } = createSender(answer)
    expect(await sender.send([Uint8Array.of(1)], attempt)).toMatchObject(want)
  })
})

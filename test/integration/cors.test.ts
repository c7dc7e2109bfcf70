import { afterEach, describe, expect, test } from 'vitest'
import { openThreadedApp, type ThreadedApp } from '../suites/threaded-app.ts'
import { createRawClient, toPost } from '../unit/http/raw-client.ts'

let server: ThreadedApp | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

const shop = 'https://shop.example'
const event = '{"eventName":"A","payload":{}}'

/** What the answers to requests of one connection say to pages: status, who may see it, whether with cookies, and what else. */
const ask = async (
  { urls }: ThreadedApp,
  requests: readonly string[],
  others: readonly string[] = [],
): Promise<readonly string[]> => {
  const client = await createRawClient(Number(new URL(urls['server'] ?? '').port))
  client.send(requests.join(''))
  const seen: string[] = []
  for (const _ of requests) {
    const head = await client.until(/HTTP\/1\.1 \d+ [\s\S]*?\r\n\r\n/)
    const of = (name: string): string => new RegExp(`^${name}: (.*)\r$`, 'im').exec(head)?.[1] ?? '-'
    const status = /HTTP\/1\.1 (\d+)/.exec(head)?.[1]
    const names = ['access-control-allow-origin', 'access-control-allow-credentials', 'vary', ...others]
    seen.push([status, ...names.map(of)].join(' '))
  }
  client.socket.destroy()
  return seen
}

const from = (origin: string | undefined): string => (origin === undefined ? '' : `Origin: ${origin}\r\n`)
const post = (origin?: string, body = event): string =>
  toPost('/rest/1.0/event', body, `Content-Type: application/json\r\n${from(origin)}`)
const get = (origin?: string, target = '/1?v=A'): string =>
  `GET ${target} HTTP/1.1\r\nHost: localhost\r\n${from(origin)}\r\n`
const chunked = (origin?: string): string =>
  `POST /rest/1.0/event HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${from(origin)}Transfer-Encoding: chunked\r\n\r\n${event.length.toString(16)}\r\n${event}\r\n0\r\n\r\n`
const preflight = (origin?: string): string =>
  `OPTIONS /rest/1.0/event HTTP/1.1\r\nHost: localhost\r\n${from(origin)}Access-Control-Request-Method: POST\r\n\r\n`

describe.each([1, 2])('with %i threads', threads => {
  test('each answer is for the page that has asked, on a connection that several share', async () => {
    server = await openThreadedApp(threads, [`collector.allowed-origins=${shop},https://b.example`])
    const own = `${shop} true Origin`
    const requests: readonly (readonly [string, string])[] = [
      [post(shop), `202 ${own}`],
      [post('https://evil.example'), '202 - - Origin'],
      [post('https://b.example'), '202 https://b.example true Origin'],
      [post(), '202 - - Origin'],
      [get(shop), `202 ${own}`],
      [post(shop, '{'), `400 ${own}`],
      [post('https://evil.example', '{'), '400 - - Origin'],
      [get(shop, '/1?v=A,q'), `400 ${own}`],
      [get(shop, '/1'), `400 ${own}`],
      [post(shop), `202 ${own}`],
      [preflight(shop), `204 ${own}`],
      [preflight('https://evil.example'), '204 - - Origin'],
      [chunked(shop), `202 ${own}`],
      [chunked('https://evil.example'), '202 - - Origin'],
      [get(shop), `202 ${own}`],
    ]
    expect(
      await ask(
        server,
        requests.map(([request]) => request),
      ),
    ).toEqual(requests.map(([, want]) => want))
  })

  test('a page hears that its quota is used up', async () => {
    const quota = ['collector.quota.bytes-per-second=1', 'collector.quota.burst-seconds=1']
    server = await openThreadedApp(threads, [`collector.allowed-origins=${shop}`, ...quota])
    const exposed = 'Retry-After, RateLimit, RateLimit-Policy'
    const requests = [post(shop), post(shop), post('https://evil.example'), chunked(shop), get(shop, '/1')]
    expect(await ask(server, requests, ['access-control-expose-headers'])).toEqual([
      `202 ${shop} true Origin -`,
      `429 ${shop} true Origin ${exposed}`,
      '429 - - Origin -',
      `429 ${shop} true Origin ${exposed}`,
      `429 ${shop} true Origin ${exposed}`,
    ])
  })

  test('so does any page where none are named', async () => {
    server = await openThreadedApp(threads, ['collector.quota.bytes-per-second=1', 'collector.quota.burst-seconds=1'])
    const exposed = 'Retry-After, RateLimit, RateLimit-Policy'
    expect(await ask(server, [post(shop), post(shop), chunked(shop)], ['access-control-expose-headers'])).toEqual([
      '202 * - - -',
      `429 * - - ${exposed}`,
      `429 * - - ${exposed}`,
    ])
  })

  test('without the setting all pages see the same', async () => {
    server = await openThreadedApp(threads)
    const any = '* - -'
    expect(await ask(server, [post(shop), get('https://evil.example'), post(shop, '{'), preflight(shop)])).toEqual([
      `202 ${any}`,
      `202 ${any}`,
      `400 ${any}`,
      `204 ${any}`,
    ])
  })
})

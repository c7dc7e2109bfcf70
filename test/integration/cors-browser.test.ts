import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { doorNames } from '../../src/collector/doors/door-names.ts'
import { describeBrowser } from '../suites/browser.ts'
import { openSite, type Site } from '../suites/site.ts'
import { openThreadedApp, type ThreadedApp } from '../suites/threaded-app.ts'
import { startServer } from './clients/server.ts'

const json = { 'content-type': 'application/json' }

type Sent = { readonly method?: string; readonly headers?: Record<string, string>; readonly body?: string }

/** What SDKs for browsers send, with cookies. */
const requests: readonly (readonly [name: string, path: string, init: Sent, status: number])[] = [
  [
    'an event',
    '/rest/1.0/event',
    { method: 'POST', headers: { ...json, 'idempotency-key': 'k' }, body: '{"eventName":"A","payload":{}}' },
    202,
  ],
  ['a beacon by GET', '/1?v=A', {}, 202],
  [
    'lines',
    '/rest/1.0/event?name=A',
    { method: 'POST', headers: { 'content-type': 'application/x-ndjson' }, body: '{"a":1}\n{"a":2}' },
    202,
  ],
  [
    'a CloudEvent in binary mode',
    '/rest/1.0/event',
    {
      method: 'POST',
      headers: { ...json, 'ce-id': '1', 'ce-source': '/', 'ce-type': 'A', 'ce-specversion': '1.0' },
      body: '{"a":1}',
    },
    202,
  ],
  [
    'Segment',
    '/v1/t',
    {
      method: 'POST',
      headers: { ...json, authorization: 'Basic a2V5Og==' },
      body: '{"type":"track","event":"A","messageId":"m"}',
    },
    200,
  ],
  [
    'Snowplow',
    '/com.snowplowanalytics.snowplow/tp2',
    { method: 'POST', headers: { ...json, 'sp-anonymous': '*' }, body: '{"data":[{"e":"pv"}]}' },
    200,
  ],
  ['PostHog', '/e/?ip=1', { method: 'POST', headers: json, body: '{"event":"A","uuid":"u","api_key":"k"}' }, 200],
  ['OTLP', '/v1/logs', { method: 'POST', headers: json, body: '{"resourceLogs":[]}' }, 200],
]

describeBrowser('S3: pages that send events with cookies', browser => {
  let shop: Site
  let other: Site
  let app: ThreadedApp
  beforeAll(async () => {
    shop = await openSite()
    other = await openSite()
    app = await openThreadedApp(2, [
      `collector.allowed-origins=${shop.origin}`,
      `collector.doors=${doorNames.join(',')}`,
    ])
  })
  afterAll(async () => {
    await app.close()
    await shop.close()
    await other.close()
  })

  const open = async (origin: string): Promise<{ readonly page: Page; readonly url: string }> => {
    const url = app.urls['server'] ?? ''
    const page = await browser.open([origin, url])
    await page.goto(`${origin}/`)
    return { page, url }
  }
  /** The status that the page sees; what is thrown where it may not see any. */
  const ask = (page: Page, url: string, init: Sent): Promise<string> =>
    page.evaluate(
      ([to, given]) =>
        fetch(to, { credentials: 'include', ...given }).then(
          ({ status }) => String(status),
          (error: Error) => error.message,
        ),
      [url, init] as const,
    )
  const accepted = async (): Promise<number> => {
    const text = await (await fetch(`${app.urls['admin']}/metrics`)).text()
    return [...text.matchAll(/^collector_events_accepted_total\S* (\d+)$/gm)].reduce((sum, [, n]) => sum + Number(n), 0)
  }

  test.each(requests)('%s is sent by a page of a named origin', async (_, path, init, status) => {
    const { page, url } = await open(shop.origin)
    expect(await ask(page, `${url}${path}`, init)).toBe(String(status))
  })

  test('a beacon of JSON with cookies arrives', async () => {
    const { page, url } = await open(shop.origin)
    const before = await accepted()
    const isQueued = await page.evaluate(
      `navigator.sendBeacon('${url}/rest/1.0/event', new Blob(['{"eventName":"Left","payload":{}}'], { type: 'application/json' }))`,
    )
    expect(isQueued).toBe(true)
    await expect.poll(accepted).toBe(before + 1)
  })

  test('a tracker is known again by its cookie', async () => {
    const { page, url } = await open(shop.origin)
    const init = { method: 'POST', headers: json, body: '{"data":[{"e":"pv"}]}' }
    expect(await ask(page, `${url}/com.snowplowanalytics.snowplow/tp2`, init)).toBe('200')
    const cookies = (): Promise<readonly string[]> =>
      page
        .context()
        .cookies(url)
        .then(found => found.filter(({ name }) => name === 'sp').map(({ value }) => value))
    const [first] = await cookies()
    expect(await ask(page, `${url}/com.snowplowanalytics.snowplow/tp2`, init)).toBe('200')
    expect([await cookies(), first === undefined]).toEqual([[first], false])
  })

  test('a beacon of JSON from another origin does not arrive', async () => {
    const { page, url } = await open(other.origin)
    const before = await accepted()
    const failed = page.waitForEvent('requestfailed')
    await page.evaluate(
      `navigator.sendBeacon('${url}/rest/1.0/event', new Blob(['{"eventName":"Left","payload":{}}'], { type: 'application/json' }))`,
    )
    expect((await failed).url()).toBe(`${url}/rest/1.0/event`)
    expect(await accepted()).toBe(before)
  })

  test('a page of another origin sees no answer, and sends nothing that needs leave', async () => {
    const { page, url } = await open(other.origin)
    const before = await accepted()
    const init = { method: 'POST', headers: json, body: '{"eventName":"A","payload":{}}' }
    expect(await ask(page, `${url}/rest/1.0/event`, init)).toBe('Failed to fetch')
    expect(await accepted()).toBe(before)
  })

  test.each([
    ['without cookies', [], {}],
    ['with cookies, of a named origin', ['shop'], { credentials: 'include' }],
    ['without cookies, where any origin may', ['*'], {}],
  ] as const)('a page reads when to send again: %s', async (_, allowed, more) => {
    const origins = allowed.map(one => (one === 'shop' ? shop.origin : one))
    const quota = ['collector.quota.events-per-second=1', `collector.doors=${doorNames.join(',')}`]
    const slow = await startServer(...quota, `collector.allowed-origins=${origins.join(',')}`)
    try {
      const page = await browser.open([shop.origin, slow.url])
      await page.goto(`${shop.origin}/`)
      const seen = await page.evaluate(
        async ([to, init]) => {
          for (;;) {
            const { status, headers } = await fetch(to, { method: 'POST', body: '{"type":"page"}', ...init })
            if (status !== 200) return [status, Number(headers.get('retry-after')) > 0, headers.has('ratelimit')]
          }
        },
        [`${slow.url}/v1/p`, more] as const,
      )
      expect(seen).toEqual([429, true, true])
    } finally {
      await slow.close()
    }
  })
})

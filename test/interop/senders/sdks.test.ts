/** Third-party SDKs, unchanged except for the address they send to. */
import { expect, test } from 'vitest'
import { storedEvents } from '../../unit/collector/fakes.ts'
import { loadSdk } from './load-sdk.ts'
import { openDoors } from './open-doors.ts'

type CloudEvents = {
  readonly CloudEvent: new (event: object) => { readonly id: string }
  readonly HTTP: { readonly binary: ToMessage; readonly structured: ToMessage }
}
type ToMessage = (event: object) => { readonly headers: Record<string, string>; readonly body: string }

test('cloudevents: both modes', async () => {
  const { url, spool } = await openDoors()
  const { CloudEvent, HTTP } = await loadSdk<CloudEvents>('cloudevents')
  const event = {
    source: '/shop',
    type: 'shop.order',
    time: '2009-01-02T03:04:05.006Z',
    subject: 'Müller',
    data: { total: 12.5 },
  }
  // Each has an id of its own.
  const events = [new CloudEvent(event), new CloudEvent(event)]
  for (const [index, toMessage] of [HTTP.binary, HTTP.structured].entries()) {
    const { headers, body } = toMessage(events[index] ?? {})
    const response = await fetch(`${url}/rest/1.0/event`, { method: 'POST', headers, body })
    expect(response.status).toBe(202)
  }
  const want = { name: 'shop.order', date: Date.UTC(2009, 0, 2, 3, 4, 5, 6) }
  const payload = { source: '/shop', type: 'shop.order', data: { total: 12.5 } }
  expect(storedEvents(spool)).toMatchObject(events.map(({ id }) => ({ ...want, payload: { ...payload, id } })))
})

type Analytics = {
  track(call: object): void
  identify(call: object): void
  page(call: object): void
  closeAndFlush(): Promise<void>
}

/** What is over by itself; some senders hear of a 503 in place of the 408. */
const passing = ['overloaded', 'request-timeout'] as const

test.each(passing)('@segment/analytics-node: a batch, retried when it is refused as %s', async code => {
  const { url, spool, refuse, answers } = await openDoors()
  const { Analytics } = await loadSdk<{ Analytics: new (options: object) => Analytics }>('@segment/analytics-node')
  const analytics = new Analytics({ writeKey: 'key', host: url, maxRetries: 5 })
  refuse(1, code)
  analytics.track({ userId: 'u', event: 'Order', properties: { total: 12.5 }, timestamp: '2009-01-02T03:04:05.006Z' })
  analytics.identify({ userId: 'u', traits: { name: 'Ann' } })
  analytics.page({ userId: 'u', name: 'Home' })
  await analytics.closeAndFlush()
  expect(answers.filter(status => status !== 200)).toEqual([503])
  expect(storedEvents(spool).toSorted((a, b) => (a.name < b.name ? -1 : 1))).toMatchObject([
    { name: 'Order', date: Date.UTC(2009, 0, 2, 3, 4, 5, 6), payload: { properties: { total: 12.5 } } },
    { name: 'identify', payload: { traits: { name: 'Ann' } } },
    { name: 'page', payload: { name: 'Home' } },
  ])
})

type Rudder = { track(call: object): void; identify(call: object): void; flush(): Promise<unknown> }

test.each(passing)(
  '@rudderstack/rudder-sdk-node: a batch, gzipped, tried again when it is refused as %s',
  async code => {
    const { url, spool, refuse, answers } = await openDoors()
    const RudderAnalytics = await loadSdk<new (key: string, options: object) => Rudder>('@rudderstack/rudder-sdk-node')
    const rudder = new RudderAnalytics('key', {
      dataPlaneUrl: url,
      gzip: true,
      flushAt: 20,
      flushInterval: 10_000,
    })
    refuse(1, code)
    rudder.track({ userId: 'u', event: 'Order', properties: { total: 12.5 } })
    rudder.identify({ userId: 'u', traits: { name: 'Ann' } })
    await rudder.flush()
    expect(answers.at(0)).toBe(503)
    expect(answers.at(-1)).toBe(200)
    expect(
      storedEvents(spool)
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(['Order', 'identify'])
  },
)

type SnowplowSdk = {
  readonly newTracker: (tracker: object, emitter: object) => { track(event: object): void; flush(): void }
  readonly buildPageView: (event: object) => object
  readonly buildStructEvent: (event: object) => object
  readonly buildSelfDescribingEvent: (event: object) => object
}

test.each(['post', 'get'])('@snowplow/node-tracker: by %s, retried after a 503', async eventMethod => {
  const { url, spool, refuse, answers } = await openDoors()
  const sdk = await loadSdk<SnowplowSdk>('@snowplow/node-tracker')
  const tracker = sdk.newTracker({ namespace: 'n', appId: 'shop' }, { endpoint: url, eventMethod, bufferSize: 3 })
  refuse(1)
  tracker.track(sdk.buildPageView({ pageUrl: 'https://shop.example/?a=1', pageTitle: 'Ü' }))
  tracker.track(sdk.buildStructEvent({ category: 'c', action: 'a', value: 1.5 }))
  tracker.track(
    sdk.buildSelfDescribingEvent({
      event: { schema: 'iglu:com.acme/ad_click/jsonschema/1-0-0', data: { banner: 'b' } },
    }),
  )
  // What could not be sent waits for the next flush.
  const flushed = () => {
    tracker.flush()
    return storedEvents(spool).length
  }
  await expect.poll(flushed, { timeout: 20_000 }).toBe(3)
  expect(answers).toContain(503)
  const stored = storedEvents(spool).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  expect(stored).toMatchObject([
    { name: 'ad_click' },
    { name: 'page_view', payload: { url: 'https://shop.example/?a=1', page: 'Ü', aid: 'shop' } },
    { name: 'struct', payload: { se_ca: 'c', se_va: '1.5' } },
  ])
  // The device's date, to the ms.
  for (const { date, payload } of stored) expect(String(date)).toBe(Object(payload)['dtm'])
})

type PostHogClient = {
  capture(event: object): void
  getAllFlags(id: string): Promise<object>
  shutdown(): Promise<void>
}

test.each(passing)(
  'posthog-node: a batch by gzip, tried again when it is refused as %s, and the question for flags',
  async code => {
    const { url, spool, refuse, answers } = await openDoors()
    const { PostHog } = await loadSdk<{ PostHog: new (key: string, options: object) => PostHogClient }>('posthog-node')
    const posthog = new PostHog('key', { host: url, fetchRetryDelay: 100 })
    expect(await posthog.getAllFlags('u')).toEqual({})
    refuse(1, code)
    posthog.capture({
      distinctId: 'u',
      event: 'Order',
      properties: { total: 12.5 },
      timestamp: new Date(1_230_865_445_006),
    })
    posthog.capture({ distinctId: 'u', event: '$pageview' })
    await posthog.shutdown()
    expect(answers).toContain(503)
    const stored = storedEvents(spool).toSorted((a, b) => (a.name < b.name ? -1 : 1))
    expect(stored).toMatchObject([
      { name: '$pageview' },
      { name: 'Order', date: 1_230_865_445_006, payload: { properties: { total: 12.5 } } },
    ])
    expect(Object(stored[1]?.payload)['uuid']).toMatch(/^[\da-f-]{36}$/)
    expect(JSON.stringify(stored)).not.toContain('"api_key"')
  },
)

type Exporter = new (options: object) => object
type SdkLogs = {
  readonly BatchLogRecordProcessor: new (options: object) => object
  readonly SimpleLogRecordProcessor: new (options: object) => object
  readonly LoggerProvider: new (
    options: object,
  ) => {
    getLogger(name: string): { emit(record: object): void }
    forceFlush(): Promise<void>
    shutdown(): Promise<void>
  }
}

const exporters = ['http', 'proto'].flatMap(kind => passing.map(code => [kind, code] as const))

test.each(exporters)(
  '@opentelemetry/exporter-logs-otlp-%s: tried again when it is refused as %s',
  async (kind, code) => {
    const { url, spool, refuse, answers } = await openDoors()
    const { OTLPLogExporter } = await loadSdk<{ OTLPLogExporter: Exporter }>(
      `@opentelemetry/exporter-logs-otlp-${kind}`,
    )
    const { LoggerProvider, BatchLogRecordProcessor } = await loadSdk<SdkLogs>('@opentelemetry/sdk-logs')
    const exporter = new OTLPLogExporter({ url: `${url}/v1/logs`, compression: 'gzip' })
    const provider = new LoggerProvider({ processors: [new BatchLogRecordProcessor({ exporter })] })
    refuse(1, code)
    const logger = provider.getLogger('shop')
    logger.emit({
      timestamp: 1_230_865_445_006,
      severityText: 'INFO',
      body: 'Started',
      attributes: { n: 1.5, big: 2 ** 40 },
    })
    logger.emit({ timestamp: 1_230_865_445_006, eventName: 'order.placed', body: { total: 12.5 } })
    await provider.shutdown()
    expect(answers).toEqual([503, 200])
    expect(storedEvents(spool)).toMatchObject([
      { name: 'log', date: 1_230_865_445_006, payload: { body: { stringValue: 'Started' }, scope: { name: 'shop' } } },
      { name: 'order.placed', date: 1_230_865_445_006 },
    ])
  },
)

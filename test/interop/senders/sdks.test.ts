/** SDKs of other makes, unchanged but for the address they send to. */
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
  const event = new CloudEvent({
    source: '/shop',
    type: 'shop.order',
    time: '2009-01-02T03:04:05.006Z',
    subject: 'Müller',
    data: { total: 12.5 },
  })
  for (const toMessage of [HTTP.binary, HTTP.structured]) {
    const { headers, body } = toMessage(event)
    const response = await fetch(`${url}/rest/1.0/event`, { method: 'POST', headers, body })
    expect(response.status).toBe(202)
  }
  const want = { name: 'shop.order', date: Date.UTC(2009, 0, 2, 3, 4, 5, 6) }
  const payload = { id: event.id, source: '/shop', type: 'shop.order', data: { total: 12.5 } }
  expect(storedEvents(spool)).toMatchObject([
    { ...want, payload },
    { ...want, payload },
  ])
})

type Analytics = {
  track(call: object): void
  identify(call: object): void
  page(call: object): void
  closeAndFlush(): Promise<void>
}

test('@segment/analytics-node: a batch, tried again after a 503', async () => {
  const { url, spool, refuse, answers } = await openDoors()
  const { Analytics } = await loadSdk<{ Analytics: new (options: object) => Analytics }>('@segment/analytics-node')
  const analytics = new Analytics({ writeKey: 'key', host: url, maxRetries: 5 })
  refuse(1)
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

test('@rudderstack/rudder-sdk-node: a batch, gzipped, tried again after a 503', async () => {
  const { url, spool, refuse, answers } = await openDoors()
  const RudderAnalytics = await loadSdk<new (key: string, options: object) => Rudder>('@rudderstack/rudder-sdk-node')
  const rudder = new RudderAnalytics('key', {
    dataPlaneUrl: url,
    gzip: true,
    flushAt: 20,
    flushInterval: 10_000,
  })
  refuse(1)
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
})

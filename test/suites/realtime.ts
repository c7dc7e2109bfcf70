import { afterEach, describe, expect, test } from 'vitest'
import type { RunningBroker } from '../../scripts/brokers/broker.ts'
import { createTestServer, postJson, type TestServer } from './admin.ts'
import type { Subscriber } from './brokers.ts'
import { eventually } from './eventually.ts'

/** Realtime over the whole server and a real broker. */
export type RealtimeSuite = {
  readonly broker: () => RunningBroker
  /** Listens to an event type; `mode` is what the server was started with. */
  readonly subscribe: (url: string, eventName: string, mode: 'live' | 'stored') => Promise<Subscriber>
  /** Settings with which the broker keeps messages for a later subscriber. */
  readonly stored: readonly string[]
}

const queueStats = 'sluice.metrics.collector:name=RTQueueStats'

/** The same tests for every kind of broker. */
export const describeRealtime = ({ broker, subscribe, stored }: RealtimeSuite): void => {
  const closing: (() => unknown)[] = []
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close()
  })
  const start = async (...set: readonly string[]): Promise<TestServer> => {
    const server = await createTestServer({ set: [`realtime.broker=${broker().url}`, ...set] })
    closing.push(server.close)
    return server
  }
  const listen = async (eventName: string, mode: 'live' | 'stored'): Promise<Subscriber> => {
    const subscriber = await subscribe(broker().url, eventName, mode)
    closing.push(() => subscriber.close())
    return subscriber
  }
  const sentIs = (server: TestServer, sent: number): Promise<void> =>
    eventually(async () => expect((await server.rpc.read(queueStats)).value).toMatchObject({ SentEvents: sent }))
  const post = async (server: TestServer, eventName: string, first: number, count: number): Promise<void> => {
    for (let n = first; n < first + count; n++) {
      const response = await postJson(
        server,
        JSON.stringify({ eventName, payload: { n, eventDate: 1_767_323_045_000 } }),
      )
      expect(response.status).toBe(202)
    }
  }
  const health = async (server: TestServer): Promise<{ readonly code: string; readonly message: string }> => {
    const response = await server.server('/1.0/healthcheck')
    expect(response.status).toBe(200)
    const { items } = (await response.json()) as { items: { type: string; code: string; message: string }[] }
    const item = items.find(({ type }) => type === 'RealtimeHealthCheck')
    if (!item) throw new Error('no such item')
    return item
  }
  const numbers = ({ received }: Subscriber): number[] =>
    received.map(({ text }) => (JSON.parse(text) as { readonly n: number }).n)
  const upTo = (count: number): number[] => [...Array(count).keys()]

  describe('events', () => {
    test('of configured types arrive as JSON, with what they are beside them', async () => {
      const server = await start('realtime.events=Plain,Käse 1', 'realtime.key=n')
      const subscriber = await listen('Käse 1', 'live')
      await post(server, 'Other', 0, 1)
      await post(server, 'Käse 1', 0, 3)
      const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
      const body = JSON.stringify({ eventName: 'Käse 1', payload: { n: 3 } })
      const headers = { 'content-type': 'application/json', traceparent }
      expect((await server.server('/rest/1.0/event', { method: 'POST', body, headers })).status).toBe(202)
      await sentIs(server, 4)
      await eventually(() => expect(numbers(subscriber)).toEqual([0, 1, 2, 3]))
      // The trace that its sender named, passed on to the consumer at the broker.
      expect(subscriber.received.map(one => one.headers['traceparent'])).toEqual([...Array(3), traceparent])
      expect(subscriber.received[1]).toMatchObject({
        text: '{"n":1,"eventDate":1767323045000,"eventGranularity":"HOURLY"}',
        key: '1',
        headers: { eventName: 'Käse 1', eventGranularity: 'HOURLY' },
      })
      expect(String(subscriber.received[1]?.headers['eventDate'])).toBe('1767323045000')
      const { code, message } = await health(server)
      expect(code).toBe('OK')
      expect(message).toBe(
        'enabled: true, running: true, types: [Plain, Käse 1], queue sizes: {Plain: 0, Käse 1: 0}, enqueued: 4, sent: 4, dropped: 0, errored: 0, ignored: 0',
      )
    })

    test('of a type that is added while it runs arrive, until it is removed', async () => {
      const server = await start()
      const subscriber = await listen('Later', 'live')
      await post(server, 'Later', 0, 1)
      const subsystem = 'sluice.metrics.collector:name=RTSubsystem'
      await server.rpc.exec(subsystem, 'addTypeToCollect', ['Later'])
      await post(server, 'Later', 1, 2)
      await sentIs(server, 2)
      await server.rpc.exec(subsystem, 'disable', [])
      await post(server, 'Later', 3, 1)
      await server.rpc.exec(subsystem, 'enable', [])
      await post(server, 'Later', 4, 1)
      await sentIs(server, 3)
      await server.rpc.exec(subsystem, 'removeTypeToCollect', ['Later'])
      await post(server, 'Later', 5, 1)
      await eventually(() => expect(numbers(subscriber)).toEqual([1, 2, 4]))
    })
  })

  test('R17: a broker that is killed and started again costs intake nothing, and no event', async () => {
    const server = await start('realtime.events=Outage', ...stored)
    const before = await listen('Outage', 'stored')
    await post(server, 'Outage', 0, 100)
    await sentIs(server, 100)
    await eventually(() => expect(numbers(before)).toEqual(upTo(100)))
    await broker().kill()
    await post(server, 'Outage', 100, 100)
    await eventually(async () => expect((await health(server)).message).toContain('running: false'))
    const during = await health(server)
    expect(during.code).toBe('WARN')
    await broker().start()
    await post(server, 'Outage', 200, 100)
    await sentIs(server, 300)
    const after = await listen('Outage', 'stored')
    await eventually(() => expect(new Set([...numbers(before), ...numbers(after)])).toEqual(new Set(upTo(300))))
    expect((await server.rpc.read(queueStats)).value).toMatchObject({ DroppedEvents: 0, ErroredEvents: 0 })
    expect((await health(server)).code).toBe('OK')
  })
}

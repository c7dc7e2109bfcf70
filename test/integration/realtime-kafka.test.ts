import { readFile } from 'node:fs/promises'
import { afterEach, expect, test } from 'vitest'
import { toKafkaTopic } from '../../src/realtime/brokers/topic.ts'
import { createThreadClient } from '../../src/realtime/thread/thread-client.ts'
import { createTestServer, postJson, type TestServer } from '../suites/admin.ts'
import { describeBroker, subscribeKafka } from '../suites/brokers.ts'
import { eventually } from '../suites/eventually.ts'
import { describeRealtime } from '../suites/realtime.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

await describeBroker('kafka', 'realtime to Kafka', broker => {
  describeRealtime({
    broker,
    subscribe: (url, eventName) => subscribeKafka(url, toKafkaTopic('{eventName}', eventName)),
    stored: ['realtime.persistent=true'],
  })

  const start = async (...set: readonly string[]) => {
    const server = await createTestServer({ set: [`realtime.broker=${broker().url}`, ...set] })
    closing.push(server.close)
    return server
  }
  const statsOf = async (server: TestServer, type?: string): Promise<unknown> => {
    const name = 'sluice.metrics.collector:name=RTQueueStats'
    return (await server.rpc.read(type === undefined ? name : `${name},Type=${type}`)).value
  }
  const eventOf = (eventName: string, length: number) => ({ eventName, payload: { text: 'x'.repeat(length) } })
  const post = async (server: TestServer, body: unknown): Promise<void> =>
    expect((await postJson(server, JSON.stringify(body))).status).toBe(202)

  test('a message that is too large for Kafka costs only itself', async () => {
    const server = await start('realtime.events=Large')
    await post(
      server,
      [10, 2_000_000, 10].map(length => eventOf('Large', length)),
    )
    await expect.poll(() => statsOf(server)).toMatchObject({ SentEvents: 2, ErroredEvents: 1 })
    const health = await (await server.server('/1.0/healthcheck')).text()
    expect(health).toMatch(/last refusal: MESSAGE_TOO_LARGE.* \(Large, 2000\d+ bytes\)/)
  })

  test("types with the names of Kafka's own topics are topics of their own", async () => {
    const types = [
      '__consumer_offsets',
      '__transaction_state',
      '__share_group_state',
      '__cluster_metadata',
      '__x',
      '.',
      '..',
    ]
    const server = await start(`realtime.events=${types.slice(1).join(',')}`)
    await server.rpc.exec('sluice.metrics.collector:name=RTSubsystem', 'addTypeToCollect', ['__consumer_offsets'])
    await post(
      server,
      types.map(type => eventOf(type, 1)),
    )
    const subscribers = await Promise.all(
      types.map(type => subscribeKafka(broker().url, toKafkaTopic('{eventName}', type))),
    )
    closing.push(...subscribers.map(subscriber => () => subscriber.close()))
    await expect.poll(() => statsOf(server)).toMatchObject({ SentEvents: types.length, ErroredEvents: 0 })
    await eventually(() => {
      expect(subscribers.map(({ received }) => received.map(one => one.headers['eventName']))).toEqual(
        types.map(type => [type]),
      )
    })
  })

  test('page_view and page.view, which Kafka does not have side by side, both arrive; the page of types says how', async () => {
    const server = await start('realtime.events=page_view,page.view')
    await post(server, [eventOf('page_view', 1), eventOf('page.view', 1)])
    await expect.poll(() => statsOf(server)).toMatchObject({ SentEvents: 2, ErroredEvents: 0 })
    const { types } = (await server.rpc.exec('sluice.metrics.collector:name=EventTypes', 'list', [
      'page',
      'name',
      9,
    ])) as {
      readonly types: readonly unknown[]
    }
    expect(types).toMatchObject([
      { eventType: 'page.view', forwardedTo: { topic: 'page_x2Eview', isEscaped: true } },
      { eventType: 'page_view', forwardedTo: { topic: 'page_view', isEscaped: false } },
    ])
  })

  // The library reads metadata of them that it has left out; whatever it throws then is a lost connection.
  test('what the client throws, for a topic of its own for example, is a lost connection', async () => {
    const failures: Error[] = []
    const url = new URL(broker().url)
    const client = createThreadClient({ url, topic: '', ttlMs: 0, persistent: false, onFailure: e => failures.push(e) })
    closing.push(() => client.close())
    const message = { eventName: 'A', date: 5, granularity: 'HOURLY', key: undefined, text: '{}', bytes: 202 } as const
    // It is there once a group has committed.
    const subscriber = await subscribeKafka(broker().url, 'A')
    closing.push(() => subscriber.close())
    for (let failed = 1; failed <= 2; failed++) {
      const connection = await client.connect(new AbortController().signal)
      expect(await connection.send('A', [message])).toEqual(['sent'])
      expect(await connection.send('__consumer_offsets', [message])).toEqual(['cut'])
      expect(await connection.lost).toContain('the client of the broker failed: ')
      expect(failures).toHaveLength(failed)
    }
  })

  test('a backlog of events of 1.7 MB stops no other type', async () => {
    // Each is larger than a topic takes, and no request is cut smaller on our side.
    const server = await start('realtime.events=Huge,Small', 'realtime.max-request-bytes=60MiB')
    const large = eventOf('Huge', 1_700_000)
    await broker().kill()
    for (let i = 0; i < 8; i++) await post(server, Array(5).fill(large))
    for (let i = 0; i < 20; i++) await post(server, eventOf('Small', i))
    await broker().start()
    await expect.poll(() => statsOf(server, 'Small')).toMatchObject({ SentEvents: 20 })
    await expect.poll(() => statsOf(server, 'Huge')).toMatchObject({ ErroredEvents: 40, QueueSize: 0 })
    await post(server, [eventOf('Huge', 1), eventOf('Small', 1)])
    await expect.poll(() => statsOf(server)).toMatchObject({ SentEvents: 22 })
  })
})

// A limit below what Sluice sends: such a broker hangs up and says nothing.
await describeBroker(
  'kafka',
  'realtime to a Kafka that takes small requests only',
  broker => {
    test('a message over which it hangs up is dropped by name, and those around it arrive', async () => {
      const set = [`realtime.broker=${broker().url}`, 'realtime.events=Big,Beside']
      const server = await createTestServer({ set })
      closing.push(server.close)
      const events = Array.from({ length: 40 }, (_, n) => ({
        eventName: 'Big',
        payload: { n, text: 'x'.repeat(n === 17 ? 200_000 : 10) },
      }))
      expect((await postJson(server, JSON.stringify(events))).status).toBe(202)
      for (let n = 0; n < 10; n++) {
        await postJson(server, JSON.stringify({ eventName: 'Beside', payload: { n } }))
      }
      const name = 'sluice.metrics.collector:name=RTQueueStats'
      const read = async (type: string) => (await server.rpc.read(`${name},Type=${type}`)).value
      await eventually(async () => {
        expect(await read('Beside')).toMatchObject({ SentEvents: 10, ErroredEvents: 0 })
        expect(await read('Big')).toMatchObject({ SentEvents: 39, ErroredEvents: 1 })
      })
      expect(await (await server.server('/1.0/healthcheck')).text()).toMatch(
        /over this message alone.*\(Big, 200\d+ bytes\)/,
      )
      const subscriber = await subscribeKafka(broker().url, 'Big')
      closing.push(() => subscriber.close())
      const numbers = () => subscriber.received.map(({ text }) => (JSON.parse(text) as { readonly n: number }).n)
      await expect.poll(numbers).toHaveLength(39)
      expect(new Set(numbers())).toEqual(new Set(events.map(({ payload }) => payload.n).filter(n => n !== 17)))
    })

    test("keyed records are in the partitions of Java's client", async () => {
      const set = [`realtime.broker=${broker().url}`, 'realtime.events=Keyed', 'realtime.key=k']
      const server = await createTestServer({ set })
      closing.push(server.close)
      const vectors: readonly (readonly [string, number])[] = JSON.parse(
        await readFile(new URL('../fixtures/kafka-partitions.json', import.meta.url), 'utf8'),
      )
      await postJson(server, JSON.stringify(vectors.map(([k]) => ({ eventName: 'Keyed', payload: { k } }))))
      const subscriber = await subscribeKafka(broker().url, 'Keyed')
      closing.push(() => subscriber.close())
      await expect.poll(() => subscriber.received).toHaveLength(vectors.length)
      const partitions = Object.fromEntries(vectors.map(([key, hash]) => [key, hash % 6]))
      expect(Object.fromEntries(subscriber.received.map(({ key = '', partition }) => [key, partition]))).toEqual(
        partitions,
      )
    })
  },
  { 'socket.request.max.bytes': '100000', 'num.partitions': '6' },
)

const jaas = 'org.apache.kafka.common.security.plain.PlainLoginModule required'
await describeBroker(
  'kafka',
  'realtime to a Kafka that expects a password',
  broker => {
    test('the reason for a missing connection comes first', async () => {
      const { host } = new URL(broker().url)
      const healthAt = async (url: string): Promise<string> => {
        const server = await createTestServer({ set: [`realtime.broker=${url}`, 'realtime.events=A'] })
        closing.push(server.close)
        return await eventually(async () => {
          const text = await (await server.server('/1.0/healthcheck')).text()
          expect(text).toMatch(/running: true, types|is unavailable: /)
          return text
        })
      }
      expect(await healthAt(`kafka://sluice:secret@${host}`)).toContain('running: true, types')
      expect(await healthAt(`kafka://sluice:wrong@${host}`)).toContain('is unavailable: wrong user or password')
      expect(await healthAt(`kafka://sluice:secret@${host}?sasl=scram-sha-256`)).toContain(
        'is unavailable: the broker does not support this SASL mechanism',
      )
      expect(await healthAt(`kafka://${host}`)).toContain('it may expect a user, or TLS')
      expect(await healthAt(`kafka://${host}?tls=true`)).toContain('is unavailable: the broker ended the TLS handshake')
    })
  },
  {
    'listener.security.protocol.map': 'PLAINTEXT:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT',
    'sasl.enabled.mechanisms': 'PLAIN',
    'sasl.mechanism.inter.broker.protocol': 'PLAIN',
    'listener.name.plaintext.plain.sasl.jaas.config': `${jaas} username="sluice" password="secret" user_sluice="secret";`,
  },
)

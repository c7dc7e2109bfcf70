import { expect, test, vi } from 'vitest'
import { toKafkaTopic } from '../../src/realtime/topic.ts'
import { createTestServer, postJson } from '../suites/admin.ts'
import { describeBroker, subscribeKafka } from '../suites/brokers.ts'
import { describeRealtime } from '../suites/realtime.ts'

await describeBroker('kafka', 'realtime to Kafka', broker => {
  describeRealtime({
    broker,
    subscribe: (url, eventName) => subscribeKafka(url, toKafkaTopic('{eventName}', eventName)),
    stored: ['realtime.persistent=true'],
  })

  test('a message that is too large for Kafka costs only itself', async () => {
    const server = await createTestServer({ set: [`realtime.broker=${broker().url}`, 'realtime.events=Large'] })
    try {
      const events = [10, 2_000_000, 10].map(length => ({ eventName: 'Large', payload: { text: 'x'.repeat(length) } }))
      expect((await postJson(server, JSON.stringify(events))).status).toBe(202)
      const read = async () => (await server.rpc.read('sluice.metrics.collector:name=RTQueueStats')).value
      await vi.waitFor(async () => expect(await read()).toMatchObject({ SentEvents: 2, ErroredEvents: 1 }), 30_000)
      expect(await (await server.server('/1.0/healthcheck')).text()).toContain('last refusal: MESSAGE_TOO_LARGE')
    } finally {
      await server.close()
    }
  })
})

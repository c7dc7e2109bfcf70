import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import rhea, { type Message } from 'rhea'
import { afterEach, expect, test } from 'vitest'
import { encodeFields, thriftType } from '../../src/formats/thrift/field-list.ts'
import { createTestServer, postJson, type TestServer } from '../suites/admin.ts'
import { eventually } from '../suites/eventually.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const portOf = async (server: Server): Promise<number> => {
  closing.push(() => server.close())
  if (!server.listening) await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
/** A peer that asks for messages, and acknowledges them or not. */
const listen = async (autoaccept: boolean): Promise<{ readonly url: string; readonly received: Message[] }> => {
  const received: Message[] = []
  const container = rhea.create_container({ autoaccept })
  container.on('message', ({ message }) => message && received.push(message))
  container.on('disconnected', () => {})
  const port = await portOf(container.listen({ port: 0, host: '127.0.0.1' }))
  return { url: `amqp://127.0.0.1:${port}`, received }
}
const start = async (...set: readonly string[]): Promise<TestServer> => {
  const server = await createTestServer({ set })
  closing.push(server.close)
  return server
}
const stats = async ({ rpc }: TestServer): Promise<unknown> =>
  (await rpc.read('sluice.metrics.collector:name=RTQueueStats,Type=A')).value

test('R17: a broker that acknowledges nothing costs intake nothing: what does not fit is dropped there, and stored', async () => {
  const { url, received } = await listen(false)
  const server = await start(`realtime.broker=${url}`, 'realtime.events=A', 'realtime.queue-size=50')
  const event = '{"eventName":"A","payload":{}}'
  await postJson(server, event)
  await expect.poll(() => received).toHaveLength(1)
  for (let i = 0; i < 10; i++) {
    const response = await postJson(server, `[${Array<string>(20).fill(event).join(',')}]`)
    expect(response.status).toBe(202)
  }
  expect(await stats(server)).toMatchObject({ EnqueuedEvents: 51, DroppedEvents: 150, SentEvents: 0, QueueSize: 50 })
  const report = await (await server.server('/1.0/healthcheck')).text()
  expect(report).toContain('enqueued: 201, written: 201')
  expect(report).toContain('queue sizes: {A: 50}, enqueued: 51, sent: 0, dropped: 150')
})

test('fields of Thrift events have the names that the registrar knows', async () => {
  const { url, received } = await listen(true)
  const schema = [
    { name: 'visitor', type: 'string', position: 2 },
    { name: 'price', type: 'long', position: 1 },
  ]
  const registry = createServer((_, response) => response.end(JSON.stringify({ types: [{ name: 'A', schema }] })))
  const registryUrl = `http://127.0.0.1:${await portOf(registry.listen(0, '127.0.0.1'))}`
  const asked = once(registry, 'request')
  const server = await start(`realtime.broker=${url}`, 'realtime.events=A,B', `registrar.url=${registryUrl}`)
  await asked
  const body = encodeFields([
    { id: 1, type: thriftType.i64, value: 9_007_199_254_740_993n },
    { id: 2, type: thriftType.string, value: Buffer.from('v') },
    { id: 3, type: thriftType.bool, value: true },
  ])
  const post = (name: string): Promise<Response> =>
    server.server(`/rest/1.0/event?name=${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/thrift' },
      body,
    })
  await post('B')
  // The registrar answers in the background: until then fields have their ids.
  await eventually(async () => {
    expect((await post('A')).status).toBe(202)
    expect(received.map(({ body: text }) => String(text)).join('\n')).toContain('visitor')
  })
  const last = received.findLast(({ application_properties }) => application_properties?.['eventName'] === 'A')
  for (const part of ['"price":9007199254740993', '"visitor":"v"', '"3":true']) expect(last?.body).toContain(part)
  const first = received.find(({ application_properties }) => application_properties?.['eventName'] === 'B')
  expect(first?.body).toContain('"1":9007199254740993,"2":"v","3":true')
})

import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { createTestServer, postJson, type TestServer } from '../suites/admin.ts'
import { eventually } from '../suites/eventually.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

const schema = [{ name: 'total', type: 'double', position: 1 }]
const bad = '{"eventName":"Order","payload":{"total":"much"}}'
const detail = 'Order.total is a string; expected double'
const bean = 'sluice.metrics.collector:name=SchemaStats,Type=Order'

/** A registry that knows one type, and what was asked of it. */
const startRegistry = async (): Promise<{ readonly url: string; readonly asked: readonly string[] }> => {
  const asked: string[] = []
  const registry: Server = createServer(({ url = '' }, response) => {
    asked.push(url)
    response.end(JSON.stringify({ types: [{ name: 'Order', schema }] }))
  }).listen(0, '127.0.0.1')
  closing.push(() => registry.close().closeAllConnections())
  await once(registry, 'listening')
  const address = registry.address()
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`, asked }
}

const start = async (...set: string[]): Promise<TestServer> => {
  const server = await createTestServer({ set })
  closing.unshift(server.close)
  return server
}

test('events are compared with the registry, which is asked once for all parts', async () => {
  const { url, asked } = await startRegistry()
  const server = await start(`registrar.url=${url}`, 'realtime.broker=amqp://127.0.0.1:1')
  // The registry answers in the background: until then no type has a schema.
  const response = await eventually(async () => {
    const answered = await postJson(server, bad)
    expect(answered.headers.has('warning')).toBe(true)
    return answered
  })
  expect(response.headers.get('warning')).toContain(`1 does not fit its schema: ${detail}`)
  expect(await response.json()).toEqual({ accepted: 1, rejected: 0, errors: [], mismatches: [{ index: 0, detail }] })
  expect((await server.rpc.read(bean, 'Mismatches')).value).toBe(1)
  expect(asked).toEqual(['/registrar'])
})

test('collector.validation=reject refuses them', async () => {
  const { url } = await startRegistry()
  const server = await start(`registrar.url=${url}`, 'collector.validation=reject')
  await eventually(async () => {
    const answered = await postJson(server, bad)
    expect(await answered.json()).toMatchObject({ rejected: 1, errors: [{ code: 'schema-mismatch', detail }] })
  })
})

test('collector.validation=off compares nothing', async () => {
  const { url, asked } = await startRegistry()
  const server = await start(`registrar.url=${url}`, 'collector.validation=off')
  await expect.poll(() => asked).toHaveLength(1)
  expect(await (await postJson(server, bad)).json()).toEqual({ accepted: 1, rejected: 0, errors: [] })
  expect(await server.rpc.search('sluice.metrics.collector:name=SchemaStats,*')).toEqual([])
})

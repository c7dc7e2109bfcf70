import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createTestServer, postJson, type TestServer } from '../suites/admin.ts'
import { eventually } from '../suites/eventually.ts'

const closing: (() => unknown)[] = []
let schemas = ''
beforeEach(async () => {
  schemas = await mkdtemp(join(tmpdir(), 'sluice-contracts-'))
})
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
  await rm(schemas, { recursive: true })
})

const put = (name: string, schema: object | string): Promise<void> =>
  writeFile(join(schemas, name), typeof schema === 'string' ? schema : JSON.stringify(schema))
const start = async (...set: string[]): Promise<TestServer> => {
  const server = await createTestServer({ set: [`registrar.path=${schemas}`, 'registrar.refresh-seconds=1', ...set] })
  closing.unshift(server.close)
  return server
}
const send = async (
  server: TestServer,
  payload: string,
): Promise<{ rejected: number; mismatches?: { detail: string }[]; errors: { detail: string }[] }> =>
  (await (await postJson(server, `{"eventName":"Order","payload":${payload}}`)).json()) as never

const order = { properties: { id: { type: 'integer' }, total: { type: 'number' } } }
const detail = 'Order /total is "much"; expected a number'

describe('a directory of JSON Schemas', () => {
  test.each([
    ['the settings', order, ['collector.validation=reject']],
    ['the schema', { ...order, 'x-sluice-validation': 'reject' }, []],
  ])('what becomes of an event is said by %s', async (_, schema, set) => {
    await put('Order.json', schema)
    const server = await start(...set)
    expect(await send(server, '{"total":"much"}')).toMatchObject({ rejected: 1, errors: [{ detail }] })
    expect(await send(server, '{"total":1}')).toMatchObject({ rejected: 0, errors: [] })
  })

  test('changes while the server runs; a file that cannot be used changes nothing, and health says why', async () => {
    await put('Order.json', order)
    const server = await start()
    expect(await send(server, '{"total":"much"}')).toMatchObject({ rejected: 0, mismatches: [{ detail }] })
    await put('Order.json', '{\n"properties": {"total": {"type": "txt"}}}')
    const item = await eventually(async () => {
      const report = (await (await server.server('/1.0/healthcheck')).json()) as {
        items: { type: string; code: string; message: string }[]
      }
      const found = report.items.find(({ type }) => type === 'SchemaFilesHealthCheck')
      expect(found).toBeDefined()
      return found
    })
    expect(item).toMatchObject({ code: 'WARN', message: expect.stringContaining('Order.json:2: type must be') })
    expect((await send(server, '{"total":"much"}')).mismatches).toEqual([{ index: 0, detail }])
    await put('Order.json', { properties: { total: { type: 'string' } } })
    await eventually(async () => expect((await send(server, '{"total":"much"}')).mismatches).toBeUndefined())
    const report = await (await server.server('/1.0/healthcheck')).text()
    expect(report).not.toContain('SchemaFilesHealthCheck')
  })

  test('the server does not start with a file that cannot be used', async () => {
    await put('Order.json', { $ref: 'https://example.org/order.json' })
    await expect(start()).rejects.toThrow(
      'Order.json:1: $ref "https://example.org/order.json" leads out of the directory',
    )
  })

  test('the names of columns follow from it, in rows as well', async () => {
    await put('Order.json', { properties: { total: { type: 'number' }, id: { type: 'integer' } } })
    const server = await start()
    const sent = await server.server('/1?v=Order,d1.5,47')
    expect(sent.status).toBe(202)
    await server.rpc.exec('sluice.metrics.collector:name=HDFSWriter', 'processLeftBelowFiles')
    const rows = await server.server('/rest/1.0/json?path=/events/Order&recursive=true')
    expect(await rows.json()).toMatchObject({
      entries: expect.arrayContaining([
        expect.objectContaining({ content: [expect.objectContaining({ total: 1.5, id: 7 })] }),
      ]),
    })
  })

  test('set-aside: what does not fit is a row of _refused, in full', async () => {
    await put('Order.json', order)
    const server = await start('collector.validation=set-aside', 'collector.refused.max-bytes-per-hour=0')
    await send(server, '{"total":"much"}')
    await server.rpc.exec('sluice.metrics.collector:name=HDFSWriter', 'processLeftBelowFiles')
    const rows = await (await server.server('/rest/1.0/json?path=/events/_refused/Order&recursive=true')).text()
    expect(rows).toContain('"kind":"set-aside"')
    expect(rows).toContain('much')
  })
})

import { describe, expect, test } from 'vitest'
import { toTypePanel } from '../../src/gateway/pages/type-panel.ts'
import { postJson, startTestServer, type TestServer } from '../suites/admin.ts'
import { createMemoryFileSystem } from '../suites/memory-filesystem.ts'
import { createTearingDisk } from '../suites/tearing-disk.ts'

const bean = 'sluice.metrics.collector:name=ParquetSchemas'
const parquet = ['collector.output.format=parquet']

/** Sends events and waits until they are in files. */
const send = async (server: TestServer, eventName: string, ...payloads: readonly object[]): Promise<void> => {
  await postJson(server, JSON.stringify(payloads.map(payload => ({ eventName, payload }))))
  await server.rpc.exec('sluice.metrics.collector:name=HDFSWriter', 'processLeftBelowFiles')
}

test('the columns of event types, and what they could not hold, are seen by a bean', async () => {
  const server = await startTestServer({ set: parquet })
  await send(server, 'Click', { user: 1, tags: ['a'] })
  await send(server, 'Click', { user: 'anna' }, { user: 'bert' })
  await send(server, 'View', { user: 1 })
  expect((await server.rpc.read(bean)).value).toEqual({
    EventTypes: 2,
    Columns: 9,
    Misfits: 2,
    MostMisfits: [{ eventType: 'Click', misfits: 2 }],
  })
  expect(await server.rpc.exec(bean, 'eventTypes', [''])).toEqual({ eventTypes: ['Click', 'View'] })
  expect(await server.rpc.exec(bean, 'eventTypes', ['Click'])).toEqual({ eventTypes: ['View'] })
  expect(await server.rpc.exec(bean, 'describe', ['Click'])).toEqual({
    eventType: 'Click',
    columns: [
      { name: 'eventName', type: 'TEXT', misfits: 0 },
      { name: 'eventDate', type: 'TIMESTAMP', misfits: 0 },
      { name: 'eventGranularity', type: 'TEXT', misfits: 0 },
      { name: 'user', type: 'INT64', misfits: 2, lastMisfitAt: server.clock.ms },
      { name: 'tags', type: 'LIST<TEXT>', misfits: 0 },
      { name: '_extra', type: 'JSON', misfits: 0 },
    ],
    columnCount: 6,
    misfits: 2,
  })
  await expect(server.rpc.exec(bean, 'describe', ['Buy'])).rejects.toThrow('No columns of "Buy" are remembered')
})

test('a type is forgotten, which is audited; a restart remembers it', async () => {
  const disk = createTearingDisk()
  const fileSystem = createMemoryFileSystem()
  const first = await startTestServer({ set: parquet, disk, fileSystem })
  await send(first, 'Click', { user: 1 })
  expect(await first.rpc.exec(bean, 'forget', ['Click'])).toEqual({ eventType: 'Click', forgotten: true })
  expect(first.log.filter(({ msg }) => msg === 'management').at(-1)).toMatchObject({
    mbean: bean,
    member: 'forget',
    arguments: '["Click"]',
    outcome: 'ok',
  })
  await expect(first.rpc.exec(bean, 'forget', ['Click'])).rejects.toThrow('No columns of "Click" are remembered')
  const second = await startTestServer({ set: parquet, disk: disk.kill(), fileSystem })
  expect((await second.rpc.read(bean, 'EventTypes')).value).toBe(0)
  await send(second, 'Click', { user: 'anna' })
  expect(await second.rpc.exec(bean, 'describe', ['Click'])).toMatchObject({ columns: { 3: { type: 'TEXT' } } })
})

describe('the page of the directory of an event type', () => {
  const page = async (server: TestServer, path: string, query = ''): Promise<string> => {
    const answer = await server.server(`/rest/1.0/hdfs?path=${encodeURIComponent(path)}${query}`, {
      headers: { accept: 'text/html' },
    })
    expect(answer.status, path).toBe(200)
    return await answer.text()
  }
  const toPanel = (html: string): string | undefined =>
    /<details class="parquet">([\s\S]*?)<\/details>/.exec(html)?.[1]?.replaceAll(/<\/?bdi>/g, '')

  test('shows its columns, folded, and what they could not hold', async () => {
    const server = await startTestServer({ set: parquet })
    await send(server, 'Click', { user: 1, '<b>&': { x: true } })
    await send(server, 'Click', { user: 'anna' })
    const panel = toPanel(await page(server, '/events/Click'))
    expect(panel).toContain('<summary>Columns of this event type: 6</summary>')
    const rows = [
      ...(panel ?? '').matchAll(/<tr><th scope="row">(.*?)<\/th><td>(.*?)<\/td><td class="num">(.*?)<\/td>/g),
    ]
    const none = '<span class="dim">–</span>'
    expect(rows.map(([, ...cells]) => cells)).toEqual([
      ['eventName', 'TEXT', none],
      ['eventDate', 'TIMESTAMP', none],
      ['eventGranularity', 'TEXT', none],
      ['user', 'INT64', '1'],
      ['&lt;b&gt;&amp;', 'STRUCT&lt;x BOOLEAN&gt;', none],
      ['_extra', 'JSON', none],
    ])
    expect(toPanel(await page(server, '/events//Click/'))).toBe(panel)
    for (const other of ['/events', '/events/Click/2026', '/'])
      expect(toPanel(await page(server, other))).toBeUndefined()
    expect(toPanel(await page(server, '/events/Click', '&recursive=true'))).toBeUndefined()
  })

  test('also of a type whose name stands there in another way, and of no other one', async () => {
    const fileSystem = createMemoryFileSystem()
    const server = await startTestServer({
      fileSystem,
      set: [...parquet, 'collector.event-output-directory=/in/put/'],
    })
    await send(server, '_ä %41', { user: 1 })
    expect(toPanel(await page(server, '/in/put/%5F%C3%A4%20%2541'))).toContain('Columns of this event type: 5')
    const others = ['/in/put/_ä %41', '/in/put/%ZZ', '/elsewhere/%5F%C3%A4%20%2541']
    for (const path of others) await fileSystem.create(`${path}/f`, new Blob(['x']).stream())
    for (const path of others) expect(toPanel(await page(server, path)), path).toBeUndefined()
  })

  test('of many columns shows the first ones, and of a long type its beginning', async () => {
    const html = String(
      await toTypePanel({ columns: [{ name: 'a', type: 'x'.repeat(3_000), misfits: 0 }], columnCount: 1_500 }),
    )
    expect(html).toContain(`${'x'.repeat(1_000)}</bdi><span class="dim">…</span>`)
    expect(html).not.toContain('x'.repeat(1_001))
    expect(html).toContain('… and 1,499 more columns.')
  })
})

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { toTypePanel } from '../../src/gateway/pages/listing/type-panel.ts'
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
      { name: 'user', type: 'DOUBLE', misfits: 2, lastMisfitAt: server.clock.ms },
      { name: 'tags', type: 'LIST<TEXT>', misfits: 0 },
      { name: '_extra', type: 'JSON', misfits: 0 },
    ],
    columnCount: 6,
    misfits: 2,
  })
  await expect(server.rpc.exec(bean, 'describe', ['Buy'])).rejects.toThrow('No columns are known for event type "Buy"')
})

test('what columns could not hold is seen in health, for a day, as a metric, and on the page of types', async () => {
  const server = await startTestServer({ set: parquet })
  await send(server, 'Click', { user: 1 }, { user: 2 })
  await send(server, 'View', { user: 1 })
  const health = async (): Promise<{ readonly code: string; readonly message: string } | undefined> => {
    const { items } = (await (await server.server('/1.0/healthcheck')).json()) as {
      readonly items: readonly { readonly type: string; readonly code: string; readonly message: string }[]
    }
    return items.find(({ type }) => type === 'ParquetSchemasHealthCheck')
  }
  const metric = async (): Promise<string | undefined> =>
    /^collector_parquet_misfits_total.*/m.exec(await (await server.admin('/metrics')).text())?.[0]
  expect(await health()).toBeUndefined()
  expect(await metric()).toBeUndefined()
  await send(server, 'Click', { user: 'anna' }, { user: 'bert' })
  expect(await health()).toEqual({
    type: 'ParquetSchemasHealthCheck',
    code: 'WARN',
    message:
      'columns of Parquet files could not hold values, which are in _extra, Click.user DOUBLE: 2 values, the last 0 s ago',
  })
  expect(await metric()).toBe('collector_parquet_misfits_total{type="Click"} 2')
  const types = await server.rpc.exec('sluice.metrics.collector:name=EventTypes', 'list', ['', 'misfits', 10])
  expect(types).toMatchObject({
    types: [
      { eventType: 'Click', accepted: 4, misfits: 2 },
      { eventType: 'View', accepted: 1, misfits: 0 },
    ],
  })
  server.clock.ms += 25 * 3_600_000
  expect(await health()).toBeUndefined()
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
  await expect(first.rpc.exec(bean, 'forget', ['Click'])).rejects.toThrow('No columns are known for event type "Click"')
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
      ['user', 'DOUBLE', '1'],
      ['&lt;b&gt;&amp;', 'STRUCT&lt;x BOOLEAN&gt;', none],
      ['_extra', 'JSON', none],
    ])
    expect(toPanel(await page(server, '/events//Click/'))).toBe(panel)
    for (const other of ['/events', '/events/Click/2026', '/'])
      expect(toPanel(await page(server, other))).toBeUndefined()
    expect(toPanel(await page(server, '/events/Click', '&recursive=true'))).toBeUndefined()
  })

  test('also of a type whose name is encoded there, and of no other type', async () => {
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

test('events of the browser API have the columns that a local file names, with the types they were sent with', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-schemas-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const path = join(directory, 'schemas.yaml')
  await writeFile(path, 'PageView: [path, width, isNew, at, agent]')
  const server = await startTestServer({ set: [...parquet, `registrar.path=${path}`] })
  expect((await server.server('/1?v=PageView,s%2Fhome,4200,b1,xdate,xua')).status).toBe(202)
  await server.rpc.exec('sluice.metrics.collector:name=HDFSWriter', 'processLeftBelowFiles')
  const described = await server.rpc.exec(bean, 'describe', ['PageView'])
  const { columns } = described as { readonly columns: readonly { readonly name: string; readonly type: string }[] }
  expect(columns.map(({ name, type }) => `${name} ${type}`).slice(3)).toEqual([
    'path TEXT',
    'width INT64',
    'isNew BOOLEAN',
    'at INT64',
    'agent TEXT',
    '_extra JSON',
  ])
})

describe('rows of the gateway have in each column what was sent', () => {
  type Answer = { readonly entries: readonly { readonly content: unknown }[] }

  /** Orders whose `total` is INT64 by a file of schemas, as a column is that was learned by an earlier version. */
  const sendOrders = async (): Promise<TestServer> => {
    const directory = await mkdtemp(join(tmpdir(), 'sluice-schemas-'))
    onTestFinished(() => rm(directory, { recursive: true, force: true }))
    const path = join(directory, 'schemas.yaml')
    await writeFile(path, 'Order:\n  1: { name: total, type: long }\n  2: note\n')
    const server = await startTestServer({ set: [...parquet, `registrar.path=${path}`, 'collector.validation=off'] })
    const totals = [12, 30, 7, 8.5, 19.99, 100.5].map(total => ({ total }))
    await send(server, 'Order', ...totals, { note: 'a', more: [1] }, { note: 5 }, { note: '5', total: 'none' })
    return server
  }
  const ask = async (server: TestServer, route: string, query: Readonly<Record<string, string>>): Promise<string> => {
    const parameters = new URLSearchParams({ path: '/events/Order', recursive: 'true', ...query })
    const answer = await server.server(`/rest/1.0/${route}?${parameters.toString()}`)
    expect(answer.status, await answer.clone().text()).toBe(200)
    return await answer.text()
  }
  const rows = async (server: TestServer, query: Readonly<Record<string, string>>): Promise<unknown[]> => {
    const { entries } = JSON.parse(await ask(server, 'json', query)) as Answer
    return entries.flatMap(({ content }) => content as unknown[])
  }

  test('in JSON: all columns, or one of them', async () => {
    const server = await sendOrders()
    const all = await rows(server, {})
    expect(all).toMatchObject([
      { total: 12 },
      { total: 30 },
      { total: 7 },
      { total: 8.5 },
      { total: 19.99 },
      { total: 100.5 },
      { note: 'a', _extra: '{"more":[1]}' },
      { note: 5 },
      { note: '5', total: 'none' },
    ])
    expect(all.filter(row => (row as { readonly _extra?: string })._extra)).toHaveLength(1)
    expect(await rows(server, { columns: 'total', range: '2-4' })).toEqual([
      { total: 7 },
      { total: 8.5 },
      { total: 19.99 },
    ])
  })

  test('by `where`, also beyond the bounds of the column', async () => {
    const server = await sendOrders()
    const find = (where: string): Promise<unknown[]> => rows(server, { where, columns: 'total' })
    expect(await find('total > 50')).toEqual([{ total: 100.5 }])
    expect(await find('total = 8.5')).toEqual([{ total: 8.5 }])
    expect(await find("total = 'none'")).toEqual([{ total: 'none' }])
    expect(await rows(server, { where: 'note = 5', columns: 'note' })).toEqual([{ note: 5 }, { note: '5' }])
  })

  test('in CSV', async () => {
    const server = await sendOrders()
    expect((await ask(server, 'text', { columns: 'total,_extra', header: 'true' })).split('\r\n')).toEqual([
      'total,_extra',
      '12,',
      '30,',
      '7,',
      '8.5,',
      '19.99,',
      '100.5,',
      ',"{""more"":[1]}"',
      ',',
      'none,',
      '',
    ])
  })

  test('on the page', async () => {
    const server = await sendOrders()
    const file = JSON.parse(await ask(server, 'json', { columns: 'total' })) as {
      readonly entries: readonly { readonly path: string }[]
    }
    const path = file.entries[0]?.path ?? ''
    const answer = await server.server(
      `/rest/1.0/hdfs?path=${encodeURIComponent(path)}&where=${encodeURIComponent('total > 50')}`,
      {
        headers: { accept: 'text/html' },
      },
    )
    expect(await answer.text()).toContain('100.5')
  })
})

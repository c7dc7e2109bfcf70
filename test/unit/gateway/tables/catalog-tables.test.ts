/** Tables about which a catalog service decides: rows are those that it says, or there are none. */
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { FileSystemError } from '../../../../src/filesystem/filesystem.ts'
import { parseJson, stringifyJson } from '../../../../src/formats/json.ts'
import { createDirectoryCatalog } from '../../../../src/tables/directory-catalog.ts'
import { readFileWhole } from '../../../../src/tables/files.ts'
import { type FakeCatalogOptions, startFakeCatalog } from '../../../suites/fake-rest-catalog.ts'
import { createTestGateway } from '../../../suites/gateway.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { put, putHour } from '../../tables/parquet-files.ts'
import { createTable, importAll, type JsonObject, type Memory, path } from './world.ts'

const url = 'hdfs://somewhere:8020'
const location = `${url}${path}`
const uuid = '5f0e3a0c-0d5c-4d4e-9d2b-111111111111'

/** A name that services give to metadata. */
const nameOf = (version: number): string => `metadata/${String(version).padStart(5, '0')}-${uuid}.metadata.json`

const readOwn = async (fileSystem: Memory): Promise<{ json: JsonObject; version: number }> => {
  const version = (await createDirectoryCatalog(fileSystem).load(path))?.version ?? 0
  const text = (await readFileWhole(fileSystem, `${path}/metadata/v${version}.metadata.json`, 1e6)).toString('utf8')
  return { json: parseJson(text) as JsonObject, version }
}

const removeOwn = async (fileSystem: Memory): Promise<void> => {
  for await (const part of fileSystem.listStatus(`${path}/metadata`))
    for (const status of part)
      if (/\/(?:v\d+\.metadata\.json|version-hint\.text)$/.test(status.path)) await fileSystem.delete(status.path)
}

// On a busy machine an answer may take longer than readers wait.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

type WorldOptions = FakeCatalogOptions & { readonly fileSystem?: Memory; readonly settings?: readonly string[] }

/** A table of a catalog: three hours, and beside them one that no snapshot has. */
const createWorld = async (options: WorldOptions = {}) => {
  const fileSystem = Object.assign(options.fileSystem ?? (await createTable()), { url })
  const { json } = await readOwn(fileSystem)
  await put(fileSystem, `${path}/${nameOf(3)}`, Buffer.from(stringifyJson(json)))
  await removeOwn(fileSystem)
  const world = await connect({ toMetadataUri: () => `${location}/${nameOf(3)}`, ...options, fileSystem })
  world.fake.tables.set('events.Click', json)
  return { ...world, json }
}

const connect = async ({ settings = [], ...options }: WorldOptions & { readonly fileSystem: Memory }) => {
  const fake = await startFakeCatalog(options)
  const opened: string[] = []
  const { fileSystem } = options
  const watched: Memory = {
    ...fileSystem,
    url,
    open: (name, more) => {
      opened.push(name)
      return fileSystem.open(name, more)
    },
  }
  const catalog = [`catalog=${fake.url}`, 'table=iceberg', 'format=parquet', ...settings]
  const all = ['gateway.readers=0', ...catalog.map(one => `collector.output.${one}`)]
  const gateway = await createTestGateway({ fileSystem: watched, settings: all })
  onTestFinished(() => gateway.close())
  const get = async (target: string, init: RequestInit = {}) => {
    const answer = await gateway.call(target, init)
    return { status: answer.status, text: await answer.text() }
  }
  const rows = async (query = '', at = path): Promise<string> => {
    const { status, text } = await get(`/rest/1.0/text?path=${at}&columns=id${query}`)
    return status === 200 ? text.replaceAll('\r\n', ' ').trim() : `${status} ${text}`
  }
  const page = async (query = ''): Promise<string> =>
    (await get(`/rest/1.0/hdfs?path=${path}${query}`, { headers: { accept: 'text/html' } })).text
  return { fake, fileSystem, opened, get, rows, page }
}

/** Of files that are no longer, or not yet, of the table: each hour has its number. */
const current = '8 8 9 9 10 10'

describe('a table of a catalog', () => {
  test('has the rows of the snapshot that the catalog says, everywhere', async () => {
    const { rows, get, page, opened } = await createWorld()
    expect(await rows()).toBe(current)
    opened.length = 0
    expect(await rows('&where=id%3E9')).toBe('10 10')
    const files = new Set(opened.filter(name => name.endsWith('.parquet')))
    expect([...files]).toEqual([`${path}/dt=2026-11-22/hour=10/10.parquet`])
    expect(await rows('&recursive=true', '/events')).toBe(current)
    const { text } = await get(`/rest/1.0/json?path=/events&recursive=true&columns=id`)
    expect((JSON.parse(text) as { entries: object[] }).entries).toHaveLength(4)
    expect(await page()).toMatch(/<dt>Iceberg table<\/dt><dd><a [^>]*>6 rows/)
    expect(await page('&recursive=true')).not.toContain('11.parquet')
  })

  test("is in the gateway's own catalog, as it is there or led through", async () => {
    const { get, json } = await createWorld()
    const read = async (target: string) => JSON.parse((await get(`/iceberg${target}`)).text) as JsonObject
    expect(await read('/v1/namespaces')).toEqual({ namespaces: [['events']] })
    const identifiers = [{ namespace: ['events'], name: 'Click' }]
    expect(await read('/v1/namespaces/events/tables')).toEqual({ identifiers })
    const table = '/namespaces/events/tables/Click'
    const loaded = await read(`/v1${table}`)
    expect(loaded).toMatchObject({ 'metadata-location': `${location}/${nameOf(3)}`, metadata: { location } })
    expect(loaded['config']).toEqual({})
    const led = await read(`/v1/gateway${table}`)
    const file = `/files${path}/${nameOf(3)}`
    expect(led['metadata-location']).toBe(`http://localhost/iceberg${file}`)
    expect(await read(file)).toMatchObject({
      'table-uuid': json['table-uuid'],
      location: `http://localhost/files${path}`,
    })
    expect(await get(`/iceberg/v1${table}`, { method: 'HEAD' })).toEqual({ status: 204, text: '' })
  })

  test('is asked for by each request: the next one sees a commit', async () => {
    let version = 3
    const { fake, rows, fileSystem, json } = await createWorld({
      toMetadataUri: () => `${location}/${nameOf(version)}`,
    })
    const empty = { ...json, 'current-snapshot-id': -1, refs: {} }
    await put(fileSystem, `${path}/${nameOf(4)}`, Buffer.from(stringifyJson(empty)))
    expect(await rows()).toBe(current)
    version = 4
    expect(await rows()).toBe('')
    expect(fake.requests.map(request => request.path)).toEqual([
      '/v1/config',
      '/v1/namespaces/events/tables/Click',
      '/v1/namespaces/events/tables/Click',
    ])
  })

  test('counts where its directory has other metadata from before it was registered', async () => {
    const { rows, fileSystem, json } = await createWorld()
    const old = { ...json, 'current-snapshot-id': -1, refs: {} }
    await put(fileSystem, `${path}/metadata/v9.metadata.json`, Buffer.from(stringifyJson(old)))
    expect(await rows()).toBe(current)
  })

  test('is found where the catalog ends its place with a slash', async () => {
    const { fake, rows, json } = await createWorld()
    fake.tables.set('events.Click', { ...json, location: `${location}/` })
    expect(await rows()).toBe(current)
  })

  test('is read with the rights of the caller, whatever the catalog tells this server', async () => {
    const { fileSystem, rows, opened } = await createWorld()
    const own = { ...fileSystem }
    fileSystem.open = async (name, more) => {
      if (name.endsWith('.json')) throw new FileSystemError('denied', name, 'it is not yours')
      return await own.open(name, more)
    }
    expect(await rows()).toMatch(/^403 .*it is not yours/)
    expect(opened.filter(name => name.endsWith('.parquet'))).toEqual([])
  })
})

describe('where the catalog does not say, there are no rows', () => {
  test.each([
    ['it fails', { status: 500 }, 'status 500'],
    ['it is away', { status: 503 }, 'status 503'],
    ['it refuses this server', { status: 403 }, 'status 403'],
    ['a proxy knows no such path', { status: 404 }, 'status 404'],
    ['it leads elsewhere', { status: 307, headers: { location: 'http://127.0.0.1:1/' } }, 'redirects are not followed'],
    ['a page of a proxy is there instead', { status: 200 }, 'status 200'],
    ['nothing comes', 'lost', 'gave no answer'],
    ['half of it comes', 'torn', 'gave no answer'],
  ] as const)('%s', async (_, fault, reason) => {
    let isOn = true
    const { fake, rows, get, page, opened } = await createWorld({
      fail: request => (isOn && request.path.includes('/tables/') ? fault : undefined),
    })
    const refused = await get(`/rest/1.0/text?path=${path}`)
    expect(JSON.parse(refused.text)).toMatchObject({
      status: 503,
      code: 'unavailable',
      title: 'The catalog of the table does not answer as it should',
      detail: expect.stringMatching(`^The catalog ${fake.url} is needed for "${path}": .*${reason}`),
    })
    expect(await rows('&recursive=true', '/events')).toMatch(/^503 /)
    const listed = JSON.parse((await get(`/rest/1.0/json?path=/events&recursive=true`)).text) as JsonObject
    expect(listed['entries']).toMatchObject([
      { path, content: [], error: expect.stringContaining(fake.url) },
      { path, content: [] },
    ])
    expect(await get('/iceberg/v1/namespaces/events/tables/Click')).toMatchObject({
      status: 503,
      text: expect.stringContaining('ServiceUnavailableException'),
    })
    const shown = await page()
    expect(shown).toContain('This Iceberg table cannot be read.')
    expect(shown).toContain(fake.url)
    expect(await page('&recursive=true')).not.toContain('<td class="num">8</td>')
    expect(opened).toEqual([])
    isOn = false
    expect(await rows()).toBe(current)
  })

  test.each([
    ['elsewhere in the cluster', `${url}/secret/metadata/${uuid}.metadata.json`],
    ['beside the table', `${location}2/${nameOf(3)}`],
    ['above it', `${location}/metadata/../../../secret/x.metadata.json`],
    ['on another cluster', `hdfs://evil:8020${path}/${nameOf(3)}`],
    ['in a store', `s3://bucket${path}/${nameOf(3)}`],
    ['on a web server', `http://169.254.169.254${path}/${nameOf(3)}`],
    ['in the files of this machine', `file:${path}/${nameOf(3)}`],
    ['without a place', `${path}/${nameOf(3)}`],
    ['the table itself', `${location}/`],
  ])('its metadata is said to be %s', async (_, uri) => {
    const { rows, page, opened } = await createWorld({ toMetadataUri: () => uri })
    expect(await rows()).toMatch(/^(?:422|409) /)
    expect(await rows()).toContain('Click')
    expect(await page()).toContain('This Iceberg table cannot be read.')
    expect(opened.filter(name => name !== path && !name.startsWith(`${path}/metadata/`))).toEqual([])
  })

  test.each([
    ['the table is elsewhere', { location: `${url}/other/Click` }, /expected it at .*, found it at/],
    ['the table is that of another cluster', { location: `hdfs://evil:8020${path}` }, /^422 /],
    ['it names the metadata of another table', { 'table-uuid': 'another' }, /found that of another table/],
    ['it says no place', { location: 7 }, /events\.Click of the catalog .*expected a text in .*location/],
    ['it says no id', { 'table-uuid': null }, /events\.Click of the catalog .*expected a text in .*table-uuid/],
  ])('%s', async (_, said, expected) => {
    const { fake, rows, json, get } = await createWorld()
    fake.tables.set('events.Click', { ...json, ...said })
    expect(await rows()).toMatch(expected)
    expect((await get('/iceberg/v1/namespaces/events/tables/Click')).status).toBe(422)
  })

  test('it has the table no longer', async () => {
    const { fake, rows, get } = await createWorld()
    fake.tables.clear()
    expect(await rows()).toMatch(/^422 .*events\.Click of the catalog .*there is no such table/)
    expect(await get('/iceberg/v1/namespaces/events/tables/Click')).toMatchObject({
      status: 404,
      text: expect.stringContaining('NoSuchTableException'),
    })
  })

  test('its metadata is kept elsewhere: nothing in the directory says that it is a table', async () => {
    const { fileSystem, rows } = await createWorld({ toMetadataUri: () => `${url}/meta/${nameOf(3)}` })
    await fileSystem.delete(`${path}/${nameOf(3)}`)
    expect(await rows()).toMatch(/^422 .*expected files of the table below it/)
  })
})

describe('what is no table of the catalog', () => {
  test('is a table of its directory where the catalog has none', async () => {
    const { fake, rows } = await connect({ fileSystem: await createTable() })
    expect(await rows()).toBe(current)
    expect(fake.requests).toHaveLength(2)
  })

  test('or a plain directory, for which it is not asked unless that has metadata', async () => {
    const fileSystem = createMemoryFileSystem()
    await putHour(fileSystem, path, 8, 8)
    const { fake, rows } = await connect({ fileSystem })
    expect(await rows('&recursive=true')).toBe('8 8')
    expect(fake.requests).toEqual([])
    await put(fileSystem, `${path}/metadata/_note`, new Uint8Array(1))
    expect(await rows('', `${path}/dt=2026-11-22/hour=08`)).toBe('8 8')
    expect(await rows('&recursive=true')).toBe('8 8')
    expect(fake.requests).not.toEqual([])
  })

  test('elsewhere than the events it is not asked for: such a table is refused as ever, with what to set', async () => {
    const { fake, get, fileSystem, json } = await createWorld()
    await put(fileSystem, `/lake/Click/${nameOf(3)}`, Buffer.from(stringifyJson(json)))
    const refused = await get('/rest/1.0/text?path=/lake/Click')
    expect(refused.status).toBe(422)
    expect(refused.text).toContain('collector.output.catalog')
    expect(await get('/iceberg/v1/namespaces/lake/tables')).toMatchObject({ text: '{"identifiers":[]}' })
    expect(fake.requests).toEqual([])
  })

  test('another table may be made in its directory', async () => {
    const fileSystem = await createTable()
    await importAll(fileSystem)
    const { rows } = await connect({ fileSystem })
    expect(await rows()).toBe(`${current} 11 11`)
  })
})

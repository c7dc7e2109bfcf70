import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readAvroFile, readAvroHeader, writeAvroFile } from '../../../../src/formats/avro/container.ts'
import { unlimited } from '../../../../src/formats/budget.ts'
import { toGatewayMetadata } from '../../../../src/gateway/iceberg/lead-through.ts'
import { appendFiles } from '../../../../src/tables/append.ts'
import { createDirectoryCatalog } from '../../../../src/tables/directory-catalog.ts'
import { chunksOf } from '../../../suites/filesystem.ts'
import { createTestGateway, type TestGateway } from '../../../suites/gateway.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { whole } from '../../../suites/memory-hdfs.ts'
import { aFile, calm, makeTable, place } from '../../tables/a-table.ts'

const fileSystem = createMemoryFileSystem()
let gateway: TestGateway
beforeAll(async () => {
  gateway = await createTestGateway({ fileSystem })
  const catalog = createDirectoryCatalog(fileSystem)
  await makeTable(catalog)
  for (const name of ['a', 'b']) {
    const toAppend = async () => ({ files: [aFile(name)] })
    await appendFiles({ ...calm, catalog, fileSystem, path: place.path, toAppend })
  }
  const { '/events/Click/metadata/v3.metadata.json': text = '' } = await readTexts()
  for (const path of [
    '/events/Order',
    '/deep/er/in/Table',
    '/deep/er/in/too/deep',
    '/_hidden/T',
    '/p/hour=08/T',
    '/p/2026/T',
    '/far/a/b/c/T',
  ])
    await fileSystem.create(`${path}/metadata/v3.metadata.json`, chunksOf(text))
  for (const path of ['/events/Plain/2026/f', '/empty/x/f', '/events/f', '/deep/er/metadata/README'])
    await fileSystem.create(path, chunksOf('x'))
})
afterAll(() => gateway.close())

const readTexts = async (): Promise<Readonly<Record<string, string>>> => {
  const path = '/events/Click/metadata/v3.metadata.json'
  return { [path]: await new Response(await fileSystem.open(path)).text() }
}

const ask = async (target: string, init: RequestInit = {}) => {
  const answer = await gateway.call(`/iceberg${target}`, init)
  const bytes = Buffer.from(await answer.arrayBuffer())
  return { status: answer.status, headers: answer.headers, bytes, text: bytes.toString('utf8') }
}
const get = async (target: string): Promise<unknown> => JSON.parse((await ask(target)).text)

describe('the catalog', () => {
  test('tells the warehouse "gateway" a prefix, and every other none', async () => {
    expect(await get('/v1/config?warehouse=gateway')).toMatchObject({ defaults: {}, overrides: { prefix: 'gateway' } })
    for (const query of ['', '?warehouse=', '?warehouse=sluice']) {
      expect(await get(`/v1/config${query}`)).toMatchObject({ overrides: {} })
    }
  })

  test.each([
    ['', [['deep'], ['events']]],
    ['?parent=', [['deep'], ['events']]],
    ['?parent=deep', [['deep', 'er']]],
    ['?parent=deep%1Fer', [['deep', 'er', 'in']]],
    // Its table is too far below to be found from the root.
    ['?parent=far', [['far', 'a']]],
    ['?parent=events', []],
    ['?parent=p', []],
  ])('lists the namespaces of %j', async (query, namespaces) => {
    for (const prefix of ['', '/gateway']) expect(await get(`/v1${prefix}/namespaces${query}`)).toEqual({ namespaces })
  })

  test.each([
    ['events', ['Click', 'Order']],
    ['deep%1Fer%1Fin', ['Table']],
    ['deep', []],
  ])('lists the tables of %s', async (namespace, names) => {
    const levels = decodeURIComponent(namespace).split('\u001f')
    expect(await get(`/v1/namespaces/${namespace}/tables`)).toEqual({
      identifiers: names.map(name => ({ namespace: levels, name })),
    })
  })

  test('gives names in pages to those who ask for pages', async () => {
    const tables = '/v1/namespaces/events/tables?pageSize=1&pageToken='
    expect(await get(tables)).toMatchObject({ identifiers: [{ name: 'Click' }], 'next-page-token': 'Click' })
    const last = { identifiers: [{ namespace: ['events'], name: 'Order' }] }
    expect(await get(`${tables}Click`)).toEqual(last)
    expect(await get('/v1/namespaces?pageSize=1&pageToken=deep')).toEqual({ namespaces: [['events']] })
    expect(await get('/v1/namespaces?pageSize=1')).toEqual({ namespaces: [['deep'], ['events']] })
  })

  test('refuses a token that is not a name', async () => {
    for (const target of ['/v1/namespaces?pageToken=a%2Fb', '/v1/namespaces/events/tables?pageToken=..%2F..'])
      expect(await ask(target)).toMatchObject({ status: 400, text: expect.stringContaining('pageToken') })
  })

  test('loads a namespace, and says of both whether they are there', async () => {
    const namespace = { namespace: ['deep', 'er'], properties: { location: '/deep/er' } }
    expect(await get('/v1/namespaces/deep%1Fer')).toEqual(namespace)
    for (const target of ['/v1/namespaces/deep%1Fer', '/v1/gateway/namespaces/events/tables/Click']) {
      expect(await ask(target, { method: 'HEAD' })).toMatchObject({ status: 204, text: '' })
    }
    for (const target of ['/v1/namespaces/none', '/v1/namespaces/events/tables/Plain']) {
      expect((await ask(target, { method: 'HEAD' })).status).toBe(404)
    }
  })

  test('loads a table as it is on the cluster', async () => {
    const { '/events/Click/metadata/v3.metadata.json': text = '' } = await readTexts()
    expect(await get('/v1/namespaces/events/tables/Click')).toEqual({
      'metadata-location': `${place.location}/metadata/v3.metadata.json`,
      metadata: JSON.parse(text),
      config: {},
    })
  })

  test.each([
    ['/v1/namespaces/none', 404, 'NoSuchNamespaceException'],
    ['/v1/namespaces/none/tables', 404, 'NoSuchNamespaceException'],
    ['/v1/namespaces?parent=none', 404, 'NoSuchNamespaceException'],
    ['/v1/namespaces/events%1FClick', 404, 'NoSuchNamespaceException'],
    ['/v1/namespaces/events%1F..%1Fdeep', 404, 'NoSuchNamespaceException'],
    ['/v1/namespaces/events/tables/none', 404, 'NoSuchTableException'],
    ['/v1/namespaces/events/tables/Plain', 404, 'NoSuchTableException'],
    ['/v1/namespaces/events/tables/%2e%2e%2fdeep', 404, 'NoSuchTableException'],
    ['/v1/namespaces/events/tables/f', 404, 'NoSuchTableException'],
    ['/v1/namespaces/events/views', 404, 'NoSuchNamespaceException'],
    ['/v1/other', 404, 'NotFoundException'],
    ['/v1/namespaces?pageSize=0', 400, 'BadRequestException'],
    ['/files/events/f', 404, 'NotFoundException'],
    ['/files/events/Click/metadata', 404, 'NotFoundException'],
    ['/files/events/Click/metadata/none.avro', 404, 'NotFoundException'],
  ])('%s is a %i %s', async (target, code, type) => {
    const { status, text } = await ask(target)
    expect([status, JSON.parse(text)]).toEqual([code, { error: { message: expect.any(String), type, code } }])
  })

  test.each([
    ['POST', '/v1/namespaces'],
    ['POST', '/v1/namespaces/events/tables'],
    ['POST', '/v1/namespaces/events/tables/Click'],
    ['DELETE', '/v1/namespaces/events/tables/Click'],
    ['POST', '/v1/tables/rename'],
    ['POST', '/v1/oauth/tokens'],
  ])('%s %s is refused as what is not there in a read-only catalog', async (method, target) => {
    const { status, text } = await ask(target, { method, ...(method === 'POST' ? { body: '{}' } : {}) })
    const error = { message: expect.stringContaining('read-only'), type: 'UnsupportedOperationException', code: 406 }
    expect([status, JSON.parse(text)]).toEqual([406, { error }])
  })
})

type Table = {
  readonly 'metadata-location': string
  readonly metadata: { readonly location: string; readonly snapshots: { readonly 'manifest-list': string }[] }
}

describe('through the gateway', () => {
  const load = async (): Promise<Table> => (await get('/v1/gateway/namespaces/events/tables/Click')) as Table
  const follow = async (url: string, init?: RequestInit) => await ask(url.replace('http://localhost/iceberg', ''), init)
  const records = (bytes: Buffer): readonly Record<string, unknown>[] =>
    readAvroFile(bytes, unlimited).records as readonly Record<string, unknown>[]

  test('every location of a table leads here, from metadata to data', async () => {
    const { metadata, 'metadata-location': location } = await load()
    expect(location).toBe('http://localhost/iceberg/files/events/Click/metadata/v3.metadata.json')
    expect(metadata.location).toBe('http://localhost/files/events/Click')
    expect(JSON.parse((await follow(location)).text)).toEqual(metadata)
    expect(JSON.stringify(metadata)).not.toContain('hdfs:')
    const list = await follow(metadata.snapshots.at(-1)?.['manifest-list'] ?? '')
    const found: string[] = []
    for (const { manifest_path: url, manifest_length: length } of records(list.bytes)) {
      const manifest = await follow(String(url))
      expect(manifest.bytes.length).toBe(length)
      expect(manifest.bytes.includes('hdfs:')).toBe(false)
      found.push(...records(manifest.bytes).map(({ data_file: file }) => (file as { file_path: string }).file_path))
    }
    expect(found.toSorted((a, b) => a.localeCompare(b))).toEqual(
      ['a', 'b'].map(name => `http://localhost/files/events/Click/data/${name}.parquet`),
    )
  })

  test('a manifest stays the same except for its locations, schema and header included', async () => {
    const { metadata } = await load()
    const [manifest] = records((await follow(metadata.snapshots.at(-1)?.['manifest-list'] ?? '')).bytes)
    const url = String(manifest?.['manifest_path'])
    const path = decodeURIComponent(url.replace('http://localhost/iceberg/files', ''))
    const before = Buffer.from(await new Response(await fileSystem.open(path)).arrayBuffer())
    const { bytes } = await follow(url)
    expect(readAvroHeader(bytes).metadata).toEqual(readAvroHeader(before).metadata)
    const led = JSON.stringify(records(bytes)).replaceAll('http://localhost/files/events/Click', place.location)
    expect(JSON.parse(led)).toEqual(JSON.parse(JSON.stringify(records(before))))
  })

  test('ranges and the length fit together, however often it is asked', async () => {
    const url = (await load()).metadata.snapshots.at(-1)?.['manifest-list'] ?? ''
    const { bytes, headers } = await follow(url)
    const head = await follow(url, { method: 'HEAD' })
    expect(head.headers.get('content-length')).toBe(String(bytes.length))
    expect(head.headers.get('etag')).toBe(headers.get('etag'))
    const other = await createTestGateway({ fileSystem })
    const part = await other.call(new URL(url).pathname, { headers: { range: 'bytes=20-' } })
    expect(part.status).toBe(206)
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(20))).toBe(true)
    await other.close()
  })

  test('locations are those under which the client came', async () => {
    const answer = await gateway.call('/iceberg/v1/gateway/namespaces/events/tables/Click', {
      headers: { host: 'localhost:8443', 'x-forwarded-proto': 'https' },
    })
    expect(await answer.text()).toContain('"location":"https://localhost:8443/files/events/Click"')
  })
})

describe('a table that means harm', () => {
  const list = '/events/Click/metadata/harm.avro'
  const schema = {
    type: 'record',
    name: 'manifest_file',
    fields: [
      { name: 'manifest_path', type: 'string' },
      { name: 'manifest_length', type: 'long' },
    ],
  }
  const put = (names: readonly string[]) => {
    const records = names.map(name => ({ manifest_path: `${place.location}/${name}`, manifest_length: 1 }))
    return fileSystem.publish(list, whole(writeAvroFile(schema, {}, records)), { overwrite: true })
  }

  test('a list of manifests that names itself, or another list, has an end', async () => {
    await put(['metadata/harm.avro'])
    const answer = await ask('/files/events/Click/metadata/harm.avro')
    expect([answer.status, answer.text]).toEqual([422, expect.stringContaining('expected a manifest, found a list')])
  })

  test('a manifest that a list names many times is read once', async () => {
    const { metadata } = (await createDirectoryCatalog(fileSystem).load(place.path)) ?? {}
    const name = metadata?.current?.manifestList.replace(/.*\/snap-\d+-1-([\w-]+)\.avro$/, '$1-m0.avro')
    let reads = 0
    const counting = {
      ...fileSystem,
      open: (path: string, more?: object) => {
        if (path.endsWith(`${name}`)) reads++
        return fileSystem.open(path, more)
      },
    }
    const own = await createTestGateway({ fileSystem: counting })
    await put(Array.from({ length: 50 }, () => `metadata/${name}`))
    expect((await own.call('/iceberg/files/events/Click/metadata/harm.avro')).status).toBe(200)
    expect(reads).toBe(1)
    await own.close()
  })

  test('its properties do not become settings of who reads it', async () => {
    const loaded = await createDirectoryCatalog(fileSystem).load(place.path)
    if (!loaded) throw new Error('there is no table')
    const properties = {
      'py-io-impl': 'os.system',
      uri: 'x',
      'write.format.default': 'parquet',
      'schema.name-mapping.default': '[]',
    }
    const json = { ...loaded.metadata.json, properties }
    const shown = toGatewayMetadata(json, { header: () => undefined, secure: false } as never, place)
    expect(shown['properties']).toEqual({ 'write.format.default': 'parquet', 'schema.name-mapping.default': '[]' })
  })
})

import { describe, expect, test } from 'vitest'
import type { FileSystem } from '../../../../src/filesystem/filesystem.ts'
import type { Value } from '../../../../src/formats/number.ts'
import { appendFiles, readManifests } from '../../../../src/tables/append.ts'
import type { Catalog } from '../../../../src/tables/catalog.ts'
import { changeFields } from '../../../../src/tables/change-fields.ts'
import { createDirectoryCatalog } from '../../../../src/tables/directory-catalog.ts'
import { readFileWhole, writeFileWhole } from '../../../../src/tables/files.ts'
import { entryStatus, readManifest } from '../../../../src/tables/manifests.ts'
import type { Json } from '../../../../src/tables/members.ts'
import type { TableMetadata } from '../../../../src/tables/metadata.ts'
import { replaceFiles } from '../../../../src/tables/replace/replace-files.ts'
import { createCatalogCalls } from '../../../../src/tables/rest/catalog-calls.ts'
import { createRestCatalog } from '../../../../src/tables/rest/rest-catalog.ts'
import type { RestCatalogSettings } from '../../../../src/tables/rest/rest-settings.ts'
import { toTablePath } from '../../../../src/tables/table-place.ts'
import {
  type CatalogFault,
  type FakeCatalogOptions,
  type FakeCatalogRequest,
  startFakeCatalog,
} from '../../../suites/fake-rest-catalog.ts'
import { listAll } from '../../../suites/list-all.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { aFile, calm, dateField, makeTable, place, plainCatalog } from '../a-table.ts'

const open = async (options: FakeCatalogOptions & { readonly settings?: Partial<RestCatalogSettings> } = {}) => {
  const fake = await startFakeCatalog(options)
  const fileSystem = { ...createMemoryFileSystem(), url: 'hdfs://somewhere:8020' }
  const catalog = createRestCatalog(fileSystem, { ...plainCatalog, uri: fake.url, ...options.settings })
  return { fake, fileSystem, catalog }
}

const key = 'events.Click'

/** Appends a file, as a writer does that has one property for what of it is in. */
const append = (fileSystem: FileSystem, catalog: Catalog, name: string) =>
  appendFiles({
    ...calm,
    fileSystem,
    catalog,
    path: place.path,
    toAppend: async ({ properties }: TableMetadata) =>
      properties.has(`done.${name}`)
        ? undefined
        : { files: [aFile(name)], properties: new Map([[`done.${name}`, 'yes']]) },
  })

/** Names of the files that the table has, each as often as it has it; each of its manifests is read for them. */
const namesIn = async (fileSystem: FileSystem, catalog: Catalog): Promise<string[]> => {
  const table = await catalog.load(place.path)
  if (!table) return []
  const names: string[] = []
  for (const manifest of await readManifests(fileSystem, table.place, table.metadata)) {
    const bytes = await readFileWhole(fileSystem, toTablePath(table.place, manifest.uri), 1e9)
    for (const { file, status } of readManifest(bytes, manifest))
      if (status !== entryStatus.deleted) names.push(/([^/]+)\.parquet$/.exec(file.text('file_path'))?.[1] ?? '')
  }
  return names.sort()
}

const isCommit = ({ method, path }: { readonly method: string; readonly path: string }): boolean =>
  method === 'POST' && path.endsWith('/tables/Click')

/** A catalog with the table, of which later commits go wrong as said, one after the other. */
const openWith = async (...faults: (CatalogFault | undefined)[]) => {
  let isOn = false
  const opened = await open({ fail: request => (isOn && isCommit(request) ? faults.shift() : undefined) })
  await makeTable(opened.catalog)
  isOn = true
  return opened
}

describe('a table of a REST catalog', () => {
  test.each<[string, CatalogFault | undefined]>([
    ['all is well', undefined],
    ['the answer is lost', 'lost'],
    ['another one was faster', { status: 409, type: 'CommitFailedException' }],
    ['it is done, and the answer is a failure', { after: 504 }],
  ])('has files replaced once, where %s', async (_, fault) => {
    const { fileSystem, catalog } = await openWith(undefined, undefined, fault)
    for (const name of ['a', 'b']) await append(fileSystem, catalog, name)
    const options = { ...calm, fileSystem, catalog, path: place.path, id: 'ab', last: 1e6, hour: 490_924 }
    const removed = ['a', 'b'].map(name => aFile(name).uri)
    const replace = () => replaceFiles({ ...options, removed, added: [{ ...aFile('ab'), rows: 20 }] })
    const first = await replace().catch(() => undefined)
    expect(first ?? (await replace())).toMatchObject({ outcome: 'done' })
    expect(await namesIn(fileSystem, catalog)).toEqual(['ab'])
    expect((await catalog.load(place.path))?.metadata.snapshots).toHaveLength(3)
  })

  test('keeps the files of a replacement that was made, refused when it came twice, and forgotten before anyone looked', async () => {
    let commits = 0
    /** Another writer's snapshot follows, and an expiry keeps that alone. */
    const forget = (): void => {
      const table = fake.tables.get(key) ?? {}
      const made = (table['snapshots'] as Json[]).at(-1) ?? {}
      const next = { ...made, 'snapshot-id': 77, 'sequence-number': 4, summary: { operation: 'append' } }
      const refs = { main: { 'snapshot-id': 77, type: 'branch' } }
      Object.assign(table, { snapshots: [next], refs, 'current-snapshot-id': 77, 'last-sequence-number': 4 })
    }
    const { fake, fileSystem, catalog } = await open({
      fail: request => {
        if (isCommit(request)) return ++commits === 4 ? { after: 409 } : undefined
        if (commits === 4 && request.method === 'GET') forget()
        return undefined
      },
    })
    await makeTable(catalog)
    for (const name of ['a', 'b']) await append(fileSystem, catalog, name)
    commits = 3
    const removed = ['a', 'b'].map(name => aFile(name).uri)
    const options = { ...calm, fileSystem, catalog, path: place.path, id: 'ab', last: 1e6, hour: 490_924 }
    expect(await replaceFiles({ ...options, removed, added: [{ ...aFile('ab'), rows: 20 }] })).toMatchObject({
      outcome: 'refused',
      mayRefer: true,
    })
    expect(await namesIn(fileSystem, catalog)).toEqual(['ab'])
  })

  test('is made in a namespace that is made first, at the place that this server has for it, with its ids', async () => {
    const { fake, catalog } = await open({ settings: { namespace: ['a', 'b'] } })
    expect(await catalog.load(place.path)).toBeUndefined()
    await makeTable(catalog)
    expect([...fake.namespaces]).toEqual(['a', 'a.b'])
    const table = await catalog.load(place.path)
    expect(table?.place).toEqual(place)
    expect(table?.metadata).toMatchObject({
      uuid: 'a-uuid',
      lastColumnId: 1,
      spec: { fields: [{ transform: 'hour' }] },
    })
    expect(fake.tables.get('a.b.Click')).toMatchObject({
      'format-version': 2,
      properties: { 'write.metadata.delete-after-commit.enabled': 'true' },
    })
  })

  test('takes files of several writers, each once, and ids of 63 bits as they are', async () => {
    const { fake, fileSystem, catalog } = await open()
    await makeTable(catalog)
    await append(fileSystem, catalog, 'a')
    const big = 9_223_372_036_854_775_807n
    const table = fake.tables.get(key) ?? {}
    const [snapshot = {}] = table['snapshots'] as { [name: string]: Value }[]
    Object.assign(table, {
      snapshots: [{ ...snapshot, 'snapshot-id': big }],
      refs: { main: { 'snapshot-id': big, type: 'branch' }, old: { 'snapshot-id': big, type: 'tag' } },
      'current-snapshot-id': big,
    })
    const names = ['b', 'c', 'd']
    await Promise.all(names.map(name => append(fileSystem, catalog, name)))
    expect(await namesIn(fileSystem, catalog)).toEqual(['a', ...names])
    expect((await catalog.load(place.path))?.metadata.snapshots[1]?.parentId).toBe(big)
    expect(fake.tables.get(key)?.['refs']).toMatchObject({ old: { 'snapshot-id': big } })
  })

  test('gets columns by a commit that says which it had; the second of two that add some tries again', async () => {
    const { fake, catalog } = await open()
    await makeTable(catalog)
    const add = (name: string) =>
      changeFields({
        ...calm,
        catalog,
        place,
        toNew: () => ({ dateField, properties: {} }),
        toFields: table => {
          const { fields = [] } = table?.metadata.schema ?? {}
          const id = (table?.metadata.lastColumnId ?? 0) + 1
          if (fields.some(field => field.name === name)) return undefined
          return { fields: [...fields, { id, name, isRequired: false, type: 'long' }], lastColumnId: id }
        },
      })
    await Promise.all(['x', 'y', 'z'].map(add))
    const fields = (await catalog.load(place.path))?.metadata.schema.fields ?? []
    expect(fields.map(({ id }) => id)).toEqual([1, 2, 3, 4])
    expect(new Set(fields.map(({ name }) => name))).toEqual(new Set(['eventDate', 'x', 'y', 'z']))
    expect(JSON.stringify(fake.tables.get(key)?.['properties'])).toContain('z')
  })

  /** The outcome at the end of the first attempt: a fault, or nothing, for a writer that retries by itself. */
  const faults: readonly [string, readonly CatalogFault[], string | undefined][] = [
    ['409', [{ status: 409, type: 'CommitFailedException' }], undefined],
    ['409 twice', [{ status: 409 }, { status: 409 }], undefined],
    ['500', [{ status: 500 }], undefined],
    ['500 after it was made', [{ after: 500 }], undefined],
    ['502', [{ status: 502 }], undefined],
    ['502 after it was made', [{ after: 502 }], undefined],
    ['504', [{ status: 504 }], undefined],
    ['504 after it was made', [{ after: 504 }], undefined],
    ['501 after it was made', [{ after: 501 }], undefined],
    ['no answer', ['lost'], undefined],
    ['half an answer', ['torn'], undefined],
    ['many of these', ['lost', { after: 500 }, 'torn', { status: 409 }, { status: 502 }], undefined],
    ['two of one, of which the second is refused', ['twice'], undefined],
    ['200 of something else', [{ status: 200 }], undefined],
    ['201 after it was made', [{ after: 201 }], 'unavailable'],
    ['302', [{ status: 302, headers: { location: 'http://127.0.0.1:1/' } }], 'unavailable'],
    ['400', [{ status: 400, type: 'BadRequestException' }], 'unavailable'],
    ['401', [{ status: 401 }], 'unavailable'],
    ['403', [{ status: 403 }], 'unavailable'],
    ['404', [{ status: 404, type: 'NoSuchTableException' }], 'unavailable'],
    ['419', [{ status: 419 }], 'unavailable'],
    ['429', [{ status: 429 }], 'unavailable'],
    ['503', [{ status: 503 }], 'unavailable'],
    ['503 after it was made', [{ after: 503 }], 'unavailable'],
  ]
  test.each(faults)(
    'has a file once, and all that it refers to, whatever its commit is answered: %s',
    async (_, answers, code) => {
      const { fileSystem, catalog } = await openWith(undefined, ...answers)
      await append(fileSystem, catalog, 'before')
      const first = append(fileSystem, catalog, 'a').then(
        () => undefined,
        error => error.code,
      )
      expect(await first).toBe(code)
      if (code === undefined) expect(await namesIn(fileSystem, catalog)).toEqual(['a', 'before'])
      await append(fileSystem, catalog, 'a')
      await append(fileSystem, catalog, 'b')
      expect(await namesIn(fileSystem, catalog)).toEqual(['a', 'b', 'before'])
    },
  )

  test('leaves nothing of a commit that another writer was faster than', async () => {
    const { fileSystem, catalog } = await open()
    await makeTable(catalog)
    await Promise.all(['a', 'b', 'c'].map(name => append(fileSystem, catalog, name)))
    const lists = (await listAll(fileSystem, '/events/Click/metadata')).filter(({ path }) => path.includes('snap-'))
    expect(lists).toHaveLength(3)
  })

  test.each([
    ['a proxy knows no such path', { status: 404 }],
    ['it is away', { status: 503 }],
    ['it may not be read', { status: 403 }],
    ['its address leads elsewhere', { status: 307, headers: { location: 'http://127.0.0.1:1/' } }],
    ['a page of a proxy is there instead', { status: 200 }],
    ['nothing comes', 'lost'],
    ['half of it comes', 'torn'],
  ] as const)('is not taken for one that is not there where %s', async (_, fault) => {
    let isOn = false
    const { catalog, fake } = await open({ fail: () => (isOn ? fault : undefined) })
    await makeTable(catalog)
    isOn = true
    await expect(catalog.load(place.path)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining(fake.url),
    })
  })

  test('is refused where it is elsewhere, and found by its metadata where only its address is another', async () => {
    const { fake, fileSystem, catalog } = await open()
    await makeTable(catalog)
    await append(fileSystem, catalog, 'a')
    const table = fake.tables.get(key) ?? {}
    for (const location of [
      's3://bucket/events/Click',
      'hdfs://somewhere:8020/other/Click',
      'hdfs://else/events/Click',
    ]) {
      table['location'] = location
      await expect(catalog.load(place.path)).rejects.toThrow(
        `the table events.Click of the catalog ${fake.url}: expected it at hdfs://somewhere:8020/events/Click, where this server writes its files, found it at ${location}`,
      )
    }
    const uri = `/events/Click/metadata/${Number(table['last-updated-ms'])}.metadata.json`
    await writeFileWhole(fileSystem, uri, new Uint8Array(1), { overwrite: false })
    expect((await catalog.load(place.path))?.place.location).toBe('hdfs://else/events/Click')
  })

  test('is not made where there is a table of no catalog, whose rows it would not have', async () => {
    const { fake, fileSystem, catalog } = await open()
    await makeTable(createDirectoryCatalog(fileSystem))
    await expect(makeTable(catalog)).rejects.toThrow('/events/Click is a table outside the catalog: register it there')
    expect(fake.tables.size).toBe(0)
  })
})

describe('what a catalog is asked', () => {
  test.each([
    ['without a prefix', {}, {}, '/v1/namespaces/events/tables/Click'],
    ['with that of the catalog', { prefix: 'a/b' }, {}, '/v1/a/b/namespaces/events/tables/Click'],
    ['with that of the settings', { prefix: 'theirs' }, { prefix: 'mine' }, '/v1/mine/namespaces/events/tables/Click'],
    ['with levels', {}, { namespace: ['a', 'b c'] }, '/v1/namespaces/a.b c/tables/Click'],
    [
      'with their separator',
      { 'namespace-separator': '%2F' },
      { namespace: ['a', 'b'] },
      '/v1/namespaces/a/b/tables/Click',
    ],
  ])('begins with its configuration, once: %s', async (_, configuration, settings, path) => {
    const { fake, catalog } = await open({ configuration, settings })
    await catalog.load(place.path)
    await catalog.load(place.path)
    expect(fake.requests.map(request => request.path)).toEqual(['/v1/config', path, path])
  })

  test('has the token of the settings', async () => {
    const { fake, catalog } = await open({ settings: { token: 'secret' } })
    await catalog.load(place.path)
    expect(fake.requests.map(({ authorization }) => authorization)).toEqual(['Bearer secret', 'Bearer secret'])
  })

  test.each([401, 419])('has a token for the credential, fetched again once where it is answered %s', async status => {
    let refusals = 0
    const isToken = ({ path }: FakeCatalogRequest): boolean => path.endsWith('/oauth/tokens')
    let tokens = 0
    const fake = await startFakeCatalog({
      fail: request => (!isToken(request) && refusals-- > 0 ? { status } : undefined),
      toToken: () => ({ access_token: `t${++tokens}`, expires_in: 100 }),
    })
    let now = 0
    const settings = { ...plainCatalog, uri: fake.url, credential: 'me:s:e&c', scope: 'all' }
    const calls = createCatalogCalls(settings, { monotonicMs: () => now })
    const load = () => calls.call({ path: () => 'x' })
    await load()
    await load()
    expect(fake.requests.filter(isToken).map(({ body }) => body)).toEqual([
      'grant_type=client_credentials&client_id=me&client_secret=s%3Ae%26c&scope=all',
    ])
    expect(fake.requests.at(-1)?.authorization).toBe('Bearer t1')
    // Before it ends.
    now = 90_000
    await load()
    expect(fake.requests.at(-1)?.authorization).toBe('Bearer t2')
    refusals = 1
    await load()
    expect(fake.requests.at(-1)?.authorization).toBe('Bearer t3')
    refusals = 2
    expect((await load()).status).toBe(status)
    expect(tokens).toBe(4)
    expect(fake.requests.filter(request => !isToken(request) && request.authorization === undefined)).toEqual([])
  })

  test('is nothing where no token is given; the message has no secret', async () => {
    const { catalog, fake } = await open({
      fail: ({ path }) => (path.endsWith('/oauth/tokens') ? { status: 401, type: 'invalid_client' } : undefined),
      settings: { credential: 'me:secret' },
    })
    const failure = catalog.load(place.path)
    await expect(failure).rejects.toMatchObject({ code: 'unavailable' })
    await expect(failure).rejects.toThrow(
      `${fake.url}/v1/oauth/tokens gave no token for me: status 401, invalid_client, so it is`,
    )
    expect(fake.requests).toHaveLength(1)
  })
})

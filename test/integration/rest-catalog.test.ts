/** Tables of a REST catalog, by Apache's own. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { missingForRestCatalog, type RestCatalogServer, startRestCatalog } from '../../scripts/iceberg/rest-catalog.ts'
import { createLocalFileSystem } from '../../src/filesystem/local.ts'
import { appendFiles } from '../../src/tables/append.ts'
import { type ChangeFieldsOptions, changeFields } from '../../src/tables/change-fields.ts'
import { checkTable } from '../../src/tables/check-table.ts'
import { expireSnapshots } from '../../src/tables/expiry/expire-snapshots.ts'
import { writeFileWhole } from '../../src/tables/files.ts'
import { createRestCatalog } from '../../src/tables/rest/rest-catalog.ts'
import type { TableField } from '../../src/tables/schema.ts'
import { placeTable } from '../../src/tables/table-place.ts'
import { openLocalStore } from '../foreign/store.ts'
import { toExtra } from '../suites/crash-requests.ts'
import { describePart } from '../suites/describe-part.ts'
import { drainFully } from '../suites/drain-fully.ts'
import { startFakeCatalog } from '../suites/fake-rest-catalog.ts'
import { allIsWell } from '../suites/ledger-of-client.ts'
import { toTableStore } from '../suites/live-files.ts'
import { createSluice, type Sluice } from '../suites/sluice-process.ts'
import { aFile, dateField, plainCatalog } from '../unit/tables/a-table.ts'

const bin = resolve('bin/sluice.js')
let server: RestCatalogServer
let directory = ''
let sluice: Sluice | undefined

const path = '/events/Click'
const open = async () => {
  const fileSystem = await createLocalFileSystem({ root: await mkdtemp(join(directory, 'fs-')) })
  return {
    fileSystem,
    catalog: createRestCatalog(fileSystem, { ...plainCatalog, uri: server.url, namespace: [ownName()] }),
  }
}

let names = 0
const ownName = (): string => `events${++names}`

const calm = { now: () => Date.now(), pause: async () => {}, writer: 'ab'.repeat(16) }

const nested: TableField = {
  id: 2,
  name: 'customer',
  isRequired: false,
  type: { kind: 'struct', fields: [{ id: 3, name: 'country', isRequired: false, type: 'string' }] },
}

afterEach(async () => {
  await sluice?.close()
  sluice = undefined
})

describePart('hdfs', await missingForRestCatalog(), "tables of Apache's REST catalog", () => {
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'sluice-rest-'))
    server = await startRestCatalog({ warehouse: `file://${directory}/warehouse` })
  })
  afterAll(async () => {
    await server?.stop()
    await rm(directory, { recursive: true, force: true })
  })
  test('get ids of columns as they are given, files of writers at once, and lose old snapshots', async () => {
    const { fileSystem, catalog } = await open()
    const place = placeTable(fileSystem, path)
    const change = (toFields: ChangeFieldsOptions['toFields']) =>
      changeFields({ ...calm, catalog, place, toFields, toNew: () => ({ dateField, properties: { a: 'b' } }) })
    const made = await change(table => (table ? undefined : { fields: [dateField, nested, last(4)], lastColumnId: 4 }))
    expect(made?.metadata.schema.fields).toEqual([dateField, nested, last(4)])
    expect(made?.metadata.spec.fields).toMatchObject([{ transform: 'hour', sourceId: 1 }])

    const append = async (name: string) => {
      const uri = `${place.location}/data/${name}.parquet`
      await writeFileWhole(fileSystem, `${path}/data/${name}.parquet`, new Uint8Array(1_000), { overwrite: false })
      const properties = new Map([[`done.${name}`, 'yes']])
      await appendFiles({
        ...calm,
        fileSystem,
        catalog,
        path,
        toAppend: async table =>
          table.properties.has(`done.${name}`) ? undefined : { files: [{ ...aFile(name), uri }], properties },
      })
    }
    const add = (id: number) =>
      change(table => {
        const { fields = [] } = table?.metadata.schema ?? {}
        const next = (table?.metadata.lastColumnId ?? 0) + 1
        const isThere = fields.some(({ name }) => name === last(id).name)
        return isThere ? undefined : { fields: [...fields, { ...last(id), id: next }], lastColumnId: next }
      })
    const writers = Array.from({ length: 12 }, (_, i) => append(`file-${i}`))
    await Promise.all([...writers, add(100), add(101)])
    const table = await catalog.load(path)
    expect(table?.metadata.schema.fields.map(({ id }) => id)).toEqual([1, 2, 4, 5, 6])
    expect(table?.metadata.snapshots).toHaveLength(12)
    if (!table) return
    expect(await checkTable(fileSystem, table, () => {})).toMatchObject({ files: 12, rows: 120, findings: [] })

    const report = await expireSnapshots({ ...calm, fileSystem, catalog, path, olderThanMs: -1, isTrial: false })
    expect(report).toMatchObject({ snapshots: 2, kept: 10, dataFiles: 0, metadataFiles: 0 })
    const left = await catalog.load(path)
    expect(left?.metadata.snapshots).toHaveLength(10)
    expect(left && (await checkTable(fileSystem, left, () => {}))).toMatchObject({ files: 12, findings: [] })
  })

  test('R27: kill -9 of the server and of the catalog under load: each event is in its table once', async () => {
    const namespace = ownName()
    const tables = ['format=parquet', 'table=iceberg', `catalog=${server.url}`, `namespace=${namespace}`]
    const output = [...tables, 'snapshot-seconds=1'].map(one => `collector.output.${one}`)
    sluice = await createSluice({ settings: [...output, 'server.threads=1'], toExtra })
    const store = toTableStore(
      openLocalStore(`${sluice.directory}/fs`),
      '/events',
      `${server.url}/v1/namespaces/${namespace}`,
    )
    await sluice.start()
    const load = sluice.load(4)
    for (let kill = 0; kill < 4; kill++) {
      await sluice.acknowledged(500)
      await server.kill()
      await sluice.acknowledged(500)
      await server.start()
      await sluice.acknowledged(500)
      await sluice.kill()
      await sluice.start()
    }
    await load.stop()
    await drainFully(sluice)
    const { lost, twice, unknown, ...figures } = await sluice.reckon(store)
    expect({ lost, twice, unknown }).toEqual(allIsWell)
    expect(figures).toMatchObject({ waiting: 0, flushedByLedger: figures.found })

    const table = async (...words: readonly string[]): Promise<Record<string, unknown>> => {
      const set = [`data.dir=${sluice?.directory}`, ...output].flatMap(one => ['--set', one])
      const { stdout } = await promisify(execFile)(process.execPath, [bin, 'table', ...words, ...set, '--json'])
      return Object(JSON.parse(stdout))
    }
    const listed = (await table('list'))['tables'] as { readonly path: string; readonly rows: number }[]
    expect(listed.reduce((sum, { rows }) => sum + rows, 0)).toBe(figures.found)
    const [{ path, rows } = { path: '', rows: 0 }] = listed
    expect(await table('show', path)).toMatchObject({ location: `file://${sluice.directory}/fs${path}`, rows })
    expect(await table('check', path)).toMatchObject({ problems: 0, rows })
    const { snapshots } = (await table('history', path)) as { readonly snapshots: readonly unknown[] }
    const expired = await table('expire', path, '--older-than', '1s', '--yes')
    expect(Number(expired['snapshots']) + Number(expired['kept'])).toBe(snapshots.length)
    expect(await table('check', path)).toMatchObject({ problems: 0, rows })
  })
})

test('a catalog that never answers holds up no 202, and a stop no longer than the file system may', async () => {
  const { url, requests } = await startFakeCatalog({ fail: () => 'hangs' })
  const output = ['format=parquet', 'table=iceberg', `catalog=${url}`].map(one => `collector.output.${one}`)
  sluice = await createSluice({ settings: [...output, 'server.threads=1'] })
  await sluice.start()
  const load = sluice.load(1)
  await sluice.acknowledged(10)
  await expect.poll(() => requests.length).toBeGreaterThan(0)
  await sluice.acknowledged(10)
  await load.stop()
  expect(await sluice.drain()).toBe(0)
})

const last = (id: number): TableField => ({ id, name: `column${id}`, isRequired: false, type: 'string' })

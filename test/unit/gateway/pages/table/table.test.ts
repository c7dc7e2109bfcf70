/** The page of a directory that is an Iceberg table. */
import { describe, expect, test } from 'vitest'
import { readAvroFile, writeAvroFile } from '../../../../../src/formats/avro/container.ts'
import { unlimited } from '../../../../../src/formats/budget.ts'
import { parseJson, stringifyJson } from '../../../../../src/formats/json.ts'
import type { Value } from '../../../../../src/formats/number.ts'
import { appendFiles } from '../../../../../src/tables/append.ts'
import { createDirectoryCatalog } from '../../../../../src/tables/directory-catalog.ts'
import { readFileWhole } from '../../../../../src/tables/files.ts'
import { chunksOf } from '../../../../suites/filesystem.ts'
import { createMemoryFileSystem } from '../../../../suites/memory-filesystem.ts'
import { aFile, calm, makeTable, place } from '../../../tables/a-table.ts'
import { createTokenAuth, createWorld, nowMs } from '../world.ts'

type Memory = ReturnType<typeof createMemoryFileSystem>

const page = `/rest/1.0/hdfs?path=${place.path}`
const now = (): number => nowMs - 7_200_000

/** A table of a file an hour, each in a snapshot of its own. */
const createTable = async (): Promise<Memory> => {
  const fileSystem = createMemoryFileSystem({ now })
  const catalog = createDirectoryCatalog(fileSystem)
  await makeTable(catalog)
  for (const [name, hour] of [
    ['a', 490_924],
    ['b', 490_925],
  ] as const) {
    const summary = new Map([['sluice.commit-id', `<i>c1</i>-5-${hour}`]])
    const toAppend = async () => ({ files: [aFile(name, hour)], summary })
    await appendFiles({ ...calm, now, catalog, fileSystem, path: place.path, toAppend })
  }
  return fileSystem
}

const read = async (fileSystem: Memory, path: string): Promise<Buffer> => readFileWhole(fileSystem, path, 1e6)

/** Changes the current metadata. */
const change = async (fileSystem: Memory, edit: (json: { [name: string]: Value }) => void): Promise<void> => {
  const path = `${place.path}/metadata/v3.metadata.json`
  const json = parseJson((await read(fileSystem, path)).toString('utf8')) as { [name: string]: Value }
  edit(json)
  await fileSystem.create(path, chunksOf(stringifyJson(json)), { overwrite: true })
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** The text of a page: no tags, one space between words. */
const toText = (markup: string): string => markup.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')

describe('the page of a table', () => {
  test('has its figures, columns, snapshots, partitions, queries, and its directory', async () => {
    const { page: get } = await createWorld({ fileSystem: await createTable() })
    const markup = await get(page)
    const text = toText(markup)
    expect(text).toContain(
      'Iceberg table 20 rows Data files 2 Size 2.0 kB Changed 2 h ago Partitioned by hour(eventDate)',
    )
    expect(text).toContain('eventDate timestamptz yes')
    expect(text).toContain('2 h ago current append 10 – 20 sluice &lt;i&gt;c1&lt;/i&gt;')
    expect(text).toContain('2026-01-02T05:00Z 10 1 1.0 kB 2026-01-02T04:00Z 10 1 1.0 kB')
    expect(text).toContain('Query with DuckDB, pyiceberg, Spark or Trino')
    expect(markup).toContain('/iceberg/v1/namespaces/events/tables/Click')
    expect(markup).not.toContain('<i>c1')
    expect(text).toContain('metadata (directory)')
  })

  test('names the columns of other writers with their comments, whatever they are', async () => {
    const fileSystem = await createTable()
    await change(fileSystem, json => {
      json['schemas'] = [
        {
          type: 'struct',
          'schema-id': 0,
          fields: [
            { id: 1, name: 'eventDate', required: true, type: 'timestamptz', doc: 'when <b>it</b> was' },
            {
              id: 2,
              name: '<script>',
              required: false,
              type: { type: 'list', 'element-id': 3, element: 'long', 'element-required': true },
            },
          ],
        },
      ]
      json['current-schema-id'] = 0
    })
    const { page: get } = await createWorld({ fileSystem })
    const markup = await get(page)
    expect(toText(markup)).toContain('eventDate timestamptz no when &lt;b&gt;it&lt;/b&gt; was')
    expect(toText(markup)).toContain('&lt;script&gt; list&lt;long&gt; yes –')
  })

  test('is not shown on later pages of the listing, nor for names that are looked for', async () => {
    const { page: get } = await createWorld({ fileSystem: await createTable() })
    for (const query of ['&filter=meta', '&limit=1&page=2'])
      expect(await get(`${page}${query}`)).not.toContain('Iceberg table')
    expect(await get('/rest/1.0/hdfs?path=/events')).not.toContain('Iceberg table')
  })

  test.each<[string, (json: { [name: string]: Value }) => void, string]>([
    [
      'of another format version',
      json => (json['format-version'] = 3),
      'expected format version 2 of Iceberg, found 3',
    ],
    [
      'whose list of manifests is elsewhere',
      json => {
        const [snapshot] = (json['snapshots'] as { [name: string]: Value }[]).slice(-1)
        if (snapshot) snapshot['manifest-list'] = 'hdfs://somewhere:8020/other/list.avro'
      },
      'expected files of the table below it, found',
    ],
    [
      'whose list of manifests is gone',
      json => {
        const [snapshot] = (json['snapshots'] as { [name: string]: Value }[]).slice(-1)
        if (snapshot) snapshot['manifest-list'] = `${place.location}/metadata/gone.avro`
      },
      'gone.avro',
    ],
    [
      'whose list of manifests is none',
      json => {
        const [snapshot] = (json['snapshots'] as { [name: string]: Value }[]).slice(-1)
        if (snapshot) snapshot['manifest-list'] = `${place.location}/metadata/version-hint.text`
      },
      'expected an Avro file',
    ],
  ])('a table %s: what is wrong, and its directory', async (_, edit, reason) => {
    const fileSystem = await createTable()
    await change(fileSystem, edit)
    const { page: get } = await createWorld({ fileSystem })
    const text = toText(await get(page))
    expect(text).toContain('This Iceberg table cannot be read.')
    expect(text).toContain(reason)
    expect(text).toContain('metadata (directory)')
  })

  test('a manifest that is longer than its list says is read no further', async () => {
    const fileSystem = await createTable()
    const table = await createDirectoryCatalog(fileSystem).load(place.path)
    const list = (table?.metadata.current?.manifestList ?? '').slice('hdfs://somewhere:8020'.length)
    const { metadata, records } = readAvroFile(await read(fileSystem, list), unlimited)
    const lying = records.map(record => ({ ...(record as { [name: string]: Value }), manifest_length: 10 }))
    const bytes = writeAvroFile(JSON.parse(metadata.get('avro.schema') ?? '') as { [name: string]: unknown }, {}, lying)
    await fileSystem.create(list, once(bytes), { overwrite: true })
    const { page: get } = await createWorld({ fileSystem })
    expect(toText(await get(page))).toContain('expected at most 10 bytes')
  })

  test('a table without rows, and one at the top, which no catalog has', async () => {
    const fileSystem = createMemoryFileSystem({ now })
    await makeTable(createDirectoryCatalog(fileSystem))
    await fileSystem.create(
      '/Top/metadata/v1.metadata.json',
      chunksOf((await read(fileSystem, `${place.path}/metadata/v1.metadata.json`)).toString('utf8')),
    )
    const { page: get } = await createWorld({ fileSystem })
    expect(toText(await get(page))).toContain('No snapshot: nothing was written to it.')
    expect(await get('/rest/1.0/hdfs?path=/Top')).not.toContain('Query with')
  })

  test('lines to copy have a place for a token where callers need one', async () => {
    const fileSystem = await createTable()
    const open = await (await createWorld({ fileSystem })).page(page)
    expect(open).toContain('AUTHORIZATION_TYPE &#39;none&#39;')
    const world = await createWorld({ fileSystem, auth: createTokenAuth('read') })
    const markup = await world.page(page, { cookie: 'sluice-session=secret' })
    expect(markup).toContain('SECRET catalog')
    expect(markup).toContain('iceberg.rest-catalog.oauth2.token=&lt;token&gt;')
  })
})

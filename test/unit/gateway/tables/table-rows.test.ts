/** Rows of a directory that is an Iceberg table: those of its current snapshot, pruned by its manifests. */
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { readAvroFile, writeAvroFile } from '../../../../src/formats/avro/container.ts'
import { unlimited } from '../../../../src/formats/budget.ts'
import { parseJson, stringifyJson } from '../../../../src/formats/json.ts'
import type { Value } from '../../../../src/formats/number.ts'
import { createDirectoryCatalog } from '../../../../src/tables/directory-catalog.ts'
import { readFileWhole } from '../../../../src/tables/files.ts'
import { importFiles } from '../../../../src/tables/import/import-files.ts'
import { placeTable } from '../../../../src/tables/table-place.ts'
import { createTestGateway, type TestGateway } from '../../../suites/gateway.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { calm, place } from '../../tables/a-table.ts'
import { atHour, eventColumns, parquetBytes, put, putHour } from '../../tables/parquet-files.ts'

const { path } = place

type Memory = ReturnType<typeof createMemoryFileSystem>
type JsonObject = { [name: string]: Value }

let gateway: TestGateway | undefined
afterEach(async () => {
  await gateway?.close()
  gateway = undefined
})

const toText = (value: Value | undefined): string => (typeof value === 'string' ? value : '')

/** The file system, and the files of rows that were opened in it. */
const watch = (fileSystem: Memory) => {
  const opened = new Set<string>()
  const watched: Memory = {
    ...fileSystem,
    open: (name, options) => {
      if (name.endsWith('.parquet')) opened.add(name.slice(path.length + 1))
      return fileSystem.open(name, options)
    },
  }
  return { fileSystem: watched, opened }
}

const importAll = (fileSystem: Memory, at = place): Promise<unknown> => {
  const catalog = createDirectoryCatalog(fileSystem)
  return importFiles({ ...calm, fileSystem, catalog, place: at, dateColumn: 'eventDate', onProgress: () => {} })
}

/** A table of three hours in a snapshot each, with a file beside them that no snapshot has. */
const createTable = async (): Promise<Memory> => {
  const fileSystem = createMemoryFileSystem()
  for (const hour of [8, 9, 10]) {
    await putHour(fileSystem, path, hour, hour)
    await importAll(fileSystem)
  }
  await putHour(fileSystem, path, 11, 11)
  return fileSystem
}

const open = async (fileSystem: Memory): Promise<TestGateway> => {
  await gateway?.close()
  gateway = await createTestGateway({ fileSystem, settings: ['gateway.readers=0'] })
  return gateway
}

const get = async (fileSystem: Memory, target: string, headers: Readonly<Record<string, string>> = {}) => {
  const answer = await (await open(fileSystem)).call(target, { headers })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

const getText = async (fileSystem: Memory, query = ''): Promise<string> => {
  const { status, text } = await get(fileSystem, `/rest/1.0/text?path=${path}&header=true${query}`)
  return status === 200 ? text.replaceAll('\r', '') : `${status} ${text}`
}

type Listed = {
  readonly entries: readonly {
    readonly path: string
    readonly content: readonly JsonObject[]
    readonly error?: string
  }[]
}

const getJson = async (fileSystem: Memory, query = '', at = path): Promise<Listed> =>
  JSON.parse((await get(fileSystem, `/rest/1.0/json?path=${at}${query}`)).text) as Listed

const rowsOf = ({ entries }: Listed): JsonObject[] => entries.flatMap(({ content }) => content)

const overwrite = async (fileSystem: Memory, name: string, bytes: Uint8Array): Promise<void> => {
  await fileSystem.delete(name)
  await put(fileSystem, name, bytes)
}

/** Changes the current metadata. */
const change = async (fileSystem: Memory, edit: (json: JsonObject) => void): Promise<void> => {
  const version = (await createDirectoryCatalog(fileSystem).load(path))?.version
  const name = `${path}/metadata/v${version}.metadata.json`
  const json = parseJson((await readFileWhole(fileSystem, name, 1e6)).toString('utf8')) as JsonObject
  edit(json)
  await overwrite(fileSystem, name, Buffer.from(stringifyJson(json)))
}

/** Changes the records of the list of manifests, or of the manifests. */
const changeRecords = async (
  fileSystem: Memory,
  of: 'list' | 'manifests',
  edit: (record: JsonObject, i: number) => JsonObject,
) => {
  const table = await createDirectoryCatalog(fileSystem).load(path)
  const toName = (uri: Value | undefined): string => toText(uri).replace('hdfs://somewhere:8020', '')
  const list = toName(table?.metadata.current?.manifestList)
  const rewrite = async (name: string, to: (record: JsonObject, i: number) => JsonObject): Promise<number> => {
    const { metadata, records } = readAvroFile(await readFileWhole(fileSystem, name, 1e6), unlimited)
    const schema = JSON.parse(metadata.get('avro.schema') ?? '') as { [name: string]: unknown }
    const own = [...metadata].filter(([key]) => !key.startsWith('avro.'))
    const bytes = writeAvroFile(
      schema,
      Object.fromEntries(own),
      records.map((record, i) => to(record as JsonObject, i)),
    )
    await overwrite(fileSystem, name, bytes)
    return bytes.length
  }
  if (of === 'list') return await rewrite(list, edit)
  const lengths: number[] = []
  const { records } = readAvroFile(await readFileWhole(fileSystem, list, 1e6), unlimited)
  for (const record of records) lengths.push(await rewrite(toName((record as JsonObject)['manifest_path']), edit))
  return await rewrite(list, (record, i) => ({ ...record, manifest_length: lengths[i] ?? 0 }))
}

const editFile =
  (edit: (file: JsonObject) => JsonObject) =>
  (record: JsonObject): JsonObject => ({ ...record, data_file: edit(record['data_file'] as JsonObject) })

describe('rows of a table', () => {
  test('are those of its current snapshot, the oldest first, and not what stands in its directory', async () => {
    const fileSystem = await createTable()
    expect(await getText(fileSystem)).toBe(
      `eventDate,id
2026-11-22T08:15:00.000000Z,8
2026-11-22T08:15:01.000000Z,8
2026-11-22T09:15:00.000000Z,9
2026-11-22T09:15:01.000000Z,9
2026-11-22T10:15:00.000000Z,10
2026-11-22T10:15:01.000000Z,10
`.replaceAll('.000000Z', rowTail),
    )
    const { entries } = await getJson(fileSystem)
    expect(entries.map(entry => entry.path.slice(path.length + 1))).toEqual(
      [8, 9, 10].map(hour => `dt=2026-11-22/hour=${String(hour).padStart(2, '0')}/${hour}.parquet`),
    )
    // A listing stays one.
    expect((await getJson(fileSystem, '&content=false')).entries.map(entry => entry.path)).toEqual([
      `${path}/dt=2026-11-22`,
      `${path}/metadata`,
    ])
  })

  test('of a file that the snapshot has deleted do not come back', async () => {
    const fileSystem = await createTable()
    await changeRecords(fileSystem, 'manifests', record =>
      toText((record['data_file'] as JsonObject)['file_path']).endsWith('/9.parquet')
        ? { ...record, status: 2 }
        : record,
    )
    expect(rowsOf(await getJson(fileSystem)).map(({ id }) => id)).toEqual([8, 8, 10, 10])
  })

  test('below a directory of tables come from their snapshots as well, and pages show them, the newest first', async () => {
    const fileSystem = await createTable()
    await putHour(fileSystem, '/events/Plain', 1, 1)
    const ids = rowsOf(await getJson(fileSystem, '&recursive=true', '/events')).map(({ id }) => id)
    expect(ids).toEqual([8, 8, 9, 9, 10, 10, 1, 1])
    const page = await get(fileSystem, `/rest/1.0/hdfs?path=${path}&recursive=true&columns=id`, { accept: 'text/html' })
    expect([...page.text.matchAll(/<span class="number">(\d+)</g)].map(([, id]) => id)).toEqual([
      '10',
      '10',
      '9',
      '9',
      '8',
      '8',
    ])
    const sorted = await get(fileSystem, `/rest/1.0/hdfs?path=${path}&recursive=true&columns=id&by=id`, {
      accept: 'text/html',
    })
    expect([...sorted.text.matchAll(/<span class="number">(\d+)</g)].map(([, id]) => id)).toEqual([
      '8',
      '8',
      '9',
      '9',
      '10',
      '10',
    ])
    const newest = await get(fileSystem, `/rest/1.0/hdfs?path=${path}&show=newest`, { accept: 'text/html' })
    expect([newest.status, newest.headers.get('location')]).toEqual([303, `/rest/1.0/hdfs?path=${path}&recursive=true`])
  })

  test.each([
    ['&range=0-0', ['8']],
    ['&range=2-4', ['9', '10']],
    ['&range=4-9', ['10']],
    ['&range=6-9', []],
  ])('a range %s opens only the files that have them', async (range, files) => {
    const { fileSystem, opened } = watch(await createTable())
    const all = rowsOf(await getJson(await createTable()))
    const [from = 0, to = 0] = range.slice('&range='.length).split('-').map(Number)
    expect(rowsOf(await getJson(fileSystem, range))).toEqual(all.slice(from, to + 1))
    expect([...opened].map(name => name.replace(/.*\/(\d+)\.parquet$/, '$1'))).toEqual(expect.arrayContaining(files))
    if (files.length > 0) expect(opened.has(`dt=2026-11-22/hour=08/8.parquet`)).toBe(files.includes('8'))
  })

  test.each([
    ['eventDate >= 2026-11-22T10:00', [10, 10], ['10']],
    ['eventDate < 2026-11-22T09:00', [8, 8], ['8']],
    ['eventDate = 2026-11-22T09:15:01Z', [9], ['9']],
    ['id = 9', [9, 9], ['9']],
    ['id > 8 and id < 10', [9, 9], ['9']],
    ['id < 9 or id > 9', [8, 8, 10, 10], ['8', '10']],
    ['id > 100', [], []],
    ['id = null', [], ['8', '9', '10']],
    ['not id = 8', [9, 9, 10, 10], ['8', '9', '10']],
  ])('where %s opens only the files that may have them', async (where, ids, files) => {
    const { fileSystem, opened } = watch(await createTable())
    expect(rowsOf(await getJson(fileSystem, `&where=${encodeURIComponent(where)}`)).map(({ id }) => id)).toEqual(ids)
    expect([...opened].map(name => name.replace(/.*\/(\d+)\.parquet$/, '$1'))).toEqual(files)
  })

  test('are counted in a range also where files before them are pruned', async () => {
    const fileSystem = await createTable()
    const query = `&where=${encodeURIComponent('id >= 9')}`
    expect(rowsOf(await getJson(fileSystem, `${query}&range=3-4`)).map(({ id }) => id)).toEqual([9, 10])
  })

  test('pruning never leaves out a row that matches', async () => {
    const literals = fc.oneof(
      fc.integer({ min: -3, max: 12 }).map(String),
      fc.constantFrom('null', '"a"', '"b"', '2026-11-22', '2026-11-22T01:30:00Z', '0.5', 'true'),
    )
    const comparison = fc
      .tuple(
        fc.constantFrom('id', 'eventDate', 'text', 'none'),
        fc.constantFrom('=', '!=', '<', '<=', '>', '>=', '~'),
        literals,
      )
      .map(([name, operator, literal]) => `${name} ${operator} ${literal}`)
    const where = fc.oneof(
      comparison,
      fc.tuple(comparison, fc.constantFrom('and', 'or'), comparison).map(words => words.join(' ')),
    )
    const rows = fc.array(
      fc.tuple(
        fc.option(fc.integer({ min: -3, max: 12 })),
        fc.option(fc.constantFrom('a', 'b', 'ab', '2026-11-22', 'a much longer text than a bound has')),
      ),
      { minLength: 1, maxLength: 3 },
    )
    const fileSystem = createMemoryFileSystem()
    const { call } = await open(fileSystem)
    let runs = 0
    await fc.assert(
      fc.asyncProperty(fc.array(rows, { minLength: 1, maxLength: 3 }), where, async (files, text) => {
        const [table, plain] = [`/tables/${++runs}/t`, `/plain/${runs}`]
        for (const [hour, some] of files.entries())
          for (const directory of [table, plain]) {
            const values = some.map(([id, word]) => [atHour(hour), id, word])
            const name = `${directory}/dt=1/hour=0${hour}/a.parquet`
            await put(fileSystem, name, parquetBytes(values, { ...eventColumns, text: 'text' }))
          }
        await importAll(fileSystem, placeTable({ url: 'hdfs://somewhere:8020' }, table))
        const query = `&recursive=true&where=${encodeURIComponent(text)}&columns=id,text`
        const read = async (at: string): Promise<unknown> => {
          const answer = await call(`/rest/1.0/json?path=${at}${query}`)
          // Not every operator goes with null.
          return answer.status === 200 ? rowsOf((await answer.json()) as Listed) : answer.status
        }
        expect(await read(table)).toEqual(await read(plain))
      }),
      { numRuns: 100 },
    )
  })
})

/** Of times, as rows have them. */
const rowTail = '.000Z'

describe('columns of a table', () => {
  test('go by their ids, whatever files call them; new ones are null, and those that are gone do not come back', async () => {
    const fileSystem = await createTable()
    await change(fileSystem, json => {
      json['schemas'] = [
        {
          type: 'struct',
          'schema-id': 0,
          fields: [
            { id: 9, name: 'eventDate', required: false, type: 'string' },
            { id: 2, name: 'number', required: false, type: 'long' },
          ],
        },
      ]
      json['current-schema-id'] = 0
    })
    expect(rowsOf(await getJson(fileSystem, '&range=0-0&nulls=true'))).toEqual([{ eventDate: null, number: 8 }])
    expect(await getText(fileSystem, '&range=0-0')).toBe('eventDate,number\n,8\n')
    const where = (text: string): string => `&where=${encodeURIComponent(text)}`
    expect(rowsOf(await getJson(fileSystem, where('number = 9')))).toHaveLength(2)
    expect(rowsOf(await getJson(fileSystem, where('eventDate = null and number > 9')))).toHaveLength(2)
    expect(rowsOf(await getJson(fileSystem, where('eventDate = "x"')))).toEqual([])
    expect(rowsOf(await getJson(fileSystem, '&columns=number&range=0-0'))).toEqual([{ number: 8 }])
    // A column that files lack altogether.
    expect(rowsOf(await getJson(fileSystem, '&columns=eventDate&range=0-0&nulls=true'))).toEqual([{ eventDate: null }])
  })

  test('of which the files have none are null in as many rows', async () => {
    const fileSystem = await createTable()
    await change(fileSystem, json => {
      json['schemas'] = [
        { type: 'struct', 'schema-id': 0, fields: [{ id: 7, name: 'a', required: false, type: 'string' }] },
      ]
      json['current-schema-id'] = 0
    })
    expect(rowsOf(await getJson(fileSystem, '&nulls=true'))).toEqual(Array.from({ length: 6 }, () => ({ a: null })))
  })
})

describe('a table that is damaged, or means harm', () => {
  const lastManifest = (_: JsonObject, i: number): boolean => i === 0
  test.each<[string, (fileSystem: Memory) => Promise<unknown>, RegExp]>([
    [
      'files of deletions',
      fs => changeRecords(fs, 'list', (record, i) => (lastManifest(record, i) ? { ...record, content: 1 } : record)),
      /^422 .*rows of this table were deleted by files of deletions/,
    ],
    [
      'a file of another format',
      fs =>
        changeRecords(
          fs,
          'manifests',
          editFile(file => ({ ...file, file_format: 'ORC' })),
        ),
      /^422 .*expected files of Parquet, found one of ORC/,
    ],
    [
      'a file outside of it',
      fs =>
        changeRecords(
          fs,
          'manifests',
          editFile(file => ({ ...file, file_path: '/etc/passwd' })),
        ),
      /^422 .*expected files of the table below it, found/,
    ],
    [
      'a way out of it',
      fs =>
        changeRecords(
          fs,
          'manifests',
          editFile(file => ({ ...file, file_path: `${place.location}/../../x` })),
        ),
      /^422 .*expected files of the table below it, found/,
    ],
    [
      'a count of rows that is none',
      fs =>
        changeRecords(
          fs,
          'manifests',
          editFile(file => ({ ...file, record_count: -1 })),
        ),
      /^422 .*expected a number of rows, found -1/,
    ],
    [
      'another count of rows',
      fs =>
        changeRecords(
          fs,
          'manifests',
          editFile(file => ({ ...file, record_count: 1 })),
        ),
      /^422 .*expected 1 rows, as the table has it, found 2/,
    ],
    [
      'another length',
      fs =>
        changeRecords(
          fs,
          'manifests',
          editFile(file => ({ ...file, file_size_in_bytes: 1 })),
        ),
      /^422 .*expected a file of 1 bytes, as the table has it, found/,
    ],
    [
      'a file that is gone',
      async fs => await fs.delete(`${path}/dt=2026-11-22/hour=08/8.parquet`),
      /^422 .*the table has this file, and it is gone/,
    ],
    [
      'a manifest that is its own list',
      fs =>
        changeRecords(fs, 'list', record => ({
          ...record,
          manifest_path: toText(record['manifest_path']).replace(/[^/]+$/, 'version-hint.text'),
        })),
      /^422 .*expected an Avro file|^422 .*expected at most/,
    ],
    [
      'another format version',
      fs => change(fs, json => (json['format-version'] = 3)),
      /^422 .*expected format version 2 of Iceberg, found 3/,
    ],
  ])('%s: the answer says so', async (_, harm, expected) => {
    const fileSystem = await createTable()
    await harm(fileSystem)
    expect(await getText(fileSystem)).toMatch(expected)
  })

  test('in JSON and on pages what is wrong with a file stands in its place, and the others are shown', async () => {
    const fileSystem = await createTable()
    await fileSystem.delete(`${path}/dt=2026-11-22/hour=09/9.parquet`)
    const { entries } = await getJson(fileSystem)
    expect(entries.map(({ content, error }) => error ?? content.length)).toEqual([
      2,
      expect.stringContaining('it is gone'),
      2,
    ])
    const { text } = await get(fileSystem, `/rest/1.0/hdfs?path=${path}&recursive=true`, { accept: 'text/html' })
    expect(text).toContain('1 path could not be read to the end')
    expect(text).toContain('it is gone')
  })
})

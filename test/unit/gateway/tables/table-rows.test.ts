/** Rows of a directory that is an Iceberg table: those of its current snapshot, pruned by its manifests. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { placeTable } from '../../../../src/tables/table-place.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { place } from '../../tables/a-table.ts'
import { atHour, eventColumns, parquetBytes, put, putHour } from '../../tables/parquet-files.ts'
import {
  change,
  changeRecords,
  createTable,
  editFile,
  get,
  getJson,
  getText,
  importAll,
  type JsonObject,
  type Listed,
  type Memory,
  open,
  path,
  rowsOf,
  toText,
  watch,
} from './world.ts'

describe('rows of a table', () => {
  test('are those of its current snapshot, the oldest first, and not the contents of its directory', async () => {
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

  test('are counted in a range also where the list of manifests does not say how many a manifest has', async () => {
    const fileSystem = await createTable()
    await changeRecords(fileSystem, 'list', record => ({ ...record, added_rows_count: 0, existing_rows_count: 0 }))
    const query = `&where=${encodeURIComponent('eventDate >= 2026-11-22T09:00')}`
    expect(rowsOf(await getJson(fileSystem, `${query}&range=3-4`)).map(({ id }) => id)).toEqual([9, 10])
  })

  test('pruning never leaves out a row that matches', async () => {
    const literals = fc.oneof(
      fc.integer({ min: -3, max: 12 }).map(String),
      fc.constantFrom('null', '"a"', '"b"', '2026-11-22', '2026-11-22T01:30:00Z', '0.5', 'true'),
    )
    const comparison = fc
      .tuple(
        fc.constantFrom('id', 'eventDate', 'text'),
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

  test('that the files do not have are null in as many rows', async () => {
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
      /^422 .*expected Parquet files, found a file of format ORC/,
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
      'a file of deletions among those with rows',
      fs =>
        changeRecords(
          fs,
          'manifests',
          editFile(file => ({ ...file, content: 2 })),
        ),
      /^422 .*expected a data file, found a delete file/,
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
      /^422 .*the table lists this file, which is missing/,
    ],
    [
      'a manifest that is its own list',
      fs =>
        changeRecords(fs, 'list', record => ({
          ...record,
          manifest_path: toText(record['manifest_path']).replace(/[^/]+$/, 'version-hint.text'),
        })),
      /^422 .*\/events\/Click\/metadata\/version-hint\.text: .*expected an Avro file/,
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

  test('in JSON and on pages the error of a file is shown in its place, and the others are shown', async () => {
    const fileSystem = await createTable()
    await fileSystem.delete(`${path}/dt=2026-11-22/hour=09/9.parquet`)
    const { entries } = await getJson(fileSystem)
    expect(entries.map(({ content, error }) => error ?? content.length)).toEqual([
      2,
      expect.stringContaining('which is missing'),
      2,
    ])
    const { text } = await get(fileSystem, `/rest/1.0/hdfs?path=${path}&recursive=true`, { accept: 'text/html' })
    expect(text).toContain('1 path could not be read to the end')
    expect(text).toContain('which is missing')
  })
})

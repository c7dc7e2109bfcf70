/** A pass over the tables of a directory: which hours it merges, in which order, and what holds up nothing else. */
import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { type MergeTablesOptions, mergeTables } from '../../../../src/compaction/hourly/merge-tables.ts'
import type { PassNews } from '../../../../src/compaction/hourly/news.ts'
import type { FileSystem } from '../../../../src/filesystem/filesystem.ts'
import { appendFiles } from '../../../../src/tables/append.ts'
import { createDirectoryCatalog } from '../../../../src/tables/directory-catalog.ts'
import { readFileWhole } from '../../../../src/tables/files.ts'
import { importFiles } from '../../../../src/tables/import/import-files.ts'
import { placeTable } from '../../../../src/tables/table-place.ts'
import { toHistory } from '../../../../src/tables/view/table-view.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { aFile, makeTable, place, calm as plain } from '../../tables/a-table.ts'
import { atHour, parquetBytes, put, putHour } from '../../tables/parquet-files.ts'
import { addDeletions } from '../../tables/replace/deletions.ts'
import { differ, readTable } from '../table-rows.ts'

const minuteMs = 60_000
const toHour = (hour: number): number => Math.floor(atHour(hour) / 3_600_000)
const calm = { now: () => Date.UTC(2026, 10, 22, 12, 10), pause: async () => {} }

const importAll = (fileSystem: FileSystem, path: string) =>
  importFiles({
    ...calm,
    fileSystem,
    place: placeTable(fileSystem, path),
    dateColumn: 'eventDate',
    onProgress: () => {},
    catalog: createDirectoryCatalog(fileSystem),
  })

/** Tables with three files in each of some hours. */
const makeTables = async (tables: Readonly<Record<string, readonly number[]>>) => {
  const fileSystem = createMemoryFileSystem()
  for (const [path, hours] of Object.entries(tables)) {
    for (const hour of hours) for (const number of [1, 2, 3]) await putHour(fileSystem, path, hour, number)
    await importAll(fileSystem, path)
  }
  return fileSystem
}

const pass = async (fileSystem: FileSystem, more: Partial<MergeTablesOptions> = {}) => {
  const news: PassNews[] = []
  let drawn = 0
  await mergeTables({
    ...calm,
    fileSystem,
    catalog: createDirectoryCatalog(fileSystem),
    directory: '/events',
    merges: true,
    retention: new Map(),
    afterMs: 10 * minuteMs,
    targetBytes: 512 * 2 ** 20,
    temporaryDirectory: tmpdir(),
    skip: [],
    last: [],
    // In the order of their names.
    random: () => drawn++ / 1_000,
    tell: one => void news.push(one),
    ...more,
  })
  const failed = news.flatMap(one => (one.kind === 'failed' ? [`${one.table} ${one.hour}: ${one.reason}`] : []))
  const merged = news.flatMap(one => (one.kind === 'merged' ? [`${one.table} ${one.hour - toHour(0)}`] : []))
  const removed = news.flatMap(one =>
    one.kind === 'removed' ? [`${one.table} ${one.from - toHour(0)}–${one.to - toHour(0)}: ${one.rows} rows`] : [],
  )
  return { news, failed, merged, removed }
}

const filesOf = async (fileSystem: FileSystem, path: string): Promise<number> =>
  (await readTable(fileSystem, path)).live.length

test('merges the files of closed hours, an hour of each table in turn; a second pass has nothing to do', async () => {
  const fileSystem = await makeTables({ '/events/Click': [8, 9, 11, 12], '/events/Order': [9, 10] })
  const before = [await readTable(fileSystem, '/events/Click'), await readTable(fileSystem, '/events/Order')]
  const { merged, failed, news } = await pass(fileSystem)
  expect(merged).toEqual([
    '/events/Click 8',
    '/events/Order 9',
    '/events/Click 9',
    '/events/Order 10',
    // Closed at ten past twelve, as it is; the one after it is not.
    '/events/Click 11',
  ])
  expect(failed).toEqual([])
  const waits = news.flatMap(one => (one.kind === 'waits' && one.table === '/events/Click' ? [one.hours] : []))
  expect(waits).toEqual([3, 2, 2, 1, 1, 0])
  const after = [await readTable(fileSystem, '/events/Click'), await readTable(fileSystem, '/events/Order')]
  expect(after.map(({ live }) => live.length)).toEqual([3 + 3, 2])
  for (const [i, { rows }] of after.entries()) expect(differ(rows, before[i]?.rows ?? [])).toEqual([])
  expect((await pass(fileSystem)).merged).toEqual([])
})

test('an hour is closed so long after its end; what comes later is merged by the next pass', async () => {
  const fileSystem = await makeTables({ '/events/Click': [11] })
  expect((await pass(fileSystem, { afterMs: 11 * minuteMs })).merged).toEqual([])
  expect((await pass(fileSystem)).merged).toEqual(['/events/Click 11'])
  await put(fileSystem, '/events/Click/late.parquet', parquetBytes([[atHour(11), 7]]))
  await importAll(fileSystem, '/events/Click')
  expect(await filesOf(fileSystem, '/events/Click')).toBe(2)
  expect((await pass(fileSystem)).merged).toEqual(['/events/Click 11'])
  expect((await readTable(fileSystem, '/events/Click')).rows).toHaveLength(7)
})

test('tables that are left out have no turn, and those that failed before come last', async () => {
  const fileSystem = await makeTables({ '/events/A': [8], '/events/B': [8], '/events/C': [8] })
  const { news } = await pass(fileSystem, { skip: ['/events/B'], last: ['/events/A'] })
  expect(news.flatMap(one => (one.kind === 'begins' ? [one.table] : []))).toEqual(['/events/C', '/events/A'])
  expect(news.flatMap(one => (one.kind === 'ended' ? [one.table] : []))).toEqual(['/events/C', '/events/A'])
})

test('the order is drawn', async () => {
  const fileSystem = await makeTables({ '/events/A': [8], '/events/B': [8] })
  const drawn = [0.9, 0.1]
  expect((await pass(fileSystem, { random: () => drawn.shift() ?? 0 })).merged).toEqual(['/events/B 8', '/events/A 8'])
})

test('what is no table by the hour is passed over', async () => {
  const fileSystem = await makeTables({
    '/events/Click': [8],
    '/events/Days': [8],
    '/events/_old/Click': [8],
    '/events/.b': [8],
  })
  await put(fileSystem, '/events/Files/1.parquet', parquetBytes([[atHour(8), 1]]))
  await put(fileSystem, '/events/note.txt', new Uint8Array(3))
  const catalog = createDirectoryCatalog(fileSystem)
  const load: typeof catalog.load = async path => {
    const table = await catalog.load(path)
    if (path !== '/events/Days' || !table) return table
    return { ...table, metadata: { ...table.metadata, spec: { ...table.metadata.spec, fields: [] } } }
  }
  const { merged, failed } = await pass(fileSystem, { catalog: { ...catalog, load } })
  expect([merged, failed]).toEqual([['/events/Click 8'], []])
})

test('a table that fails says where and why, and holds up no other', async () => {
  const fileSystem = await makeTables({ '/events/A': [8, 9], '/events/B': [8], '/events/C': [8, 9] })
  const damaged = '/events/A/dt=2026-11-22/hour=08/2.parquet'
  const { length } = await readFileWhole(fileSystem, damaged, 1e6)
  await fileSystem.delete(damaged)
  await put(fileSystem, damaged, new Uint8Array(length))
  const catalog = createDirectoryCatalog(fileSystem)
  const load: typeof catalog.load = async path => {
    if (path === '/events/B') throw new Error('it is away')
    return await catalog.load(path)
  }
  const { merged, failed, news } = await pass(fileSystem, { catalog: { ...catalog, load } })
  expect(failed).toEqual([
    expect.stringMatching(new RegExp(`^/events/A ${toHour(8)}: .*${damaged}`)),
    '/events/B undefined: it is away',
  ])
  expect(merged).toEqual(['/events/C 8', '/events/A 9', '/events/C 9'])
  const waits = news.flatMap(one => (one.kind === 'waits' && one.table === '/events/A' ? [one.hours] : []))
  expect(waits.at(-1)).toBe(1)
})

test('two collectors at once: each hour is merged once, the loser has no failure, and all rows are there', async () => {
  const fileSystem = await makeTables({ '/events/A': [8, 9], '/events/B': [8] })
  const before = await readTable(fileSystem, '/events/A')
  const both = await Promise.all([pass(fileSystem), pass(fileSystem)])
  expect(both.flatMap(({ failed }) => failed)).toEqual([])
  expect(both.flatMap(({ merged }) => merged).sort()).toEqual(['/events/A 8', '/events/A 9', '/events/B 8'])
  const after = await readTable(fileSystem, '/events/A')
  expect([after.live.length, differ(after.rows, before.rows)]).toEqual([2, []])
})

test('before the first event there is nothing to do; a directory that cannot be listed is an error of the pass', async () => {
  expect(await pass(createMemoryFileSystem())).toMatchObject({ failed: [], merged: [] })
  await expect(pass(createMemoryFileSystem({ fail: () => new Error('it is away') }))).rejects.toThrow('it is away')
})

/** The next day but one. */
const later = { now: () => atHour(10) + 2 * 24 * 60 * minuteMs, merges: false }

test.each<[what: string, retention: Readonly<Record<string, number>>, removed: readonly string[]]>([
  ['none, and nothing is removed', {}, []],
  ['of one type', { Click: 1 }, ['/events/Click 8–9: 6 rows']],
  ['of all others', { '*': 1, Click: 900 }, ['/events/Order 7–8: 6 rows']],
  ['of none but those that stay for ever', { '*': Number.POSITIVE_INFINITY, Order: 1 }, ['/events/Order 7–8: 6 rows']],
  ['of a type that has no table', { View: 1 }, []],
])('a retention: %s', async (_, retention, removed) => {
  const fileSystem = await makeTables({ '/events/Click': [8], '/events/Order': [7] })
  for (const path of ['/events/Click', '/events/Order']) {
    await put(fileSystem, `${path}/newest.parquet`, parquetBytes([[later.now(), 1]]))
    await importAll(fileSystem, path)
  }
  const found = await pass(fileSystem, { ...later, retention: new Map(Object.entries(retention)) })
  expect([found.removed, found.merged, found.failed]).toEqual([removed, [], []])
  expect((await pass(fileSystem, { ...later, retention: new Map(Object.entries(retention)) })).removed).toEqual([])
})

test('rows beyond their retention are removed before the files of the others are merged, by a snapshot each', async () => {
  const fileSystem = await makeTables({ '/events/Click': [7, 8] })
  for (const number of [1, 2])
    await put(fileSystem, `/events/Click/${number}.parquet`, parquetBytes([[later.now() - 60 * minuteMs, number]]))
  await importAll(fileSystem, '/events/Click')
  const collectorId = 'ab'.repeat(16)
  const retention = new Map([['Click', 1]])
  const { news, failed } = await pass(fileSystem, { ...later, merges: true, retention, collectorId })
  expect(failed).toEqual([])
  expect(news.map(({ kind }) => kind)).toEqual(['begins', 'removed', 'waits', 'merged', 'waits', 'ended'])
  const { table, live, rows } = await readTable(fileSystem, '/events/Click')
  expect([live.length, rows.length]).toEqual([1, 2])
  const [merged, removed] = toHistory(table.metadata)
  expect(removed).toMatchObject({ operation: 'delete', writer: `sluice retain ${collectorId}` })
  expect(merged).toMatchObject({ operation: 'replace', writer: `sluice compact ${collectorId}` })
  const { id } = table.metadata.snapshots.find(({ summary }) => summary.get('operation') === 'delete') ?? {
    id: undefined,
  }
  expect(news.find(({ kind }) => kind === 'removed')).toEqual({
    kind: 'removed',
    table: '/events/Click',
    days: 1,
    snapshotId: id,
    from: toHour(7),
    to: toHour(9),
    hours: 2,
    files: 6,
    rows: 12,
    bytes: expect.any(Number),
  })
})

test('two collectors at once remove the same rows once, and the loser has no failure', async () => {
  const fileSystem = await makeTables({ '/events/Click': [8] })
  await put(fileSystem, '/events/Click/newest.parquet', parquetBytes([[later.now(), 1]]))
  await importAll(fileSystem, '/events/Click')
  const retention = new Map([['*', 1]])
  const both = await Promise.all([pass(fileSystem, { ...later, retention }), pass(fileSystem, { ...later, retention })])
  expect(both.flatMap(({ failed }) => failed)).toEqual([])
  expect(both.flatMap(({ removed }) => removed)).toEqual(['/events/Click 8–9: 6 rows'])
})

test('a table that is not partitioned by the hour fails where it has a retention: nothing of it is removed', async () => {
  const fileSystem = await makeTables({ '/events/Days': [8] })
  const catalog = createDirectoryCatalog(fileSystem)
  const load: typeof catalog.load = async path => {
    const table = await catalog.load(path)
    return table && { ...table, metadata: { ...table.metadata, spec: { ...table.metadata.spec, fields: [] } } }
  }
  const options = { ...later, catalog: { ...catalog, load } }
  const { failed, removed } = await pass(fileSystem, { ...options, retention: new Map([['Days', 1]]) })
  expect([failed, removed]).toEqual([[expect.stringContaining('expected a table partitioned by the hour')], []])
  expect((await pass(fileSystem, options)).failed).toEqual([])
})

test('files beyond their retention whose rows were deleted stay, and the table fails with their number', async () => {
  const fileSystem = createMemoryFileSystem()
  const catalog = createDirectoryCatalog(fileSystem)
  await makeTable(catalog)
  for (const hour of [490_924, 490_000])
    await appendFiles({
      ...plain,
      fileSystem,
      catalog,
      path: place.path,
      toAppend: async () => ({ files: [aFile(`a${hour}`, hour), aFile(`b${hour}`, hour)] }),
    })
  await addDeletions(fileSystem, catalog, 'equality', 490_000)
  const { failed, removed } = await pass(fileSystem, { ...later, retention: new Map([['Click', 7]]) })
  expect(removed).toEqual([])
  expect(failed).toEqual([
    `/events/Click undefined: 2 files are beyond the retention of 7 days, and stay: rows of ${place.location}/data/a490000.parquet were deleted`,
  ])
})

test('a retention is looked at once in a pass, however many turns a table has', async () => {
  const loads = async (retention: ReadonlyMap<string, number>): Promise<number> => {
    const fileSystem = await makeTables({ '/events/Click': [8, 9, 10] })
    const catalog = createDirectoryCatalog(fileSystem)
    let count = 0
    const load: typeof catalog.load = path => {
      count++
      return catalog.load(path)
    }
    const { merged, removed } = await pass(fileSystem, { catalog: { ...catalog, load }, retention })
    expect([merged.length, removed]).toEqual([3, []])
    return count
  }
  expect(await loads(new Map([['Click', 365]]))).toBe(1 + (await loads(new Map())))
})

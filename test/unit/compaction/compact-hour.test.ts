import { describe, expect, test } from 'vitest'
import { type CompactOptions, compactHour } from '../../../src/compaction/compact-hour.ts'
import { planCompaction } from '../../../src/compaction/plan-compaction.ts'
import type { FileSystem } from '../../../src/filesystem/filesystem.ts'
import type { ColumnValue } from '../../../src/formats/parquet/column-value.ts'
import { readFooter, toParquetFile } from '../../../src/formats/parquet/file.ts'
import { type Kind, kindsKey } from '../../../src/formats/parquet/kind.ts'
import { createDirectoryCatalog } from '../../../src/tables/directory-catalog.ts'
import { readFileWhole } from '../../../src/tables/files.ts'
import { importFiles } from '../../../src/tables/import/import-files.ts'
import { placeTable, toTablePath } from '../../../src/tables/table-place.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'
import { atHour, parquetBytes, put } from '../tables/parquet-files.ts'
import { always, differ, nextDay, readTable, toCompactOptions, toText } from './table-rows.ts'

const place = placeTable({ url: 'hdfs://somewhere:8020' }, '/events/Order')

/** Numbers that look random, and are the same each time. */
const createRandom = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
type Random = ReturnType<typeof createRandom>

/** The first member of a struct is a list: levels of a missing member are those of the struct. */
const early: Readonly<Record<string, Kind>> = {
  eventDate: 'timestamp',
  id: 'integer',
  name: 'text',
  isNew: 'boolean',
  ratio: 'double',
  tags: { list: 'text' },
  user: {
    struct: new Map<string, Kind>([
      ['ages', { list: 'integer' }],
      ['name', 'text'],
    ]),
  },
  lines: {
    list: {
      struct: new Map<string, Kind>([
        ['sizes', { list: 'double' }],
        ['sku', 'text'],
      ]),
    },
  },
  raw: 'bytes',
  state: 'json',
}
/** With a column, and members of structs, that came later. */
const late: Readonly<Record<string, Kind>> = {
  note: 'text',
  ...early,
  user: {
    struct: new Map<string, Kind>([
      ['city', 'text'],
      ['name', 'text'],
      ['ages', { list: 'integer' }],
    ]),
  },
  lines: {
    list: {
      struct: new Map<string, Kind>([
        ['sku', 'text'],
        ['tags', { list: 'text' }],
        ['sizes', { list: 'double' }],
      ]),
    },
  },
}

const doubles = [0, -0, 1.5, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 5e-324, 1e300]
const integers = [0, -1, 2 ** 31, 2n ** 63n - 1n, -(2n ** 63n), 9_007_199_254_740_993n]

/** A value of a kind, or null. */
const toValue = (kind: Kind, random: Random): ColumnValue => {
  if (random(4) === 0) return null
  if (typeof kind === 'object' && 'list' in kind)
    return Array.from({ length: random(4) }, () => toValue(kind.list, random))
  if (typeof kind === 'object')
    return Object.fromEntries(Array.from(kind.struct, ([name, member]) => [name, toValue(member, random)]))
  switch (kind) {
    case 'integer':
      return integers[random(integers.length)] ?? 0
    case 'double':
      return doubles[random(doubles.length)] ?? 0
    case 'boolean':
      return random(2) === 1
    case 'bytes':
      return Uint8Array.from({ length: random(5) }, () => random(256))
    case 'json':
      return `{"n":${random(9)}}`
    default:
      return ['', 'ä€😀', 'x'.repeat(random(300)), 'Ada'][random(4)] ?? ''
  }
}

/** A file of an hour whose dates are in order, or not. */
const toFile = (
  columns: Readonly<Record<string, Kind>>,
  random: Random,
  { hour = 8, rows = 40, isSorted = true } = {},
) => {
  const dates = Array.from({ length: rows }, () => atHour(hour) + random(2_000_000))
  if (isSorted) dates.sort((a, b) => a - b)
  return parquetBytes(
    dates.map(date =>
      Object.entries(columns).map(([name, kind]) => (name === 'eventDate' ? date : toValue(kind, random))),
    ),
    columns,
  )
}

const importAll = (fileSystem: FileSystem) =>
  importFiles({
    ...nextDay,
    fileSystem,
    place,
    dateColumn: 'eventDate',
    onProgress: () => {},
    catalog: createDirectoryCatalog(fileSystem),
  })

/** A table with an hour of eight files, some of which lack columns, and one of another hour. */
const makeWorld = async (fileSystem: FileSystem = createMemoryFileSystem(), rows = 40) => {
  const random = createRandom(7)
  for (let i = 0; i < 8; i++) {
    const bytes = toFile(i % 3 === 0 ? late : early, random, { isSorted: i % 2 === 0, rows })
    await put(fileSystem, `${place.path}/hour=08/${i}.parquet`, bytes)
  }
  await put(fileSystem, `${place.path}/hour=09/0.parquet`, toFile(early, random, { hour: 9 }))
  expect(await importAll(fileSystem)).toMatchObject({ files: 9, left: [] })
  return fileSystem
}

const compact = async (fileSystem: FileSystem, more: Partial<CompactOptions> = {}) => {
  const options = toCompactOptions(fileSystem, more)
  const table = await options.catalog.load(place.path)
  if (!table) throw new Error('there is no table')
  const { hours } = await planCompaction(fileSystem, table, { ...always, targetBytes: options.targetBytes })
  const done = []
  for (const hour of hours) done.push(await compactHour(options, table, hour))
  return done
}

const dateOf = (names: readonly string[]) => names.indexOf('eventDate')

describe('an hour that is compacted', () => {
  test.each([
    ['in memory', {}],
    ['on the disk, in many runs', { sortBytes: 4_096 }],
    ['on the disk, in two runs', { sortBytes: 40_000 }],
  ])('is one file with the same rows, sorted by date: %s', async (_, more) => {
    const fileSystem = await makeWorld()
    const before = await readTable(fileSystem, place.path)
    expect(before.live).toHaveLength(9)
    const [done, ...others] = await compact(fileSystem, more)
    expect(done).toMatchObject({ filesBefore: 8, filesAfter: 1, rows: 320, left: [] })
    expect(others).toEqual([])
    const after = await readTable(fileSystem, place.path)
    expect(after.live).toHaveLength(2)
    expect(differ(after.rows, before.rows)).toEqual([])
    const [file] = after.files
    const dates = file?.rows.map(row => toText(row[dateOf(file.names)] ?? null))
    expect(dates).toEqual(dates?.toSorted())
    expect(file?.uri).toContain('/data/eventDate_hour=2026-11-22-08/')
    expect(await compact(fileSystem)).toEqual([])
  })

  test('keeps the order of rows of one date', async () => {
    const fileSystem = createMemoryFileSystem()
    for (let i = 0; i < 5; i++) {
      const rows = Array.from({ length: 20 }, (_, row) => [atHour(8) + Math.floor(row / 10), i * 100 + row])
      await put(fileSystem, `${place.path}/${i}.parquet`, parquetBytes(rows))
    }
    await importAll(fileSystem)
    await compact(fileSystem, { sortBytes: 500 })
    const [file] = (await readTable(fileSystem, place.path)).files
    const ids = file?.rows.map(row => row[file.names.indexOf('id')])
    const inOrder = (from: number) =>
      [0, 1, 2, 3, 4].flatMap(i => Array.from({ length: 10 }, (_, row) => i * 100 + from + row))
    expect(ids).toEqual([...inOrder(0), ...inOrder(10)])
  })

  test('becomes several files of the target size, which the next pass leaves alone', async () => {
    const fileSystem = await makeWorld(undefined, 200)
    const before = await readTable(fileSystem, place.path)
    const [done] = await compact(fileSystem, { targetBytes: 60_000, groupBytes: 40_000 })
    expect(done?.filesBefore).toBe(8)
    expect(done?.filesAfter).toBeGreaterThan(1)
    const after = await readTable(fileSystem, place.path)
    expect(differ(after.rows, before.rows)).toEqual([])
    const bounds = after.files.slice(0, done?.filesAfter).map(({ names, rows }) => {
      const dates = rows.map(row => toText(row[dateOf(names)] ?? null))
      return [dates[0] ?? '', dates.at(-1) ?? '']
    })
    // Each file begins where the one before it ends.
    expect(bounds.toSorted((a, b) => ((a[0] ?? '') < (b[0] ?? '') ? -1 : 1)).flat()).toEqual(bounds.flat().toSorted())
  })

  test('says in its footer what its columns hold, and by what it is sorted; and the table its bounds and counts', async () => {
    const fileSystem = await makeWorld()
    await compact(fileSystem)
    const { table, live } = await readTable(fileSystem, place.path)
    const bytes = await readFileWhole(fileSystem, toTablePath(table.place, live[0]?.uri ?? ''), 1e9)
    const footer = await readFooter(
      toParquetFile(bytes.length, async (offset, length) => bytes.subarray(offset, offset + length)),
    )
    const kinds = JSON.parse(footer.keyValues.get(kindsKey) ?? '') as { struct: [string, unknown][] }
    expect(new Map(kinds.struct).get('state')).toBe('json')
    expect(new Map(kinds.struct).get('note')).toBe('text')
    expect(new Map(kinds.struct).get('user')).toEqual({
      struct: [
        ['city', 'text'],
        ['name', 'text'],
        ['ages', { list: 'integer' }],
      ],
    })
    expect(footer.groups.every(({ sortedBy }) => sortedBy !== undefined)).toBe(true)
    expect(table.metadata.current?.summary.get('total-records')).toBe('360')
  })

  test('stays as it is where columns mean different things, which is said', async () => {
    const fileSystem = createMemoryFileSystem()
    const rows = [[atHour(8), '{}']] as const
    await put(fileSystem, `${place.path}/0.parquet`, parquetBytes(rows, { eventDate: 'timestamp', a: 'json' }))
    await put(fileSystem, `${place.path}/1.parquet`, parquetBytes(rows, { eventDate: 'timestamp', a: 'text' }))
    await importAll(fileSystem)
    expect(await compact(fileSystem)).toMatchObject([
      { filesBefore: 0, left: ['the column a is JSON in some files, and TEXT in others'] },
    ])
    expect((await readTable(fileSystem, place.path)).live).toHaveLength(2)
  })

  test('by two at once is compacted once, and no file is left beside those of the table', async () => {
    const fileSystem = await makeWorld()
    const before = await readTable(fileSystem, place.path)
    const outcomes = (await Promise.all([compact(fileSystem), compact(fileSystem)])).flat()
    expect(outcomes.map(({ filesAfter }) => filesAfter).sort((a, b) => a - b)).toEqual([0, 1])
    expect(outcomes.flatMap(({ overtaken }) => overtaken)).toEqual([
      expect.stringContaining('another writer removed or rewrote'),
    ])
    const after = await readTable(fileSystem, place.path)
    expect(differ(after.rows, before.rows)).toEqual([])
    const names: string[] = []
    for await (const part of fileSystem.listStatus(`${place.path}/data/eventDate_hour=2026-11-22-08`))
      for (const { path } of part) names.push(path)
    expect(names).toEqual(
      after.live.filter(({ uri }) => uri.includes('/data/')).map(({ uri }) => toTablePath(place, uri)),
    )
  })
})

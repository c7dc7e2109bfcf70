/** Hours that cannot be compacted: they stay as they are, the reason names the file, and further hours are compacted. */
import { expect, test } from 'vitest'
import { type CompactOptions, compactHour } from '../../../src/compaction/compact-hour.ts'
import { planCompaction } from '../../../src/compaction/plan-compaction.ts'
import { type FileSystem, FileSystemError } from '../../../src/filesystem/filesystem.ts'
import { readFooter, toParquetFile } from '../../../src/formats/parquet/file.ts'
import { type Kind, kindsKey } from '../../../src/formats/parquet/kind.ts'
import { appendFiles } from '../../../src/tables/append.ts'
import { changeFields } from '../../../src/tables/change-fields.ts'
import { createDirectoryCatalog } from '../../../src/tables/directory-catalog.ts'
import { readFileWhole } from '../../../src/tables/files.ts'
import { importFiles } from '../../../src/tables/import/import-files.ts'
import type { TableMetadata } from '../../../src/tables/metadata.ts'
import { nameMapping } from '../../../src/tables/name-mapping.ts'
import { placeTable, toTablePath } from '../../../src/tables/table-place.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'
import { aFile } from '../tables/a-table.ts'
import { atHour, parquetBytes, put } from '../tables/parquet-files.ts'
import { always, nextDay, readTable, toCompactOptions } from './table-rows.ts'

const place = placeTable({ url: 'hdfs://somewhere:8020' }, '/events/Order')
const hours = [8, 9]
const first = `${place.path}/hour=8/0.parquet`

const columns: Readonly<Record<string, Kind>> = {
  eventDate: 'timestamp',
  a: 'mixed',
  user: { struct: new Map<string, Kind>([['name', 'mixed']]) },
}

/** A table with two hours of two files each. */
const makeWorld = async () => {
  const fileSystem = createMemoryFileSystem()
  const catalog = createDirectoryCatalog(fileSystem)
  for (const hour of hours)
    for (const number of [0, 1])
      await put(
        fileSystem,
        `${place.path}/hour=${hour}/${number}.parquet`,
        parquetBytes([[atHour(hour), `${number}`, { name: 'Ada' }]], columns),
      )
  await importFiles({ ...nextDay, fileSystem, place, catalog, dateColumn: 'eventDate', onProgress: () => {} })
  return { fileSystem, catalog }
}

const loadTable = async (fileSystem: FileSystem) => {
  const table = await createDirectoryCatalog(fileSystem).load(place.path)
  if (!table) throw new Error('there is no table')
  return table
}

type Changes = Partial<CompactOptions> & { readonly change?: (metadata: TableMetadata) => TableMetadata }

const compact = async (
  fileSystem: FileSystem,
  {
    change = metadata => metadata,
    meddle = async () => {},
    ...more
  }: Changes & { meddle?: () => Promise<unknown> } = {},
) => {
  const loaded = await loadTable(fileSystem)
  const table = { ...loaded, metadata: change(loaded.metadata) }
  const options = toCompactOptions(fileSystem, more)
  const plan = await planCompaction(fileSystem, table, { ...always, targetBytes: 1e9 })
  await meddle()
  const done = []
  for (const hour of plan.hours) done.push(await compactHour(options, table, hour))
  return { done, plan }
}

const writtenBy = async (fileSystem: FileSystem): Promise<string[]> => {
  const names: string[] = []
  for (const hour of hours) {
    const directory = `${place.path}/data/eventDate_hour=2026-11-22-0${hour}`
    try {
      for await (const part of fileSystem.listStatus(directory)) for (const { path } of part) names.push(path)
    } catch {}
  }
  return names
}

const replaceFile = async (fileSystem: FileSystem, path: string, bytes: Uint8Array): Promise<void> => {
  await fileSystem.delete(path)
  await put(fileSystem, path, bytes)
}

const large = parquetBytes([[atHour(8), 'x'.repeat(34 * 1024 * 1024), null]], columns)

test.each<[string, (fileSystem: FileSystem) => Promise<unknown>, RegExp]>([
  ['is gone', fileSystem => fileSystem.delete(first), /hour=8\/0\.parquet/],
  [
    'is no Parquet',
    async fileSystem => {
      const bytes = Buffer.from(await readFileWhole(fileSystem, first, 1e9))
      await replaceFile(fileSystem, first, bytes.fill(1, bytes.length - 4))
    },
    /hour=8\/0\.parquet: parquet/,
  ],
  [
    'has damaged pages',
    async fileSystem => {
      const bytes = Buffer.from(await readFileWhole(fileSystem, first, 1e9))
      await replaceFile(fileSystem, first, bytes.fill(0xff, 4, 30))
    },
    /hour=8\/0\.parquet: parquet/,
  ],
])('an hour stays where a file %s', async (_, damage, reason) => {
  const { fileSystem } = await makeWorld()
  const { done } = await compact(fileSystem, { meddle: () => damage(fileSystem) })
  expect(done).toMatchObject([
    { filesBefore: 0, left: [expect.stringMatching(reason)] },
    { filesBefore: 2, filesAfter: 1, left: [] },
  ])
  expect(await writtenBy(fileSystem)).toHaveLength(1)
})

/** Adds files as other writers do, who say of them what they like. */
const addAs = async (fileSystem: FileSystem, uri: string, hour: number, bytes: number, times = 1): Promise<void> => {
  const file = { ...aFile('x', hour), uri: `${place.location}/${uri}`, rows: 1, bytes }
  await appendFiles({
    ...nextDay,
    writer: 'c0ffee00'.repeat(4),
    fileSystem,
    catalog: createDirectoryCatalog(fileSystem),
    path: place.path,
    toAppend: async () => ({ files: Array.from({ length: times }, () => file) }),
  })
}

const hourOf = (hour: number): number => Math.floor(atHour(hour) / 3_600_000)

test.each([
  [
    'its rows are of another hour than the table says',
    parquetBytes([[atHour(9), 'a', null]], columns),
    /within the hour/,
  ],
  ['a value is larger than 32 MiB', large, /at most 33554432 bytes/],
])('an hour stays where of a file %s', async (_, bytes, reason) => {
  const { fileSystem } = await makeWorld()
  await put(fileSystem, `${place.path}/odd.parquet`, bytes)
  await addAs(fileSystem, 'odd.parquet', hourOf(8), bytes.length)
  const { done } = await compact(fileSystem)
  expect(done[0]).toMatchObject({ filesBefore: 0, left: [expect.stringMatching(reason)] })
  expect(done[0]?.left[0]).toContain('/odd.parquet: ')
  expect(done[1]).toMatchObject({ filesBefore: 2, left: [] })
})

test('a file that the table has twice is left, and the others of its hour are compacted', async () => {
  const { fileSystem } = await makeWorld()
  const bytes = parquetBytes([[atHour(8), 'twice', null]], columns)
  await put(fileSystem, `${place.path}/twice.parquet`, bytes)
  await addAs(fileSystem, 'twice.parquet', hourOf(8), bytes.length, 2)
  const before = await readTable(fileSystem, place.path)
  const { done, plan } = await compact(fileSystem)
  expect(plan.left.map(({ uri }) => uri.split('/').at(-1))).toEqual(['twice.parquet', 'twice.parquet'])
  expect(done).toMatchObject([{ filesBefore: 2 }, { filesBefore: 2 }])
  expect((await readTable(fileSystem, place.path)).rows).toEqual(before.rows)
})

test('files without ids stay in a table that does not say what their names mean', async () => {
  const { fileSystem } = await makeWorld()
  const change = (metadata: TableMetadata): TableMetadata => ({
    ...metadata,
    properties: new Map(Array.from(metadata.properties).filter(([name]) => name !== nameMapping)),
  })
  const { done } = await compact(fileSystem, { change })
  expect(done.flatMap(({ left }) => left)).toEqual([
    expect.stringContaining('the table has no mapping of their names'),
    expect.stringContaining('the table has no mapping of their names'),
  ])
})

test('what the collector says of its columns goes by the names that they have now', async () => {
  const { fileSystem, catalog } = await makeWorld()
  const renamed = (name: string): string => ({ a: 'b', name: 'called' })[name] ?? name
  await changeFields({
    ...nextDay,
    catalog,
    place,
    toFields: table => {
      if (!table || table.metadata.schema.fields.some(({ name }) => name === 'b')) return undefined
      const fields = table.metadata.schema.fields.map(({ type, ...field }) => ({
        ...field,
        name: renamed(field.name),
        type:
          typeof type === 'object' && type.kind === 'struct'
            ? { ...type, fields: type.fields.map(member => ({ ...member, name: renamed(member.name) })) }
            : type,
      }))
      return { fields, lastColumnId: table.metadata.lastColumnId }
    },
    toNew: () => {
      throw new Error('there is a table')
    },
  })
  expect((await compact(fileSystem)).done).toMatchObject([{ filesAfter: 1 }, { filesAfter: 1 }])
  const { live, table } = await readTable(fileSystem, place.path)
  const bytes = await readFileWhole(fileSystem, toTablePath(table.place, live[0]?.uri ?? ''), 1e9)
  const { keyValues } = await readFooter(toParquetFile(bytes.length, async (at, size) => bytes.subarray(at, at + size)))
  expect(JSON.parse(keyValues.get(kindsKey) ?? '')).toEqual({
    struct: [
      ['eventDate', 'timestamp'],
      ['b', 'mixed'],
      ['user', { struct: [['called', 'mixed']] }],
    ],
  })
})

test('one that is stopped while it reads or writes leaves no file of its own', async () => {
  for (const at of [1, 2, 3, 4]) {
    const { fileSystem } = await makeWorld()
    const stop = new AbortController()
    let calls = 0
    const onRows = (): void => {
      if (++calls === at) stop.abort(new Error('stopped'))
    }
    // A group of one row, and a file of one group.
    const small = { targetBytes: 1, groupBytes: 1, onRows, signal: stop.signal }
    await expect(compact(fileSystem, small), `at ${at}`).rejects.toThrow('stopped')
    expect(await writtenBy(fileSystem)).toEqual([])
    expect((await readTable(fileSystem, place.path)).live).toHaveLength(4)
  }
})

test('one that hears no answer to the writing of its file leaves none', async () => {
  const { fileSystem } = await makeWorld()
  const deaf: FileSystem = {
    ...fileSystem,
    publish: async (path, source, options) => {
      const published = await fileSystem.publish(path, source, options)
      if (path.endsWith('.parquet')) throw new FileSystemError('unavailable', path, 'no answer')
      return published
    },
  }
  await expect(compact(deaf)).rejects.toMatchObject({ code: 'unavailable' })
  expect(await writtenBy(fileSystem)).toEqual([])
  expect((await readTable(fileSystem, place.path)).live).toHaveLength(4)
})

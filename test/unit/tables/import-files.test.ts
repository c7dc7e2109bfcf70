import { describe, expect, test } from 'vitest'
import { type FileSystem, FileSystemError } from '../../../src/filesystem/filesystem.ts'
import { readManifests } from '../../../src/tables/append.ts'
import { createDirectoryCatalog } from '../../../src/tables/directory-catalog.ts'
import { importFiles } from '../../../src/tables/import/import-files.ts'
import { writeManifestList } from '../../../src/tables/manifests.ts'
import { withFields, withSnapshot } from '../../../src/tables/metadata.ts'
import { readSnapshotFiles } from '../../../src/tables/snapshot-files.ts'
import { toTablePath, toUri } from '../../../src/tables/table-place.ts'
import { createMemoryFileSystem, type MemoryFault } from '../../suites/memory-filesystem.ts'
import { createMortalView } from '../../suites/mortal-view.ts'
import { calm, place } from './a-table.ts'
import { atHour, eventColumns, parquetBytes, put, putHour } from './parquet-files.ts'

const { path } = place

const runImport = (fileSystem: FileSystem, dateColumn = 'eventDate') =>
  importFiles({
    ...calm,
    fileSystem,
    catalog: createDirectoryCatalog(fileSystem),
    place,
    dateColumn,
    onProgress: () => {},
  })

const load = async (fileSystem: FileSystem) => {
  const table = await createDirectoryCatalog(fileSystem).load(path)
  if (!table) throw new Error('there is no table')
  return table
}

/** The entries of the current snapshot by their files below the table. */
const entriesOf = async (fileSystem: FileSystem) => {
  const { place, metadata } = await load(fileSystem)
  const found: [string, { readonly [name: string]: unknown }][] = []
  for (const manifest of await readManifests(fileSystem, place, metadata))
    for (const { file } of await readSnapshotFiles(fileSystem, place).entries(manifest))
      found.push([toTablePath(place, file.text('file_path')).slice(path.length + 1), file.json])
  return found.sort(([a], [b]) => (a < b ? -1 : 1))
}

const namesOf = async (fileSystem: FileSystem): Promise<string[]> => (await entriesOf(fileSystem)).map(([name]) => name)

const hourName = (hour: number, number = 1): string =>
  `dt=2026-11-22/hour=${String(hour).padStart(2, '0')}/${number}.parquet`

describe('Parquet files that are there', () => {
  test('become a table, put apart by the hour, with their statistics', async () => {
    const fileSystem = createMemoryFileSystem()
    for (const hour of [8, 9]) await putHour(fileSystem, path, hour)
    expect(await runImport(fileSystem)).toMatchObject({ isNew: true, files: 2, rows: 4, known: 0, left: [] })
    const { metadata } = await load(fileSystem)
    expect(metadata.location).toBe(place.location)
    expect(metadata.schema.fields).toEqual([
      { id: 1, name: 'eventDate', isRequired: false, type: 'timestamptz' },
      { id: 2, name: 'id', isRequired: false, type: 'long' },
    ])
    expect(JSON.parse(metadata.properties.get('schema.name-mapping.default') ?? '')).toEqual([
      { 'field-id': 1, names: ['eventDate'] },
      { 'field-id': 2, names: ['id'] },
    ])
    const entries = await entriesOf(fileSystem)
    expect(entries.map(([name]) => name)).toEqual([hourName(8), hourName(9)])
    const micros = Buffer.alloc(8)
    micros.writeBigInt64LE(BigInt(atHour(8)) * 1_000n)
    expect(entries[0]?.[1]).toMatchObject({
      partition: { eventDate_hour: Math.floor(atHour(8) / 3_600_000) },
      record_count: 2,
      null_value_counts: [
        { key: 1, value: 0 },
        { key: 2, value: 0 },
      ],
    })
    expect(entries[0]?.[1]['lower_bounds']).toMatchObject([{ key: 1, value: new Uint8Array(micros) }, { key: 2 }])
  })

  test('are added once, whenever they come', async () => {
    const fileSystem = createMemoryFileSystem()
    await putHour(fileSystem, path, 8)
    await runImport(fileSystem)
    expect(await runImport(fileSystem)).toMatchObject({ isNew: false, files: 0, known: 1, snapshotId: undefined })
    await putHour(fileSystem, path, 8, 2)
    expect(await runImport(fileSystem)).toMatchObject({ isNew: false, files: 1, known: 1 })
    expect(await namesOf(fileSystem)).toEqual([hourName(8, 1), hourName(8, 2)])
    expect((await load(fileSystem)).metadata.snapshots).toHaveLength(2)
  })

  test('of other names, hidden, or of writers of tables are not looked at', async () => {
    const fileSystem = createMemoryFileSystem()
    await putHour(fileSystem, path, 8)
    for (const name of ['_tmp/a.parquet', '.a.parquet', 'data/a.parquet', 'metadata/a.parquet', 'dt=1/a.json'])
      await put(fileSystem, `${path}/${name}`, new TextEncoder().encode('no Parquet'))
    expect(await runImport(fileSystem)).toMatchObject({ files: 1, left: [] })
    // Only at the top: below it these are names like others.
    await put(fileSystem, `${path}/dt=1/data/a.parquet`, parquetBytes([[atHour(8), 1]]))
    expect(await runImport(fileSystem)).toMatchObject({ files: 1, left: [] })
  })

  test('that are none, or clash with a column, are left and named, and the others are added', async () => {
    const fileSystem = createMemoryFileSystem()
    await putHour(fileSystem, path, 8)
    await put(fileSystem, `${path}/a.parquet`, new TextEncoder().encode('no Parquet'))
    await put(fileSystem, `${path}/z.parquet`, parquetBytes([[atHour(8), 'x']], { eventDate: 'timestamp', id: 'text' }))
    const { left, ...report } = await runImport(fileSystem)
    expect(report).toMatchObject({ files: 1 })
    expect(left.map(({ path }) => path)).toEqual([`${path}/a.parquet`, `${path}/z.parquet`])
    expect(left[1]?.reason).toBe('the column id is string there, and long in the table')
  })

  test('of several hours make a table that is not put apart; one that is leaves them', async () => {
    const fileSystem = createMemoryFileSystem()
    const day = parquetBytes([
      [atHour(8), 1],
      [atHour(9), 2],
    ])
    await put(fileSystem, `${path}/dt=2026-11-22/1.parquet`, day)
    expect(await runImport(fileSystem)).toMatchObject({ files: 1 })
    expect((await load(fileSystem)).metadata.spec.fields).toEqual([])

    const other = createMemoryFileSystem()
    await putHour(other, path, 8)
    await runImport(other)
    await put(other, `${path}/dt=2026-11-22/1.parquet`, day)
    await put(other, `${path}/dt=2026-11-22/2.parquet`, parquetBytes([[null, 1]]))
    const { left, files } = await runImport(other)
    expect(files).toBe(0)
    expect(left.map(({ reason }) => reason)).toEqual(Array(2).fill(expect.stringMatching(/several hours/)))
  })

  test('bring their new columns, under ids of their own', async () => {
    const fileSystem = createMemoryFileSystem()
    await putHour(fileSystem, path, 8)
    await runImport(fileSystem)
    const user: ReadonlyMap<string, 'text'> = new Map([['name', 'text']])
    const columns = { ...eventColumns, user: { struct: new Map(user) }, tags: { list: 'text' } } as const
    await put(fileSystem, `${path}/a.parquet`, parquetBytes([[atHour(8), 1, { name: 'x' }, ['y']]], columns))
    await runImport(fileSystem)
    const { metadata } = await load(fileSystem)
    expect(metadata.lastColumnId).toBe(6)
    expect(metadata.schema.fields.slice(2)).toMatchObject([
      { id: 3, name: 'user', type: { kind: 'struct', fields: [{ id: 5, name: 'name', type: 'string' }] } },
      { id: 4, name: 'tags', type: { kind: 'list', id: 6, element: 'string' } },
    ])
    const [, json] = (await entriesOf(fileSystem)).find(([name]) => name === 'a.parquet') ?? []
    // What is in lists is counted nowhere: it says nothing of rows.
    expect(json?.['value_counts']).toMatchObject([{ key: 1 }, { key: 2 }, { key: 5 }])
  })

  test('that another writer has replaced are not added again', async () => {
    const fileSystem = createMemoryFileSystem()
    await putHour(fileSystem, path, 8)
    await runImport(fileSystem)
    const table = await load(fileSystem)
    const snapshot = { id: 7n, sequenceNumber: 2 }
    const manifestList = toUri(place, 'metadata/snap-7.avro')
    await put(fileSystem, toTablePath(place, manifestList), writeManifestList([], snapshot, table.metadata.current))
    const summary = new Map([['operation', 'delete']])
    const step = { now: 1, baseUri: table.metadataUri }
    const next = withSnapshot(table.metadata, { ...snapshot, manifestList, summary }, new Map(), step)
    expect(await createDirectoryCatalog(fileSystem).commit(table, next)).toBe('done')
    expect(await runImport(fileSystem)).toMatchObject({ files: 0, known: 1 })
    expect(await namesOf(fileSystem)).toEqual([])
  })

  test('that another writer has replaced, and whose snapshots are forgotten, are left and named; later ones are added', async () => {
    let ms = 1_000
    const fileSystem = createMemoryFileSystem({ now: () => ms })
    for (const hour of [8, 9, 10]) {
      ms += 1_000
      await putHour(fileSystem, path, hour)
      if (hour > 8) await runImport(fileSystem)
    }
    // As a compaction that puts the files of the first import together, and the expiry of what was before it.
    const table = await load(fileSystem)
    const { snapshots, current } = table.metadata
    expect(snapshots).toHaveLength(2)
    const manifestList = toUri(place, 'metadata/snap-7.avro')
    await put(
      fileSystem,
      toTablePath(place, manifestList),
      writeManifestList([], { id: 7n, sequenceNumber: 3 }, current),
    )
    const summary = new Map([['operation', 'replace']])
    const step = { now: 1, baseUri: table.metadataUri }
    const { snapshots: all, ...next } = withSnapshot(
      table.metadata,
      { id: 7n, sequenceNumber: 3, manifestList, summary },
      new Map(),
      step,
    )
    const forget = async (count: number) => {
      const base = await load(fileSystem)
      const left = { ...next, snapshots: Array.isArray(all) ? all.slice(count) : [] }
      expect(await createDirectoryCatalog(fileSystem).commit(base, left)).toBe('done')
      return await runImport(fileSystem)
    }
    // The second import has the files of the first one as well.
    expect(await forget(1)).toMatchObject({ files: 0, known: 3, left: [] })
    expect(await forget(2)).toMatchObject({
      files: 0,
      known: 0,
      left: [{}, {}, { reason: expect.stringMatching(/an import whose snapshot was removed/) }],
    })
    ms += 1_000
    await putHour(fileSystem, path, 11)
    expect(await runImport(fileSystem)).toMatchObject({ files: 1, known: 0, left: [{}, {}, {}] })
    expect(await namesOf(fileSystem)).toEqual([hourName(11)])
    expect(await runImport(fileSystem)).toMatchObject({ files: 0, known: 1, left: [{}, {}, {}] })
    const note = JSON.parse((await load(fileSystem)).metadata.properties.get('sluice.imports') ?? '')
    expect(note).toMatchObject([{ newest: 4_000 }, { newest: 5_000 }])
  })

  test('no file: said so, and nothing is made', async () => {
    const fileSystem = createMemoryFileSystem()
    await put(fileSystem, `${path}/a.txt`, new Uint8Array(1))
    await expect(runImport(fileSystem)).rejects.toThrow('there are no Parquet files below it')
    expect(await createDirectoryCatalog(fileSystem).load(path)).toBeUndefined()
  })
})

/** As a person does who sees that it failed. */
const insist = async (fileSystem: FileSystem): Promise<void> => {
  for (let left = 10; ; left--) {
    try {
      await runImport(fileSystem)
      return
    } catch (error) {
      if (left === 0 || !(error instanceof FileSystemError && error.code === 'unavailable')) throw error
    }
  }
}

const wanted = [hourName(8), hourName(9)]
describe('each file is in the table once', () => {
  test('under the ids of its columns, when another writer gives the same id to another column meanwhile', async () => {
    const memory = createMemoryFileSystem()
    await putHour(memory, path, 8)
    await runImport(memory)
    await put(memory, `${path}/a.parquet`, parquetBytes([[atHour(8), 1, 'x']], { ...eventColumns, mine: 'text' }))
    const catalog = createDirectoryCatalog(memory)
    let isOthersTurn = true
    const report = await importFiles({
      ...calm,
      fileSystem: memory,
      place,
      dateColumn: 'eventDate',
      onProgress: () => {},
      catalog: {
        ...catalog,
        commit: async (base, next) => {
          if (isOthersTurn) {
            isOthersTurn = false
            const table = await load(memory)
            const theirs = { id: 3, name: 'theirs', isRequired: false, type: 'long' } as const
            const fields = [...table.metadata.schema.fields, theirs]
            const step = { now: calm.now(), baseUri: table.metadataUri }
            await catalog.commit(table, withFields(table.metadata, { fields, lastColumnId: 3 }, step))
          }
          return await catalog.commit(base, next)
        },
      },
    })
    expect(report).toMatchObject({ files: 1, left: [] })
    expect((await load(memory)).metadata.schema.fields.slice(2)).toMatchObject([
      { id: 3, name: 'theirs' },
      { id: 4, name: 'mine' },
    ])
    const [, json] = (await entriesOf(memory)).find(([name]) => name === 'a.parquet') ?? []
    expect(json?.['value_counts']).toMatchObject([{ key: 1 }, { key: 2 }, { key: 4 }])
  })

  const faults: readonly MemoryFault[] = ['lost-reply', 'torn', new FileSystemError('unavailable', '/', 'away')]
  test.each(faults)('whichever call of two imports at once goes wrong: %s', async fault => {
    let wasReached = true
    for (let failing = 0; wasReached; failing++) {
      let calls = 0
      let isOn = false
      const fileSystem = createMemoryFileSystem({ fail: () => (isOn && calls++ === failing ? fault : undefined) })
      for (const hour of [8, 9]) await putHour(fileSystem, path, hour)
      isOn = true
      await Promise.all([insist(fileSystem), insist(fileSystem)])
      isOn = false
      wasReached = calls > failing
      expect(await namesOf(fileSystem), `call ${failing}`).toEqual(wanted)
    }
  })

  test('when an import dies at any call, and is called again', async () => {
    let isOver = false
    for (let last = 0; !isOver; last++) {
      let calls = 0
      const fileSystem = createMemoryFileSystem({ fail: () => void calls++ })
      for (const hour of [8, 9]) await putHour(fileSystem, path, hour)
      const from = calls
      void runImport(createMortalView(fileSystem, () => calls > from + last)).then(() => {
        isOver = true
      })
      // Nothing of the memory waits for anything but the next turn.
      for (let turns = 0; turns < 400 && !isOver; turns++) await new Promise<void>(resolve => setImmediate(resolve))
      await runImport(fileSystem)
      expect(await namesOf(fileSystem), `after ${last} calls`).toEqual(wanted)
    }
  })
})

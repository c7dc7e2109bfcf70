import { Buffer } from 'node:buffer'
import { expect, test } from 'vitest'
import { type FileSystem, FileSystemError } from '../../../../src/filesystem/filesystem.ts'
import type { Value } from '../../../../src/formats/number.ts'
import { readFooter, toParquetFile } from '../../../../src/formats/parquet/file.ts'
import { toSchema } from '../../../../src/formats/parquet/schema.ts'
import { createSealing } from '../../../../src/spool/seal/sealing.ts'
import { createTableDesk } from '../../../../src/spool/tables/table-desk.ts'
import { changeFields } from '../../../../src/tables/change-fields.ts'
import { createDirectoryCatalog } from '../../../../src/tables/directory-catalog.ts'
import { writeFileWhole } from '../../../../src/tables/files.ts'
import { toMetadata } from '../../../../src/tables/metadata.ts'
import type { TableField } from '../../../../src/tables/schema.ts'
import { readParquet } from '../../../foreign/read-parquet.ts'
import { liveFiles } from '../../../suites/live-files.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { jsonBatch, openTestSpool, silent, startMs, testSettings } from '../../../suites/spool.ts'
import { storeOf } from '../../../suites/store-of.ts'
import { createTearingDisk } from '../../../suites/tearing-disk.ts'

const settings = { outputFormat: 'parquet', outputLayout: 'iceberg', snapshotMs: 1_000 } as const
const place = { path: '/events/Hello', location: 'memory:///events/Hello' }

/** A collector of its own, on a file system that it shares with others. */
const openCollector = async (fileSystem: FileSystem) => {
  const disk = createTearingDisk()
  const pause = async (): Promise<void> => {}
  const clock = { ms: startMs }
  const { outputDirectory } = testSettings
  const tables = createTableDesk({ fileSystem, outputDirectory, log: silent, now: () => clock.ms, pause })
  const sealing = createSealing(disk, undefined, {}, tables.tableOf)
  const { spool, beat } = await openTestSpool({ disk, fileSystem, settings, clock, tables, sealing })
  return {
    spool,
    disk,
    keep: (...payloads: { readonly [key: string]: Value }[]) => spool.append(jsonBatch(payloads)),
    /** All that time brings in a minute, up to the snapshot. */
    pass: async (): Promise<void> => {
      clock.ms += 60_000
      await beat()
      await beat()
    },
  }
}

/** The rows of the table, without what the server adds. */
const readRows = async (fileSystem: FileSystem): Promise<unknown[]> => {
  const rows: unknown[] = []
  for (const path of await liveFiles(storeOf(fileSystem), place.path))
    for (const { fields } of await readParquet(await storeOf(fileSystem).read(path)))
      rows.push(Object.fromEntries(fields.filter(([name]) => !/^event(Date|Granularity)$/.test(name))))
  return rows
}

/** The columns of each file of the table. */
const columnsOf = async (fileSystem: FileSystem): Promise<string[][]> => {
  const files = await liveFiles(storeOf(fileSystem), place.path)
  return await Promise.all(
    files.map(async path => {
      const bytes = await storeOf(fileSystem).read(path)
      const file = toParquetFile(bytes.length, async (offset, length) =>
        Buffer.from(bytes.subarray(offset, offset + length)),
      )
      return toSchema((await readFooter(file)).schema).columns.map(({ name }) => name)
    }),
  )
}

const load = async (fileSystem: FileSystem) => (await createDirectoryCatalog(fileSystem).load(place.path))?.metadata

const typesOf = async (fileSystem: FileSystem) => {
  const fields = (await load(fileSystem))?.schema.fields ?? []
  return Object.fromEntries(fields.slice(3).map(({ name, type }) => [name, type]))
}

/** What another program does to the columns. */
const change = async (fileSystem: FileSystem, toFields: (fields: readonly TableField[]) => readonly TableField[]) => {
  const options = { place, now: () => startMs, pause: async () => {} }
  let isDone = false
  await changeFields({
    ...options,
    catalog: createDirectoryCatalog(fileSystem),
    toNew: () => {
      throw new Error('the table is there')
    },
    toFields: table => {
      if (isDone) return undefined
      isDone = true
      return { fields: toFields(table?.metadata.schema.fields ?? []), lastColumnId: 900 }
    },
  })
}

test('R27: two collectors that learn different types for one name write one table: the first one decides', async () => {
  const fileSystem = createMemoryFileSystem()
  const [one, two] = [await openCollector(fileSystem), await openCollector(fileSystem)]
  await one.keep({ n: 1, a: 0.5, only: 'x' })
  await two.keep({ n: 2, a: 'text', other: { b: true } })
  await Promise.all([one.pass(), two.pass()])
  await one.keep({ n: 3, other: { b: false, c: 1.5 } })
  await two.keep({ n: 4, other: { b: true, d: 'z' }, only: 'y' })
  await Promise.all([one.pass(), two.pass()])
  const rows = await readRows(fileSystem)
  const a = (await typesOf(fileSystem))['a']
  expect(['double', 'string']).toContain(a)
  // What does not fit its column came back from `_extra`.
  expect(rows).toHaveLength(4)
  expect(rows).toEqual(
    expect.arrayContaining([
      { n: 1, a: 0.5, only: 'x' },
      { n: 2, a: 'text', other: { b: true } },
      { n: 3, other: { b: false, c: 1.5 } },
      { n: 4, other: { b: true, d: 'z' }, only: 'y' },
    ]),
  )
  const ids = (await load(fileSystem))?.schema.fields.map(({ id }) => id) ?? []
  expect(new Set(ids).size).toBe(ids.length)
})

test('R27: columns of another program are used where events have their types, and left alone where not', async () => {
  const fileSystem = createMemoryFileSystem()
  const one = await openCollector(fileSystem)
  await one.keep({ n: 1 })
  await one.pass()
  await change(fileSystem, fields => [
    ...fields,
    { id: 800, name: 'words', isRequired: false, type: 'string' },
    { id: 801, name: 'price', isRequired: false, type: 'decimal(10,2)' },
  ])
  for (const n of [2, 3]) {
    await one.keep({ n, words: 'w', price: 1.5 })
    await one.pass()
  }
  expect(await readRows(fileSystem)).toEqual(
    expect.arrayContaining([{ n: 1 }, { n: 2, words: 'w', price: 1.5 }, { n: 3, words: 'w', price: 1.5 }]),
  )
  expect(await typesOf(fileSystem)).toMatchObject({ words: 'string', price: 'decimal(10,2)' })
})

test('R27: columns of another program become wider before a file has values of events for them, and only then', async () => {
  const fileSystem = createMemoryFileSystem()
  const one = await openCollector(fileSystem)
  await one.keep({ n: 1 })
  await one.pass()
  const plain = (id: number, name: string, type: TableField['type']): TableField => ({
    id,
    name,
    isRequired: false,
    type,
  })
  await change(fileSystem, fields => [
    ...fields,
    plain(800, 'count', 'int'),
    plain(801, 'ratio', 'float'),
    plain(802, 'of', { kind: 'struct', fields: [plain(803, 'x', 'int'), plain(804, 'y', 'string')] }),
    plain(805, 'counts', { kind: 'list', id: 806, element: 'int', isRequired: false }),
    plain(807, 'unused', 'int'),
    plain(808, 'word', 'int'),
    plain(809, '7', 'int'),
  ])
  const values = { count: 2 ** 40, ratio: 0.1, of: { x: 2 ** 41, y: 'z' }, counts: [2 ** 42], word: 'w', '7': 7 }
  for (const n of [2, 3]) {
    await one.keep({ n, ...values })
    await one.pass()
  }
  await one.keep({ n: 4, count: 1.5 })
  await one.pass()
  expect(await typesOf(fileSystem)).toMatchObject({
    count: 'long',
    ratio: 'double',
    of: {
      fields: [
        { id: 803, type: 'long' },
        { id: 804, type: 'string' },
      ],
    },
    counts: { id: 806, element: 'long' },
    unused: 'int',
    word: 'int',
    '7': 'long',
  })
  expect(await readRows(fileSystem)).toEqual(
    expect.arrayContaining([{ n: 1 }, { n: 2, ...values }, { n: 3, ...values }, { n: 4, count: 1.5 }]),
  )
  const columns = (await columnsOf(fileSystem)).toSorted((a, b) => a.length - b.length)
  for (const found of columns.slice(-2))
    expect(found).toEqual(expect.arrayContaining(['count', 'ratio', 'of', 'counts', '7']))
  expect(columns.flat()).not.toContain('word')
})

test('R27: what a table that cannot be written to would have is set aside with the reason, and other types go on', async () => {
  const fileSystem = createMemoryFileSystem()
  const one = await openCollector(fileSystem)
  await one.keep({ n: 1 })
  await one.pass()
  await change(fileSystem, fields => [...fields, { id: 800, name: 'must', isRequired: true, type: 'string' }])
  const two = await openCollector(fileSystem)
  await two.keep({ n: 2 })
  await two.spool.append(jsonBatch([{ n: 3 }], { name: 'Other' }))
  await two.pass()
  expect(await liveFiles(storeOf(fileSystem), '/events/Other')).toHaveLength(1)
  expect(await readRows(fileSystem)).toEqual([{ n: 1 }])
  const { left } = await two.spool.drainStatus()
  expect(left.pieces).toMatchObject([
    { state: 'damaged', events: 1, reason: expect.stringMatching(/requires a value in the column "must"/) },
  ])
})

test('R27: files that wait for a table that is gone are set aside, and the next ones make a new one', async () => {
  const fileSystem = createMemoryFileSystem()
  const one = await openCollector(fileSystem)
  await one.keep({ n: 1 })
  await one.pass()
  const before = (await load(fileSystem))?.uuid
  await one.keep({ n: 2 })
  await fileSystem.delete('/events/Hello/metadata', { recursive: true })
  await one.pass()
  expect(one.spool.stats()).toMatchObject({ quarantinedFiles: 1, quarantinedEvents: 1 })
  await one.keep({ n: 3 })
  await one.pass()
  const table = await load(fileSystem)
  expect(table?.uuid).not.toBe(before)
  expect(await readRows(fileSystem)).toEqual([{ n: 3 }])
})

test('R27: a file that somebody removes before its table has it is sent again', async () => {
  const files = createMemoryFileSystem()
  let removes = 0
  const fileSystem: FileSystem = {
    ...files,
    publish: async (path, ...rest) => {
      const done = await files.publish(path, ...rest)
      if (removes > 0 && path.endsWith('.parquet')) {
        removes--
        await files.delete(path)
      }
      return done
    },
  }
  const one = await openCollector(fileSystem)
  await one.keep({ n: 1 })
  await one.pass()
  await one.keep({ n: 2 })
  removes = 1
  for (let i = 0; i < 3; i++) await one.pass()
  expect(removes).toBe(0)
  expect(await readRows(fileSystem)).toEqual(expect.arrayContaining([{ n: 1 }, { n: 2 }]))
  expect(one.spool.stats()).toMatchObject({ pendingEvents: 0, quarantinedEvents: 0, totalFlushedEvents: 2 })
})

test('R27: a file that its table has by a commit whose reply was lost, and that is compacted away, is not sent again', async () => {
  const files = createMemoryFileSystem()
  let link: 'up' | 'ends with the snapshot' | 'down' = 'up'
  const call = async <T>(make: () => Promise<T>): Promise<T> => {
    if (link === 'down') throw new FileSystemError('unavailable', '/', 'away')
    return await make()
  }
  const fileSystem: FileSystem = {
    ...files,
    getFileStatus: path => call(() => files.getFileStatus(path)),
    open: (...what) => call(() => files.open(...what)),
    settle: (...what) => call(() => files.settle(...what)),
    publish: async (path, ...rest) => {
      const done = await call(() => files.publish(path, ...rest))
      if (link !== 'ends with the snapshot' || !path.endsWith('.metadata.json')) return done
      link = 'down'
      throw new FileSystemError('unavailable', path, 'no answer')
    },
  }
  const one = await openCollector(fileSystem)
  await one.keep({ n: 1 })
  await one.pass()
  const before = await liveFiles(storeOf(files), place.path)
  await one.keep({ n: 2 })
  link = 'ends with the snapshot'
  await one.pass()
  expect(link).toBe('down')
  const [compacted = ''] = (await liveFiles(storeOf(files), place.path)).filter(path => !before.includes(path))
  await files.delete(compacted)
  link = 'up'
  for (let i = 0; i < 5; i++) await one.pass()
  expect(one.spool.stats()).toMatchObject({ pendingEvents: 0, quarantinedEvents: 0, totalFlushedEvents: 2 })
  await expect(files.getFileStatus(compacted)).rejects.toMatchObject({ code: 'not-found' })
})

test('R27: a file that is refused while those after it are committed is in the table once it goes', async () => {
  const files = createMemoryFileSystem()
  let isRefused = true
  const fileSystem: FileSystem = {
    ...files,
    publish: async (path, ...rest) => {
      if (isRefused && path.includes('-03/')) throw new FileSystemError('denied', path, 'not yours')
      return await files.publish(path, ...rest)
    },
  }
  const one = await openCollector(fileSystem)
  await one.spool.append(jsonBatch([{ n: 1 }], { date: startMs }))
  await one.spool.append(jsonBatch([{ n: 2 }], { date: startMs + 3_600_000 }))
  await one.pass()
  expect(await readRows(fileSystem)).toEqual([{ n: 2 }])
  expect(one.spool.stats()).toMatchObject({ quarantinedFiles: 1, totalFlushedEvents: 1 })
  isRefused = false
  await one.spool.processLeftBelowFiles()
  expect(await readRows(fileSystem)).toEqual(expect.arrayContaining([{ n: 1 }, { n: 2 }]))
  expect(one.spool.stats()).toMatchObject({ quarantinedFiles: 0, totalFlushedEvents: 2 })
})

test('R27: a snapshot that another writer adds in between takes nothing, and neither does one that drops old snapshots', async () => {
  const fileSystem = createMemoryFileSystem()
  const catalog = createDirectoryCatalog(fileSystem)
  const one = await openCollector(fileSystem)
  for (const n of [1, 2, 3]) {
    await one.keep({ n })
    await one.pass()
    const table = await catalog.load(place.path)
    if (!table) throw new Error('There is no table')
    const { json, current } = table.metadata
    const snapshots = Array.isArray(json['snapshots']) ? json['snapshots'].slice(-1) : []
    expect(current).toBeDefined()
    const next = { ...json, snapshots, 'snapshot-log': [], 'metadata-log': [] }
    expect(await catalog.commit(table, toMetadata(next, 'next').json)).toBe('done')
  }
  expect((await readRows(fileSystem)).length).toBe(3)
  expect((await load(fileSystem))?.snapshots).toHaveLength(1)
})

const write = async (files: FileSystem, name: string, text: string): Promise<void> =>
  void (await writeFileWhole(files, `/events/Hello/metadata/${name}`, Buffer.from(text), { overwrite: true }))

const damages: Readonly<Record<string, (files: FileSystem, path: string) => Promise<void>>> = {
  denied: async (_, path) => {
    throw new FileSystemError('denied', path, 'not yours')
  },
  'over its quota': async (_, path) => {
    throw new FileSystemError('quota-exceeded', path, 'too many')
  },
  damaged: async files => {
    await write(files, 'v9.metadata.json', '{')
    await write(files, 'version-hint.text', '9')
  },
}

test.each(Object.keys(damages))('R27: a table that is %s holds up no other type, and loses nothing', async how => {
  const files = createMemoryFileSystem()
  let isWell = true
  const fileSystem: FileSystem = {
    ...files,
    publish: async (path, ...rest) => {
      if (!isWell && path.startsWith('/events/Hello/metadata/')) await damages[how]?.(files, path)
      return await files.publish(path, ...rest)
    },
  }
  const one = await openCollector(fileSystem)
  await one.keep({ n: 1, deep: { a: 1 } })
  await one.pass()
  isWell = false
  if (how === 'damaged') await damages[how]?.(files, '')
  await one.keep({ n: 2, fresh: 'x', deep: { a: 2, b: 'y' } })
  await one.spool.append(jsonBatch([{ n: 3, also: true }], { name: 'Other' }))
  await one.pass()
  expect(await liveFiles(storeOf(fileSystem), '/events/Other')).toHaveLength(1)
  isWell = true
  await files.delete('/events/Hello/metadata/v9.metadata.json').catch(() => {})
  await write(files, 'version-hint.text', '1')
  await one.pass()
  await one.keep({ n: 4, fresh: 'z', deep: { a: 4, b: 'z' } })
  for (let i = 0; i < 3; i++) await one.pass()
  expect(await readRows(fileSystem)).toEqual(
    expect.arrayContaining([
      { n: 1, deep: { a: 1 } },
      { n: 2, fresh: 'x', deep: { a: 2, b: 'y' } },
      { n: 4, fresh: 'z', deep: { a: 4, b: 'z' } },
    ]),
  )
  // It grows again.
  expect(await typesOf(fileSystem)).toMatchObject({ fresh: 'string' })
  expect(one.spool.stats()).toMatchObject({ pendingEvents: 0, quarantinedEvents: 0, totalFlushedEvents: 4 })
})

test('R27: where all is denied, a table is no reason: events wait in the log', async () => {
  const files = createMemoryFileSystem()
  let isDenied = false
  const refuse = (path: string): void => {
    if (isDenied) throw new FileSystemError('denied', path, 'who are you?')
  }
  const fileSystem: FileSystem = {
    ...files,
    publish: async (path, ...rest) => {
      refuse(path)
      return await files.publish(path, ...rest)
    },
    getFileStatus: async (path, ...rest) => {
      refuse(path)
      return await files.getFileStatus(path, ...rest)
    },
  }
  const one = await openCollector(fileSystem)
  await one.keep({ n: 1 })
  await one.pass()
  isDenied = true
  await one.keep({ n: 2, fresh: 'x' })
  await one.pass()
  isDenied = false
  for (let i = 0; i < 3; i++) await one.pass()
  expect(await typesOf(fileSystem)).toMatchObject({ fresh: 'string' })
  expect(await readRows(fileSystem)).toEqual(expect.arrayContaining([{ n: 1 }, { n: 2, fresh: 'x' }]))
  expect(one.spool.stats()).toMatchObject({ pendingEvents: 0, quarantinedEvents: 0, totalFlushedEvents: 2 })
})

test('R27: a file whose RENAME had no answer, and that cannot be seen, is sent again: its table has it once', async () => {
  let isBlind = false
  const fileSystem = createMemoryFileSystem({
    fail: (operation, path) => {
      if (!isBlind || !path.includes('.parquet')) return undefined
      if (operation === 'rename') return 'lost-reply'
      const isLook = operation === 'getFileStatus' && !path.includes('/_tmp/')
      return isLook ? new FileSystemError('denied', path, 'not now') : undefined
    },
  })
  const one = await openCollector(fileSystem)
  await one.keep({ n: 1 })
  isBlind = true
  await one.pass()
  isBlind = false
  for (let i = 0; i < 3; i++) await one.pass()
  expect(await readRows(fileSystem)).toEqual([{ n: 1 }])
  expect(one.spool.stats()).toMatchObject({
    pendingEvents: 0,
    takenEvents: 0,
    quarantinedEvents: 0,
    totalFlushedEvents: 1,
  })
})

/** Rows that repeat an event: a compaction drops them, the first one stays. */
import { describe, expect, test } from 'vitest'
import { type CompactOptions, compactHour } from '../../../src/compaction/compact-hour.ts'
import { type HourPlan, planCompaction } from '../../../src/compaction/plan-compaction.ts'
import type { FileSystem } from '../../../src/filesystem/filesystem.ts'
import { createDirectoryCatalog } from '../../../src/tables/directory-catalog.ts'
import { readFileWhole } from '../../../src/tables/files.ts'
import { toTablePath } from '../../../src/tables/table-place.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'
import { atHour, put } from '../tables/parquet-files.ts'
import { addDeletions } from '../tables/replace/deletions.ts'
import { addIdFile, type FileOptions, makeIdTable, place, type Row, readPayloads, toId } from './id-table.ts'
import { always, readTable, toCompactOptions, toText } from './table-rows.ts'

const makeWorld = async (files: readonly (readonly Row[])[], options: FileOptions = {}) => {
  const fileSystem = createMemoryFileSystem()
  await makeIdTable(createDirectoryCatalog(fileSystem))
  for (const [i, rows] of files.entries()) await addIdFile(fileSystem, `raw-${i}.parquet`, rows, options)
  return fileSystem
}

const planned = async (fileSystem: FileSystem, targetBytes = 512 * 1024 * 1024) => {
  const table = await createDirectoryCatalog(fileSystem).load(place.path)
  if (!table) throw new Error('there is no table')
  return { table, ...(await planCompaction(fileSystem, table, { ...always, targetBytes })) }
}

type Changes = Partial<CompactOptions> & { readonly change?: (plan: HourPlan) => HourPlan }

const compact = async (fileSystem: FileSystem, { change = plan => plan, ...more }: Changes = {}) => {
  const options = toCompactOptions(fileSystem, more)
  const { table, hours } = await planned(fileSystem, options.targetBytes)
  const done = []
  for (const hour of hours) done.push(await compactHour(options, table, change(hour)))
  return done
}

const summaryOf = async (fileSystem: FileSystem) =>
  Object.fromEntries((await planned(fileSystem)).table.metadata.current?.summary ?? [])

/** A file system before whose first file something else happens. */
const beforePublish = (fileSystem: FileSystem, meddle: () => Promise<unknown>): FileSystem => {
  let isDone = false
  return {
    ...fileSystem,
    publish: async (path, source, options) => {
      if (!isDone) {
        isDone = true
        await meddle()
      }
      return await fileSystem.publish(path, source, options)
    },
  }
}

const [a, b, c] = ['a', 'b', 'c'].map(toId) as [string, string, string]

describe('an hour with repeats has each event once', () => {
  test.each([
    ['in memory', {}],
    ['on the disk, in many runs', { sortBytes: 100 }],
    ['on the disk, in two runs', { sortBytes: 400 }],
  ])('%s: the first one, and rows without an id all', async (_, more) => {
    const fileSystem = await makeWorld([
      [
        [5, a, 1],
        [5, b, 2],
        [5, a, 91],
        [5, null, 3],
      ],
      [
        [5, a, 92],
        [5, null, 4],
        [6, c, 5],
        [5, b, 93],
      ],
      [
        [5, null, 6],
        [6, c, 94],
      ],
    ])
    const [done, ...others] = await compact(fileSystem, more)
    expect(others).toEqual([])
    expect(done).toMatchObject({ filesBefore: 3, filesAfter: 1, rows: 10, repeats: 4, left: [], overtaken: [] })
    expect(await readPayloads(fileSystem)).toEqual([1, 2, 3, 4, 5, 6])
    expect(await summaryOf(fileSystem)).toMatchObject({
      operation: 'overwrite',
      'sluice.repeated-rows': '4',
      'added-records': '6',
      'deleted-records': '10',
      'total-records': '6',
    })
    expect(await compact(fileSystem, more)).toEqual([])
  })

  test.each<[string, readonly Row[]]>([
    [
      'one date, and ids that differ in their last bits',
      [
        [5, `${a.slice(0, 21)}A`, 1],
        [5, `${a.slice(0, 21)}Q`, 2],
      ],
    ],
    [
      'one id, and other dates',
      [
        [5, a, 1],
        [6, a, 2],
      ],
    ],
    [
      'one text that is no id of the collector',
      [
        [5, 'A'.repeat(21), 1],
        [5, 'A'.repeat(21), 2],
        [5, `${a.slice(0, 21)}B`, 3],
        [5, `${a.slice(0, 21)}C`, 4],
        [5, 'é', 5],
        [5, 'é', 6],
      ],
    ],
    [
      'ids of zeros',
      [
        [5, 'A'.repeat(22), 1],
        [5, 'A'.repeat(22), 2],
      ],
    ],
  ])('rows stay that have %s', async (_, rows) => {
    const fileSystem = await makeWorld([rows])
    expect(await compact(fileSystem)).toMatchObject([{ rows: rows.length, repeats: 0, filesAfter: 1 }])
    expect(await readPayloads(fileSystem)).toEqual(rows.map(([, , n]) => n))
    expect(await summaryOf(fileSystem)).toMatchObject({ operation: 'replace' })
  })

  test('of which the row stays that came first', async () => {
    const fileSystem = await makeWorld([])
    for (const [i, name] of ['z', 'y', 'a'].entries()) await addIdFile(fileSystem, `${name}.parquet`, [[5, a, i]])
    await compact(fileSystem)
    expect(await readPayloads(fileSystem)).toEqual([0])
    // One that comes while they are merged is older than the new file, for the table, and yet the second.
    await addIdFile(fileSystem, 'b.parquet', [[5, b, 1]])
    const busy = beforePublish(fileSystem, () => addIdFile(fileSystem, '0.parquet', [[5, b, 91]]))
    await compact(busy)
    await compact(fileSystem)
    expect(await readPayloads(fileSystem)).toEqual([0, 1])
  })

  test('a column of that name that senders fill means nothing', async () => {
    const fileSystem = createMemoryFileSystem()
    await makeIdTable(createDirectoryCatalog(fileSystem), {
      id: 2,
      name: '_eventId',
      isRequired: false,
      type: 'string',
    })
    const rows: Row[] = [
      [5, a, 1],
      [5, a, 2],
    ]
    for (const name of ['1', '2']) await addIdFile(fileSystem, `${name}.parquet`, rows)
    expect(await compact(fileSystem)).toMatchObject([{ rows: 4, repeats: 0 }])
    expect(await readPayloads(fileSystem)).toEqual([1, 1, 2, 2])
  })

  test('also between files of the collector and those of other programs, which stay apart', async () => {
    const fileSystem = await makeWorld([[[5, a, 1]], [[5, b, 2]]])
    await addIdFile(fileSystem, 'foreign-1.parquet', [[5, a, 91]], { isForeign: true })
    await addIdFile(
      fileSystem,
      'foreign-2.parquet',
      [
        [5, c, 3],
        [5, b, 92],
      ],
      { isForeign: true },
    )
    expect(await compact(fileSystem)).toMatchObject([{ filesBefore: 4, filesAfter: 2, rows: 5, repeats: 2 }])
    expect(await readPayloads(fileSystem)).toEqual([1, 2, 3])
    // A merged file of one kind stands beside a new one of the other kind.
    await addIdFile(fileSystem, 'foreign-3.parquet', [[5, a, 93]], { isForeign: true })
    expect(await compact(fileSystem)).toMatchObject([{ filesBefore: 2, filesAfter: 1, repeats: 1 }])
    expect(await readPayloads(fileSystem)).toEqual([1, 2, 3])
  })
})

describe('an hour is due', () => {
  test('with one file that may have repeats, once', async () => {
    const fileSystem = await makeWorld([
      [
        [5, a, 1],
        [5, a, 91],
      ],
    ])
    expect(await compact(fileSystem)).toMatchObject([{ filesBefore: 1, filesAfter: 1, repeats: 1 }])
    expect(await compact(fileSystem)).toEqual([])
    expect(await readPayloads(fileSystem)).toEqual([1])
  })

  test.each<[string, FileOptions, readonly Row[]]>([
    ['lacks the column', { isWithoutIds: true }, [[5, null, 1]]],
    ['has no id in it', {}, [[5, null, 1]]],
  ])('but not with one that %s', async (_, options, rows) => {
    const fileSystem = await makeWorld([rows], options)
    expect((await planned(fileSystem)).hours).toEqual([])
  })

  test('by a large file that may have repeats, however large it is', async () => {
    const fileSystem = await makeWorld([[[5, a, 1]], [[5, a, 91]]])
    const { hours } = await planned(fileSystem, 1)
    expect(hours.map(({ files }) => files.length)).toEqual([2])
    expect(await compact(fileSystem, { targetBytes: 1 })).toMatchObject([{ filesBefore: 2, repeats: 1 }])
    expect(await compact(fileSystem, { targetBytes: 1 })).toEqual([])
  })
})

/** A row for each second, with ids by their numbers. */
const toRows = (from: number, to: number, first = from): Row[] =>
  Array.from({ length: to - from }, (_, i) => [(from + i) * 1_000, toId(`${from + i}`), first + i])

/** Options by which each row group is a file, and large enough. */
const tiny = { targetBytes: 1, groupBytes: 1_000 }

describe('a repeat of an event in a file that stays', () => {
  test('is dropped, and that file stays', async () => {
    const fileSystem = await makeWorld([toRows(0, 100)])
    const [first] = await compact(fileSystem, tiny)
    expect(first?.filesAfter).toBeGreaterThan(2)
    const before = await readTable(fileSystem, place.path)
    await addIdFile(fileSystem, 'late.parquet', [...toRows(40, 60, 900), [41_000, toId('new'), 100]])
    expect(await compact(fileSystem, tiny)).toMatchObject([{ filesBefore: 1, filesAfter: 1, rows: 21, repeats: 20 }])
    expect(await readPayloads(fileSystem)).toEqual(Array.from({ length: 101 }, (_, i) => i))
    const after = await readTable(fileSystem, place.path)
    expect(after.live.filter(({ uri }) => before.live.some(file => file.uri === uri))).toHaveLength(before.live.length)
  })

  test('leaves nothing of a file that has but repeats', async () => {
    const fileSystem = await makeWorld([toRows(0, 10)])
    await compact(fileSystem, tiny)
    await addIdFile(fileSystem, 'late.parquet', toRows(0, 10, 900))
    expect(await compact(fileSystem, tiny)).toMatchObject([{ filesBefore: 1, filesAfter: 0, rows: 10, repeats: 10 }])
    expect(await readPayloads(fileSystem)).toEqual(Array.from({ length: 10 }, (_, i) => i))
    expect(await compact(fileSystem, tiny)).toEqual([])
  })

  test('is found without files of other dates, whatever becomes of those', async () => {
    const fileSystem = await makeWorld([toRows(0, 100)])
    await compact(fileSystem, tiny)
    const { files } = await readTable(fileSystem, place.path)
    const ofNumber = ({ names, rows }: (typeof files)[number]): readonly number[] =>
      rows.map(row => Number(toText(row[names.indexOf('n')] ?? null)))
    const first = files.find(file => ofNumber(file).includes(0))
    if (!first || ofNumber(first).includes(95)) throw new Error('expected the last rows in another file')
    await fileSystem.delete(toTablePath(place, first.uri))
    await addIdFile(fileSystem, 'late.parquet', toRows(95, 100, 900))
    expect(await compact(fileSystem, tiny)).toMatchObject([{ filesBefore: 1, filesAfter: 0, repeats: 5, left: [] }])
  })

  test('is found without reading row groups of other dates', async () => {
    const fileSystem = await makeWorld([toRows(0, 30)])
    const large = { targetBytes: 100_000, groupBytes: 300 }
    await compact(fileSystem, large)
    const [file] = (await readTable(fileSystem, place.path)).live
    if (!file) throw new Error('there is no file')
    const path = toTablePath(place, file.uri)
    const bytes = Buffer.from(await readFileWhole(fileSystem, path, 1e9))
    // The pages of the first row groups.
    await fileSystem.delete(path)
    await put(fileSystem, path, bytes.fill(0xff, 4, bytes.length >> 2))
    await addIdFile(fileSystem, 'late.parquet', toRows(28, 30, 900))
    // Of another size than the pass before had, so that it is beside.
    const small = { ...large, targetBytes: 1 }
    expect(await compact(fileSystem, small)).toMatchObject([{ rows: 2, repeats: 2, left: [] }])
    await addIdFile(fileSystem, 'later.parquet', toRows(0, 1, 900))
    expect(await compact(fileSystem, small)).toMatchObject([
      { filesBefore: 0, left: [expect.stringContaining(file.uri)] },
    ])
  })
})

describe('rows that were deleted', () => {
  const theHour = Math.floor(atHour(8) / 3_600_000)
  const deleteSome = (fileSystem: FileSystem, kind: 'positions' | 'equality') =>
    addDeletions(fileSystem, createDirectoryCatalog(fileSystem), kind, theHour, place)

  test.each(['positions', 'equality'] as const)('by %s hold no repeat off: it may be the only row left', async kind => {
    const fileSystem = await makeWorld([[[5, a, 1]], [[5, b, 2]]])
    await compact(fileSystem, tiny)
    await deleteSome(fileSystem, kind)
    await addIdFile(fileSystem, 'late.parquet', [
      [5, a, 91],
      [5, a, 92],
    ])
    expect((await planned(fileSystem)).left).toHaveLength(1)
    expect(await compact(fileSystem, tiny)).toMatchObject([{ filesBefore: 1, filesAfter: 1, rows: 2, repeats: 1 }])
    expect(await readPayloads(fileSystem)).toEqual([1, 2, 91])
    expect(await compact(fileSystem, tiny)).toEqual([])
  })

  test.each(['positions', 'equality'] as const)(
    'meanwhile, by %s, from a file that stays: no repeat is dropped',
    async kind => {
      const fileSystem = await makeWorld([toRows(0, 20)])
      await compact(fileSystem, tiny)
      const busy = beforePublish(fileSystem, async () => {
        await deleteSome(fileSystem, kind)
        await addIdFile(fileSystem, 'later.parquet', [[900_000, c, 1_000]])
      })
      await addIdFile(fileSystem, 'late.parquet', [...toRows(3, 6, 900), [21_000, toId('new'), 20]])
      expect(await compact(busy, tiny)).toMatchObject([
        { filesBefore: 0, repeats: 0, overtaken: [expect.stringContaining('deleted rows of')] },
      ])
      expect(await readPayloads(fileSystem)).toEqual([...Array.from({ length: 21 }, (_, i) => i), 900, 901, 902, 1_000])
    },
  )
})

describe('a compaction is overtaken', () => {
  test('where another one made a file meanwhile: it may have the same events', async () => {
    const fileSystem = await makeWorld([[[5, a, 1]], [[5, a, 91]]])
    const only = (name: string) => (plan: HourPlan) => ({
      ...plan,
      files: plan.files.filter(({ uri }) => uri.endsWith(name)),
    })
    const busy = beforePublish(fileSystem, () => compact(fileSystem, { change: only('raw-0.parquet') }))
    expect(await compact(busy, { change: only('raw-1.parquet') })).toMatchObject([
      { filesAfter: 0, repeats: 0, overtaken: [expect.stringContaining('another compaction made')] },
    ])
    expect(await readPayloads(fileSystem)).toEqual([1, 91])
    expect(await compact(fileSystem)).toMatchObject([{ repeats: 1 }])
    expect(await readPayloads(fileSystem)).toEqual([1])
  })
})

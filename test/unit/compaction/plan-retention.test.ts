/** Which hours of a table are beyond its retention. */
import { describe, expect, test } from 'vitest'
import { planRetention, removeOld, sumOld } from '../../../src/compaction/plan-retention.ts'
import type { FileSystem } from '../../../src/filesystem/filesystem.ts'
import { appendFiles } from '../../../src/tables/append.ts'
import { createDirectoryCatalog } from '../../../src/tables/directory-catalog.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'
import { aFile, calm, makeTable, namesIn, place } from '../tables/a-table.ts'
import { addDeletions } from '../tables/replace/deletions.ts'

const hourMs = 3_600_000
const hour = 490_924
const day = 24

/** A table with a file in each of some hours, counted from `hour`, which is called after it. */
const makeWorld = async (hours: readonly number[]) => {
  const fileSystem = createMemoryFileSystem()
  const catalog = createDirectoryCatalog(fileSystem)
  await makeTable(catalog)
  for (const of of hours) await append(fileSystem, hour + of)
  return { fileSystem, catalog }
}

const append = (fileSystem: FileSystem, ...hours: readonly number[]) =>
  appendFiles({
    ...calm,
    fileSystem,
    catalog: createDirectoryCatalog(fileSystem),
    path: place.path,
    toAppend: async () => ({ files: hours.map(of => aFile(`f${of - hour}`, of)) }),
  })

const load = async (fileSystem: FileSystem) =>
  (await createDirectoryCatalog(fileSystem).load(place.path)) ?? expect.unreachable('there is no table')

/** Hours that would go, as they are to the one of now. */
const oldHours = async (fileSystem: FileSystem, days: number, now: number): Promise<number[]> =>
  (await planRetention(fileSystem, await load(fileSystem), { days, now })).hours.map(({ hour: of }) => of - hour)

const at = (hours: number): number => (hour + hours) * hourMs
const since = -hour

test.each<[what: string, hours: readonly number[], days: number, now: number, old: readonly number[]]>([
  ['an hour that ends now minus a day goes', [0, -day, -day - 1], 1, at(0), [-day - 1]],
  ['and not a moment before', [0, -1, -day, -day - 1], 1, at(0) - 1, []],
  ['the hour that is only in part before stays', [0, -day, -day - 1], 1, at(1) - 1, [-day - 1]],
  ['the oldest first', [0, -90, -80, -100], 2, at(0), [-100, -90, -80]],
  ['nothing is old', [0, -1, -2], 1, at(0), []],
  ['an empty table', [], 1, at(0), []],
  ['before 1970', [0, since - 1, since - 1_000_000], 30, at(0), [since - 1_000_000, since - 1]],
  ['all before 1970', [since - 1, since - 5 * day], 1, at(0), [since - 5 * day]],
  ['a clock before 1970', [0, since - 50, since - 24], 1, at(since) - 1, [since - 50]],
  ['a clock far ahead: the newest hour counts', [0, -day, -day - 1], 1, at(1_000_000), [-day - 1]],
  ['a clock far ahead, and a table of a day', [0, -3, -day], 1, at(1_000_000), []],
  ['dates far ahead: the clock counts', [1_000_000, 0, -day, -day - 1], 1, at(0), [-day - 1]],
  ['a table that gets no rows any more keeps its last days', [-500, -510, -600], 3, at(0), [-600]],
])('%s', async (_, hours, days, now, old) => {
  const { fileSystem } = await makeWorld(hours)
  expect(await oldHours(fileSystem, days, now)).toEqual(old)
})

test('files of others, of one hour or of no hour: all rows of the hour go, rows without a date stay', async () => {
  const { fileSystem, catalog } = await makeWorld([0, -100])
  const undated = { ...aFile('undated'), hour: undefined }
  const foreign = { ...aFile('foreign', hour - 100), uri: `${place.location}/elsewhere/foreign.parquet` }
  await appendFiles({
    ...calm,
    fileSystem,
    catalog,
    path: place.path,
    toAppend: async () => ({ files: [undated, foreign] }),
  })
  const plan = await planRetention(fileSystem, await load(fileSystem), { days: 1, now: at(0) })
  expect(sumOld(plan.hours)).toEqual({ from: hour - 100, to: hour - 99, hours: 1, files: 2, rows: 20, bytes: 2_000 })
  expect(await removeOld({ ...calm, fileSystem, catalog }, await load(fileSystem), plan.hours)).toMatchObject({
    outcome: 'done',
  })
  expect(await namesIn(fileSystem)).toEqual(['f0', 'undated'])
})

test.each(['positions', 'equality'] as const)('files with rows deleted by %s stay, and are named', async kind => {
  const { fileSystem, catalog } = await makeWorld([0, -100, -90])
  // The same file in an hour without deletions.
  await appendFiles({
    ...calm,
    fileSystem,
    catalog,
    path: place.path,
    toAppend: async () => ({ files: [aFile('f-100', hour - 80)] }),
  })
  await addDeletions(fileSystem, catalog, kind, hour - 100)
  const { hours, left } = await planRetention(fileSystem, await load(fileSystem), { days: 1, now: at(0) })
  expect(hours.map(({ hour: of }) => of - hour)).toEqual([-90])
  expect(left.map(({ uri, hour: of }) => [uri.replace(/.*\//, ''), of - hour])).toEqual([
    ['f-100.parquet', -100],
    ['f-100.parquet', -80],
  ])
  const removed = await removeOld({ ...calm, fileSystem, catalog }, await load(fileSystem), hours)
  expect(removed).toMatchObject({ outcome: 'done' })
  expect((await namesIn(fileSystem)).filter(name => name === 'f-100')).toHaveLength(2)
})

test.each([
  ['the oldest last', [0, -day, -day - 1]],
  ['the oldest first', [-day - 1, -day, 0]],
])('the newest hour counts among files that came together: %s', async (_, hours) => {
  const { fileSystem } = await makeWorld([])
  await append(fileSystem, ...hours.map(of => hour + of))
  expect(await oldHours(fileSystem, 1, at(1_000_000))).toEqual([-day - 1])
})

test('a plan changes nothing, and reads no manifest of a table with nothing to remove', async () => {
  const read: string[] = []
  const { fileSystem } = await makeWorld([0, -1])
  const watched: FileSystem = {
    ...fileSystem,
    open: (path, options) => {
      read.push(path)
      return fileSystem.open(path, options)
    },
    publish: () => expect.unreachable('something was written'),
    delete: () => expect.unreachable('something was deleted'),
  }
  const table = await load(fileSystem)
  await planRetention(watched, table, { days: 1, now: at(0) })
  expect(read.filter(path => /-m\d+\.avro$/.test(path))).toEqual([])
  expect((await planRetention(watched, table, { days: 1, now: at(day) })).hours).toEqual([])
})

describe('the plan and the removal', () => {
  test('take hours that are far apart by one snapshot, and keep what came between them meanwhile', async () => {
    const { fileSystem, catalog } = await makeWorld([0, -900, -100, -500])
    const table = await load(fileSystem)
    const { hours } = await planRetention(fileSystem, table, { days: 1, now: at(0) })
    await append(fileSystem, hour - 700)
    expect(await removeOld({ ...calm, fileSystem, catalog }, table, hours)).toMatchObject({ outcome: 'done' })
    expect(await namesIn(fileSystem)).toEqual(['f-700', 'f0'])
    expect(await oldHours(fileSystem, 1, at(0))).toEqual([-700])
  })
})

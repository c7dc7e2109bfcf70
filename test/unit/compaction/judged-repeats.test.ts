/** R28, by another reader: what three collectors took several times is one row for DuckDB once it is compacted. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { compactHour } from '../../../src/compaction/compact-hour.ts'
import { planCompaction } from '../../../src/compaction/plan-compaction.ts'
import type { RowPlace } from '../../../src/compaction/repeats/find-repeats.ts'
import { findPlannedRepeats } from '../../../src/compaction/repeats/planned-repeats.ts'
import type { FileSystem } from '../../../src/filesystem/filesystem.ts'
import { createDirectoryCatalog } from '../../../src/tables/directory-catalog.ts'
import { toTablePath } from '../../../src/tables/table-place.ts'
import { queryDuckDb, type Row } from '../../foreign/duckdb.ts'
import { liveFiles } from '../../suites/live-files.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'
import { jsonBatch } from '../../suites/spool.ts'
import { storeOf } from '../../suites/store-of.ts'
import { openIdCollector, withIds } from '../spool/tables/id-collector.ts'
import { always, toCompactOptions } from './table-rows.ts'

/** Asks DuckDB about the rows of the table now. @param toQuery by the files of DuckDB, and what they are in the table */
const ask = async (
  fileSystem: FileSystem,
  toQuery: (from: string, files: ReadonlyMap<string, string>) => string,
): Promise<readonly Row[]> => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-judge-'))
  try {
    const store = storeOf(fileSystem)
    const files = new Map<string, string>()
    for (const [i, path] of (await liveFiles(store, '/events/Hello')).entries()) {
      files.set(path, join(directory, `${i}.parquet`))
      await writeFile(join(directory, `${i}.parquet`), await store.read(path))
    }
    const paths = Array.from(files.values(), path => `'${path}'`).join(', ')
    const options = 'union_by_name = true, hive_partitioning = false, filename = true, file_row_number = true'
    return await queryDuckDb(toQuery(`read_parquet([${paths}], ${options})`, files))
  } finally {
    await rm(directory, { recursive: true })
  }
}

/** Rows, rows with ids, different ids, and the sum of their payloads. */
const judge = async (fileSystem: FileSystem): Promise<readonly number[]> => {
  const toQuery = (from: string): string =>
    `SELECT count(*), count(_eventId), count(DISTINCT _eventId), sum(n)::BIGINT FROM ${from}`
  const [row = []] = await ask(fileSystem, toQuery)
  return row.map(Number)
}

/** How many rows are listed as repeats, and of how many of those DuckDB finds date and id there and in the row that stays. */
const judgeList = async (fileSystem: FileSystem, targetBytes: number): Promise<readonly number[]> => {
  const table = await createDirectoryCatalog(fileSystem).load('/events/Hello')
  if (!table) throw new Error('there is no table')
  const plan = await planCompaction(fileSystem, table, { ...always, targetBytes })
  const options = { fileSystem, temporaryDirectory: tmpdir(), sortBytes: 1_000, onRows: () => {} }
  const listed = await Array.fromAsync(
    findPlannedRepeats(options, table, plan, reason => {
      throw new Error(reason)
    }),
  )
  const [row = []] = await ask(fileSystem, (from, files) => {
    const toPlace = ({ uri, position }: RowPlace): string =>
      `'${files.get(toTablePath(table.place, uri))}', ${position}`
    const values = listed.map(
      ({ time, id, dropped, stays }) => `(${time}, '${id}', ${toPlace(dropped)}, ${toPlace(stays)})`,
    )
    return `WITH rows AS (SELECT *, epoch_us(eventDate) AS us FROM ${from}),
      listed(us, id, file, place, staysFile, staysPlace) AS (VALUES ${values.join(', ')})
      SELECT count(*), count(DISTINCT (d.filename, d.file_row_number)) FROM listed l
        JOIN rows d ON d.filename = l.file AND d.file_row_number = l.place AND d.us = l.us AND d._eventId = l.id
        JOIN rows s ON s.filename = l.staysFile AND s.file_row_number = l.staysPlace AND s.us = l.us AND s._eventId = l.id
        WHERE (l.file, l.place) <> (l.staysFile, l.staysPlace)`
  })
  return [listed.length, ...row.map(Number)]
}

const compact = async (fileSystem: FileSystem, targetBytes: number) => {
  const options = toCompactOptions(fileSystem, { targetBytes, groupBytes: 2_000 })
  const table = await options.catalog.load('/events/Hello')
  if (!table) throw new Error('there is no table')
  const { hours } = await planCompaction(fileSystem, table, { ...always, targetBytes })
  let repeats = 0
  for (const hour of hours) {
    const done = await compactHour(options, table, hour)
    expect([...done.left, ...done.overtaken]).toEqual([])
    repeats += done.repeats
  }
  return repeats
}

test('R28: DuckDB finds each event once after compaction, however often and late it was sent, and to which collector', async () => {
  const fileSystem = createMemoryFileSystem()
  const collectors = await Promise.all([1, 2, 3].map(() => openIdCollector(fileSystem)))
  const numbers = Array.from({ length: 60 }, (_, i) => i + 1)
  const send = (of: readonly number[], collector: number) =>
    collectors[collector]?.(withIds(jsonBatch(of.map(n => ({ n, text: 'x'.repeat(n) }))), ...of))
  const sumOf = (of: readonly number[]): number => of.reduce((sum, n) => sum + n, 0)
  await send(numbers.slice(0, 40), 0)
  await send(numbers.slice(10, 50), 1)
  await send(numbers.slice(0, 50), 2)
  // An event without an id is one each time.
  await send([0], 0)
  expect(await judge(fileSystem)).toEqual([
    131,
    130,
    50,
    sumOf(numbers.slice(0, 40)) + sumOf(numbers.slice(10, 50)) + sumOf(numbers.slice(0, 50)),
  ])
  expect(await judgeList(fileSystem, 1)).toEqual([80, 80, 80])
  expect(await compact(fileSystem, 1)).toBe(80)
  expect(await judge(fileSystem)).toEqual([51, 50, 50, sumOf(numbers.slice(0, 50))])
  for (const collector of [1, 2]) await send(numbers, collector)
  expect(await judgeList(fileSystem, 1)).toEqual([110, 110, 110])
  expect(await compact(fileSystem, 1)).toBe(110)
  expect(await judge(fileSystem)).toEqual([61, 60, 60, sumOf(numbers)])
})

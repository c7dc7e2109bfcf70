/** R28, by another reader: what three collectors took several times is one row for DuckDB once it is compacted. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { compactHour } from '../../../src/compaction/compact-hour.ts'
import { planCompaction } from '../../../src/compaction/plan-compaction.ts'
import type { FileSystem } from '../../../src/filesystem/filesystem.ts'
import { queryDuckDb } from '../../foreign/duckdb.ts'
import { liveFiles } from '../../suites/live-files.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'
import { jsonBatch } from '../../suites/spool.ts'
import { storeOf } from '../../suites/store-of.ts'
import { openIdCollector, withIds } from '../spool/tables/id-collector.ts'
import { always, toCompactOptions } from './table-rows.ts'

/** Rows, rows with ids, different ids, and the sum of their payloads. */
const judge = async (fileSystem: FileSystem): Promise<readonly number[]> => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-judge-'))
  try {
    const store = storeOf(fileSystem)
    const paths: string[] = []
    for (const [i, path] of (await liveFiles(store, '/events/Hello')).entries()) {
      paths.push(`'${join(directory, `${i}.parquet`)}'`)
      await writeFile(join(directory, `${i}.parquet`), await store.read(path))
    }
    const from = `read_parquet([${paths.join(', ')}], union_by_name = true, hive_partitioning = false)`
    const [row = []] = await queryDuckDb(
      `SELECT count(*), count(_eventId), count(DISTINCT _eventId), sum(n)::BIGINT FROM ${from}`,
    )
    return row.map(Number)
  } finally {
    await rm(directory, { recursive: true })
  }
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
  expect(await compact(fileSystem, 1)).toBe(80)
  expect(await judge(fileSystem)).toEqual([51, 50, 50, sumOf(numbers.slice(0, 50))])
  for (const collector of [1, 2]) await send(numbers, collector)
  expect(await compact(fileSystem, 1)).toBe(110)
  expect(await judge(fileSystem)).toEqual([61, 60, 60, sumOf(numbers)])
})

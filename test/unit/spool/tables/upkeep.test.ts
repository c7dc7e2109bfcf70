import { expect, test } from 'vitest'
import { FileSystemError } from '../../../../src/filesystem/filesystem.ts'
import { createTableUpkeep } from '../../../../src/spool/tables/upkeep.ts'
import { createDirectoryCatalog } from '../../../../src/tables/directory-catalog.ts'
import type { TableMetadata } from '../../../../src/tables/metadata.ts'
import { createWorld } from '../../../suites/crash-world.ts'
import { allIsWell } from '../../../suites/ledger-of-client.ts'
import { createMemoryFileSystem, type MemoryOptions } from '../../../suites/memory-filesystem.ts'
import { silent } from '../../../suites/spool.ts'
import { calm, makeTable, place } from '../../tables/a-table.ts'
import { append, load } from '../../tables/grown-table.ts'

const { path } = place
const hourMs = 3_600_000
const start = calm.now()

/** A table with a snapshot every ten minutes for four hours, and a collector that keeps those of five. */
const open = async ({ fail = () => undefined }: MemoryOptions = {}, keepMs = 5 * hourMs) => {
  const fileSystem = createMemoryFileSystem({ fail })
  const catalog = createDirectoryCatalog(fileSystem)
  await makeTable(catalog)
  for (let i = 0; i < 24; i++) await append(fileSystem, `f-${i}`, start + (i * hourMs) / 6)
  const clock = { ms: start + 4 * hourMs }
  const openUpkeep = () =>
    createTableUpkeep({
      desk: { ...calm, catalog, now: () => clock.ms },
      fileSystem,
      keepMs: () => keepMs,
      log: silent,
    })
  return {
    fileSystem,
    catalog,
    clock,
    openUpkeep,
    note: async (upkeep: ReturnType<typeof openUpkeep>) => upkeep.note(path, (await load(fileSystem)).metadata),
    count: async () => (await load(fileSystem)).metadata.snapshots.length,
  }
}

test('snapshots go once the oldest is a quarter older than need be, and then all that are too old', async () => {
  const { clock, openUpkeep, note, count } = await open()
  const upkeep = openUpkeep()
  await note(upkeep)
  clock.ms = start + 6.25 * hourMs
  await upkeep.run()
  expect(await count()).toBe(24)
  clock.ms++
  await upkeep.run()
  // Those from 1 h 20 min on are five hours old at most.
  expect(await count()).toBe(16)
  clock.ms += 100 * hourMs
  await upkeep.run()
  expect(await count()).toBe(10)
})

test('of two collectors one sees to a table', async () => {
  const { clock, openUpkeep, note, fileSystem } = await open()
  const [one, two] = [openUpkeep(), openUpkeep()]
  await note(one)
  await note(two)
  clock.ms += 3 * hourMs
  const { version } = await load(fileSystem)
  await one.run()
  await two.run()
  expect((await load(fileSystem)).version).toBe((version ?? 0) + 1)
})

test.each<[string, number, (table: TableMetadata) => TableMetadata]>([
  ['where all are kept', 0, table => table],
  [
    'of a table that does not allow it',
    hourMs,
    table => ({ ...table, properties: new Map([['gc.enabled', 'false']]) }),
  ],
])('none go %s', async (_, keepMs, change) => {
  const { clock, openUpkeep, count, fileSystem } = await open({}, keepMs)
  const upkeep = openUpkeep()
  upkeep.note(path, change((await load(fileSystem)).metadata))
  clock.ms += 100 * hourMs
  await upkeep.run()
  expect(await count()).toBe(24)
})

test('a table that fails has another turn in ten minutes, and one that is gone none', async () => {
  let isAway = false
  const { clock, openUpkeep, note, count, fileSystem } = await open({
    fail: () => (isAway ? new FileSystemError('unavailable', '/', 'away') : undefined),
  })
  const upkeep = openUpkeep()
  await note(upkeep)
  clock.ms += 3 * hourMs
  isAway = true
  await expect(upkeep.run()).rejects.toThrow(`${path}: `)
  expect(upkeep.hasFailed).toBe(true)
  isAway = false
  await upkeep.run()
  expect(await count()).toBe(24)
  clock.ms += 600_000
  await upkeep.run()
  expect(await count()).toBeLessThan(24)
  expect(upkeep.hasFailed).toBe(false)
  await append(fileSystem, 'one', clock.ms)
  await note(upkeep)
  await fileSystem.delete(path, { recursive: true })
  clock.ms += 100 * hourMs
  await upkeep.run()
  expect(upkeep.hasFailed).toBe(false)
})

test('stops with the collector', async () => {
  const { clock, openUpkeep, note, count } = await open()
  const upkeep = openUpkeep()
  await note(upkeep)
  clock.ms += 100 * hourMs
  const running = upkeep.run()
  upkeep.stop()
  await running
  await upkeep.run()
  expect(await count()).toBe(24)
})

test('a collector forgets the snapshots of its own tables, and loses no event', async () => {
  const world = await createWorld({
    settings: { outputFormat: 'parquet', outputLayout: 'iceberg', snapshotMs: 60_000, keepSnapshotsMs: hourMs },
  })
  for (let i = 0; i < 12; i++) {
    await world.append(1, { name: 'One' })
    world.clock.ms += 60_000
    await world.beat()
    await world.beat()
  }
  const count = async () =>
    (await createDirectoryCatalog(world.fileSystem).load('/events/One'))?.metadata.snapshots.length
  expect(await count()).toBe(12)
  world.clock.ms += 2 * hourMs
  await world.beat()
  expect(await count()).toBe(10)
  expect(await world.verdict()).toEqual(allIsWell)
})

/** A table whose calls do not return holds up no other: neither its upkeep, nor those who seal. */
import { expect, onTestFinished, test, vi } from 'vitest'
import { nextTurn } from '../../../../src/runtime/next-turn.ts'
import { tableAway } from '../../../../src/spool/parquet/table-columns.ts'
import { createTableDesk } from '../../../../src/spool/tables/table-desk.ts'
import { createTableUpkeep } from '../../../../src/spool/tables/upkeep.ts'
import { createDirectoryCatalog } from '../../../../src/tables/directory-catalog.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { silent } from '../../../suites/spool.ts'
import { calm, makeTable, place } from '../../tables/a-table.ts'
import { append, load } from '../../tables/grown-table.ts'

const hourMs = 3_600_000

const useFakeTimers = (): void => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
}

/** Waits for what comes of it, ten seconds after ten seconds; says how many. */
const whileTimePasses = async (work: Promise<unknown>): Promise<number> => {
  let isDone = false
  const over = (): void => {
    isDone = true
  }
  work.then(over, over)
  for (let tens = 0; ; tens++) {
    for (let turn = 0; turn < 200 && !isDone; turn++) await nextTurn()
    if (isDone) return tens
    await vi.advanceTimersByTimeAsync(10_000)
  }
}

test('old snapshots of the others are removed, and its failure is reported once it comes', async () => {
  useFakeTimers()
  const fileSystem = createMemoryFileSystem()
  const catalog = createDirectoryCatalog(fileSystem)
  await makeTable(catalog)
  for (let i = 0; i < 12; i++) await append(fileSystem, `f-${i}`, calm.now())
  const { promise: answer, reject: fail } = Promise.withResolvers<never>()
  let asked = 0
  const hanging = {
    ...catalog,
    load: (path: string) => {
      if (path !== '/events/Hangs') return catalog.load(path)
      asked++
      return answer
    },
  }
  const lines: unknown[] = []
  const log = { info: (fields: object) => void lines.push(fields), warn: (fields: object) => void lines.push(fields) }
  const desk = { ...calm, catalog: hanging, now: () => calm.now() + 10 * hourMs }
  const upkeep = createTableUpkeep({ desk, fileSystem, keepMs: () => hourMs, log })
  const { metadata } = await load(fileSystem)
  for (const path of ['/events/Hangs', place.path]) upkeep.note(path, metadata)
  expect(await whileTimePasses(upkeep.run())).toBe(1)
  expect(await whileTimePasses(upkeep.run())).toBe(0)
  expect((await load(fileSystem)).metadata.snapshots).toHaveLength(10)
  expect(lines).toEqual([
    { table: '/events/Hangs' },
    {
      table: place.path,
      snapshots: 2,
      kept: 10,
      dataFiles: 0,
      manifests: 2,
      metadataFiles: expect.any(Number),
      orphans: 0,
      outside: 0,
    },
  ])
  await upkeep.run()
  expect([asked, upkeep.hasFailed]).toEqual([1, false])
  fail(new Error('it is away'))
  await nextTurn()
  expect(upkeep.hasFailed).toBe(true)
  await expect(upkeep.run()).rejects.toThrow('/events/Hangs: it is away')
  await upkeep.run()
  expect(asked).toBe(1)
})

test('a segment waits for it no longer than ten seconds at a time, and asks it once', async () => {
  useFakeTimers()
  const memory = createMemoryFileSystem()
  const { promise: answer, resolve: goOn } = Promise.withResolvers<void>()
  let asked = 0
  const fileSystem: typeof memory = {
    ...memory,
    open: async (path, options) => {
      if (path.startsWith('/events/Hangs/')) {
        asked++
        await answer
      }
      return await memory.open(path, options)
    },
  }
  const desk = createTableDesk({ fileSystem, outputDirectory: '/events', log: silent, pause: async () => {} })
  for (let tries = 0; tries < 3; tries++) {
    const table = desk.tableOf('Hangs')
    expect(await whileTimePasses(table)).toBe(1)
    const message = 'The table /events/Hangs cannot be reached: it has not answered for 10 seconds'
    await expect(table).rejects.toMatchObject({ code: tableAway, message })
  }
  expect(asked).toBe(1)
  expect(await desk.tableOf('Other')).toEqual({ table: 'none' })
  const table = desk.tableOf('Hangs')
  goOn()
  expect(await whileTimePasses(table)).toBe(0)
  expect(await table).toEqual({ table: 'none' })
})

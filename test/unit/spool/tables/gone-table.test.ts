import { expect, test } from 'vitest'
import { dumpSpool } from '../../../../src/spool/tool/dump.ts'
import { takeSpool } from '../../../../src/spool/tool/offline.ts'
import { replayQuarantine } from '../../../../src/spool/tool/replay.ts'
import { createWorld, type DiskOperation, type World } from '../../../suites/crash-world.ts'

const settings = { outputFormat: 'parquet', outputLayout: 'iceberg', snapshotMs: 60_000 } as const

/** Two events in a table that is removed then, three in a file that was made for it. */
const loseTable = async (): Promise<World> => {
  const world = await createWorld({ settings })
  const roll = async (): Promise<void> => {
    world.clock.ms += 30_000
    await world.beat()
    await world.beat()
  }
  await world.append(2, { name: 'É %-n' })
  await roll()
  await world.append(3, { name: 'É %-n' })
  await roll()
  const [table] = (await Array.fromAsync(world.fileSystem.listStatus('/events')))
    .flat()
    .filter(({ path }) => path.includes('%'))
  await world.fileSystem.delete(`${table?.path}/metadata`, { recursive: true })
  await roll()
  return world
}

const inQuarantine = (world: World): number => world.spool().stats().quarantinedFiles

test('R27: a file whose table is gone stays in quarantine, however long, and through a drain, unless a person releases it', async () => {
  const world = await loseTable()
  expect(inQuarantine(world)).toBe(1)
  const uploads: string[] = []
  world.faults.fileSystem = (operation, path) => void (operation === 'create' && uploads.push(path))
  for (let i = 0; i < 30; i++) {
    world.clock.ms += 600_000
    await world.beat()
  }
  await world.call(spool => spool.drain())
  await world.beat()
  expect(uploads).toEqual([])
  const { left } = await world.spool().drainStatus()
  expect(left.pieces).toMatchObject([
    { state: 'quarantined', events: 3, reason: expect.stringMatching(/is gone.*`sluice spool replay`/) },
  ])
})

/** What is in the tables after the file was replayed, by a run that fails at one operation of the disk, and another one. */
const replay = async (failAt: number): Promise<{ readonly found: readonly number[]; readonly operations: number }> => {
  const world = await loseTable()
  world.stop('kill', () => 0.7)
  let operations = 0
  const run = async (): Promise<void> => {
    const spool = await takeSpool(world.disk())
    world.faults.disk = operation => (isChange(operation) && operations++ === failAt ? new Error('stopped') : undefined)
    try {
      await replayQuarantine(spool)
    } finally {
      world.faults.disk = undefined
      await spool.close()
    }
  }
  await run().catch(() => {})
  if (failAt >= 0) await run()
  await world.start()
  await world.calm()
  expect(inQuarantine(world)).toBe(0)
  return { found: (await world.found()).toSorted((a, b) => a - b), operations }
}

const isChange = (operation: DiskOperation): boolean => !['read', 'stream', 'list', 'close'].includes(operation)

test('R27: its events are in the next table once when it is replayed, wherever that is stopped', async () => {
  const { found, operations } = await replay(-1)
  expect(found).toEqual([2, 3, 4])
  expect(operations).toBeGreaterThan(5)
  for (let failAt = 0; failAt < operations; failAt++)
    expect((await replay(failAt)).found, `stopped at ${failAt}`).toEqual(found)
})

test('its events are dumped with the name of their type', async () => {
  const world = await loseTable()
  const onProblem = (source: string, problem: string) => expect.unreachable(`${source}: ${problem}`)
  const lines = await Array.fromAsync(dumpSpool(world.disk(), { onProblem }))
  expect(lines.map(({ line }) => JSON.parse(line))).toMatchObject(
    [2, 3, 4].map(n => ({ eventName: 'É %-n', payload: { n, eventDate: world.clock.ms - 90_000 } })),
  )
})

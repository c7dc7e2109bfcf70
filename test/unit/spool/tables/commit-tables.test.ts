import { describe, expect, test } from 'vitest'
import { FileSystemError } from '../../../../src/filesystem/filesystem.ts'
import { createDirectoryCatalog } from '../../../../src/tables/directory-catalog.ts'
import { createWorld, type World } from '../../../suites/crash-world.ts'
import { allIsWell } from '../../../suites/ledger-of-client.ts'
import { liveFiles } from '../../../suites/live-files.ts'
import type { MemoryFault, MemoryOperation } from '../../../suites/memory-filesystem.ts'
import { storeOf } from '../../../suites/store-of.ts'
import { toStride } from '../../../suites/stride.ts'

const settings = { outputFormat: 'parquet', outputLayout: 'iceberg', snapshotMs: 60_000 } as const

const open = (): Promise<World> => createWorld({ settings })

const load = async (world: World, name: string) => {
  const table = await createDirectoryCatalog(world.fileSystem).load(`/events/${name}`)
  if (!table) throw new Error(`There is no table ${name}`)
  return table.metadata
}

const roll = async (world: World): Promise<void> => {
  world.clock.ms += 30_000
  // Sealed, brought to their places, and made part of the table.
  await world.beat()
  await world.beat()
}

test('files of a type become its table by a snapshot, and the next ones by the next', async () => {
  const world = await open()
  await world.append(2, { name: 'One' })
  await roll(world)
  const table = await load(world, 'One')
  expect(table.snapshots).toHaveLength(1)
  expect(await liveFiles(storeOf(world.fileSystem), '/events/One')).toEqual([
    expect.stringMatching(/^\/events\/One\/data\/eventDate_hour=2026-01-02-03\/.*\.parquet$/),
  ])
  expect(world.spool().stats()).toMatchObject({ totalFlushedEvents: 2, pendingEvents: 0 })
  await world.append(3, { name: 'One' })
  await roll(world)
  expect(world.spool().stats()).toMatchObject({ totalFlushedEvents: 2, pendingEvents: 3 })
  await roll(world)
  expect((await load(world, 'One')).snapshots).toHaveLength(2)
  expect(await world.verdict()).toEqual(allIsWell)
})

/** Everything in its tables once, nothing of ours left over, the books balance. */
const expectWell = async (world: World): Promise<void> => {
  await world.calm()
  expect(await world.verdict()).toEqual(allIsWell)
  expect(world.broken).toEqual([])
  const { totalFlushedEvents, pendingEvents, openEvents, quarantinedEvents, takenEvents } = world.spool().stats()
  expect({ totalFlushedEvents, pendingEvents, openEvents, quarantinedEvents, takenEvents }).toEqual({
    totalFlushedEvents: 8,
    pendingEvents: 0,
    openEvents: 0,
    quarantinedEvents: 0,
    takenEvents: 0,
  })
}

/** Two tables that are there, and one more segment, with a column that is new. */
const fill = async (world: World): Promise<void> => {
  await Promise.all([world.append(1, { name: 'One' }), world.append(2, { name: 'Two' })])
  await roll(world)
  world.clock.ms += 60_000
  await Promise.all([world.append(2, { name: 'One' }), world.append(3, { name: 'Three' })])
  world.clock.ms += 30_000
}

/** The calls by which the second segment becomes part of its tables, in order. */
const countCalls = async (): Promise<MemoryOperation[]> => {
  const world = await open()
  await fill(world)
  const calls: MemoryOperation[] = []
  world.faults.fileSystem = operation => void calls.push(operation)
  await world.beat()
  await world.beat()
  return calls
}

const calls = await countCalls()

const faults: readonly (readonly [string, (path: string) => MemoryFault])[] = [
  ['refused as unavailable', path => new FileSystemError('unavailable', path, 'away')],
  ['carried out, its reply lost', () => 'lost-reply'],
  ['carried out by half', () => 'torn'],
]

describe('R27: each call by which files become part of a table', () => {
  test('are few', () => expect(calls.length).toBeLessThan(120))

  describe.each(faults)('%s', (_, toFault) => {
    test.each(['goes on', 'kill', 'power cut'] as const)('then: %s', async then => {
      const { first, every } = toStride(4)
      for (let index = first; index < calls.length; index += every) {
        const world = await open()
        await fill(world)
        let call = 0
        world.faults.fileSystem = (_made, path) => {
          if (call++ !== index) return undefined
          if (then !== 'goes on') world.stop(then, () => 0.7)
          return toFault(path)
        }
        await world.beat()
        await world.beat()
        if (then !== 'goes on') await world.start()
        await expectWell(world).catch(error => {
          throw new Error(`call ${index + 1} (${calls[index]}): ${error.message}`, { cause: error })
        })
      }
    })
  })
})

import { describe, expect, test } from 'vitest'
import { FileSystemError } from '../../../../src/filesystem/filesystem.ts'
import { createWorld, type World } from '../../../suites/crash-world.ts'

/** Power fails, and of what was not synced nothing is left. */
const cutPower = (world: World): void => world.stop('power cut', () => 0.9)

/** One file that was committed; its consumer took it, so that nothing of it may ever come again. */
const expectNotSentAgain = async (world: World, others: readonly number[] = []): Promise<void> => {
  await world.calm()
  await world.call(spool => spool.processLeftBelowFiles())
  await world.calm()
  expect(await world.found()).toEqual(others)
  const { totalFlushedEvents, quarantinedFiles, pendingFiles } = world.spool().stats()
  expect({ totalFlushedEvents, quarantinedFiles, pendingFiles }).toEqual({
    totalFlushedEvents: 2 + others.length,
    quarantinedFiles: 0,
    pendingFiles: 0,
  })
}

const consume = (world: World): Promise<unknown> => world.fileSystem.delete('/events/One', { recursive: true })

describe('a file that the ledger has forgotten is gone for good', () => {
  test('after it was released from quarantine', async () => {
    const world = await createWorld({ settings: { keepCommittedMs: 0 } })
    await world.append(2, { name: 'One' })
    world.faults.fileSystem = (operation, path) =>
      operation === 'rename' ? new FileSystemError('denied', path, 'denied') : undefined
    await world.call(spool => spool.processLeftBelowFiles())
    expect(world.spool().stats().quarantinedFiles).toBe(1)
    world.faults.fileSystem = undefined
    await world.call(spool => spool.processLeftBelowFiles())
    expect((await world.found()).length).toBe(2)
    await consume(world)
    await world.calm()
    cutPower(world)
    await world.start()
    await expectNotSentAgain(world)
  })

  test('after its copy was removed by a process that was killed, at whatever operation of the next start power fails', async () => {
    for (let operations = 1, wasCut = true; wasCut; operations++) {
      const world = await createWorld({ settings: { keepCommittedMs: 0 } })
      await world.append(2, { name: 'One' })
      await world.call(spool => spool.processLeftBelowFiles())
      expect((await world.found()).length).toBe(2)
      await consume(world)
      // The next segment: its directory is synced, and the one before it is gone for good.
      await world.append(1, { name: 'Two' })
      world.faults.disk = (operation, path) => {
        // The copy is unlinked, and its directory not synced yet.
        if (operation === 'fsyncDir' && path === 'sealed') world.stop('kill', () => 0.1)
        return undefined
      }
      await world.beat()
      expect(world.disk().paths.filter(path => path.startsWith('sealed/'))).toEqual([])
      let left = operations
      world.faults.disk = () => {
        if (--left === 0) cutPower(world)
        return undefined
      }
      await world.start().catch(() => {})
      wasCut = left <= 0
      world.faults.disk = undefined
      if (wasCut) await world.start()
      await expectNotSentAgain(world, [2])
    }
  })
})

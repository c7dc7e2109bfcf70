import { describe, expect, test } from 'vitest'
import { FileSystemError } from '../../../../src/filesystem/filesystem.ts'
import { readFrames } from '../../../../src/spool/framing/framing.ts'
import { readLedger } from '../../../../src/spool/ledger/ledger.ts'
import { releaseFiles } from '../../../../src/spool/quarantine/quarantine.ts'
import { segmentPath } from '../../../../src/spool/segment/segment-files.ts'
import { takeSpool } from '../../../../src/spool/tool/offline.ts'
import { createWorld, seededRandom, type World } from '../../../suites/crash-world.ts'
import { allIsWell } from '../../../suites/ledger-of-client.ts'

/** One event in a file that the file system refused, and that is set aside. */
const createRefused = async (): Promise<World> => {
  const world = await createWorld()
  world.faults.fileSystem = (operation, path) =>
    operation === 'create' ? new FileSystemError('denied', path, 'Permission denied') : undefined
  await world.append(1)
  world.clock.ms += 30_000
  await world.beat()
  world.faults.fileSystem = undefined
  return world
}

const loseLedger = async (world: World): Promise<void> => {
  world.stop('kill', seededRandom(1))
  await world.disk().unlink('ledger')
}

const names = (world: World, directory: string): string[] =>
  world.disk().paths.filter(path => path.startsWith(`${directory}/`))

/** Two files: one that the file system has, and one that it does not have; only the ledger knew which. */
const createTwo = async (): Promise<World> => {
  const world = await createWorld()
  await world.append(2, { name: 'Committed' })
  world.clock.ms += 30_000
  await world.beat()
  world.faults.fileSystem = (_, path) => new FileSystemError('unavailable', path, 'away')
  await world.append(3, { name: 'Waiting' })
  await world.call(spool => spool.processLeftBelowFiles())
  expect(names(world, 'sealed')).toHaveLength(2)
  expect(world.spool().stats()).toMatchObject({ totalFlushedEvents: 2, pendingEvents: 3 })
  return world
}

describe('R25: files that a damaged ledger does not know', () => {
  test('are committed where the file system has them, and sent where it does not', async () => {
    const world = await createTwo()
    await loseLedger(world)
    world.faults.fileSystem = undefined
    await world.start()
    await world.calm()
    expect(await world.verdict()).toEqual(allIsWell)
    expect(world.spool().stats()).toMatchObject({
      pendingFiles: 0,
      quarantinedFiles: 0,
      totalFlushedEvents: 5,
      lostSegments: [],
    })
  })

  test('do not hold up a start while the file system is unavailable', async () => {
    const world = await createTwo()
    await loseLedger(world)
    await world.start()
    await world.append(1)
    await world.beat()
    expect(world.spool().stats()).toMatchObject({ accepting: true, pendingEvents: 5, quarantinedFiles: 0 })
    await world.calm()
    expect(await world.verdict()).toEqual(allIsWell)
  })

  test('are set aside where another file has their name, and can be released', async () => {
    const world = await createTwo()
    const [, waiting = ''] = names(world, 'sealed')
    const target = `/events/Waiting/2026/01/02/03/${waiting.slice('sealed/'.length)}`
    await loseLedger(world)
    world.faults.fileSystem = undefined
    await world.fileSystem.create(
      target,
      (async function* () {
        yield Buffer.from('not ours')
      })(),
    )
    await world.start()
    world.clock.ms += 2_000
    await world.beat()
    expect(world.spool().stats()).toMatchObject({ quarantinedFiles: 1, quarantinedEvents: 3, totalFlushedEvents: 2 })
    world.stop('kill', seededRandom(1))
    await world.fileSystem.delete(target)
    const spool = await takeSpool(world.disk())
    expect(await releaseFiles(spool, [waiting.slice('sealed/'.length)])).toMatchObject([{ done: true }])
    await spool.close()
    await world.start()
    await world.calm()
    expect(await world.verdict()).toEqual(allIsWell)
  })

  test('that are damaged, too, are set aside with the number of their events', async () => {
    const world = await createTwo()
    const [, waiting = ''] = names(world, 'sealed')
    await loseLedger(world)
    world.disk().overwrite(waiting, Buffer.from('damaged'))
    world.faults.fileSystem = undefined
    await world.start()
    expect(world.spool().stats()).toMatchObject({ quarantinedFiles: 1, quarantinedEvents: 3 })
    await world.calm()
    expect(await world.found()).toEqual([0, 1])
  })

  test('and that were set aside stay so, with their reason, and can be released', async () => {
    const world = await createRefused()
    const [refused = ''] = names(world, '_quarantine')
    await loseLedger(world)
    await world.start()
    const [record] = [...(await readLedger(world.disk())).files.inState('quarantined')]
    expect(record).toMatchObject({ file: { events: 1 }, state: { reason: 'Permission denied' } })
    expect(`_quarantine/${record?.file.name}`).toBe(refused)
    await world.calm()
    expect(await world.verdict()).toEqual(allIsWell)
  })

  test('numbers of segments are not used again, so that nothing set aside is replaced', async () => {
    const world = await createRefused()
    await loseLedger(world)
    for (const path of names(world, 'log')) await world.disk().unlink(path)
    await world.start()
    await world.append(1)
    expect(names(world, 'log')).toEqual([segmentPath(2)])
  })

  test('a segment of which only the lost part knew that it was sealed is not said to be lost', async () => {
    const world = await createWorld()
    await world.append(2, { name: 'One' })
    // The ledger of a moment ago: the segment is open.
    const before = await world.disk().read('ledger')
    world.faults.fileSystem = (_, path) => new FileSystemError('unavailable', path, 'away')
    await world.call(spool => spool.processLeftBelowFiles())
    world.stop('kill', seededRandom(1))
    world.disk().overwrite('ledger', Buffer.concat([before, Buffer.alloc(30)]))
    world.faults.fileSystem = undefined
    await world.start()
    await world.calm()
    expect(world.spool().stats()).toMatchObject({ lostSegments: [], totalFlushedEvents: 2, openEvents: 0 })
    expect(await world.verdict()).toEqual(allIsWell)
  })

  test('a file whose copy is gone, for only the lost part knew that it was committed, is looked up', async () => {
    const world = await createWorld({ settings: { keepCommittedMs: 0 } })
    await world.append(2, { name: 'One' })
    world.faults.fileSystem = (_, path) => new FileSystemError('unavailable', path, 'away')
    await world.call(spool => spool.processLeftBelowFiles())
    const before = await world.disk().read('ledger')
    world.faults.fileSystem = undefined
    await world.calm()
    expect(names(world, 'sealed')).toEqual([])
    world.stop('kill', seededRandom(1))
    world.disk().overwrite('ledger', Buffer.concat([before, Buffer.alloc(30)]))
    await world.start()
    await world.calm()
    // What is set aside is the damaged end of the ledger.
    expect(world.spool().stats()).toMatchObject({ quarantinedFiles: 1, quarantinedEvents: 0, totalFlushedEvents: 2 })
    expect(await world.verdict()).toEqual(allIsWell)
  })

  test('the list of a segment goes with the last of its files, and not before', async () => {
    const world = await createWorld({ settings: { keepCommittedMs: 0 } })
    world.faults.fileSystem = (operation, path) =>
      operation === 'create' && path.includes('-1-0.') ? new FileSystemError('denied', path, 'denied') : undefined
    await Promise.all([world.append(2, { name: 'One' }), world.append(1, { name: 'Two' })])
    world.clock.ms += 30_000
    await world.beat()
    await world.beat()
    expect(world.spool().stats()).toMatchObject({ quarantinedFiles: 1, totalFlushedEvents: 1 })
    expect(names(world, 'sealed')).toEqual([])
    expect(names(world, 'lists')).toHaveLength(1)
    await world.calm()
    await world.calm()
    expect(names(world, 'lists')).toEqual([])
    expect(await world.verdict()).toEqual(allIsWell)
  })
})

test('a segment that is sealed again beside a file of it that was committed meanwhile: the file stays where it is, and the server continues', async () => {
  const world = await createWorld()
  world.faults.fileSystem = (operation, path) =>
    operation === 'create' ? new FileSystemError('denied', path, 'Permission denied') : undefined
  const isLog = (path: string): boolean => path.startsWith('log/')
  world.faults.disk = (operation, path) =>
    operation === 'unlink' && isLog(path) ? new Error('EIO: it cannot be removed') : undefined
  await world.append(1)
  world.clock.ms += 30_000
  await world.beat()
  expect([names(world, 'log'), names(world, '_quarantine')]).toEqual([
    [segmentPath(1)],
    [expect.anything(), expect.anything()],
  ])

  await loseLedger(world)
  world.faults.disk = undefined
  world.faults.fileSystem = undefined
  world.faults.seal = () => Object.assign(new Error('EIO: later'), { code: 'EIO' })
  await world.start()
  const [name = ''] = names(world, '_quarantine').map(path => path.slice('_quarantine/'.length))
  await world.call(spool => spool.quarantine.release([name]))
  await world.beat()
  expect(world.spool().stats()).toMatchObject({ totalFlushedEvents: 1, openEvents: 1 })

  world.faults.seal = undefined
  world.clock.ms += 1_000
  await world.beat()
  expect(world.spool().stats()).toMatchObject({
    accepting: true,
    openEvents: 0,
    pendingFiles: 0,
    totalFlushedEvents: 1,
  })
  await world.calm()
  expect(await world.verdict()).toEqual(allIsWell)
})

test('a file that only the lost part knew stays, although its segment, sealed long ago, came back', async () => {
  const world = await createWorld()
  world.faults.fileSystem = (_, path) => new FileSystemError('unavailable', path, 'away')
  await world.append(3)
  const segment = world.disk().contents(segmentPath(1))
  world.clock.ms += 30_000
  await world.beat()
  world.stop('kill', seededRandom(1))
  await world.start()
  expect([names(world, 'sealed').length, names(world, 'log')]).toEqual([1, []])

  world.stop('kill', seededRandom(1))
  // A removal is not synced: a power cut brings the segment back, and takes the second half of the ledger.
  const file = await world.disk().create(segmentPath(1))
  await file.append(segment)
  const ledger = world.disk().contents('ledger')
  const [, head] = [...readFrames(ledger)]
  world.disk().overwrite('ledger', ledger.subarray(0, head?.end))
  await world.start()
  await world.calm()
  expect(await world.verdict()).toEqual(allIsWell)
})

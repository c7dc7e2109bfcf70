import { describe, expect, test } from 'vitest'
import { FileSystemError } from '../../../../src/filesystem/filesystem.ts'
import type { Batch } from '../../../../src/spool/batch.ts'
import { createLog } from '../../../../src/spool/log/log.ts'
import { segmentPath } from '../../../../src/spool/segment/segment-files.ts'
import { append } from '../../../suites/append.ts'
import { createWorld, type DiskOperation, seededRandom, type World } from '../../../suites/crash-world.ts'
import { allIsWell } from '../../../suites/ledger-of-client.ts'
import { thriftBatch } from '../../../suites/spool.ts'
import { createTearingDisk } from '../../../suites/tearing-disk.ts'

const eio = (): Error => Object.assign(new Error('EIO: i/o error'), { code: 'EIO' })

/** Fails the matching operations, a number of times. */
const failing = (times: number, matches: (operation: DiskOperation, path: string) => boolean) => {
  let left = times
  return (operation: DiskOperation, path: string): Error | undefined =>
    matches(operation, path) && left-- > 0 ? eio() : undefined
}

const pass = async (world: World, beats = 3): Promise<void> => {
  for (let i = 0; i < beats; i++) {
    world.clock.ms += 30_000
    await world.beat()
  }
}

/** Acknowledged events once, refused ones at most once, and every one counted somewhere. */
const expectBooks = async (world: World): Promise<void> => {
  await world.calm()
  expect(await world.verdict()).toEqual(allIsWell)
  const stats = world.spool().stats()
  expect(stats).toMatchObject({ openEvents: 0, pendingEvents: 0, queuedEvents: 0, queuedBytes: 0, accepting: true })
  expect(stats.totalFlushedEvents).toBe((await world.found()).length)
}

describe('R5: an I/O error (EIO)', () => {
  const places: readonly (readonly [string, (operation: DiskOperation, path: string) => boolean])[] = [
    ['fdatasync of the log', (operation, path) => operation === 'fdatasync' && path.startsWith('log/')],
    ['append to the log', (operation, path) => operation === 'append' && path.startsWith('log/')],
    ['the directory of the log', (operation, path) => operation === 'fsyncDir' && path === 'log'],
    ['fdatasync of the ledger', (operation, path) => operation === 'fdatasync' && path.startsWith('ledger')],
    ['append to the ledger', (operation, path) => operation === 'append' && path.startsWith('ledger')],
    ['rename of the ledger', (operation, path) => operation === 'rename' && path.startsWith('ledger')],
    ['fdatasync of a bucket file', (operation, path) => operation === 'fdatasync' && path.startsWith('sealed/')],
    ['append to a bucket file', (operation, path) => operation === 'append' && path.startsWith('sealed/')],
    ['the directory of bucket files', (operation, path) => operation === 'fsyncDir' && path === 'sealed'],
    ['fdatasync of a list', (operation, path) => operation === 'fdatasync' && path.startsWith('lists/')],
    ['the directory of lists', (operation, path) => operation === 'fsyncDir' && path === 'lists'],
    ['the spool directory', (operation, path) => operation === 'fsyncDir' && path === '.'],
    ['removal of anything', operation => operation === 'unlink'],
    ['the log and the ledger', (operation, path) => operation === 'fdatasync' && /^(log|ledger)/.test(path)],
    ['everything that writes', operation => operation !== 'read' && operation !== 'list'],
  ]
  for (const [place, matches] of places) {
    test.each([1, 2, 5])(`of ${place}, %i times: refused or kept, never both`, async times => {
      for (const then of ['goes on', 'kill', 'power cut'] as const) {
        const world = await createWorld({ settings: { keepCommittedMs: 0 } })
        await world.append(2)
        world.faults.disk = failing(times, matches)
        await world.append(3)
        await world.append(1, { name: 'Other' })
        await pass(world, 2)
        await world.append(2)
        if (then !== 'goes on') {
          world.stop(then, seededRandom(times))
          world.faults.disk = undefined
          await world.start()
        }
        await world.append(1)
        await pass(world)
        await expectBooks(world)
      }
    })
  }

  test('of log and ledger at once: nothing is taken until the ledger knows where the segment ends', async () => {
    const world = await createWorld()
    await world.append(1)
    let broken = true
    world.faults.disk = (operation, path) =>
      broken && operation === 'fdatasync' && /^(log\/0000000001|ledger)/.test(path) ? eio() : undefined
    await world.append(1, { key: 'k' })
    await world.beat()
    // The client repeats what was refused, under the same key, until it is taken.
    const again = (): Promise<void> => world.append(1, { key: 'k' })
    await again()
    expect(world.spool().stats().accepting).toBe(false)
    broken = false
    await world.beat()
    await again()
    world.stop('kill', seededRandom(1))
    await world.start()
    await world.calm()
    expect(await world.found()).toEqual([0, 3])
  })

  test('a refused event is unknown after a restart too, though its bytes are in the segment', async () => {
    const world = await createWorld()
    await world.append(1)
    world.faults.disk = failing(1, (operation, path) => operation === 'fdatasync' && path.startsWith('log/'))
    await world.append(1, { key: 'k' })
    // Before the segment is sealed, so that the next process has to know where it ends.
    world.stop('kill', seededRandom(1))
    await world.start()
    expect(world.spool().recall('k')).toBeUndefined()
    expect(world.spool().stats().openEvents).toBe(1)
    await world.append(1, { key: 'k' })
    await world.calm()
    expect(await world.found()).toEqual([0, 2])
  })

  test('a full disk leaves no files and no open descriptors of its attempts', async () => {
    const world = await createWorld()
    world.faults.disk = (operation, path) =>
      operation === 'append' && path.startsWith('log/') ? new Error('ENOSPC: no space left') : undefined
    await world.append(1)
    for (let i = 0; i < 20; i++) await world.beat()
    expect(world.disk().paths.filter(path => path.startsWith('log/'))).toEqual([])
  })

  test('a full disk while sealing sets nothing aside, however long it lasts', async () => {
    const world = await createWorld()
    await world.append(2)
    const enospc = Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' })
    world.faults.disk = (operation, path) => (operation === 'append' && path.startsWith('sealed/') ? enospc : undefined)
    await pass(world, 10)
    expect(world.disk().paths.filter(path => /^(sealed|_quarantine)\//.test(path))).toEqual([])
    world.faults.disk = undefined
    await expectBooks(world)
    expect((await world.found()).length).toBe(2)
  })
})

describe('with ack=written', () => {
  test('a failed sync at the end of a segment loses nothing of it, and does not fail its requests', async () => {
    const world = await createWorld({ settings: { ack: 'written' } })
    await world.append(2)
    world.faults.disk = failing(1, (operation, path) => operation === 'fdatasync' && path.startsWith('log/'))
    await pass(world)
    await world.append(1)
    await pass(world)
    expect(world.spool().stats()).toMatchObject({ writtenEvents: 3, erroredEvents: 0, queuedEvents: 0 })
    world.stop('kill', seededRandom(1))
    await world.start()
    await expectBooks(world)
  })

  test('a segment number that the ledger knows is never used again', async () => {
    const world = await createWorld({ settings: { ack: 'written' } })
    world.faults.disk = (operation, path) => (path.startsWith('log/') && operation === 'append' ? eio() : undefined)
    let appends = 0
    world.faults.disk = (operation, path) =>
      path.startsWith('log/') && operation === 'append' && ++appends === 2 ? eio() : undefined
    await world.append(1)
    // The name of the segment is not synced in this mode: a power cut may forget it, but not the ledger's entry.
    world.stop('power cut', () => 0.9)
    world.faults.disk = undefined
    expect(world.disk().paths.filter(path => path.startsWith('log/'))).toEqual([])
    await world.start()
    await world.append(2)
    world.stop('kill', seededRandom(1))
    await world.start()
    await expectBooks(world)
  })
})

test('a receipt that covers only a part of a group acknowledges none of it, and counts each event once', async () => {
  const disk = createTearingDisk()
  await disk.mkdir('log')
  const log = createLog({
    disk: {
      ...disk,
      create: async path => {
        const file = await disk.create(path)
        return { ...file, fdatasync: async () => 200 }
      },
    },
    collectorId: '0'.repeat(32),
    firstSegment: 1,
    ack: 'fsync',
    settings: () => ({ maxSegmentBytes: 1 << 20, maxUncommittedEvents: 1_000, flushIntervalMs: 3_600_000 }),
    now: () => 1,
    onClosed: async () => {},
  })
  const batch: Batch = thriftBatch('x'.repeat(20))
  const answers = await Promise.allSettled([append(log, batch), append(log, batch), append(log, batch)])
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(log.counts).toMatchObject({ queuedEvents: 0, queuedBytes: 0, writtenEvents: 0, erroredEvents: 3 })
  expect(disk.paths).toContain(segmentPath(1))
})

test('a refused file is set aside although the disk does not let it move; the next start moves it', async () => {
  const world = await createWorld()
  const denied = new FileSystemError('denied', '/events', 'denied')
  world.faults.fileSystem = operation => (operation === 'create' ? denied : undefined)
  world.faults.disk = (operation, path) => (operation === 'rename' && path.startsWith('sealed/') ? eio() : undefined)
  await world.append(2)
  await pass(world, 1)
  const inQuarantine = () => world.disk().paths.filter(path => /^_quarantine\/.*\.jsonl$/.test(path))
  expect(inQuarantine()).toEqual([])
  expect(world.spool().stats()).toMatchObject({ quarantinedFiles: 1, quarantinedEvents: 2, pendingFiles: 0 })
  world.faults.disk = undefined
  world.stop('kill', () => 0.5)
  await world.start()
  expect(inQuarantine()).toHaveLength(1)
  world.faults.fileSystem = undefined
  await expectBooks(world)
})

describe('after kill -9', () => {
  test('a replayed key is only confirmed once its record is safe', async () => {
    const world = await createWorld()
    await world.append(1)
    // The record is in the page cache; the process ends before its sync.
    world.faults.disk = (operation, path) => {
      if (operation === 'fdatasync' && path.startsWith('log/')) world.stop('kill', seededRandom(1))
      return undefined
    }
    await world.append(1, { key: 'k' })
    world.faults.disk = undefined
    await world.start()
    expect(await world.spool().recall('k')?.outcome).toMatchObject({ accepted: 1 })
    world.client.acknowledge(1)
    world.stop('power cut', () => 0.3)
    await world.start()
    await expectBooks(world)
  })

  test('R8: segments are read once at the most before events are taken, and their keys are known all the same', async () => {
    const world = await createWorld({ settings: { maxUncommittedEvents: 3 } })
    const touched: string[] = []
    world.faults.disk = (operation, path) => {
      if (path.startsWith('log/') && (operation === 'read' || operation === 'fsync')) touched.push(path)
      return path.startsWith('sealed/') ? eio() : undefined
    }
    const restart = async (): Promise<readonly string[]> => {
      await world.beat()
      world.stop('power cut', () => 0.5)
      touched.length = 0
      await world.start()
      return touched.splice(0)
    }
    await world.append(3, { key: 'a' })
    await world.append(3, { key: 'b' })
    await world.append(2, { key: 'c' })
    // The third one was open.
    expect(new Set(await restart())).toEqual(new Set([segmentPath(3)]))
    expect(await restart()).toEqual([])
    expect(world.spool().stats()).toMatchObject({ openEvents: 8 })
    for (const [key, accepted] of [
      ['a', 3],
      ['b', 3],
      ['c', 2],
    ] as const) {
      expect(await world.spool().recall(key)?.outcome).toMatchObject({ accepted })
    }
    world.faults.disk = undefined
    await expectBooks(world)
  })

  test('disableFlush holds, also for a pass under way', async () => {
    const world = await createWorld()
    for (const name of ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H']) await world.append(1, { name })
    let creates = 0
    world.faults.fileSystem = operation => {
      if (operation === 'create' && ++creates === 1) void world.spool().disableFlush()
      return undefined
    }
    await pass(world, 1)
    expect(world.spool().stats().flushEnabled).toBe(false)
    expect(creates).toBeLessThan(8)
    world.stop('kill', seededRandom(1))
    await world.start()
    const before = creates
    await pass(world)
    expect(creates).toBe(before)
    await expectBooks(world)
  })
})

test.each([-5_000, -86_400_000])('a clock that jumps by %i ms delays nothing for long', async jump => {
  const world = await createWorld()
  world.faults.fileSystem = (_, path) => new FileSystemError('unavailable', path, 'away')
  await world.append(1)
  await pass(world)
  await world.append(1)
  world.faults.fileSystem = undefined
  world.clock.ms += jump
  for (let second = 0; second < 130; second += 10) {
    world.clock.ms += 10_000
    await world.beat()
  }
  expect((await world.found()).sort((a, b) => a - b)).toEqual([0, 1])
})

test('a segment that cannot be sealed is safe in quarantine before the ledger says so', async () => {
  for (let seed = 0; seed < 20; seed++) {
    const world = await createWorld()
    await world.append(2)
    world.faults.seal = () => new Error('no encoder takes it')
    // Set aside at the fifth attempt.
    await pass(world, 6)
    expect(world.spool().stats()).toMatchObject({ quarantinedFiles: 1, quarantinedEvents: 2 })
    world.stop('power cut', seededRandom(seed))
    await world.start()
    expect(world.spool().stats()).toMatchObject({ quarantinedFiles: 1, quarantinedEvents: 2 })
    expect(world.disk().paths).toContain('_quarantine/segment-1.log')
  }
})

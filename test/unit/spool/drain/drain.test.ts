import { describe, expect, test } from 'vitest'
import { writeSynced } from '../../../../src/disk/write-synced.ts'
import { FileSystemError } from '../../../../src/filesystem/filesystem.ts'
import { readFrames } from '../../../../src/spool/framing/framing.ts'
import { createWorld, seededRandom, type World } from '../../../suites/crash-world.ts'
import { allIsWell } from '../../../suites/ledger-of-client.ts'
import { listAll } from '../../../suites/list-all.ts'
import { jsonBatch, openTestSpool, readEvents } from '../../../suites/spool.ts'

const nothing = { files: 0, events: 0, bytes: 0 }
const nothingLeft = { waiting: nothing, quarantined: nothing, taken: nothing, pieces: [] }

const drain = (world: World): Promise<void> => world.call(spool => spool.drain())

describe('R23: a spool that is drained', () => {
  test('refuses events, lets everything go, and leaves nothing behind', async () => {
    const world = await createWorld()
    await world.append(3, { name: 'A' })
    await world.append(2, { name: 'B' })
    const refused = world.append(1)
    await drain(world)
    await refused
    await expect(world.spool().append(jsonBatch([{ n: 99 }]))).rejects.toMatchObject({
      code: 'draining',
      headers: { 'retry-after': '1', connection: 'close' },
    })
    await world.beat()
    const status = await world.spool().drainStatus()
    expect(status).toMatchObject({ drained: true, left: nothingLeft, problem: '', lostEvents: 0 })
    expect(status.flushed.events).toBe(world.client.acknowledged.size)
    expect(world.spool().stats()).toMatchObject({ accepting: false, refusal: expect.stringMatching(/^drained/) })
    expect(await world.verdict()).toEqual(allIsWell)
    await world.spool().close()
    expect(await listAll(world.fileSystem, '/events/_tmp')).toEqual([])
  })

  test('stays so through a power cut, lets go what is there then, and takes events again when that is undone', async () => {
    const world = await createWorld()
    world.faults.fileSystem = (_, path) => new FileSystemError('unavailable', path, 'away')
    await world.append(2)
    await drain(world)
    await world.beat()
    const { left, problem, drained } = await world.spool().drainStatus()
    expect({ problem, drained }).toEqual({ problem: 'away', drained: true })
    expect(left.waiting).toMatchObject({ files: 1, events: 2 })
    expect(left.pieces).toMatchObject([
      { state: 'waiting', events: 2, path: expect.stringMatching(/^sealed\/.*jsonl$/) },
    ])
    world.stop('power cut', seededRandom(1))
    await world.start()
    await expect(world.spool().append(jsonBatch([{ n: 99 }]))).rejects.toMatchObject({ code: 'draining' })
    world.faults.fileSystem = undefined
    await world.beat()
    expect((await world.spool().drainStatus()).left).toEqual(nothingLeft)
    await world.spool().undoDrain()
    await world.append(1)
    world.stop('kill', seededRandom(1))
    await world.start()
    expect(world.spool().stats()).toMatchObject({ drained: false, accepting: true })
    await world.calm()
    expect(world.client.acknowledged.size).toBe(3)
    expect(await world.verdict()).toEqual(allIsWell)
  })

  test('is at the start of a rewritten ledger', async () => {
    const world = await createWorld()
    await drain(world)
    for (let start = 0; start < 2; start++) {
      world.stop('kill', seededRandom(1))
      await world.start()
      expect(world.spool().stats().drained).toBe(true)
    }
  })

  test('lets everything go also while flushing is disabled', async () => {
    const world = await createWorld({ settings: { flushEnabled: false } })
    await world.append(2)
    await drain(world)
    await world.beat()
    expect(world.spool().stats()).toMatchObject({ flushEnabled: false, pendingFiles: 0, flushedEvents: 2 })
    await world.spool().undoDrain()
    await world.append(1)
    world.clock.ms += 60_000
    await world.beat()
    expect(world.spool().stats()).toMatchObject({ openEvents: 1, flushedEvents: 2 })
  })

  test('names what waits: the segment that cannot be sealed, the file that is refused', async () => {
    const world = await createWorld()
    world.faults.fileSystem = (operation, path) =>
      operation === 'rename' && path.includes('-1-0.') ? new FileSystemError('denied', path, 'no') : undefined
    await world.append(2, { name: 'Refused' })
    await world.call(spool => spool.processLeftBelowFiles())
    world.faults.seal = () => Object.assign(new Error('EIO: held'), { code: 'EIO' })
    await world.append(3, { name: 'Open' })
    await drain(world)
    await world.beat()
    const { left, problem } = await world.spool().drainStatus()
    expect(problem).toBe('EIO: held')
    expect(left.quarantined).toMatchObject({ files: 1, events: 2 })
    expect(left.waiting).toMatchObject({ files: 1, events: 3 })
    expect(left.pieces).toMatchObject([
      { state: 'quarantined', events: 2, reason: 'no', path: expect.stringMatching(/^_quarantine\//) },
      { state: 'unsealed', path: 'log/0000000002.log', bytes: expect.any(Number) },
    ])
    world.faults.seal = undefined
    world.clock.ms += 60_000
    await world.beat()
    expect(await world.spool().drainStatus()).toMatchObject({ left: { waiting: nothing }, problem: '' })
    // Called again it tries refused files once more.
    world.faults.fileSystem = undefined
    await drain(world)
    await world.beat()
    expect((await world.spool().drainStatus()).left).toEqual(nothingLeft)
    expect(await world.verdict()).toEqual(allIsWell)
  })

  test('tries soon again while somebody waits: at once when asked, and every five seconds', async () => {
    const world = await createWorld()
    let tries = 0
    world.faults.fileSystem = (operation, path) => {
      if (operation === 'create') tries++
      return new FileSystemError('unavailable', path, 'away')
    }
    await world.append(1)
    await drain(world)
    for (let second = 0; second < 60; second++) {
      world.clock.ms += 1_000
      await world.beat()
    }
    expect(tries).toBeGreaterThan(10)
    const before = tries
    await drain(world)
    await world.beat()
    expect(tries).toBeGreaterThan(before)
  })

  test('cut at any step of the disk and begun again, it loses and doubles nothing, and ends', async () => {
    let cuts = 0
    for (const how of ['kill', 'power cut'] as const) {
      for (let at = 1, isCut = true; isCut; at++) {
        const world = await createWorld({ settings: { keepCommittedMs: 0 } })
        await world.append(2, { name: 'A', key: 'k' })
        await world.append(2, { name: 'B' })
        let left = at
        isCut = false
        world.faults.disk = () => {
          if (--left !== 0) return undefined
          isCut = true
          cuts++
          world.stop(how, seededRandom(at))
          return new Error('cut')
        }
        await drain(world)
        await world.beat()
        world.faults.disk = undefined
        if (isCut) await world.start()
        await drain(world)
        world.clock.ms += 60_000
        await world.beat()
        // Also where the cut left a part of a record, which is in quarantine; of the ledger's end it may have left
        // zeros.
        const status = await world.spool().drainStatus()
        const isLedgerEnd = (path: string): boolean => /^_quarantine\/ledger-[\da-f]+\.damaged$/.test(path)
        const ends = status.left.pieces.filter(({ path }) => isLedgerEnd(path))
        const quarantined = { files: ends.length, events: 0, bytes: ends.reduce((sum, { bytes }) => sum + bytes, 0) }
        expect(status.left).toEqual({ ...nothingLeft, quarantined, pieces: ends })
        expect(await world.verdict()).toEqual(allIsWell)
      }
    }
    expect(cuts).toBeGreaterThan(20)
  })
})

describe('R23: a record that a crash cut short', () => {
  const path = 'log/0000000001.log'
  const reason = /^The segment ends in the middle of a record, from byte \d+ of \d+ on$/

  /** Two events and the beginning of a third request, as long as is said, in a segment that no start has seen. */
  const createTorn = async (length: number): Promise<World> => {
    const world = await createWorld()
    await world.append(2)
    world.stop('kill', seededRandom(1))
    const bytes = world.disk().contents(path)
    const last = [...readFrames(bytes)].at(-1)
    world.disk().overwrite(path, Buffer.concat([bytes, bytes.subarray(last?.start, (last?.start ?? 0) + length)]))
    return world
  }

  /** Both copies of the header that a piece has in front. */
  const headerBytes = (world: World): number => {
    const [first] = readFrames(world.disk().contents(path))
    return 2 * (first?.end ?? 0)
  }

  test.each([1, 8, 9, 40])('after %i bytes is kept, and does not prevent deleting the spool', async length => {
    const world = await createTorn(length)
    const bytes = headerBytes(world) + length
    await world.start()
    await drain(world)
    await world.beat()
    expect((await world.spool().drainStatus()).left).toEqual(nothingLeft)
    expect(world.spool().stats()).toMatchObject({ quarantinedFiles: 1, flushedEvents: 2 })
    // Also when the ledger has been rewritten.
    world.stop('kill', seededRandom(1))
    await world.start()
    expect((await world.spool().drainStatus()).left).toEqual(nothingLeft)
    expect(await world.spool().quarantine.list()).toMatchObject([{ bytes, reason: expect.stringMatching(reason) }])
  })

  test('is named where the segment is known to have held more', async () => {
    const world = await createTorn(20)
    world.faults.seal = () => Object.assign(new Error('EIO: held'), { code: 'EIO' })
    await world.start()
    // The ledger knows its two events now; and then the file is cut off.
    await drain(world)
    world.stop('kill', seededRandom(1))
    const bytes = world.disk().contents(path)
    world.disk().overwrite(path, bytes.subarray(0, bytes.length - 30))
    world.faults.seal = undefined
    await world.start()
    await world.beat()
    const { left } = await world.spool().drainStatus()
    expect(left.pieces).toMatchObject([{ state: 'damaged', reason: expect.stringMatching(reason) }])
    expect(left.quarantined.files).toBe(1)
  })

  test('is distinguished from a damaged one', async () => {
    const world = await createTorn(40)
    const bytes = world.disk().contents(path)
    world.disk().overwrite(path, Buffer.concat([bytes, Buffer.alloc(5_000)]))
    await world.start()
    await drain(world)
    await world.beat()
    const { left } = await world.spool().drainStatus()
    expect(left.pieces).toMatchObject([{ state: 'damaged', reason: expect.stringContaining('is damaged from byte') }])
  })
})

test('the copy of the ledger that 0.1.0 leaves when it refuses a later spool is not what is left of events', async () => {
  const world = await createWorld()
  await world.append(2)
  const disk = world.disk()
  await writeSynced(disk, '_quarantine/ledger-5f0ad1c3.damaged', disk.contents('ledger'))
  await disk.fsyncDir('_quarantine')
  world.stop('kill', seededRandom(1))
  await world.start()
  await drain(world)
  await world.beat()
  expect((await world.spool().drainStatus()).left).toEqual(nothingLeft)
  // Anything else there may hold events.
  await writeSynced(world.disk(), '_quarantine/segment-9-0.damaged', Buffer.from('?'))
  expect((await world.spool().drainStatus()).left.quarantined.files).toBe(1)
})

describe('R23: copies of a spool', () => {
  /** Both copies are drained, the second one a day later. */
  const drainBoth = async (world: World, disks: readonly World['disk'][]) => {
    const left = []
    for (const disk of disks) {
      world.clock.ms += 86_400_000
      const { spool, beat } = await openTestSpool({ disk: disk(), fileSystem: world.fileSystem, clock: world.clock })
      await spool.drain()
      await beat()
      left.push((await spool.drainStatus()).left)
      await spool.close()
    }
    return left
  }

  test.each(['unsealed', 'sealed', 'moving'] as const)('events that are %s get to their place once', async state => {
    const world = await createWorld()
    await world.append(3, { name: 'A' })
    await world.append(2, { name: 'B' })
    if (state !== 'unsealed') {
      world.faults.fileSystem = (operation, path) =>
        state === 'sealed' || operation === 'rename' ? new FileSystemError('unavailable', path, 'away') : undefined
      world.clock.ms += 30_000
      await world.beat()
      world.faults.fileSystem = undefined
    }
    const disk = world.disk()
    const [first, second] = [disk.kill(), disk.kill()]
    expect(await drainBoth(world, [() => first, () => second])).toEqual([nothingLeft, nothingLeft])
    expect(await world.verdict()).toEqual(allIsWell)
    expect(await world.found()).toHaveLength(5)
  })

  test('a segment that has grown since it was copied is set aside, not sent beside its copy', async () => {
    const world = await createWorld()
    await world.append(2)
    const copy = world.disk().kill()
    world.stop('kill', seededRandom(1))
    await world.start()
    // Its last segment as if it had continued: one more request after the others.
    const path = 'log/0000000001.log'
    const [, ...frames] = readFrames(world.disk().contents(path))
    const last = frames.at(-1)
    const grown = world.disk().kill()
    const bytes = grown.contents(path)
    grown.overwrite(path, Buffer.concat([bytes, bytes.subarray(last?.start, last?.end)]))
    const [ofCopy, ofGrown] = await drainBoth(world, [() => copy, () => grown])
    expect(ofCopy).toEqual(nothingLeft)
    expect(ofGrown?.quarantined).toMatchObject({ files: 1, events: 4 })
    expect((await readEvents(world.fileSystem)).map(({ payload }) => payload['n'])).toEqual([0, 1])
  })
})

import { describe, expect, test } from 'vitest'
import { writeSynced } from '../../../../src/disk/write-synced.ts'
import { FileSystemError } from '../../../../src/filesystem/filesystem.ts'
import { releaseFiles } from '../../../../src/spool/quarantine/quarantine.ts'
import { takeSpool } from '../../../../src/spool/tool/offline.ts'
import { createWorld, seededRandom, type World } from '../../../suites/crash-world.ts'
import { allIsWell } from '../../../suites/ledger-of-client.ts'
import { createNameTaken, writeFile } from '../../../suites/name-taken.ts'
import { jsonBatch, openTestSpool, readEvents, readFiles, type TestSpool } from '../../../suites/spool.ts'
import { createTearingDisk, type TearingDisk } from '../../../suites/tearing-disk.ts'

/** The spool as `cp -r` copies it while it is in use. */
const copyOf = async (world: World): Promise<TearingDisk> => {
  const copy = createTearingDisk()
  for (const path of world.disk().paths) {
    if (path.includes('/')) await copy.mkdir(path.slice(0, path.lastIndexOf('/')))
    await writeSynced(copy, path, world.disk().contents(path))
  }
  return copy
}

const expectEachOnce = async (world: World): Promise<void> => {
  await world.calm()
  expect(await world.verdict()).toEqual(allIsWell)
  // Ends of the ledger that a power cut has torn are pieces too.
  const torn = world.disk().paths.filter(path => /^_quarantine\/ledger-[0-9a-f]+\.damaged$/.test(path)).length
  expect(world.spool().stats()).toMatchObject({ quarantinedFiles: torn, takenFiles: 0, pendingFiles: 0 })
}

const passHours = async (world: World): Promise<void> => {
  for (let i = 0; i < 40; i++) {
    world.clock.ms += 600_000
    await world.beat()
  }
}

describe('a file whose name another file has', () => {
  test('is shown as a conflict, and released under its own name is set aside again', async () => {
    const { world, name } = await createNameTaken()
    const { quarantine } = world.spool()
    const shown = { name, kind: 'conflict', events: 2, reason: 'Another file has this name' }
    expect(await quarantine.list()).toMatchObject([shown])
    expect(world.spool().stats()).toMatchObject({ quarantinedFiles: 1, retriedFiles: 0 })
    expect(await quarantine.release([name])).toMatchObject([{ done: true }])
    await world.beat()
    expect(await quarantine.list()).toMatchObject([shown])
    world.stop('kill', seededRandom(1))
    await world.start()
    expect(await world.spool().quarantine.list()).toMatchObject([shown])
  })

  test('is sent neither by itself nor by a drain once the name is free, for a consumer may have taken the same events away', async () => {
    const { world, name, path } = await createNameTaken()
    await world.fileSystem.delete(path)
    await passHours(world)
    await world.call(spool => spool.drain())
    await world.beat()
    expect(await world.spool().quarantine.list()).toMatchObject([{ name, kind: 'conflict' }])
    expect(await world.found()).toEqual([])
    // When it is asked for it is, as everything that is set aside.
    await world.spool().processLeftBelowFiles()
    expect(new Set(await world.found())).toEqual(new Set([0, 1]))
    expect(await world.found()).toHaveLength(2)
  })

  test('goes beside that file under a new name, which it keeps', async () => {
    const { world, name, path } = await createNameTaken()
    const [outcome] = await world.spool().quarantine.releaseUnderNewName([name])
    const newPath = /2 events go to (.*)$/.exec(outcome?.detail ?? '')?.[1] ?? ''
    expect(newPath).toMatch(/-1-0-\d+-[0-9a-f]{8}\.jsonl$/)
    world.stop('kill', seededRandom(1))
    await world.start()
    await expectEachOnce(world)
    expect([...(await readFiles(world.fileSystem)).keys()].sort()).toEqual([newPath, path].sort())
    expect(world.disk().paths.filter(local => local.includes('.jsonl'))).toEqual([])
  })

  test.each(['kill', 'power cut'] as const)('a release under a new name survives a %s at any step', async how => {
    for (let at = 1, done = false; !done; at++) {
      const { world, name } = await createNameTaken()
      const random = seededRandom(at)
      let steps = 0
      const count = () => {
        if (++steps === at) world.stop(how, random)
        return undefined
      }
      world.faults.disk = count
      world.faults.fileSystem = operation => {
        count()
        return operation === 'rename' && steps >= at ? 'lost-reply' : undefined
      }
      await world.call(spool => spool.quarantine.releaseUnderNewName([name]))
      await world.beat()
      done = steps < at
      world.faults.disk = undefined
      world.faults.fileSystem = undefined
      if (!done) await world.start()
      // What was not done before the stop is asked for again.
      await world.call(spool => spool.quarantine.releaseUnderNewName([name]))
      await expectEachOnce(world)
    }
  })

  test('is there already when another copy of the spool has sent it, under its own name or the new one', async () => {
    for (const isFreed of [true, false]) {
      const { world, name, path } = await createNameTaken()
      const copy = await copyOf(world)
      await world.spool().quarantine.releaseUnderNewName([name])
      const other = await openTestSpool({ disk: copy, fileSystem: world.fileSystem, clock: world.clock })
      if (isFreed) {
        const [foreign = Buffer.of()] = (await readFiles(world.fileSystem)).values()
        await world.fileSystem.delete(path)
        await writeFile(world, `${path.slice(0, path.lastIndexOf('/'))}/moved.jsonl`, foreign)
        await other.spool.quarantine.release([name])
      } else await other.spool.quarantine.releaseUnderNewName([name])
      await other.beat()
      expect(other.spool.stats()).toMatchObject({ pendingFiles: 0, quarantinedFiles: 0 })
      await expectEachOnce(world)
    }
  })

  test('and whose new name a lost ledger has forgotten is not there twice', async () => {
    const { world, name } = await createNameTaken()
    const lost = await copyOf(world)
    await world.spool().quarantine.releaseUnderNewName([name])
    await world.calm()
    const { spool, beat, clock } = await openTestSpool({ disk: lost, fileSystem: world.fileSystem, clock: world.clock })
    await spool.processLeftBelowFiles()
    expect(await spool.quarantine.releaseUnderNewName([name])).toMatchObject([{ done: true }])
    clock.ms += 3_600_000
    await beat()
    expect(spool.stats()).toMatchObject({ pendingFiles: 0, quarantinedFiles: 0 })
    expect(await world.verdict()).toEqual(allIsWell)
  })

  test('only such a file gets a new name: any other may be in the file system under its own', async () => {
    const { world, name } = await createNameTaken()
    world.faults.fileSystem = (_, path) => new FileSystemError('denied', path, 'denied')
    await world.spool().quarantine.release([name])
    await world.beat()
    const spool = await takeSpool(await copyOf(world))
    const outcomes = await releaseFiles(spool, [name], true)
    expect(outcomes).toMatchObject([{ done: false, detail: expect.stringContaining('release it without') }])
    expect(spool.ledger.state.files.get(name)).toMatchObject({ state: { at: 'quarantined', reason: 'denied' } })
    await spool.close()
  })
})

describe('R23: a copied spool whose original went on', () => {
  const open = (disk: TearingDisk, world: Pick<World, 'fileSystem' | 'clock'>): Promise<TestSpool> =>
    openTestSpool({ disk, fileSystem: world.fileSystem, clock: world.clock })

  /** Takes what the spool has to the file system, as time does. */
  const carry = async ({ spool, clock, beat }: TestSpool) => {
    clock.ms += 60_000
    await beat()
    return spool.stats()
  }

  test('sealed files that the original has committed are committed in the copy too', async () => {
    const world = await createWorld()
    await world.call(spool => spool.disableFlush())
    await world.append(3, { name: 'A' })
    await world.append(2, { name: 'B' })
    const copy = await copyOf(world)
    await world.call(spool => spool.enableFlush())
    await world.calm()
    const second = await open(copy, world)
    await second.spool.enableFlush()
    expect(await carry(second)).toMatchObject({ quarantinedFiles: 0, pendingFiles: 0, totalFlushedEvents: 5 })
    expect(await world.verdict()).toEqual(allIsWell)
  })

  test('its files have the names of those of the original, whichever sender wrote the later events', async () => {
    const world = await createWorld()
    const append = (spool: TestSpool['spool'], n: number, name: string, caller: string) =>
      spool.append({ ...jsonBatch([{ n }], { name }), caller })
    await append(world.spool(), 1, 'A', 'one')
    await append(world.spool(), 2, 'B', 'one')
    const copy = await copyOf(world)
    // In the turns of the callers C is in front of B.
    await append(world.spool(), 3, 'C', 'two')
    await world.calm()
    const second = await open(copy, world)
    expect(await carry(second)).toMatchObject({ quarantinedFiles: 0, pendingFiles: 0, totalFlushedEvents: 2 })
    const numbers = (await readEvents(world.fileSystem)).map(({ payload }) => Number(payload['n']))
    expect(numbers.toSorted((a, b) => a - b)).toEqual([1, 2, 3])
  })

  test('a file with fewer events than that of the original is a conflict, until it is removed', async () => {
    const world = await createWorld()
    await world.append(2, { name: 'A' })
    const copy = await copyOf(world)
    await world.append(1, { name: 'A' })
    await world.calm()
    const second = await open(copy, world)
    expect(await carry(second)).toMatchObject({ quarantinedFiles: 1, quarantinedEvents: 2 })
    const [piece] = await second.spool.quarantine.list()
    expect(piece).toMatchObject({ kind: 'conflict' })
    await second.spool.quarantine.remove([piece?.name ?? ''])
    expect(await carry(second)).toMatchObject({ quarantinedFiles: 0, pendingFiles: 0 })
    expect(await world.verdict()).toEqual(allIsWell)
  })
})

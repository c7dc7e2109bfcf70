import { describe, expect, test } from 'vitest'
import { removeQuarantined } from '../../../../src/spool/quarantine/quarantine.ts'
import { segmentPath } from '../../../../src/spool/segment/segment-files.ts'
import { takeSpool } from '../../../../src/spool/tool/offline.ts'
import { replayQuarantine } from '../../../../src/spool/tool/replay.ts'
import { verifySpool } from '../../../../src/spool/tool/verify.ts'
import { createWorld, seededRandom, type World } from '../../../suites/crash-world.ts'
import { allIsWell } from '../../../suites/ledger-of-client.ts'

const first = '0000000001.log'

/** Two events in a closed segment, two in one after it, one in the open one; the disk lets nothing be sealed yet. */
const createHeld = async (): Promise<World> => {
  const world = await createWorld({ settings: { maxUncommittedEvents: 2 } })
  world.faults.disk = (operation, path) =>
    operation === 'create' && path.startsWith('sealed/') ? Object.assign(new Error('EIO'), { code: 'EIO' }) : undefined
  await world.append(2)
  await world.append(2)
  await world.append(1)
  await world.beat()
  expect(world.disk().paths.filter(path => path.startsWith('log/'))).toHaveLength(3)
  return world
}

const restart = async (world: World): Promise<void> => {
  world.stop('kill', seededRandom(1))
  await world.start()
}

/** The first one was given up as lost, and exists again while no process runs. */
const createBack = async (): Promise<World> => {
  const world = await createHeld()
  const bytes = await world.disk().read(segmentPath(1))
  await world.disk().unlink(segmentPath(1))
  await world.calm()
  world.stop('kill', seededRandom(1))
  const file = await world.disk().create(segmentPath(1))
  await file.append(bytes)
  await file.fdatasync()
  await world.disk().fsyncDir('log')
  return world
}

/** The lost ones are named and counted, the others are there, and the books balance with both. */
const expectLost = async (world: World, lost: { readonly names: readonly string[]; readonly events: number }) => {
  const stats = world.spool().stats()
  expect(stats).toMatchObject({ lostSegments: lost.names, lostEvents: lost.events, quarantinedFiles: 0, openEvents: 0 })
  expect(stats.totalFlushedEvents + stats.lostEvents).toBe(5)
}

describe('R25: a segment whose file is gone', () => {
  test.each(['goes on', 'kill'])('is named and counted as lost; the others continue (%s)', async then => {
    const world = await createHeld()
    await world.disk().unlink(segmentPath(1))
    if (then === 'kill') await restart(world)
    world.faults.disk = undefined
    world.clock.ms += 2_000
    await world.beat()
    // At once, and not after some attempts.
    expect(world.spool().stats()).toMatchObject({ lostSegments: [first], lostEvents: 2 })
    await world.calm()
    expect(await world.found()).toEqual([2, 3, 4])
    await expectLost(world, { names: [first], events: 2 })
    await restart(world)
    await expectLost(world, { names: [first], events: 2 })
  })

  test('is named when it was open, though its contents are unknown', async () => {
    const world = await createHeld()
    world.stop('kill', seededRandom(1))
    await world.disk().unlink(segmentPath(3))
    expect((await verifySpool(world.disk(), { isHeld: false })).findings).toContainEqual({
      level: 'problem',
      file: segmentPath(3),
      detail: 'The file is gone, with an unknown number of events',
    })
    world.faults.disk = undefined
    await world.start()
    await world.calm()
    expect(await world.found()).toEqual([0, 1, 2, 3])
    expect(world.spool().stats()).toMatchObject({ lostSegments: ['0000000003.log'], lostEvents: 0 })
  })

  test('is not lost while the directory of the log is away: it waits', async () => {
    const world = await createHeld()
    world.faults.disk = (operation, path) =>
      path.startsWith('log') && (operation === 'read' || operation === 'list')
        ? Object.assign(new Error('ENOENT: not mounted'), { code: 'ENOENT' })
        : undefined
    for (let i = 0; i < 8; i++) {
      world.clock.ms += 30_000
      await world.beat()
    }
    expect(world.spool().stats()).toMatchObject({ lostSegments: [] })
    await world.calm()
    expect(await world.found()).toEqual([0, 1, 2, 3, 4])
  })

  test('counts until somebody takes note', async () => {
    const world = await createHeld()
    await world.disk().unlink(segmentPath(1))
    await world.calm()
    world.stop('kill', seededRandom(1))
    expect((await verifySpool(world.disk(), { isHeld: false })).findings).toContainEqual({
      level: 'problem',
      file: segmentPath(1),
      detail: 'The file is gone, with 2 events',
    })
    const spool = await takeSpool(world.disk())
    expect(await removeQuarantined(spool, [first])).toMatchObject([{ done: true }])
    await spool.close()
    await world.start()
    expect(world.spool().stats()).toMatchObject({ lostSegments: [], lostEvents: 0 })
  })

  test('that comes back is kept in quarantine, and can be replayed', async () => {
    const world = await createBack()
    await world.start()
    expect(world.spool().stats()).toMatchObject({ lostSegments: [], quarantinedFiles: 1, quarantinedEvents: 2 })
    world.stop('kill', seededRandom(1))
    const spool = await takeSpool(world.disk())
    expect(await replayQuarantine(spool)).toMatchObject([{ events: 2, problem: '' }])
    await spool.close()
    await world.start()
    await world.calm()
    expect(new Set(await world.found())).toEqual(new Set([0, 1, 2, 3, 4]))
    expect(await world.verdict()).toEqual(allIsWell)
  })

  test('that comes back counts once, as set aside, wherever the power is cut', async () => {
    // Where what a start does about it is seen.
    const steps = new Set(['ledger', 'ledger.new', '_quarantine', segmentPath(1)])
    let cuts = 0
    for (let seed = 1; seed <= 12; seed++) {
      for (let at = 1, isCut = true; isCut; at++) {
        const world = await createBack()
        const { generation } = world
        let left = at
        world.faults.disk = (_, path) => {
          if (!steps.has(path) || --left !== 0) return undefined
          world.stop('power cut', seededRandom(seed))
          return new Error('The power is cut')
        }
        await world.start()
        world.faults.disk = undefined
        isCut = world.generation > generation
        if (isCut) {
          cuts++
          await world.start()
        }
        const stats = world.spool().stats()
        expect(stats, `seed ${seed}, cut ${at}`).toMatchObject({
          lostSegments: [],
          lostEvents: 0,
          quarantinedEvents: 2,
        })
      }
    }
    expect(cuts).toBeGreaterThan(60)
  })
})

import { describe, expect, test } from 'vitest'
import { toFrame } from '../../../src/spool/framing.ts'
import { frameType } from '../../../src/spool/record.ts'
import { segmentPath } from '../../../src/spool/segment-files.ts'
import { createWorld, seededRandom, type World } from '../../suites/crash-world.ts'
import { allIsWell } from '../../suites/ledger-of-client.ts'

const segment = segmentPath(1)

/** Three acknowledged batches of two events in one segment that is not sealed, as a killed process leaves it. */
const createVictim = async (): Promise<{ world: World; bytes: Uint8Array; ends: number[] }> => {
  const world = await createWorld()
  const ends: number[] = []
  for (let i = 0; i < 3; i++) {
    await world.append(2)
    ends.push(world.disk().syncedLength(segment))
  }
  world.stop('kill', seededRandom(1))
  return { world, bytes: await world.disk().read(segment), ends }
}

const quarantined = async (world: World): Promise<Buffer> => {
  const paths = world.disk().paths.filter(path => path.startsWith('_quarantine/'))
  return Buffer.concat(await Promise.all(paths.map(path => world.disk().read(path))))
}

/** Starts on what was damaged: the first `good` batches are kept, the rest is in quarantine byte for byte. */
const expectPrefix = async (world: World, damaged: Uint8Array, good: number, from: number): Promise<void> => {
  world.disk().overwrite(segment, damaged)
  await world.start()
  expect(world.spool().stats()).toMatchObject({ accepting: true, openEvents: good * 2 })
  await world.append(1)
  await world.calm()
  expect(await world.found()).toEqual([...Array(good * 2).keys(), 6])
  const rest = Buffer.from(damaged.subarray(from))
  expect(await quarantined(world)).toEqual(rest)
  expect(world.spool().stats()).toMatchObject({
    quarantinedFiles: rest.length > 0 ? 1 : 0,
    totalFlushedEvents: good * 2 + 1,
    openEvents: 0,
  })
}

describe('R3: a damaged segment', () => {
  const ways: readonly (readonly [string, (bytes: Uint8Array, at: number) => Uint8Array])[] = [
    ['flipped', (bytes, at) => bytes.with(at, (bytes[at] ?? 0) ^ (1 << (at & 7)))],
    ['cut', (bytes, at) => bytes.slice(0, at)],
    ['zero from there on', (bytes, at) => bytes.slice().fill(0, at)],
  ]
  test.each(ways)('%s at every byte of the last record keeps what is before it', async (_, damage) => {
    const { bytes, ends } = await createVictim()
    const from = ends[1] ?? 0
    for (let at = from; at < bytes.length; at++) {
      const { world } = await createVictim()
      const damaged = damage(bytes, at)
      // The CRC of a record never fits to its cut or zeroed self, unless the damage changed nothing.
      const same = Buffer.from(damaged).equals(bytes)
      await expectPrefix(world, damaged, same ? 3 : 2, same ? bytes.length : from)
    }
  })

  test('flipped at random anywhere keeps the records before it', async () => {
    const random = seededRandom(7)
    for (let run = 0; run < 200; run++) {
      const { world, bytes, ends } = await createVictim()
      const at = Math.floor(random() * bytes.length)
      const damaged = bytes.with(at, (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8)))
      const good = ends.filter(end => end <= at).length
      const header = (ends[0] ?? 0) - ((ends[1] ?? 0) - (ends[0] ?? 0))
      await expectPrefix(world, damaged, good, good > 0 ? (ends[good - 1] ?? 0) : at < header ? 0 : header)
    }
  })

  test.each([0, 1, 8, 9, 20])('of %i bytes does not hold up the start', async length => {
    const { world, bytes } = await createVictim()
    await expectPrefix(world, bytes.slice(0, length), 0, 0)
  })

  test('whose record is valid but no request is set aside, record by record', async () => {
    const { world, bytes } = await createVictim()
    const odd = toFrame(frameType.batch, Buffer.from('from another version'))
    world.disk().overwrite(segment, Buffer.concat([bytes, odd]))
    await world.start()
    expect(world.spool().stats()).toMatchObject({ accepting: true, openEvents: 6 })
    await world.calm()
    expect(await world.verdict()).toEqual(allIsWell)
    expect(await quarantined(world)).toEqual(Buffer.from(odd))
  })

  test('that cannot be sealed is set aside once, also when the ledger fails meanwhile, and what follows goes on', async () => {
    const world = await createWorld()
    await world.append(2)
    world.faults.disk = (operation, path) =>
      operation === 'read' && path === segment ? new Error('EIO: unreadable sector') : undefined
    for (let i = 0; i < 4; i++) {
      world.clock.ms += 30_000
      await world.beat()
    }
    let failing = 1
    world.faults.disk = (operation, path) => {
      if (operation === 'read' && path === segment) return new Error('EIO: unreadable sector')
      return path.startsWith('ledger') && failing-- > 0 ? new Error('EIO') : undefined
    }
    await world.append(1, { name: 'Later' })
    for (let i = 0; i < 4; i++) {
      world.clock.ms += 30_000
      await world.beat()
    }
    expect(await world.found()).toEqual([2])
    expect(world.spool().stats()).toMatchObject({ quarantinedFiles: 1, quarantinedEvents: 2, openEvents: 0 })
    expect(world.disk().paths).toContain('_quarantine/segment-1.log')
  })

  test('that was set aside when the process ended before the ledger knew is tried again', async () => {
    const world = await createWorld()
    await world.append(2)
    world.faults.disk = (operation, path) => {
      if (operation === 'fsyncDir' && path === '_quarantine') world.stop('kill', seededRandom(1))
      return operation === 'read' && path === segment ? new Error('EIO') : undefined
    }
    for (let i = 0; i < 6 && world.generation === 0; i++) {
      world.clock.ms += 30_000
      await world.beat()
    }
    world.faults.disk = undefined
    expect(world.disk().paths).toContain('_quarantine/segment-1.log')
    await world.start()
    await world.append(1)
    await world.calm()
    expect(await world.verdict()).toEqual(allIsWell)
  })
})

describe('a sealed file', () => {
  /** Two events in a sealed file that waits, two in one behind it. */
  const createWaiting = async (): Promise<World> => {
    const world = await createWorld({ settings: { maxUncommittedEvents: 2 } })
    await world.call(spool => spool.disableFlush())
    for (const name of ['One', 'Two']) {
      await world.append(2, { name })
      world.clock.ms += 30_000
      await world.beat()
    }
    return world
  }
  const firstSealed = (world: World): string => world.disk().paths.find(path => path.startsWith('sealed/')) ?? ''

  test('that is damaged on the local disk is quarantined, not sent', async () => {
    const world = await createWaiting()
    const path = firstSealed(world)
    world.disk().overwrite(path, Buffer.from('damaged'))
    await world.calm()
    expect(await world.found()).toEqual([2, 3])
    expect(world.spool().stats()).toMatchObject({ quarantinedFiles: 1, quarantinedEvents: 2, totalFlushedEvents: 2 })
  })

  test.each(['goes on', 'kill'] as const)('that is missing is counted, and holds up nothing (%s)', async then => {
    const world = await createWaiting()
    await world.disk().unlink(firstSealed(world))
    if (then === 'kill') {
      world.stop('kill', seededRandom(1))
      await world.start()
    }
    await world.calm()
    expect(await world.found()).toEqual([2, 3])
    expect(world.spool().stats()).toMatchObject({ quarantinedEvents: 2, totalFlushedEvents: 2, pendingFiles: 0 })
  })
})

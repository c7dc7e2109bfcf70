import { describe, expect, test } from 'vitest'
import { headerFrame } from '../../../../src/spool/framing/format-header.ts'
import { frameAt, toFrame } from '../../../../src/spool/framing/framing.ts'
import { segmentPath } from '../../../../src/spool/segment/segment-files.ts'
import { frameType, prefixBytes, recordOffset } from '../../../../src/spool/segment/segment-format.ts'
import { createWorld, seededRandom, type World } from '../../../suites/crash-world.ts'
import { allIsWell } from '../../../suites/ledger-of-client.ts'

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

/** What is in quarantine, without the headers in front of the pieces. */
const quarantined = async (world: World): Promise<Buffer> => {
  const paths = world.disk().paths.filter(path => path.startsWith('_quarantine/'))
  const pieces = await Promise.all(paths.map(path => world.disk().read(path)))
  return Buffer.concat(pieces.map(piece => piece.subarray(headerBytes(piece))))
}

/** Of both copies; 0 without a header. */
const headerBytes = (bytes: Uint8Array): number => {
  const first = frameAt(bytes, 0)
  return first?.type === headerFrame ? 2 * first.end : 0
}

/** Starts on what was damaged: all batches but the lost one are kept, and that one is in quarantine byte for byte. */
const expectRest = async (world: World, damaged: Uint8Array, lost: Lost | undefined): Promise<void> => {
  world.disk().overwrite(segment, damaged)
  await world.start()
  // Withheld parts count as well, as far as they can be read.
  expect(world.spool().stats().accepting).toBe(true)
  await world.append(1)
  await world.calm()
  const kept = [0, 1, 2].filter(batch => lost === undefined || !lost.batches.includes(batch))
  expect(await world.found()).toEqual([...kept.flatMap(batch => [2 * batch, 2 * batch + 1]), 6])
  expect(await quarantined(world)).toEqual(Buffer.from(damaged.subarray(lost?.from ?? 0, lost?.to ?? 0)))
  expect(world.spool().stats()).toMatchObject({
    quarantinedFiles: lost && lost.to > lost.from ? 1 : 0,
    totalFlushedEvents: kept.length * 2 + 1,
    openEvents: 0,
  })
  // Never as 0 what may have been promised.
  const { quarantinedEvents } = world.spool().stats()
  if (!lost?.isTorn && lost) expect(quarantinedEvents).toBeGreaterThan(0)
  else expect(quarantinedEvents).toBe(0)
}

/** Batches that cannot be read, and their places. */
type Lost = {
  readonly batches: readonly number[]
  readonly from: number
  readonly to: number
  readonly isTorn?: boolean
}

describe('R3: a damaged segment', () => {
  test('flipped at every byte keeps every record but the one that it hit', async () => {
    const { bytes, ends } = await createVictim()
    const starts = [headerBytes(bytes), ...ends]
    for (let at = 0; at < bytes.length; at++) {
      const { world } = await createVictim()
      const damaged = bytes.with(at, (bytes[at] ?? 0) ^ (1 << (at & 7)))
      const hit = starts.findLastIndex(start => start <= at)
      const from = starts[hit] ?? 0
      // One whose length is damaged is found by its checksum.
      const isRead = hit < 0 || at - from < 4
      await expectRest(world, damaged, isRead ? undefined : { batches: [hit], from, to: starts[hit + 1] ?? 0 })
    }
  })

  test('cut at every byte of the last record keeps everything before it, and the rest was never acknowledged', async () => {
    const { bytes, ends } = await createVictim()
    const from = ends[1] ?? 0
    for (let at = from; at < bytes.length; at++) {
      const { world } = await createVictim()
      const isTorn = at > from
      const { world: other } = await createVictim()
      other.stop('kill', seededRandom(1))
      world.disk().overwrite(segment, bytes.subarray(0, at))
      await world.start()
      await world.append(1)
      await world.calm()
      expect(await world.found()).toEqual([0, 1, 2, 3, 6])
      expect(world.spool().stats()).toMatchObject({ quarantinedFiles: isTorn ? 1 : 0, quarantinedEvents: 0 })
    }
  })

  test('zero from any byte of the last record on keeps what is before it', async () => {
    const { bytes, ends } = await createVictim()
    const from = ends[1] ?? 0
    for (let at = from; at < bytes.length; at++) {
      const damaged = bytes.slice().fill(0, at)
      if (Buffer.from(damaged).equals(bytes)) continue
      const { world } = await createVictim()
      await expectRest(world, damaged, { batches: [2], from, to: bytes.length })
    }
  })

  test('that the ledger knows to have held so many events is counted with all that are missing', async () => {
    const world = await createWorld({ settings: { maxUncommittedEvents: 6 } })
    world.faults.seal = () => Object.assign(new Error('EIO: held'), { code: 'EIO' })
    for (let i = 0; i < 3; i++) await world.append(2)
    // The ledger notes that it is closed before the next one is opened.
    await world.append(2)
    world.stop('kill', seededRandom(1))
    const bytes = world.disk().contents(segment)
    const zeros = bytes.slice().fill(0, bytes.length - 200)
    world.disk().overwrite(segment, zeros)
    world.faults.seal = undefined
    await world.start()
    await world.calm()
    const { quarantinedEvents, totalFlushedEvents } = world.spool().stats()
    expect(totalFlushedEvents).toBe((await world.found()).length)
    expect(totalFlushedEvents).toBeLessThan(8)
    expect(quarantinedEvents + totalFlushedEvents).toBe(8)
  })

  test.each([0, 1, 8, 9, 20])('of %i bytes does not hold up the start', async length => {
    const { world, bytes } = await createVictim()
    await expectRest(world, bytes.slice(0, length), { batches: [0, 1, 2], from: 0, to: length, isTorn: true })
  })

  test('whose record is valid but no request is set aside, record by record', async () => {
    const { world, bytes } = await createVictim()
    const at = headerBytes(bytes)
    const prefix = bytes.subarray(at + recordOffset - prefixBytes, at + recordOffset)
    const odd = toFrame(frameType.marked, Buffer.concat([prefix, Buffer.from('from another version')]))
    world.disk().overwrite(segment, Buffer.concat([bytes, odd]))
    await world.start()
    expect(world.spool().stats()).toMatchObject({ accepting: true, openEvents: 7 })
    await world.calm()
    expect(await world.verdict()).toEqual(allIsWell)
    expect(await quarantined(world)).toEqual(Buffer.from(odd))
  })

  test('that cannot be sealed is set aside once, also when the ledger fails meanwhile, and later segments continue', async () => {
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

  test('that was set aside when the process ended before the ledger knew is retried', async () => {
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
  /** Two events in a sealed file that waits, two in one after it. */
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

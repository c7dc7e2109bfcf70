import { describe, expect, test } from 'vitest'
import type { Batch } from '../../../../src/spool/batch.ts'
import { eventIdBytes } from '../../../../src/spool/event-ids.ts'
import { parseHeader } from '../../../../src/spool/framing/format-header.ts'
import { frameAt } from '../../../../src/spool/framing/framing.ts'
import type { SpoolSettings } from '../../../../src/spool/spool-settings.ts'
import { seededRandom } from '../../../suites/crash-world.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { jsonBatch, openTestSpool, type TestSpool } from '../../../suites/spool.ts'
import { createTearingDisk, type TearingDisk } from '../../../suites/tearing-disk.ts'

/** Ids of numbers; none for 0. */
const toIds = (...numbers: readonly number[]): Uint8Array => {
  const ids = Buffer.alloc(numbers.length * eventIdBytes)
  for (const [i, n] of numbers.entries()) if (n > 0) ids.write(`id ${n}`, i * eventIdBytes)
  return ids
}

const identified = (...numbers: readonly number[]): Batch => ({
  ...jsonBatch(numbers.map(n => ({ n }))),
  eventIds: toIds(...numbers),
})

const open = (disk: TearingDisk, settings: Partial<SpoolSettings> = {}): Promise<TestSpool> =>
  openTestSpool({ disk, fileSystem: createMemoryFileSystem(), settings })

/** Ends the segment, seals and commits it. */
const seal = async ({ clock, beat }: TestSpool): Promise<void> => {
  clock.ms += 30_000
  await beat()
}

/** Which of these are kept. */
const keptOf = ({ spool }: TestSpool, ...numbers: readonly number[]): readonly number[] =>
  spool.recallIds(toIds(...numbers)).kept.map(i => numbers[i] ?? -1)

describe('ids of events', () => {
  test('are known once their batch is kept; an event without one is never known', async () => {
    const one = await open(createTearingDisk())
    expect(keptOf(one, 1)).toEqual([])
    await one.spool.append(identified(1, 0, 2))
    expect(keptOf(one, 0, 1, 2, 3)).toEqual([1, 2])
    expect(one.spool.recallIds(toIds(1)).ahead).toBeUndefined()
    expect(one.spool.stats()).toMatchObject({ eventIds: 2, eventIdSeconds: 0, idempotencyKeys: 0 })
  })

  test('are on their way until the batch is kept', async () => {
    const one = await open(createTearingDisk())
    const kept = one.spool.append(identified(1, 0))
    const { kept: already, ahead } = one.spool.recallIds(toIds(2, 1))
    expect(already).toEqual([])
    expect(one.spool.recallIds(toIds(2, 0)).ahead).toBeUndefined()
    expect(await ahead).toBe(true)
    expect(keptOf(one, 2, 1)).toEqual([1])
    await kept
  })

  test('are free again when it is not', async () => {
    let isBroken = true
    const disk = createTearingDisk({
      fail: (operation, path) =>
        isBroken && operation === 'fdatasync' && path.startsWith('log/') ? new Error('EIO') : undefined,
    })
    const one = await open(disk)
    const kept = one.spool.append(identified(1))
    const { ahead } = one.spool.recallIds(toIds(1))
    await expect(kept).rejects.toThrow()
    expect(await ahead).toBe(false)
    expect(one.spool.recallIds(toIds(1))).toEqual({ kept: [], ahead: undefined })
    isBroken = false
    await one.beat()
    await one.spool.append(identified(1))
    const again = await open(disk.kill())
    expect(keptOf(again, 1)).toEqual([1])
  })

  test.each(['fsync', 'written', 'memory'] as const)('with collector.ack=%s are known with the answer', async ack => {
    const one = await open(createTearingDisk(), { ack })
    await one.spool.append(identified(1))
    expect(keptOf(one, 1)).toEqual([1])
  })

  test('R2: are known through sealing, kills and power cuts', async () => {
    for (let seed = 1; seed <= 10; seed++) {
      const random = seededRandom(seed)
      let disk = createTearingDisk()
      for (let n = 1; n <= 20; n++) {
        const one = await open(disk, { maxUncommittedEvents: 3 })
        const before = Array.from({ length: n - 1 }, (_, i) => i + 1)
        expect(keptOf(one, ...before, n)).toEqual(before)
        await one.spool.append(identified(n, 0))
        if (random() < 0.4) await seal(one)
        disk = random() < 0.5 ? disk.kill() : disk.powerCut(random)
      }
    }
  })

  test('R2: of a segment that a start could not read are known, and safe, once it is sealed', async () => {
    const first = createTearingDisk()
    await (await open(first)).spool.append(identified(1))
    let isBroken = true
    const disk = first.kill({
      fail: (operation, path) =>
        isBroken && operation === 'read' && path.startsWith('log/') ? new Error('EIO') : undefined,
    })
    const second = await open(disk)
    expect(keptOf(second, 1)).toEqual([])
    isBroken = false
    await second.beat()
    expect(keptOf(second, 1)).toEqual([1])
    expect(keptOf(await open(disk.powerCut(() => 0)), 1)).toEqual([1])
  })

  test('have a window of their own: many of them push out the oldest ids, and no idempotency key', async () => {
    const outcome = { accepted: 1, rejected: 0, errors: [] }
    const settings = { maxKeys: 2, maxEventIds: 10 }
    const disk = createTearingDisk()
    const one = await open(disk, settings)
    await one.spool.append({ ...jsonBatch([{ n: 0 }]), idempotency: { key: 'k', fingerprint: 'f', outcome } })
    for (let n = 1; n <= 30; n++) await one.spool.append(identified(n))
    await seal(one)
    for (const each of [one, await open(disk.kill(), settings)]) {
      expect(each.spool.recall('k')).toBeDefined()
      expect(keptOf(each, 20, 21, 30)).toEqual([21, 30])
      expect(each.spool.stats()).toMatchObject({ eventIds: 10, idempotencyKeys: 1 })
    }
  })

  test('of earlier runs that are missing are a line in the figures', async () => {
    const disk = createTearingDisk()
    const one = await open(disk)
    await one.spool.append(identified(1))
    await seal(one)
    const left = disk.kill()
    await left.unlink('ids/0000000001.ids')
    const again = await open(left)
    expect(again.spool.stats().idempotencyProblem).toBe('ids/0000000001.ids is gone')
    expect(keptOf(again, 1)).toEqual([])
  })
})

describe('segments', () => {
  /** By their numbers. */
  const versionsOf = (disk: TearingDisk): Readonly<Record<string, unknown>> =>
    Object.fromEntries(
      disk.paths
        .filter(path => path.startsWith('log/'))
        .map(path => {
          const header = frameAt(disk.contents(path), 0)
          return [path.slice(4, 14), parseHeader(header?.payload ?? new Uint8Array())['version']]
        }),
    )

  test('R22: have the version of before until an event has an id, and then one that says so, also after a start', async () => {
    const disk = createTearingDisk({
      // Nothing is sealed here.
      fail: (operation, path) => (operation === 'create' && path.startsWith('sealed/') ? new Error('EIO') : undefined),
    })
    const one = await open(disk)
    await one.spool.append(jsonBatch([{ n: 1 }]))
    await Promise.all([one.spool.append(jsonBatch([{ n: 2 }])), one.spool.append(identified(3))])
    await one.spool.append(jsonBatch([{ n: 4 }]))
    expect(versionsOf(disk)).toEqual({ '0000000001': 3, '0000000002': 4 })
    await seal(one)
    await one.spool.append(jsonBatch([{ n: 5 }]))
    expect(versionsOf(disk)).toMatchObject({ '0000000003': 4 })
    const left = disk.kill()
    const again = await open(left)
    await again.spool.append(jsonBatch([{ n: 6 }]))
    expect(versionsOf(left)).toMatchObject({ '0000000004': 4 })
  })

  test('no file is made for ids that never arrive', async () => {
    const disk = createTearingDisk()
    const one = await open(disk)
    await one.spool.append(jsonBatch([{ n: 1 }]))
    await seal(one)
    expect(disk.paths.filter(path => path.startsWith('ids'))).toEqual([])
  })
})

import { describe, expect, test } from 'vitest'
import { writeSynced } from '../../../../src/disk/write-synced.ts'
import type { Value } from '../../../../src/formats/number.ts'
import { poolSealings } from '../../../../src/spool/seal/pool.ts'
import type { SealRequest, SealResult } from '../../../../src/spool/seal/seal.ts'
import { createSealing, type Sealing } from '../../../../src/spool/seal/sealing.ts'
import type { SpoolSettings } from '../../../../src/spool/spool-settings.ts'
import { seededRandom } from '../../../suites/crash-world.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { jsonBatch, openTestSpool, readEvents, readFiles, testSettings } from '../../../suites/spool.ts'
import { createTearingDisk, type TearingDisk } from '../../../suites/tearing-disk.ts'

const held = Object.assign(new Error('EIO: held'), { code: 'EIO' })

type Payload = { readonly [key: string]: Value }
type OpenOptions = { readonly settings?: Partial<SpoolSettings>; readonly wrap?: (sealing: Sealing) => Sealing }

/**
 * A spool with a number of sealers, whose segments are sealed when the test says so: after one of an event 0, which
 * ends the failure that has held them.
 */
const openPool = async (sealers: number, { settings = {}, wrap = one => one }: OpenOptions = {}) => {
  const disk = createTearingDisk()
  // File names have it in them.
  await writeSynced(disk, 'id', Buffer.from(`${'c'.repeat(32)}\n`))
  const current = { ...testSettings, flushIntervalMs: 3_600_000, ...settings }
  const sealing = wrap(poolSealings(sealers, () => createSealing(disk)))
  const fileSystem = createMemoryFileSystem()
  const state = { isHeld: true }
  const { spool } = await openTestSpool({
    disk,
    fileSystem,
    settings: current,
    sealing: { ...sealing, seal: request => (state.isHeld ? Promise.reject(held) : sealing.seal(request)) },
  })
  /** One segment of these events. */
  const keep = async (...events: readonly (readonly [name: string, payload: Payload])[]): Promise<void> => {
    for (const [name, payload] of events) await spool.append(jsonBatch([payload], { name }))
    await spool.processLeftBelowFiles()
  }
  const release = async (): Promise<void> => {
    state.isHeld = false
    await spool.processLeftBelowFiles()
  }
  await keep(['First', { n: 0 }])
  return { spool, disk, fileSystem, keep, release, settings: current }
}

const found = async (world: { fileSystem: Parameters<typeof readEvents>[0] }): Promise<number[]> =>
  (await readEvents(world.fileSystem)).map(({ payload }) => Number(payload['n']))

const contents = async (world: { fileSystem: Parameters<typeof readFiles>[0] }): Promise<Record<string, string>> =>
  Object.fromEntries([...(await readFiles(world.fileSystem))].map(([path, bytes]) => [path, toHex(bytes)]))

/** Without the marker of a sequence file, which is random. */
const toHex = (bytes: Uint8Array): string => {
  const text = Buffer.from(bytes).toString('hex')
  const [, marker] = /^534551.*(.{32})f{8}\1/.exec(text) ?? []
  return marker ? text.replaceAll(marker, '') : text
}

/** Segments in which types and members turn up, now and then, and values that their columns cannot hold. */
const toSegments = (seed: number): (readonly [string, Payload])[][] => {
  const random = seededRandom(seed)
  const upTo = (limit: number): number => Math.floor(random() * limit)
  return Array.from({ length: 20 }, (_, segment) =>
    Array.from({ length: 1 + upTo(6) }, (__, n) => {
      const member = `m${upTo(random() < 0.05 ? segment + 1 : 2)}`
      const value = random() < 0.2 ? { [member]: 'text' } : n
      return [`T${upTo(random() < 0.05 ? 5 : 2)}`, { n, [member]: value }] as const
    }),
  )
}

/** Turns of the event loop before each segment, so that they end in any order; what some have done is not heard of. */
const slowed =
  (seed: number, onAhead: () => void) =>
  (sealing: Sealing): Sealing => {
    const random = seededRandom(seed)
    return {
      ...sealing,
      seal: async request => {
        if (request.isAhead) onAhead()
        for (let turns = Math.floor(random() * 60); turns > 0; turns--) await new Promise(setImmediate)
        const result = await sealing.seal(request)
        if (random() < 0.1) throw held
        return result
      },
    }
  }

const inOrder = (numbers: readonly number[]): number[] => numbers.toSorted((a, b) => a - b)

describe('segments that are sealed beside each other', () => {
  test.each(['native', 'sequencefile', 'jsonl', 'parquet'] as const)(
    'become the same files, byte for byte, as one after another (%s)',
    async outputFormat => {
      let ahead = 0
      for (let seed = 1; seed <= 6; seed++) {
        const made: Record<string, string>[] = []
        for (const sealers of [1, 2, 3]) {
          const world = await openPool(sealers, {
            settings: { outputFormat },
            wrap: slowed(seed * sealers, () => ahead++),
          })
          for (const events of toSegments(seed)) await world.keep(...events)
          await world.release()
          while (world.spool.stats().stages.sealing.events > 0) await world.release()
          expect(world.spool.stats()).toMatchObject({ quarantinedFiles: 0, pendingFiles: 0 })
          made.push({
            ...(await contents(world)),
            schemas: outputFormat === 'parquet' ? toHex(world.disk.contents('schemas')) : '',
            misfits: JSON.stringify(Array.from(world.spool.schemas.misfits(), String).sort()),
          })
          await world.spool.close()
        }
        expect(Object.keys(made[0] ?? {}).length).toBeGreaterThan(10)
        expect(made[1]).toEqual(made[0])
        expect(made[2]).toEqual(made[0])
      }
      expect(ahead).toBeGreaterThan(20)
    },
  )

  /** Seals when the test says so; which sealer is asked, and how it ends. */
  const controlled = () => {
    const asked: number[] = []
    const ends = new Map<number, PromiseWithResolvers<void>>()
    const end = (segment: number): PromiseWithResolvers<void> => {
      const known = ends.get(segment) ?? Promise.withResolvers<void>()
      ends.set(segment, known)
      return known
    }
    const wrap = (sealing: Sealing): Sealing => ({
      ...sealing,
      seal: async (request: SealRequest): Promise<SealResult> => {
        const number = request.segment - 1
        if (number > 0) {
          asked.push(number)
          await end(number).promise
        }
        return await sealing.seal(request)
      },
    })
    const again = (segment: number): void => void ends.delete(segment)
    return { asked, end, again, wrap }
  }
  const sealingEvents = ({ spool }: { spool: { stats(): { stages: { sealing: { events: number } } } } }): number =>
    spool.stats().stages.sealing.events
  const fill = async (world: { keep: (event: readonly [string, Payload]) => Promise<void> }): Promise<void> => {
    for (let n = 1; n <= 5; n++) await world.keep(['One', { n }])
  }
  /** Part and format of each file in `sealed/`, of one segment or of all. */
  const sealedNames = ({ disk }: { disk: TearingDisk }, segment = '\\d+' as number | string): string[] =>
    disk.paths.flatMap(path => new RegExp(`^sealed/.*-${segment}-(\\d+\\..*)$`).exec(path)?.[1] ?? []).toSorted()
  const isSealed = ({ disk }: { disk: TearingDisk }, segment: number): boolean =>
    disk.paths.includes(`lists/000000000${segment + 1}.list`)

  test('are as many as there are sealers; one that is done first waits for those before it', async () => {
    const { asked, end, wrap } = controlled()
    const world = await openPool(3, { wrap })
    await fill(world)
    const released = world.release()
    await expect.poll(() => asked).toHaveLength(3)
    expect(inOrder(asked)).toEqual([1, 2, 3])
    end(3).resolve()
    end(2).resolve()
    await expect.poll(() => isSealed(world, 2) && isSealed(world, 3)).toBe(true)
    expect(sealingEvents(world)).toBe(5)
    expect(asked).toHaveLength(3)
    for (const segment of [1, 4, 5]) end(segment).resolve()
    await released
    expect(inOrder(asked)).toEqual([1, 2, 3, 4, 5])
    expect(sealingEvents(world)).toBe(0)
    expect(await found(world)).toEqual([0, 1, 2, 3, 4, 5])
  })

  test('one that comes while others are being sealed is begun with at once', async () => {
    const { asked, end, wrap } = controlled()
    const world = await openPool(2, { wrap })
    await world.keep(['One', { n: 1 }])
    const released = world.release()
    await expect.poll(() => asked).toHaveLength(1)
    await world.spool.append(jsonBatch([{ n: 2 }], { name: 'One' }))
    const left = world.spool.processLeftBelowFiles()
    await expect.poll(() => asked).toHaveLength(2)
    expect(isSealed(world, 1)).toBe(false)
    for (const segment of [1, 2]) end(segment).resolve()
    await Promise.all([released, left])
    expect(await found(world)).toEqual([0, 1, 2])
  })

  test('the first one fails: nothing is begun with until it works, and what is done stays done', async () => {
    const { asked, end, again, wrap } = controlled()
    const world = await openPool(2, { wrap })
    await fill(world)
    const released = world.release()
    await expect.poll(() => asked).toHaveLength(2)
    end(2).resolve()
    await expect.poll(() => isSealed(world, 2)).toBe(true)
    end(1).reject(held)
    await released
    expect(sealingEvents(world)).toBe(5)
    const before = asked.splice(0)
    expect(new Set(before)).toEqual(new Set([1, 2]))
    again(1)
    const retried = world.spool.processLeftBelowFiles()
    await expect.poll(() => asked).toHaveLength(1)
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
    expect(asked).toEqual([1])
    for (const segment of [1, 3, 4, 5]) end(segment).resolve()
    await retried
    expect(inOrder(asked)).toEqual([1, 3, 4, 5])
    expect(await found(world)).toEqual([0, 1, 2, 3, 4, 5])
  })

  test('R21: a sealer ends over one ahead of its turn: that is sealed again in turn, and nobody is told of a failure', async () => {
    const { asked, end, again, wrap } = controlled()
    const world = await openPool(2, { wrap })
    await fill(world)
    const released = world.release()
    await expect.poll(() => asked).toHaveLength(2)
    const { reject } = end(2)
    again(2)
    reject(new Error('The sealing thread ended'))
    for (const segment of [1, 2, 3, 4, 5]) end(segment).resolve()
    await released
    expect(inOrder(asked)).toEqual([1, 2, 2, 3, 4, 5])
    expect(world.spool.stats().quarantinedFiles).toBe(0)
    expect(await found(world)).toEqual([0, 1, 2, 3, 4, 5])
  })

  test('a type that is forgotten while one is sealed ahead: its files have the columns that are learned from then on', async () => {
    const { asked, end, wrap } = controlled()
    const world = await openPool(2, { wrap, settings: { outputFormat: 'parquet' } })
    const columns = (): string[] =>
      world.spool.schemas
        .describe('One')
        ?.columns.map(({ name }) => name)
        .slice(3) ?? []
    await world.keep(['One', { a: 1, b: 1 }])
    end(1).resolve()
    await world.release()
    expect(columns()).toEqual(['a', 'b', '_extra'])
    end(2).resolve()
    await world.spool.append(jsonBatch([{ a: 2 }], { name: 'One' }))
    await world.spool.processLeftBelowFiles()
    for (const n of [3, 4]) {
      await world.spool.append(jsonBatch([{ a: n }], { name: 'One' }))
      void world.spool.processLeftBelowFiles()
      await expect.poll(() => asked).toContain(n)
    }
    end(4).resolve()
    await expect.poll(() => isSealed(world, 4)).toBe(true)
    const forgotten = world.spool.forgetSchema('One')
    end(3).resolve()
    expect(await forgotten).toBe(true)
    await world.spool.processLeftBelowFiles()
    expect(asked).toEqual([1, 2, 3, 4, 4])
    expect(columns()).toEqual(['a', '_extra'])
  })

  test('settings that change meanwhile: one that is sealed again leaves no files of the first time behind', async () => {
    const { asked, end, wrap } = controlled()
    const world = await openPool(2, { wrap, settings: { outputFormat: 'parquet' } })
    await world.keep(['One', { a: 1 }])
    await world.keep(['One', { a: 2 }])
    for (const segment of [1, 2]) end(segment).resolve()
    await world.release()
    const kept: Promise<unknown>[] = []
    for (const n of [3, 4]) {
      await world.spool.append(jsonBatch([{ [`new${n}`]: n }], { name: 'One' }))
      kept.push(world.spool.processLeftBelowFiles())
      await expect.poll(() => asked).toContain(n)
    }
    end(4).resolve()
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)
    world.settings.outputFormat = 'jsonl'
    end(3).resolve()
    await Promise.all(kept)
    expect(asked).toEqual([1, 2, 3, 4, 4])
    expect(sealedNames(world, 5)).toEqual(['0.jsonl'])
    expect(sealedNames(world)).toHaveLength(5)
  })

  test('settings that change: one whose sealer ended when its files were there leaves none of them behind', async () => {
    const { asked, end, wrap } = controlled()
    /** Work done ahead is not reported. */
    const unheard = (sealing: Sealing): Sealing => ({
      ...sealing,
      seal: async request => {
        const result = await sealing.seal(request)
        if (request.isAhead) throw new Error('The sealing thread ended')
        return result
      },
    })
    const world = await openPool(2, { wrap: one => unheard(wrap(one)), settings: { outputFormat: 'native' } })
    await world.keep(['One', { n: 1 }])
    await world.keep(['One', { n: 2 }], ['Two', { n: 3 }])
    const released = world.release()
    await expect.poll(() => asked).toHaveLength(2)
    end(2).resolve()
    await expect.poll(() => sealedNames(world, 3)).toEqual(['0.smile', '1.smile'])
    world.settings.outputFormat = 'jsonl'
    end(1).resolve()
    await released
    expect(sealedNames(world, 3)).toEqual(['0.jsonl', '1.jsonl'])
  })

  test('a format that cannot encode a segment is given up for it when the setting changes', async () => {
    const asked: (boolean | undefined)[] = []
    const cannot = (sealing: Sealing): Sealing => ({
      ...sealing,
      seal: async request => {
        if (request.segment === 4) asked.push(request.isAhead)
        const result = await sealing.seal(request)
        if (request.segment === 4 && request.format === 'parquet') throw new Error('cannot be encoded')
        return result
      },
    })
    const world = await openPool(2, { wrap: cannot, settings: { outputFormat: 'parquet' } })
    await world.keep(['First', { n: 1 }])
    await world.keep(['First', { n: 2 }])
    // It has columns that are new, and so is out of turn while the one before is sealed.
    await world.keep(['One', { n: 3 }])
    await world.release()
    expect(asked).toEqual([true, undefined, undefined])
    expect(sealingEvents(world)).toBe(1)
    world.settings.outputFormat = 'jsonl'
    await world.release()
    expect(sealingEvents(world)).toBe(0)
    expect(world.spool.stats().quarantinedFiles).toBe(0)
    expect(sealedNames(world, 4)).toEqual(['0.jsonl'])
  })
})

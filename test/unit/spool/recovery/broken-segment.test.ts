import { describe, expect, test } from 'vitest'
import { OutcomeUnknown, SluiceError } from '../../../../src/errors.ts'
import { createWorld, type DiskOperation, seededRandom, type World } from '../../../suites/crash-world.ts'
import { jsonBatch } from '../../../suites/spool.ts'

const failure = (code: string): Error => Object.assign(new Error(`${code}: on purpose`), { code })

type Matches = (operation: DiskOperation, path: string) => boolean

const failAlways =
  (matches: Matches, code = 'EIO') =>
  (operation: DiskOperation, path: string): Error | undefined =>
    matches(operation, path) ? failure(code) : undefined

/** What the client hears of one event. */
const send = async (world: World, n: number): Promise<'kept' | 'refused' | 'unknown'> => {
  try {
    await world.spool().append(jsonBatch([{ n }]))
    return 'kept'
  } catch (error) {
    if (error instanceof OutcomeUnknown) return 'unknown'
    if (error instanceof SluiceError && error.code === 'unavailable') return 'refused'
    throw error
  }
}

const restart = async (world: World, how: 'kill' | 'power cut'): Promise<void> => {
  world.faults.disk = undefined
  world.stop(how, seededRandom(1))
  await world.start()
}

describe('R5: a write that fails halfway', () => {
  const writes: readonly (readonly [string, Matches])[] = [
    ['append', (operation, path) => operation === 'append' && path.startsWith('log/')],
    ['sync', (operation, path) => operation === 'fdatasync' && path.startsWith('log/')],
  ]
  const ledger: Matches = (operation, path) => path.startsWith('ledger') && operation !== 'unlink'

  for (const [place, ofLog] of writes) {
    for (const how of ['kill', 'power cut'] as const) {
      test(`of ${place}: a refused event is nowhere after a ${how}, whether the ledger takes the end or not`, async () => {
        for (const matches of [ofLog, (...args: Parameters<Matches>) => ofLog(...args) || ledger(...args)]) {
          const world = await createWorld()
          world.client.issue()
          expect(await send(world, 0)).toBe('kept')
          world.faults.disk = failAlways(matches, 'ENOSPC')
          const answers = await Promise.all([1, 2, 3].map(n => send(world, n)))
          expect(answers).toEqual(['refused', 'refused', 'refused'])
          expect(await send(world, 4)).toBe('refused')
          await restart(world, how)
          await world.calm()
          expect(await world.found()).toEqual([0])
        }
      })
    }

    test(`of ${place}, on a disk that lets nothing be made safe: no answer, and counted as unknown`, async () => {
      const world = await createWorld()
      expect(await send(world, 0)).toBe('kept')
      world.faults.disk = failAlways((...args) => ofLog(...args) || ledger(...args) || args[0] === 'truncate')
      const answers = await Promise.all([1, 2, 3].map(n => send(world, n)))
      expect(answers).toEqual(['unknown', 'unknown', 'unknown'])
      expect(world.spool().stats()).toMatchObject({ unknownEvents: 3, erroredEvents: 0, queuedEvents: 0 })
      // Later requests are not even tried, so that their refusal is true.
      expect(await send(world, 4)).toBe('refused')
      await restart(world, 'kill')
      await world.calm()
      expect(await world.found()).not.toContain(4)
    })
  }

  test('what came while it failed was never written, and is refused although the end is not safe', async () => {
    const world = await createWorld()
    expect(await send(world, 0)).toBe('kept')
    let late: Promise<string> | undefined
    world.faults.disk = (operation, path) => {
      if (operation !== 'fdatasync' && operation !== 'truncate' && !path.startsWith('ledger')) return undefined
      late ??= send(world, 2)
      return failure('EIO')
    }
    expect(await send(world, 1)).toBe('unknown')
    expect(await late).toBe('refused')
    await restart(world, 'kill')
    await world.calm()
    expect(await world.found()).not.toContain(2)
  })

  test('intake continues once the ledger takes an entry, and requests without an answer are gone', async () => {
    const world = await createWorld()
    world.faults.disk = failAlways(
      (operation, path) => operation === 'fdatasync' || operation === 'truncate' || path === 'ledger.new',
    )
    expect(await send(world, 0)).toBe('unknown')
    world.faults.disk = undefined
    await world.beat()
    expect(await send(world, 1)).toBe('kept')
    await restart(world, 'kill')
    await world.calm()
    expect(await world.found()).toEqual([1])
  })
})

describe('a broken segment that is not sealed yet', () => {
  const held = (): Error => failure('EIO')

  /** Events 0 and 2, the latter with the key `kept`, and between them one that was refused, with the key `refused`. */
  const prepare = async (): Promise<World> => {
    const world = await createWorld()
    world.faults.seal = held
    await world.appendEvents([0], 'first')
    let left = 1
    world.faults.disk = (operation, path) =>
      operation === 'fdatasync' && path.startsWith('log/') && left-- > 0 ? failure('EIO') : undefined
    await world.appendEvents([1], 'refused')
    await world.beat()
    await world.appendEvents([2], 'kept')
    return world
  }
  const expectKnown = (world: World): void => {
    expect(world.spool().recall('first')).toBeDefined()
    expect(world.spool().recall('kept')).toBeDefined()
    expect(world.spool().recall('refused')).toBeUndefined()
  }

  for (const how of ['kill', 'power cut'] as const) {
    test(`keeps its end and its keys through any number of starts (${how})`, async () => {
      const world = await prepare()
      expectKnown(world)
      for (let starts = 0; starts < 4; starts++) {
        await restart(world, how)
        expectKnown(world)
        expect(world.spool().stats().openEvents).toBe(2)
        // Each start reads a ledger that the one before it has rewritten.
        await world.beat()
      }
      await world.calm()
      expect(await world.found()).toEqual([0, 2])
      expectKnown(world)
    })

    test(`is sealed up to its end by the process that breaks it, and its keys last (${how})`, async () => {
      const world = await prepare()
      world.faults.seal = undefined
      world.clock.ms += 60_000
      await world.beat()
      for (let starts = 0; starts < 3; starts++) {
        expectKnown(world)
        await restart(world, how)
      }
      await world.calm()
      expect(await world.found()).toEqual([0, 2])
      expectKnown(world)
    })
  }
})

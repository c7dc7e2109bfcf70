import { expect, test } from 'vitest'
import { createGatewayFigures } from '../../../src/gateway/figures.ts'
import { createReadBound } from '../../../src/gateway/read-bound.ts'

/** Reads that last until they are ended. */
const create = (maxReads: number) => {
  const figures = createGatewayFigures()
  const bounded = createReadBound({ figures, maxReads: () => maxReads })
  const ends: (() => void)[] = []
  /** Whether one more is taken. */
  const begin = async (peer: string, name?: string, isClaimed = false): Promise<boolean> => {
    const signal = new AbortController().signal
    const caller = name === undefined ? {} : { caller: { name, isClaimed, has: () => true } }
    try {
      await bounded({ peer, signal, ...caller }, watched => {
        const { onEnd } = watched(() => ({}))({ target: '/', signal }, new AbortController())
        ends.push(() => onEnd?.({ bytes: 0 }))
        return new Response('')
      })
      return true
    } catch (error) {
      expect(error).toMatchObject({ code: 'overloaded', status: 503 })
      return false
    }
  }
  const fill = async (...who: readonly [string, string?, boolean?]): Promise<number> => {
    for (let taken = 0; ; taken++) if (!(await begin(...who))) return taken
  }
  return { figures, begin, fill, ends }
}

test('one caller alone takes eight ninths, and leaves room for the next ones', async () => {
  const { fill, begin } = create(90)
  expect(await fill('10.0.0.1')).toBe(80)
  expect(await begin('10.0.0.2')).toBe(true)
})

test('a caller who comes late gets his share as others end', async () => {
  const { fill, ends, figures } = create(170)
  const first = await fill('10.0.0.1')
  await fill('10.0.0.2')
  for (const end of ends.splice(0, first)) end()
  expect(await fill('10.0.0.2')).toBeGreaterThan(100)
  expect(figures.reads.refused).toBe(3)
})

test('callers are their names, or else their addresses', async () => {
  const { fill, begin } = create(9)
  await fill('10.0.0.1', 'ann')
  expect(await begin('10.0.0.2', 'ann')).toBe(false)
  expect(await begin('10.0.0.1', 'bob')).toBe(true)
  expect(await create(9).fill('10.0.0.1', 'anonymous')).toBe(8)
})

test('an unproven name does not count: another one gives no other share', async () => {
  const { fill, begin } = create(9)
  await fill('10.0.0.1', 'ann', true)
  expect(await begin('10.0.0.1', 'bob', true)).toBe(false)
  expect(await begin('10.0.0.2', 'ann', true)).toBe(true)
})

test.each([1, 2, 3, 8])('all of %i can be taken where that is too few to share', async maxReads => {
  const { fill, begin, ends, figures } = create(maxReads)
  expect(await fill('10.0.0.1')).toBe(maxReads)
  expect(await begin('10.0.0.2')).toBe(false)
  ends[0]?.()
  ends[0]?.()
  expect(figures.reads.now).toBe(maxReads - 1)
  expect(await begin('10.0.0.2')).toBe(true)
})

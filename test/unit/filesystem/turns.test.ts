import { expect, test } from 'vitest'
import { createPathTurns } from '../../../src/filesystem/local/turns.ts'

test('turns: one at a time of each key, in order; other keys do not wait', async () => {
  const turns = createPathTurns()
  const seen: string[] = []
  const gate = Promise.withResolvers<void>()
  const work =
    (name: string, until: Promise<void> = Promise.resolve()) =>
    async () => {
      seen.push(`${name} begins`)
      await until
      seen.push(`${name} ends`)
      return name
    }
  const all = [
    turns('a', work('1', gate.promise)),
    turns('a', work('2')),
    turns('a', () => Promise.reject(new Error('3 fails'))),
    turns('a', work('4')),
  ]
  const settled = Promise.allSettled(all)
  expect(await turns('b', work('other'))).toBe('other')
  expect(seen).toEqual(['1 begins', 'other begins', 'other ends'])
  gate.resolve()
  expect((await settled).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
  expect(seen.slice(3)).toEqual(['1 ends', '2 begins', '2 ends', '4 begins', '4 ends'])
  // A caller that arrives while others wait goes after them, also when the first has gone.
  const second = Promise.withResolvers<void>()
  const first = turns('a', work('5'))
  const slow = turns('a', work('6', second.promise))
  await first
  const last = turns('a', work('7'))
  await turns('b', work('other'))
  expect(seen.at(-3)).toBe('6 begins')
  second.resolve()
  await Promise.all([slow, last])
  expect(seen.slice(-3)).toEqual(['6 ends', '7 begins', '7 ends'])
  // There is nothing left to wait for.
  expect(await turns('a', work('8'))).toBe('8')
})

import { expect, test } from 'vitest'
import { createRecent } from '../../../src/filesystem/recent.ts'

test('what was added is known for a while, and until it is forgotten', () => {
  let now = 0
  const recent = createRecent<number>(1_000, () => now)
  expect(recent.add('/a', 1)).toBe(1)
  now = 1_000
  expect(recent.find('/a')).toBe(1)
  now = 1_001
  expect(recent.find('/a')).toBeUndefined()
  recent.add('/a', 2)
  recent.forget('/a')
  expect(recent.find('/a')).toBeUndefined()
})

test('no more than some are known: who was added first makes room', () => {
  const recent = createRecent<number>(1_000, () => 0)
  for (let number = 0; number < 256; number++) recent.add(`/${number}`, number)
  // Added again it is the last one.
  recent.add('/0', 0)
  recent.add('/256', 256)
  expect([recent.find('/0'), recent.find('/1'), recent.find('/2'), recent.find('/256')]).toEqual([0, undefined, 2, 256])
})

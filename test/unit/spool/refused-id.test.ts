import { expect, test } from 'vitest'
import { createRefusedId, firstRefusedId, timeOfRefusedId } from '../../../src/spool/refused-id.ts'

test.each([0, 1, 1_764_179_999_999, 2 ** 48 - 1])('an id of %i is a UUID of version 7 that holds its time', when => {
  const id = createRefusedId(when)
  expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  expect(timeOfRefusedId(id)).toBe(when)
  expect(firstRefusedId(when) <= id).toBe(true)
  expect(id < firstRefusedId(when + 1)).toBe(when < 2 ** 48 - 1)
  expect(createRefusedId(when)).not.toBe(id)
})

test.each(['', 'nothing', '3f2b8c1e-6a55-4f0e-9a0c-0d6f3c1f7b11', `${createRefusedId(1)}x`])('%j is none', text => {
  expect(timeOfRefusedId(text)).toBeUndefined()
})

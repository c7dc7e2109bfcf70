import { expect, test } from 'vitest'
import {
  createRefusedId,
  firstRefusedId,
  refusedIdsIn,
  timeOfRefusedId,
  toTypePart,
  typePartOf,
} from '../../../src/spool/refused-id.ts'

/** As they were made before ids said anything of the type. */
const old = '019ab0c4-1f2e-7c3d-9a0c-0d6f3c1f7b11'

test.each([0, 1, 1_764_179_999_999, 2 ** 48 - 1])('an id of %i is a UUID of version 8 that holds its time', when => {
  const id = createRefusedId(when, 'Order')
  expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  expect(timeOfRefusedId(id)).toBe(when)
  expect(firstRefusedId(when) <= id).toBe(true)
  expect(id < firstRefusedId(when + 1)).toBe(when < 2 ** 48 - 1)
  expect(createRefusedId(when, 'Order')).not.toBe(id)
})

test.each([
  ['Order', '_refused/Order'],
  ['', '_refused/_unknown'],
  ['_unknown', '_refused/%5Funknown'],
  ['naïve/é', '_refused/na%C3%AFve%2F%C3%A9'],
])('an id of the type %j says that its directory is %s', (type, directory) => {
  expect(typePartOf(createRefusedId(1, type))).toBe(toTypePart(directory))
  expect(toTypePart(directory)).toMatch(/^[\da-f]{6}$/)
})

test('what an id says stays as it is: rows in files are found by it', () => {
  expect(toTypePart('_refused/Order')).toBe('900387')
})

test('an id of version 7 says its time alone', () => {
  expect(timeOfRefusedId(old)).toBe(0x019a_b0c4_1f2e)
  expect(typePartOf(old)).toBeUndefined()
})

test('ids are found within a text', () => {
  const id = createRefusedId(1, 'Order')
  expect(refusedIdsIn(`{"id":"${id}","requestKey":"3f2b8c1e-6a55-4f0e-9a0c-0d6f3c1f7b11","detail":"${old}"}`)).toEqual([
    id,
    old,
  ])
  expect(refusedIdsIn('{}')).toEqual([])
})

test.each(['', 'nothing', '3f2b8c1e-6a55-4f0e-9a0c-0d6f3c1f7b11', `${createRefusedId(1, '')}x`])(
  '%j is invalid',
  text => {
    expect(timeOfRefusedId(text)).toBeUndefined()
  },
)

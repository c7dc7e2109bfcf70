import fc from 'fast-check'
import { expect, test } from 'vitest'
import { inOrder } from '../../../src/filesystem/local/in-order.ts'
import { compareNames } from '../../../src/filesystem/path.ts'

const toName = (number: number): string => String(number).padStart(6, '0')

test('inOrder gives everything in order, whatever the order was', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 5_000 }), fc.integer(), (length, seed) => {
      const sorted = Array.from({ length }, (_, at) => toName(at))
      const rankOf = (name: string): number => (Number(name) * 7_919 + seed) % 1_013
      expect([...inOrder(sorted.toSorted((a, b) => rankOf(a) - rankOf(b)))].flat()).toEqual(sorted)
    }),
    { numRuns: 50 },
  )
})

test('equal names and names in order need no special case', () => {
  const sorted = Array.from({ length: 5_000 }, (_, at) => toName(at))
  expect([...inOrder([...sorted])].flat()).toEqual(sorted)
  expect([...inOrder(sorted.toReversed())].flat()).toEqual(sorted)
  expect([...inOrder(Array.from(sorted, () => 'same'))].flat()).toEqual(Array.from(sorted, () => 'same'))
})

test('the first of very many are there after a few looks at each', () => {
  let looks = 0
  const compare = (left: string, right: string): number => {
    looks += 1
    return compareNames(left, right)
  }
  const many = Array.from({ length: 100_000 }, (_, at) => toName((at * 7_919) % 100_000))
  expect(inOrder(many, compare).next().value?.slice(0, 2)).toEqual(['000000', '000001'])
  expect(looks).toBeLessThan(5 * many.length)
})

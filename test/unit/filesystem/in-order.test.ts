import fc from 'fast-check'
import { expect, test } from 'vitest'
import { inOrder } from '../../../src/filesystem/local/in-order.ts'

const byNumber = (left: number, right: number): number => left - right

test('inOrder gives everything in order, whatever the order was', () => {
  const numbers = fc.integer({ min: 0, max: 5_000 }).map(length => Array.from({ length }, (_, at) => at))
  const shuffled = numbers.chain(sorted =>
    fc.tuple(fc.constant(sorted), fc.integer()).map(([all, seed]) => ({ all, seed })),
  )
  fc.assert(
    fc.property(shuffled, ({ all, seed }) => {
      const mixed = all.toSorted((a, b) => ((a * 7_919 + seed) % 1_013) - ((b * 7_919 + seed) % 1_013))
      expect([...inOrder(mixed, byNumber)].flat()).toEqual(all)
    }),
    { numRuns: 50 },
  )
})

test('the first of very many are there after a look or two at each', () => {
  const many = Array.from({ length: 100_000 }, (_, at) => (at * 7_919) % 100_000)
  let looks = 0
  const runs = inOrder(many, (left, right) => {
    looks += 1
    return left - right
  })
  expect(runs.next().value?.slice(0, 3)).toEqual([0, 1, 2])
  expect(looks).toBeLessThan(5 * many.length)
})

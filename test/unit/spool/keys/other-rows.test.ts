import { expect, test } from 'vitest'
import { createOtherRows } from '../../../../src/spool/keys/other-rows.ts'

test('rows of others are counted until they have made room, and nothing is remembered of an attempt that added none', () => {
  const table = { next: 3 }
  const others = createOtherRows(table, 10)
  for (let n = 0; n < 100; n++) others.add(3)
  expect(others.ranges).toEqual([])
  table.next = 7
  others.add(3)
  for (let n = 0; n < 100; n++) others.add(7)
  expect([others.left(), others.ranges]).toEqual([4, [[3, 7]]])
  table.next = 15
  expect(others.left()).toBe(2)
  table.next = 17
  expect([others.left(), others.ranges]).toEqual([0, []])
})

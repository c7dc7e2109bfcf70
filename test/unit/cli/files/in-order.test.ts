import { expect, test } from 'vitest'
import { mapInOrder } from '../../../../admin/cli/files/in-order.ts'

test('the order is that of the items, and no more are worked on than allowed', async () => {
  let [running, most] = [0, 0]
  const results: number[] = []
  const work = async (item: number): Promise<number> => {
    most = Math.max(most, ++running)
    for (let turns = 20 - item; turns > 0; turns--) await Promise.resolve()
    running--
    return item * 2
  }
  for await (const result of mapInOrder(
    Array.from({ length: 20 }, (_, i) => i),
    4,
    work,
  ))
    results.push(result)
  expect(results).toEqual(Array.from({ length: 20 }, (_, i) => i * 2))
  expect(most).toBe(4)
})

test('a failure comes in its turn', async () => {
  const results: number[] = []
  const work = async (item: number): Promise<number> => {
    if (item === 2) throw new Error('two')
    return item
  }
  const read = async (): Promise<void> => {
    for await (const result of mapInOrder([1, 3, 2, 4], 4, work)) results.push(result)
  }
  await expect(read()).rejects.toThrow('two')
  expect(results).toEqual([1, 3])
})

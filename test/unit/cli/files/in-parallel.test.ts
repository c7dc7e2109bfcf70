import { expect, test } from 'vitest'
import { inParallel } from '../../../../admin/cli/files/in-parallel.ts'

async function* numbers(count: number) {
  for (let i = 0; i < count; i++) yield i
}

test('works on no more than allowed at a time, and on everything once', async () => {
  let [running, most] = [0, 0]
  const done: number[] = []
  await inParallel(numbers(50), 4, async item => {
    most = Math.max(most, ++running)
    for (let turns = item % 7; turns >= 0; turns--) await Promise.resolve()
    running--
    done.push(item)
  })
  expect([done.toSorted((a, b) => a - b), most]).toEqual([Array.from({ length: 50 }, (_, i) => i), 4])
})

test('after a failure nothing is begun, and what is under way ends first', async () => {
  const ended: number[] = []
  const work = inParallel(numbers(50), 3, async item => {
    if (item === 1) throw new Error('one')
    for (let turns = 0; turns < 20; turns++) await Promise.resolve()
    ended.push(item)
  })
  await expect(work).rejects.toThrow('one')
  expect(ended).toEqual([0, 2])
})

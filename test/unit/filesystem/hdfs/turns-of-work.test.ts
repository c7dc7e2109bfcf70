import { expect, test } from 'vitest'
import { StepQueue } from '../../../../src/filesystem/hdfs/socket/turns-of-work.ts'

/** Takes its time with each step. */
const busy = (ms: number): void => {
  const end = performance.now() + ms
  while (performance.now() < end);
}

const work = (count: number, name: string, seen: string[], ms = 1) =>
  function* () {
    for (let at = 0; at < count; at++) {
      busy(ms)
      seen.push(`${name}${at}`)
      yield at
    }
  }

const nothing = (): void => {}

test('what is short is done at once; what is long is done in turns, and others come in between', async () => {
  const seen: string[] = []
  const queue = new StepQueue()
  queue.add(work(1, 'short', seen, 0), nothing, () => seen.push('done'), nothing)
  expect(seen).toEqual(['short0', 'done'])
  const { promise, resolve } = Promise.withResolvers<void>()
  queue.add(work(20, 'a', seen), nothing, resolve, nothing)
  expect(seen.length).toBeLessThan(10)
  let turns = 0
  const turn = setInterval(() => turns++, 0)
  await promise
  clearInterval(turn)
  expect(turns).toBeGreaterThan(3)
  expect(seen.slice(2)).toEqual(Array.from({ length: 20 }, (_, at) => `a${at}`))
})

test('each has a step in turn, and keeps its own order', async () => {
  const seen: string[] = []
  const [one, other] = [new StepQueue(), new StepQueue()]
  one.add(work(6, 'a', seen), nothing, nothing, nothing)
  one.add(work(2, 'b', seen), nothing, nothing, nothing)
  other.add(work(6, 'c', seen), nothing, nothing, nothing)
  await new Promise<void>(resolve => one.whenIdle(() => other.whenIdle(resolve)))
  expect(seen.indexOf('c0')).toBeLessThan(seen.indexOf('b0'))
  for (const letter of ['a', 'b', 'c']) {
    const own = seen.filter(name => name.startsWith(letter))
    expect(own).toEqual(own.toSorted())
  }
  expect(seen).toHaveLength(14)
})

test('behind a step that fails nothing is done; what is not wanted any more neither', async () => {
  const seen: string[] = []
  const queue = new StepQueue()
  const failing = function* () {
    yield* work(5, 'a', seen)()
    throw new Error('damaged')
  }
  const failed = new Promise(resolve => queue.add(failing, nothing, nothing, resolve))
  queue.add(work(1, 'b', seen), nothing, nothing, nothing)
  expect(String(await failed)).toBe('Error: damaged')
  expect([queue.isIdle, seen.includes('b0')]).toEqual([true, false])
  queue.add(work(20, 'c', seen), nothing, () => seen.push('done'), nothing)
  queue.clear()
  await new Promise(setImmediate)
  await new Promise(setImmediate)
  expect([queue.isIdle, seen.includes('c19'), seen.includes('done')]).toEqual([true, false, false])
})

import { expect, test } from 'vitest'
import { StepQueue, Turns } from '../../../../src/filesystem/hdfs/socket/turns-of-work.ts'

/** A clock that advances with each step only; work has 2 ms of each turn. */
let nowMs = 0
const turns = new Turns(() => nowMs)
const nextTurn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

const work = (count: number, name: string, seen: string[], ms = 1) =>
  function* () {
    for (let at = 0; at < count; at++) {
      nowMs += ms
      seen.push(`${name}${at}`)
      yield at
    }
  }

const nothing = (): void => {}

test('what is short is done at once; what is long is done in turns, and others come in between', async () => {
  const seen: string[] = []
  const queue = new StepQueue(turns)
  queue.add(work(1, 'short', seen, 0), nothing, () => seen.push('done'), nothing)
  expect(seen).toEqual(['short0', 'done'])
  queue.add(work(7, 'a', seen), nothing, () => seen.push('end'), nothing)
  const ends: number[] = []
  for (let turn = 0; turn < 5; turn++) {
    ends.push(seen.length - 2)
    await nextTurn()
  }
  expect(ends).toEqual([2, 4, 6, 8, 8])
  expect(seen.slice(2)).toEqual(['a0', 'a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'end'])
})

test('each has a step in turn, and keeps its own order', async () => {
  const seen: string[] = []
  const [one, other] = [new StepQueue(turns), new StepQueue(turns)]
  one.add(work(4, 'a', seen), nothing, nothing, nothing)
  one.add(work(2, 'b', seen), nothing, nothing, nothing)
  other.add(work(4, 'c', seen), nothing, nothing, nothing)
  await new Promise<void>(resolve => one.whenIdle(() => other.whenIdle(resolve)))
  expect(seen).toEqual(['a0', 'a1', 'a2', 'c0', 'a3', 'c1', 'c2', 'b0', 'c3', 'b1'])
})

test('behind a step that fails nothing is done; what is not wanted any more neither', async () => {
  const seen: string[] = []
  const queue = new StepQueue(turns)
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

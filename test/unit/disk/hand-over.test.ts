import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createCallee, createCaller, type HandedCall, handOverBytes, maxCalls } from '../../../src/disk/hand-over.ts'
import { nextTurn } from '../../../src/runtime/next-turn.ts'

const module = new URL('../../../src/disk/hand-over.ts', import.meta.url)

/** Both counts begin at `counted`. */
const createMemory = (counted: number): SharedArrayBuffer => {
  const memory = new SharedArrayBuffer(handOverBytes)
  new Int32Array(memory).fill(counted, 0, 2)
  return memory
}

const answerOf = ([a, b, c, d]: Iterable<number>): number => Number(a) + Number(b) * 2 + Number(c) * 3 + Number(d) * 4

describe('a hand-over', () => {
  test('brings each word of each call over in order, and their answers back, where the counts wrap around too', async () => {
    const word = fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.double({ noNaN: true }))
    const handOvers = fc.array(fc.array(fc.tuple(word, word, word, word), { maxLength: maxCalls }), { maxLength: 20 })
    const counted = fc.oneof(
      fc.integer(),
      fc.integer({ min: -20, max: 0 }),
      fc.integer({ min: 2 ** 31 - 20, max: 2 ** 31 - 1 }),
    )
    await fc.assert(
      fc.asyncProperty(counted, handOvers, async (from, some) => {
        const memory = createMemory(from)
        const call = createCaller(memory)
        const serve = createCallee(memory)
        for (const calls of some) {
          const answers = call(calls)
          const seen: number[][] = []
          // In one thread: the callee finds the call made, and so does not sleep.
          serve(words => {
            seen.push([...words])
            return answerOf(words)
          })
          expect(seen).toEqual(calls.map(words => [...words]))
          expect(await answers).toEqual(calls.map(answerOf))
        }
      }),
    )
  })

  test('is not over before its last call is answered', async () => {
    const memory = createMemory(0)
    const call = createCaller(memory)
    let isOver = false
    const answers = call([
      [1, 0, 0, 0],
      [2, 0, 0, 0],
    ]).finally(() => {
      isOver = true
    })
    await nextTurn()
    expect(isOver).toBe(false)
    createCallee(memory)(([n = 0]) => {
      expect(Atomics.load(new Int32Array(memory), 1)).toBe(0)
      return n
    })
    expect(await answers).toEqual([1, 2])
  })

  test('wakes the other side, however fast or slow either of them is', async () => {
    const memory = createMemory(2 ** 31 - 10_000)
    const source = `import(workerData.module).then(({ createCallee }) => {
      const serve = createCallee(workerData.memory)
      for (let next = 0; ; ) serve(([n]) => {
        for (let i = Math.random() < 0.1 ? Math.random() * 1e5 : 0; i > 0; i--) Math.sqrt(i)
        return n === next++ ? -n : NaN
      })
    })`
    const prelude = `const { workerData } = require('node:worker_threads');`
    const worker = new Worker(prelude + source, { eval: true, workerData: { module: module.href, memory } })
    const call = createCaller(memory)
    let next = 0
    for (let i = 0; i < 20_000; i++) {
      const calls = Array.from({ length: 1 + (i % 3) }, (): HandedCall => [next++, 0, 0, 0])
      expect(await call(calls)).toEqual(calls.map(([n]) => -n))
      if (i % 2 === 0) await nextTurn()
      if (i % 16 === 0) for (let j = Math.random() * 1e5; j > 0; j--) Math.sqrt(j)
    }
    const exited = once(worker, 'exit')
    await worker.terminate()
    await exited
  })
})

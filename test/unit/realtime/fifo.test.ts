import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFifo } from '../../../src/realtime/fifo.ts'

test('createFifo is an array that takes from its front', () => {
  const step = fc.oneof(
    fc.record({ push: fc.integer() }),
    fc.record({ take: fc.integer({ min: 0, max: 5 }), back: fc.integer({ min: 0, max: 5 }) }),
    fc.constant('clear' as const),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), steps => {
      const fifo = createFifo<number>()
      let model: number[] = []
      for (const one of steps) {
        if (one === 'clear') {
          expect(fifo.clear()).toEqual(model)
          model = []
        } else if ('push' in one) {
          fifo.push(one.push)
          model.push(one.push)
        } else {
          const taken = fifo.take(one.take)
          // Parts taken may be smaller, but not empty as long as something waits.
          expect(taken).toEqual(model.splice(0, taken.length))
          expect(taken.length > 0 || one.take === 0 || model.length === 0).toBe(true)
          const back = taken.slice(Math.min(one.back, taken.length))
          fifo.putBack(back)
          model = [...back, ...model]
        }
        expect(fifo.length).toBe(model.length)
      }
    }),
  )
})

test('createFifo takes as much as fits, and one element at least', () => {
  const fifo = createFifo<number>(element => element)
  for (const element of [3, 4, 50, 1, 2, 3]) fifo.push(element)
  expect(fifo.weight).toBe(63)
  expect([fifo.take(9, 7), fifo.take(9, 7), fifo.take(2, 7), fifo.take(9, 7)]).toEqual([[3, 4], [50], [1, 2], [3]])
  expect([fifo.length, fifo.weight]).toEqual([0, 0])
  fifo.putBack([1, 2])
  expect(fifo.weight).toBe(3)
  fifo.clear()
  expect(fifo.weight).toBe(0)
})

test('what was taken does not stay alive until the last of its neighbours is taken', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const fifo = createFifo<object>()
  for (let i = 0; i < 1_000; i++) fifo.push({ i })
  const taken = fifo.take(600).map(element => new WeakRef(element))
  // A reference that was made in this turn of the event loop lasts as long.
  await new Promise(done => setImmediate(done))
  collect()
  expect(taken.filter(one => one.deref() !== undefined).length).toBeLessThan(10)
  expect(fifo.length).toBe(400)
})

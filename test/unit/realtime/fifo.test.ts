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
          // What is taken may come in smaller parts, but not none as long as something waits.
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

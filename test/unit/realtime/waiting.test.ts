import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createCounts } from '../../../src/realtime/counts.ts'
import { createTypeLane, type TypeLane } from '../../../src/realtime/type-lane.ts'
import { createWaiting, type WaitingBatch } from '../../../src/realtime/waiting.ts'

const names = ['A', 'Ü', '']
const lanes = names.map(type =>
  createTypeLane({
    type,
    topic: type,
    maxQueueSize: 1,
    maxRequestBytes: 1,
    counts: createCounts().of(type),
    connection: () => undefined,
    onSettled: () => {},
    onCut: () => {},
  }),
)

const laneOf = (index: number): TypeLane => lanes[index] ?? expect.fail(`no lane ${index}`)

/** Some larger than a chunk. */
const bodies = fc.oneof(
  { weight: 20, arbitrary: fc.uint8Array({ maxLength: 2_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 100_000, max: 300_000 }).map(length => new Uint8Array(length).fill(7)) },
)

const traceparent = fc.option(fc.constant('00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'), {
  nil: undefined,
})

const waitingBatches: fc.Arbitrary<WaitingBatch> = fc
  .record({ body: bodies, types: fc.array(fc.nat(names.length - 1), { maxLength: 5 }), date: fc.nat(), traceparent })
  .map(({ body, types, date, traceparent }) => ({
    traceparent,
    batch: {
      api: 'POST_Json_API',
      format: 'json',
      body,
      events: types.map((type, index) => ({ index, name: names[type] ?? '', date, granularity: 'DAILY' as const })),
    },
    lanes: types.map(laneOf),
  }))

test('createWaiting gives back in order what it was given, whatever comes between', () => {
  fc.assert(
    fc.property(fc.array(fc.option(waitingBatches), { maxLength: 60 }), steps => {
      const waiting = createWaiting()
      const model: WaitingBatch[] = []
      for (const step of steps) {
        if (step) {
          waiting.push(step)
          model.push(step)
        } else {
          const want = model.shift()
          const got = waiting.shift()
          if (want) {
            expect(got).toMatchObject({ batch: { ...want.batch, body: expect.anything() } })
            expect(Buffer.compare(got?.batch.body ?? new Uint8Array(), want.batch.body)).toBe(0)
            expect(got?.lanes.every((lane, i) => lane === want.lanes[i])).toBe(true)
            expect(got?.lanes).toHaveLength(want.lanes.length)
            expect(got?.traceparent).toBe(want.traceparent)
          } else expect(got).toBeUndefined()
        }
        expect(waiting.length).toBe(model.length)
      }
    }),
    { numRuns: 100 },
  )
})

test('a body that is changed after it was given does not change what waits', () => {
  const waiting = createWaiting()
  const body = Uint8Array.of(1, 2)
  const events = [{ index: 0, name: 'A', date: 0, granularity: 'DAILY' as const }]
  waiting.push({ batch: { api: 'GET_API', format: 'thrift', body, events }, lanes: [laneOf(0)] })
  body.fill(9)
  expect([...(waiting.shift()?.batch.body ?? [])]).toEqual([1, 2])
})

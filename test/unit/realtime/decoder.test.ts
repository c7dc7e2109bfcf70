import { setImmediate as turn } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { createDecoder } from '../../../src/realtime/decoder.ts'
import { createToMessage } from '../../../src/realtime/message.ts'
import type { TypeLane } from '../../../src/realtime/type-lane.ts'
import type { Batch } from '../../../src/spool/batch.ts'

const batchOf = (n: number): Batch => ({
  api: 'POST_Json_API',
  format: 'json',
  body: Buffer.from(JSON.stringify({ eventName: 'A', payload: { n } })),
  events: [{ index: 0, name: 'A', date: 5, granularity: 'HOURLY' }],
})

/** A lane that is hungry on request, and keeps the texts of its messages. */
type FakeLane = { readonly lane: TypeLane; readonly texts: string[]; isHungry: boolean }

const createFakeLane = (): FakeLane => {
  const texts: string[] = []
  const fake: FakeLane = {
    texts,
    isHungry: false,
    lane: {
      figures: () => ({
        type: 'A',
        topic: 'A',
        isEscaped: false,
        enqueued: 0,
        sent: 0,
        dropped: 0,
        errored: 0,
        queueSize: 0,
        maxQueueSize: 1,
      }),
      reserve: () => true,
      drop: () => {},
      push: ({ text }) => void texts.push(text),
      fail: () => {},
      isHungry: () => fake.isHungry,
      wake: () => {},
      close: () => {},
    },
  }
  return fake
}

const turns = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i++) await turn()
}

test('R17: an event becomes a message when its lane can send it, and costs nothing before', async () => {
  const fake = createFakeLane()
  const toMessage = vi.fn(createToMessage())
  const decoder = createDecoder({
    toMessage,
    onMessage: () => {},
    isWanted: () => fake.isHungry,
    onError: error => expect.fail(String(error)),
    onDone: () => {},
    sliceMs: 0,
  })
  for (let n = 0; n < 3; n++) decoder.add({ batch: batchOf(n), lanes: [fake.lane] })
  decoder.wake()
  await turns(5)
  expect(toMessage).not.toHaveBeenCalled()
  expect(decoder.pending()).toBe(3)

  fake.isHungry = true
  decoder.wake()
  for (let i = 0; i < 20 && fake.texts.length === 0; i++) await turn()
  fake.isHungry = false
  await turns(5)
  expect(fake.texts).toHaveLength(1)

  fake.isHungry = true
  decoder.add({ batch: batchOf(3), lanes: [fake.lane] })
  for (let i = 0; i < 100 && decoder.pending() > 0; i++) await turn()
  expect(fake.texts.map(text => (JSON.parse(text) as { readonly n: number }).n)).toEqual([0, 1, 2, 3])
})

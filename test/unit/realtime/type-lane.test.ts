import { describe, expect, test } from 'vitest'
import type { Suspect } from '../../../src/realtime/apart.ts'
import type { BrokerConnection, Fate } from '../../../src/realtime/brokers/broker.ts'
import { createCounts } from '../../../src/realtime/counts.ts'
import type { Message } from '../../../src/realtime/message.ts'
import { createTypeLane, type FinalFate } from '../../../src/realtime/type-lane.ts'

const messageOf = (n: number, bytes = 1): Message => ({
  eventName: 'A',
  date: 5,
  granularity: 'HOURLY',
  key: undefined,
  text: `${n}`,
  bytes,
})
const numbers = (messages: readonly Message[]): number[] => messages.map(({ text }) => Number(text))
const turn = (): Promise<void> => new Promise(done => setImmediate(done))

/** A lane whose requests the test answers. */
const setUp = ({ maxInFlight = 4, maxRequestBytes = 100, maxQueueSize = 50 } = {}) => {
  const requests: { readonly messages: readonly Message[]; readonly answer: (fates: readonly Fate[]) => void }[] = []
  const connection: BrokerConnection = {
    send: (_, messages) => new Promise(answer => requests.push({ messages, answer })),
    lost: new Promise(() => {}),
    close: async () => {},
  }
  const state: { connection: BrokerConnection | undefined } = { connection }
  const suspects: Suspect[] = []
  const settled: [number, FinalFate][] = []
  const counts = createCounts().of('A')
  const lane = createTypeLane({
    type: 'A',
    topic: 'T',
    maxQueueSize,
    maxRequestBytes,
    maxInFlight,
    counts,
    connection: () => state.connection,
    onSettled: (message, fate) => settled.push([Number(message.text), fate]),
    onCut: suspect => suspects.push(suspect),
  })
  /** Messages of these sizes are reserved and made. */
  const add = (...sizes: readonly number[]): void => {
    for (const bytes of sizes) {
      expect(lane.reserve()).toBe(true)
      lane.push(messageOf(counts.enqueued - 1, bytes))
    }
  }
  return { lane, requests, state, suspects, settled, counts, add, connection }
}

describe('a request', () => {
  test('has as many messages, and as many bytes, as may be under way', async () => {
    const { add, requests } = setUp()
    add(1, 1, 1, 1, 1, 50, 49, 1, 50, 51, 101, 99, 1, 100)
    const sizes: number[][] = []
    for (let at = 0; sizes.flat().length < 14; at++) {
      await expect.poll(() => requests.length).toBe(at + 1)
      const messages = requests[at]?.messages ?? []
      sizes.push(messages.map(({ bytes }) => bytes))
      requests[at]?.answer(messages.map(() => 'sent'))
    }
    expect(sizes).toEqual([[1, 1, 1, 1], [1, 50, 49], [1, 50], [51], [101], [99, 1], [100]])
  })

  test('that is to be sent again waits until the lane is woken', async () => {
    const { lane, add, requests } = setUp()
    add(1, 1)
    await turn()
    requests[0]?.answer(['again', 'sent'])
    for (let i = 0; i < 5; i++) await turn()
    expect(requests).toHaveLength(1)
    lane.wake()
    await turn()
    expect(requests.map(({ messages }) => numbers(messages))).toEqual([[0, 1], [0]])
  })

  test('over which the connection ended is tried apart, and nothing else is sent until then', async () => {
    const { lane, add, requests, suspects, state, connection } = setUp()
    add(1, 1, 1)
    await turn()
    requests[0]?.answer(['sent', 'cut', 'cut'])
    await turn()
    // There is another connection at once.
    state.connection = { ...connection }
    lane.wake()
    add(1)
    for (let i = 0; i < 5; i++) await turn()
    expect([requests.length, suspects.length, suspects[0]?.count, suspects[0]?.topic]).toEqual([1, 1, 2, 'T'])
    const [suspect] = suspects
    const taken = suspect?.take(2) ?? []
    expect(numbers(taken)).toEqual([1, 2])
    expect(suspect?.give(taken, ['sent', 'cut'])).toBe(1)
    suspect?.release()
    await turn()
    requests[1]?.answer(['sent'])
    await turn()
    expect(requests.map(({ messages }) => numbers(messages))).toEqual([[0, 1, 2], [2], [3]])
  })
})

test.each([
  [[], true],
  [[1, 1, 1], true],
  [[1, 1, 1, 1], false],
  [[99], true],
  [[100], false],
  [[50, 49], true],
  [[50, 51], false],
])('with messages of %j that wait it asks for more: %s', async (sizes, isHungry) => {
  const { lane, add, requests, state } = setUp()
  // Something is under way.
  add(1)
  await expect.poll(() => requests).toHaveLength(1)
  add(...sizes)
  expect(lane.isHungry()).toBe(false)
  lane.reserve()
  expect(lane.isHungry()).toBe(isHungry)
  state.connection = undefined
  expect(lane.isHungry()).toBe(false)
})

/** Each closes a lane with two events, of which the broker has `sent`. */
const closings: readonly (readonly [string, number, (of: ReturnType<typeof setUp>) => Promise<void>])[] = [
  [
    'while they wait',
    0,
    async ({ lane, add, state }) => {
      state.connection = undefined
      add(1, 1)
      lane.close()
    },
  ],
  [
    'while they are under way',
    1,
    async ({ lane, add, requests }) => {
      add(1, 1)
      await turn()
      lane.close()
      requests[0]?.answer(['sent', 'again'])
      await turn()
    },
  ],
  [
    'while they are made',
    0,
    async ({ lane }) => {
      lane.reserve()
      lane.reserve()
      lane.close()
      // They have to be made, so that they are given up.
      expect(lane.isHungry()).toBe(true)
      lane.push(messageOf(0))
      lane.fail()
      expect(lane.isHungry()).toBe(false)
    },
  ],
  [
    'while they are tried apart',
    1,
    async ({ lane, add, requests, suspects }) => {
      add(1, 1)
      await turn()
      requests[0]?.answer(['cut', 'cut'])
      await turn()
      const taken = suspects[0]?.take(2) ?? []
      lane.close()
      expect(suspects[0]?.give(taken, ['sent', 'cut'])).toBe(0)
      suspects[0]?.release()
      await turn()
    },
  ],
]
test.each(closings)('closed %s, each is counted once, and nothing comes after', async (_, sent, close) => {
  const all = setUp()
  await close(all)
  const { lane, counts, settled, requests } = all
  expect(counts).toEqual({ enqueued: 2, sent, errored: 2 - sent, dropped: 0 })
  expect(lane.figures().queueSize).toBe(0)
  expect(
    settled.filter(([, fate]) => fate !== 'sent').every(([, fate]) => JSON.stringify(fate).includes('forwarded')),
  ).toBe(true)
  const before = requests.length
  expect(lane.reserve()).toBe(false)
  lane.wake()
  await turn()
  expect([counts.dropped, counts.enqueued, requests.length]).toEqual([1, 2, before])
})

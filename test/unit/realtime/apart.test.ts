import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createApart, maxCutsOfOne, type Suspect } from '../../../src/realtime/apart.ts'
import type { Fate } from '../../../src/realtime/brokers/broker.ts'
import type { Message } from '../../../src/realtime/message.ts'
import { createFakeBroker } from '../../suites/fake-broker.ts'

const messageOf = (n: number): Message => ({
  eventName: 'A',
  date: 5,
  granularity: 'HOURLY',
  key: undefined,
  text: `${n}`,
  bytes: 1,
})
const numbers = (messages: readonly Message[]): number[] => messages.map(({ text }) => Number(text))
const upTo = (count: number): number[] => [...Array(count).keys()]

/** A type whose first messages are suspected; the outcome of each is kept. */
const createSuspect = (topic: string, count: number) => {
  let queue = upTo(count).map(messageOf)
  const fates = new Map<number, Fate>()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const suspect: Suspect = {
    topic,
    count,
    take: most => queue.splice(0, most),
    give(messages, given) {
      const again = messages.filter((_, i) => given[i] === 'again' || given[i] === 'cut')
      for (const [i, { text }] of messages.entries()) fates.set(Number(text), given[i] ?? 'again')
      queue = [...again, ...queue]
      return again.length
    },
    release,
  }
  return { suspect, fates, released, queue: () => numbers(queue) }
}

const setUp = (maxTurnMs?: number) => {
  const broker = createFakeBroker()
  broker.lostFate = 'cut'
  const requests: { readonly topic: string; readonly numbers: readonly number[] }[] = []
  const cutting: { isCut: (numbers: readonly number[]) => boolean } = { isCut: () => false }
  broker.cuts = messages => cutting.isCut(numbers(messages))
  const connect = broker.connect
  broker.connect = async signal => {
    const connection = await connect(signal)
    return {
      ...connection,
      send: (topic, messages) => {
        requests.push({ topic, numbers: numbers(messages) })
        return connection.send(topic, messages)
      },
    }
  }
  const wait = () => new Promise<void>(done => setImmediate(done))
  const apart = createApart({ broker, wait, ...(maxTurnMs === undefined ? {} : { maxTurnMs }) })
  return { broker, apart, requests, cutting }
}

describe('suspects', () => {
  test('are refused over so many ends of the connection of their own, and no others', async () => {
    const cuts = fc.array(fc.nat(maxCutsOfOne + 1), { minLength: 1, maxLength: 9 })
    await fc.assert(
      fc.asyncProperty(cuts, async counts => {
        const { broker, apart, requests, cutting } = setUp()
        const left = [...counts]
        cutting.isCut = sent => {
          const isBad = sent.some(n => (left[n] ?? 0) > 0)
          const [only = 0] = sent
          if (sent.length === 1 && isBad) left[only] = (left[only] ?? 0) - 1
          return isBad
        }
        const { suspect, fates, released, queue } = createSuspect('T', counts.length)
        apart.add(suspect)
        await released
        await apart.stop()
        const isRefused = (n: number): boolean => (counts[n] ?? 0) >= maxCutsOfOne
        for (const n of counts.keys()) {
          expect(fates.get(n)).toEqual(isRefused(n) ? { refused: expect.stringContaining('alone') } : 'sent')
        }
        expect(numbers(broker.sent.get('T') ?? [])).toEqual([...counts.keys()].filter(n => !isRefused(n)))
        expect(queue()).toEqual([])
        expect(broker.open()).toBe(0)
        // Halves, and each bad one a few times.
        expect(requests.length).toBeLessThanOrEqual(2 * counts.length + 5 * counts.filter(n => n > 0).length)
      }),
      { numRuns: 60 },
    )
  })

  test('behind a refused one go together again', async () => {
    const { apart, requests, cutting } = setUp()
    cutting.isCut = sent => sent.includes(0)
    const { suspect, released } = createSuspect('T', 64)
    apart.add(suspect)
    await released
    await apart.stop()
    expect(requests.map(one => one.numbers.length)).toEqual([64, 32, 16, 8, 4, 2, 1, 1, 1, 63])
  })

  test('beside a refused one that the broker has are sent', async () => {
    const { broker, apart } = setUp()
    broker.holds = true
    const { suspect, fates, released } = createSuspect('T', 3)
    apart.add(suspect)
    const answers: readonly (readonly Fate[])[] = [['sent', 'cut', { refused: 'too large' }], ['cut'], ['cut']]
    for (const [i, answer] of answers.entries()) {
      await expect.poll(() => broker.requests).toHaveLength(i + 1)
      broker.requests[i]?.answer(answer)
    }
    await released
    await apart.stop()
    expect([...fates]).toEqual([
      [0, 'sent'],
      [1, { refused: expect.stringContaining('alone') }],
      [2, { refused: 'too large' }],
    ])
  })

  test('behind a refused one that were not looked at go again', async () => {
    const { broker, apart } = setUp()
    broker.holds = true
    const { suspect, fates, released } = createSuspect('T', 3)
    apart.add(suspect)
    for (let i = 0; i < maxCutsOfOne; i++) {
      await expect.poll(() => broker.requests).toHaveLength(i + 1)
      broker.requests[i]?.answer(['cut', 'again', 'again'])
    }
    broker.holds = false
    await released
    await apart.stop()
    expect([...fates]).toEqual([
      [0, { refused: expect.stringContaining('alone') }],
      [1, 'sent'],
      [2, 'sent'],
    ])
  })

  test('that are slow give the connection to the next, and are released', async () => {
    const { broker, apart, requests } = setUp(1)
    broker.lostFate = 'again'
    broker.holds = true
    const slow = createSuspect('slow', 3)
    apart.add(slow.suspect)
    await expect.poll(() => broker.requests).toHaveLength(1)
    broker.holds = false
    const next = createSuspect('next', 2)
    apart.add(next.suspect)
    await Promise.all([slow.released, next.released])
    expect(slow.queue()).toEqual([0, 1, 2])
    expect(next.fates).toEqual(
      new Map([
        [0, 'sent'],
        [1, 'sent'],
      ]),
    )
    expect(requests.map(({ topic }) => topic)).toEqual(['slow', 'next'])
    await apart.stop()
  })

  test.each(['held', 'cut', 'away'] as const)('are released with what they had at a stop: %s', async state => {
    const { broker, apart, cutting } = setUp()
    if (state === 'held') broker.holds = true
    if (state === 'away') broker.away = 'ECONNREFUSED'
    cutting.isCut = () => state === 'cut'
    const suspects = [createSuspect('A', 2), createSuspect('B', 3)]
    for (const { suspect } of suspects) apart.add(suspect)
    const isBegun = () => (state === 'held' ? broker.requests.length : broker.attempts()) > 0
    await expect.poll(isBegun).toBe(true)
    await apart.stop()
    await Promise.all(suspects.map(one => one.released))
    expect(suspects.map(one => one.queue())).toEqual([
      [0, 1],
      [0, 1, 2],
    ])
    expect(broker.open()).toBe(0)
  })
})

import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Message } from '../../../src/realtime/message.ts'
import { createRealtime, maxTypes, type Realtime, type RealtimeOptions } from '../../../src/realtime/realtime.ts'
import type { Batch } from '../../../src/spool/batch.ts'
import { createFakeBroker, type FakeBroker } from '../../suites/fake-broker.ts'

const opened: Realtime[] = []
afterEach(() => Promise.all(opened.splice(0).map(realtime => realtime.close())))

const open = (broker: FakeBroker, options: Partial<RealtimeOptions> = {}): Realtime => {
  const log = { info: () => {}, warn: () => {} }
  const made = createRealtime({ broker, types: ['A'], maxQueueSize: 10_000, log, wait: async () => {}, ...options })
  opened.push(made)
  return made
}

/** One request with an event per name; payloads say `{"n": …}`, counted from `first`. */
const batchOf = (names: readonly string[], first = 0): Batch => ({
  api: 'POST_Json_API',
  format: 'json',
  body: Buffer.from(JSON.stringify(names.map((eventName, i) => ({ eventName, payload: { n: first + i } })))),
  events: names.map((name, index) => ({ index, name, date: 5, granularity: 'HOURLY' })),
})
const numbers = (messages: readonly Message[] | undefined): number[] =>
  (messages ?? []).map(({ text }) => (JSON.parse(text) as { readonly n: number }).n)
const upTo = (count: number): number[] => [...Array(count).keys()]
const sentOf = (realtime: Realtime): number => realtime.types().reduce((sum, { sent }) => sum + sent, 0)
const until = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 10_000, interval: 5 })
const connected = (realtime: Realtime): Promise<void> =>
  until(() => expect(realtime.health().message).toContain('running: true'))

describe('what is forwarded', () => {
  test('events of the configured types, in order, to the topic of each; no other', async () => {
    const broker = createFakeBroker()
    const realtime = open(broker, { types: ['A', 'B'] })
    for (let i = 0; i < 100; i++) realtime.offer(batchOf(['A', 'x', 'B', 'A'], i * 4))
    await until(() => expect(sentOf(realtime)).toBe(300))
    expect(numbers(broker.sent.get('topic of A'))).toEqual(upTo(400).filter(n => n % 4 === 0 || n % 4 === 3))
    expect(numbers(broker.sent.get('topic of B'))).toEqual(upTo(400).filter(n => n % 4 === 2))
    expect([...broker.sent.keys()].sort()).toEqual(['topic of A', 'topic of B'])
  })

  test('nothing at all costs nothing', async () => {
    const broker = createFakeBroker()
    const realtime = open(broker, { types: [] })
    realtime.offer(batchOf(['A']))
    await connected(realtime)
    expect([realtime.types(), realtime.ignored(), broker.sent.size]).toEqual([[], 0, 0])
  })

  test('a body that does not hold its events costs only them', async () => {
    const broker = createFakeBroker()
    const realtime = open(broker)
    realtime.offer({ ...batchOf(['A', 'A']), body: Buffer.from('[{"eventName":"A","payload":{"n":0}}]') })
    realtime.offer({ ...batchOf(['A']), body: Buffer.from('{') })
    realtime.offer(batchOf(['A'], 7))
    await until(() => expect(realtime.types()[0]).toMatchObject({ enqueued: 4, sent: 2, errored: 2, queueSize: 0 }))
    expect(numbers(broker.sent.get('topic of A'))).toEqual([0, 7])
    expect(realtime.health().message).toContain('last refusal')
  })

  test.each(['', 'a/b', 'a\nb'])('%j cannot be a type', type => {
    const realtime = open(createFakeBroker())
    expect(() => realtime.addType(type)).toThrow(expect.objectContaining({ code: 'bad-event-name' }))
  })

  test('there are only so many types', () => {
    const realtime = open(createFakeBroker(), { types: upTo(maxTypes).map(String) })
    expect(realtime.addType('5')).toBe(false)
    expect(() => realtime.addType('one more')).toThrow(`${maxTypes} event types`)
  })
})

describe('a broker that does not keep up', () => {
  // As the predecessor's: a queue of 10 000, one message under way, 20 000 events: 10 001 come through and 9 999 are dropped.
  test('fills the queue of its type, and the rest is dropped and counted', async () => {
    const broker = createFakeBroker()
    broker.holds = true
    const realtime = open(broker, { types: ['A', 'B'], maxInFlight: 1 })
    await connected(realtime)
    realtime.offer(batchOf(['A']))
    await until(() => expect(broker.requests).toHaveLength(1))
    for (let i = 1; i < 20_000; i += 100) {
      realtime.offer(batchOf(Array<string>(Math.min(100, 20_000 - i)).fill('A'), i))
    }
    const [a] = realtime.types()
    expect(a).toMatchObject({ enqueued: 10_001, dropped: 9_999, sent: 0, queueSize: 10_000, maxQueueSize: 10_000 })
    broker.holds = false
    broker.requests[0]?.answer(['sent'])
    await until(() => expect(sentOf(realtime)).toBe(10_001))
    expect(numbers(broker.sent.get('topic of A'))).toEqual(upTo(10_001))
  })

  test('holds up no other type', async () => {
    const broker = createFakeBroker()
    broker.holds = true
    const realtime = open(broker, { types: ['A', 'B'] })
    realtime.offer(batchOf(['A']))
    await until(() => expect(broker.requests).toHaveLength(1))
    broker.holds = false
    realtime.offer(batchOf(['B']))
    await until(() => expect(realtime.types()).toMatchObject([{ sent: 0 }, { sent: 1 }]))
    broker.requests[0]?.answer(['sent'])
    await until(() => expect(sentOf(realtime)).toBe(2))
  })

  test('large events are bounded in bytes, and room comes back', async () => {
    const broker = createFakeBroker()
    broker.holds = true
    const realtime = open(broker, { maxWaitingBytes: 2_000 })
    for (let i = 0; i < 100; i++) realtime.offer(batchOf(['A'], i))
    await until(() => expect(broker.requests).toHaveLength(1))
    const enqueued = realtime.types()[0]?.enqueued ?? 0
    expect(enqueued).toBeGreaterThan(0)
    expect(realtime.types()[0]?.dropped).toBe(100 - enqueued)
    broker.holds = false
    broker.requests[0]?.answer((broker.requests[0]?.messages ?? []).map(() => 'sent'))
    await until(() => expect(sentOf(realtime)).toBe(enqueued))
    realtime.offer(batchOf(['A']))
    await until(() => expect(sentOf(realtime)).toBe(enqueued + 1))
  })
})

describe('a broker that is unavailable', () => {
  test('at the start: events wait, health warns, and they go when it comes', async () => {
    const broker = createFakeBroker()
    broker.away = 'ECONNREFUSED'
    const waits: (() => void)[] = []
    const realtime = open(broker, { wait: () => new Promise<void>(done => void waits.push(done)) })
    realtime.offer(batchOf(['A', 'A']))
    await until(() => expect(waits).toHaveLength(1))
    expect(realtime.health()).toEqual({
      code: 'WARN',
      message:
        'enabled: true, running: false, types: [A], queue sizes: {A: 2}, enqueued: 2, sent: 0, dropped: 0, errored: 0, ignored: 0, fake://broker is unavailable: ECONNREFUSED',
    })
    broker.away = ''
    waits[0]?.()
    await until(() => expect(sentOf(realtime)).toBe(2))
    expect(realtime.health().code).toBe('OK')
  })

  test('midway: what was not acknowledged goes again, in order', async () => {
    const broker = createFakeBroker()
    broker.holds = true
    const realtime = open(broker, { maxInFlight: 5 })
    realtime.offer(batchOf(Array<string>(20).fill('A')))
    await until(() => expect(broker.requests).toHaveLength(1))
    broker.holds = false
    broker.lose('cut')
    await until(() => expect(sentOf(realtime)).toBe(20))
    expect(numbers(broker.sent.get('topic of A'))).toEqual(upTo(20))
    expect(broker.attempts()).toBe(2)
  })

  test('after a part of a request: only the rest goes again', async () => {
    const broker = createFakeBroker()
    broker.holds = true
    const realtime = open(broker)
    // While it is on its way those behind it gather, however slowly they are read, and go together.
    realtime.offer(batchOf(['A'], 9))
    await until(() => expect(broker.requests).toHaveLength(1))
    realtime.offer(batchOf(['A', 'A', 'A']))
    // Each turn of the event loop reads one at least.
    for (let turn = 0; turn < 10; turn++) await new Promise(resolve => setImmediate(resolve))
    broker.requests[0]?.answer(['sent'])
    await until(() => expect(broker.requests[1]?.messages.length).toBe(3))
    broker.holds = false
    broker.requests[1]?.answer(['sent', 'again', { refused: 'too large' }])
    await until(() => expect(realtime.types()[0]).toMatchObject({ sent: 3, errored: 1, queueSize: 0 }))
    expect(numbers(broker.sent.get('topic of A'))).toEqual([9, 0, 1])
    expect(realtime.health().message).toContain('errored: 1, ignored: 0, last refusal: too large')
  })
})

describe('switching', () => {
  test('disabled it ignores events, keeps what waits, and goes on when enabled', async () => {
    const broker = createFakeBroker()
    broker.holds = true
    const realtime = open(broker)
    realtime.offer(batchOf(['A']))
    await until(() => expect(broker.requests).toHaveLength(1))
    realtime.disable()
    broker.holds = false
    realtime.offer(batchOf(['A', 'x', 'A']))
    expect([realtime.isEnabled(), realtime.ignored()]).toEqual([false, 2])
    await until(() => expect(realtime.types()[0]?.queueSize).toBe(1))
    expect(realtime.health()).toMatchObject({
      code: 'WARN',
      message: expect.stringContaining('forwarding is disabled'),
    })
    realtime.enable()
    await until(() => expect(sentOf(realtime)).toBe(1))
    realtime.offer(batchOf(['A'], 9))
    await until(() => expect(numbers(broker.sent.get('topic of A'))).toEqual([0, 9]))
  })

  test('a type that is removed leaves with its figures; added again it begins anew', async () => {
    const broker = createFakeBroker()
    broker.holds = true
    const realtime = open(broker, { types: ['A', 'B'] })
    realtime.offer(batchOf(['A', 'A']))
    await until(() => expect(broker.requests).toHaveLength(1))
    realtime.offer(batchOf(['A']))
    expect([realtime.removeType('A'), realtime.removeType('A')]).toEqual([true, false])
    expect(realtime.types().map(({ type }) => type)).toEqual(['B'])
    realtime.offer(batchOf(['A']))
    broker.holds = false
    expect(realtime.addType('A')).toBe(true)
    realtime.offer(batchOf(['A'], 7))
    await until(() => expect(numbers(broker.sent.get('topic of A'))).toEqual([7]))
    expect(realtime.types()).toMatchObject([
      { type: 'B', enqueued: 0 },
      { type: 'A', enqueued: 1, sent: 1 },
    ])
    broker.requests[0]?.answer(['sent', 'sent'])
  })

  test('close sends what waits, when the broker takes it', async () => {
    const broker = createFakeBroker()
    const realtime = open(broker)
    await connected(realtime)
    for (let i = 0; i < 50; i++) realtime.offer(batchOf(Array<string>(50).fill('A'), i * 50))
    await realtime.close()
    expect(numbers(broker.sent.get('topic of A'))).toEqual(upTo(2_500))
    realtime.offer(batchOf(['A']))
    expect(realtime.ignored()).toBe(1)
  })
})

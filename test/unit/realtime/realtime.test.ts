import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { firstWaitMs } from '../../../src/realtime/link.ts'
import type { Message } from '../../../src/realtime/message.ts'
import { createRealtime, type Realtime, type RealtimeOptions } from '../../../src/realtime/realtime.ts'
import { maxTypes } from '../../../src/realtime/type-lanes.ts'
import type { Batch } from '../../../src/spool/batch.ts'
import { eventually } from '../../suites/eventually.ts'
import { createFakeBroker, type FakeBroker } from '../../suites/fake-broker.ts'
import { thriftBatch } from '../../suites/spool.ts'

const opened: Realtime[] = []
afterEach(() => Promise.all(opened.splice(0).map(realtime => realtime.close())))

const open = (broker: FakeBroker, options: Partial<RealtimeOptions> = {}): Realtime => {
  const log = { info: () => {}, warn: () => {} }
  const made = createRealtime({
    broker,
    types: ['A'],
    maxQueueSize: 10_000,
    maxRequestBytes: 1_000_000,
    log,
    // A turn of the event loop, so that endless attempts do not starve other work.
    wait: () => new Promise(done => setImmediate(done)),
    ...options,
  })
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
const connected = (realtime: Realtime): Promise<void> =>
  eventually(() => expect(realtime.health().message).toContain('running: true'))

describe('what is forwarded', () => {
  test('events of the configured types, in order, to the topic of each; no other', async () => {
    const broker = createFakeBroker()
    const realtime = open(broker, { types: ['A', 'B'] })
    for (let i = 0; i < 100; i++) realtime.offer(batchOf(['A', 'x', 'B', 'A'], i * 4))
    await eventually(() => expect(sentOf(realtime)).toBe(300))
    expect(numbers(broker.sent.get('topic of A'))).toEqual(upTo(400).filter(n => n % 4 === 0 || n % 4 === 3))
    expect(numbers(broker.sent.get('topic of B'))).toEqual(upTo(400).filter(n => n % 4 === 2))
    expect([...broker.sent.keys()].sort()).toEqual(['topic of A', 'topic of B'])
  })

  test('a type that cannot have its usual topic goes by another, and the log says so', async () => {
    const broker = createFakeBroker()
    broker.toTopic = (name, others = []) => (others.includes('page_view') ? `escaped ${name}` : name)
    const log = { info: () => {}, warn: vi.fn() }
    const realtime = open(broker, { types: ['page_view', 'page.view'], log })
    expect(realtime.types()).toMatchObject([
      { topic: 'page_view', isEscaped: false },
      { topic: 'escaped page.view', isEscaped: true },
    ])
    expect(log.warn).toHaveBeenCalledExactlyOnceWith(
      { type: 'page.view', topic: 'escaped page.view' },
      expect.stringContaining('another topic name'),
    )
    realtime.offer(batchOf(['page.view']))
    await eventually(() => expect(numbers(broker.sent.get('escaped page.view'))).toEqual([0]))
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
    await eventually(() =>
      expect(realtime.types()[0]).toMatchObject({ enqueued: 4, sent: 2, errored: 2, queueSize: 0 }),
    )
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
    await eventually(() => expect(broker.requests).toHaveLength(1))
    for (let i = 1; i < 20_000; i += 100) {
      realtime.offer(batchOf(Array<string>(Math.min(100, 20_000 - i)).fill('A'), i))
    }
    const [a] = realtime.types()
    expect(a).toMatchObject({ enqueued: 10_001, dropped: 9_999, sent: 0, queueSize: 10_000, maxQueueSize: 10_000 })
    broker.holds = false
    broker.requests[0]?.answer(['sent'])
    await eventually(() => expect(sentOf(realtime)).toBe(10_001))
    expect(numbers(broker.sent.get('topic of A'))).toEqual(upTo(10_001))
  })

  test('holds up no other type', async () => {
    const broker = createFakeBroker()
    broker.holds = true
    const realtime = open(broker, { types: ['A', 'B'] })
    realtime.offer(batchOf(['A']))
    await eventually(() => expect(broker.requests).toHaveLength(1))
    broker.holds = false
    realtime.offer(batchOf(['B']))
    await eventually(() => expect(realtime.types()).toMatchObject([{ sent: 0 }, { sent: 1 }]))
    broker.requests[0]?.answer(['sent'])
    await eventually(() => expect(sentOf(realtime)).toBe(2))
  })

  test('large events are bounded in bytes, and room comes back', async () => {
    const broker = createFakeBroker()
    broker.holds = true
    const realtime = open(broker, { maxWaitingBytes: 2_000 })
    for (let i = 0; i < 100; i++) realtime.offer(batchOf(['A'], i))
    await eventually(() => expect(broker.requests).toHaveLength(1))
    const enqueued = realtime.types()[0]?.enqueued ?? 0
    expect(enqueued).toBeGreaterThan(0)
    expect(realtime.types()[0]?.dropped).toBe(100 - enqueued)
    broker.holds = false
    broker.requests[0]?.answer((broker.requests[0]?.messages ?? []).map(() => 'sent'))
    await eventually(() => expect(sentOf(realtime)).toBe(enqueued))
    realtime.offer(batchOf(['A']))
    await eventually(() => expect(sentOf(realtime)).toBe(enqueued + 1))
  })
})

describe('a broker that is unavailable', () => {
  test('at the start: events wait, health warns, and they go when it comes', async () => {
    const broker = createFakeBroker()
    broker.away = 'ECONNREFUSED'
    const waits: (() => void)[] = []
    const realtime = open(broker, { wait: () => new Promise<void>(done => void waits.push(done)) })
    realtime.offer(batchOf(['A', 'A']))
    await eventually(() => expect(waits).toHaveLength(1))
    expect(realtime.health()).toEqual({
      code: 'WARN',
      message:
        'fake://broker is unavailable: ECONNREFUSED, enabled: true, running: false, types: [A], queue sizes: {A: 2}, enqueued: 2, sent: 0, dropped: 0, errored: 0, ignored: 0',
      problem: 'fake://broker is unavailable: ECONNREFUSED',
      isEnabled: true,
    })
    broker.away = ''
    waits[0]?.()
    await eventually(() => expect(sentOf(realtime)).toBe(2))
    expect(realtime.health().code).toBe('OK')
  })

  test('midway: what was not acknowledged goes again, in order', async () => {
    const broker = createFakeBroker()
    broker.holds = true
    const realtime = open(broker, { maxInFlight: 5 })
    realtime.offer(batchOf(Array<string>(20).fill('A')))
    await eventually(() => expect(broker.requests).toHaveLength(1))
    broker.holds = false
    broker.lose('cut')
    await eventually(() => expect(sentOf(realtime)).toBe(20))
    expect(numbers(broker.sent.get('topic of A'))).toEqual(upTo(20))
    expect(broker.attempts()).toBe(2)
  })

  test('one that took a message is retried soon, however often it goes away', async () => {
    const broker = createFakeBroker()
    const waits: number[] = []
    const wait = async (ms: number): Promise<void> => {
      waits.push(ms)
      await new Promise(done => setImmediate(done))
    }
    const realtime = open(broker, { wait })
    for (let n = 0; n < 5; n++) {
      realtime.offer(batchOf(['A'], n))
      await eventually(() => expect(sentOf(realtime)).toBe(n + 1))
      broker.lose('gone')
      await eventually(() => expect(waits).toHaveLength(n + 1))
      await connected(realtime)
    }
    expect(new Set(waits)).toEqual(new Set([firstWaitMs]))
  })

  test('no sooner than they can go messages are made, also when a type was removed before', async () => {
    // A slice of the decoder asks once, and then makes what it can in its time: here one message.
    let ms = 0
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => ms++)
    onTestFinished(() => clock.mockRestore())
    const broker = createFakeBroker()
    broker.away = 'ECONNREFUSED'
    broker.holds = true
    const fieldNames = vi.fn(() => undefined)
    const realtime = open(broker, { types: ['A', 'B'], fieldNames, maxInFlight: 1 })
    realtime.offer(batchOf(['A']))
    realtime.removeType('A')
    await eventually(() => expect(realtime.total().errored).toBe(1))
    for (let n = 0; n < 20; n++) realtime.offer(thriftBatch('text', { name: 'B' }))
    broker.away = ''
    await eventually(() => expect(broker.requests).toHaveLength(1))
    for (let turn = 0; turn < 40; turn++) await new Promise(done => setImmediate(done))
    // One is under way, and one waits after it.
    expect(fieldNames).toHaveBeenCalledTimes(2)
    broker.holds = false
    broker.requests[0]?.answer(['sent'])
    await eventually(() => expect(sentOf(realtime)).toBe(20))
  })

  test('after a part of a request: only the rest goes again', async () => {
    const broker = createFakeBroker()
    broker.holds = true
    const realtime = open(broker)
    // While it is on its way those after it gather, however slowly they are read, and go together.
    realtime.offer(batchOf(['A'], 9))
    await eventually(() => expect(broker.requests).toHaveLength(1))
    realtime.offer(batchOf(['A', 'A', 'A']))
    // Each turn of the event loop reads one at least.
    for (let turn = 0; turn < 10; turn++) await new Promise(resolve => setImmediate(resolve))
    broker.requests[0]?.answer(['sent'])
    await eventually(() => expect(broker.requests[1]?.messages.length).toBe(3))
    broker.holds = false
    broker.requests[1]?.answer(['sent', 'again', { refused: 'too large' }])
    await eventually(() => expect(realtime.types()[0]).toMatchObject({ sent: 3, errored: 1, queueSize: 0 }))
    expect(numbers(broker.sent.get('topic of A'))).toEqual([9, 0, 1])
    expect(realtime.health().message).toMatch(/^last refusal: too large.* errored: 1, ignored: 0$/)
  })
})

describe('a broker that hangs up over a message', () => {
  /** It does so over every request with one of these, and takes every other. */
  const setUp = (bad: readonly number[], options: Partial<RealtimeOptions> = {}) => {
    const broker = createFakeBroker()
    broker.lostFate = 'cut'
    const isBad = ({ text }: Message): boolean => bad.includes((JSON.parse(text) as { readonly n: number }).n)
    broker.cuts = messages => messages.some(isBad)
    const log = { info: () => {}, warn: vi.fn() }
    return { broker, log, realtime: open(broker, { log, ...options }) }
  }

  test.each([[[0]], [[63]], [[5, 6, 40]], [upTo(64)]])(
    '%j of 64: they are refused by name, and nothing else',
    async bad => {
      const { broker, log, realtime } = setUp(bad)
      realtime.offer(batchOf(Array<string>(64).fill('A')))
      await eventually(() => expect(realtime.types()).toMatchObject([{ sent: 64 - bad.length, errored: bad.length }]))
      expect(numbers(broker.sent.get('topic of A'))).toEqual(upTo(64).filter(n => !bad.includes(n)))
      expect(realtime.health().message).toMatch(/last refusal: .* over this message alone, 3 times \(A, \d+ bytes\)/)
      expect(log.warn).toHaveBeenCalledWith(
        expect.objectContaining({ type: 'A', messages: 1, reason: expect.stringContaining('alone') }),
        expect.any(String),
      )
      // It is trusted again, over the common connection.
      realtime.offer(batchOf(['A'], 1_000))
      await eventually(() => expect(realtime.types()).toMatchObject([{ sent: 65 - bad.length }]))
      expect(broker.open()).toBe(1)
    },
  )

  test('other types continue meanwhile, and those beside it are acquitted', async () => {
    const { broker, realtime } = setUp([1_000], { types: ['A', 'B', 'C'] })
    await connected(realtime)
    realtime.offer(batchOf(['B', 'A'], 999))
    for (let i = 0; i < 50; i++) realtime.offer(batchOf(['B', 'C'], 2 * i))
    await eventually(() => expect(realtime.types()).toMatchObject([{ errored: 1 }, { sent: 51 }, { sent: 50 }]))
    expect(numbers(broker.sent.get('topic of A'))).toEqual([])
    expect(realtime.total()).toMatchObject({ errored: 1, dropped: 0 })
  })

  test('an outage is not evidence: nothing is refused', async () => {
    const { broker, realtime } = setUp([0])
    // It goes away over this message for a while each time.
    let outages = 0
    const cuts = broker.cuts
    broker.cuts = messages => {
      if (!cuts(messages)) return false
      broker.away = 'ECONNREFUSED'
      return true
    }
    realtime.offer(batchOf(['A', 'A']))
    const waits = broker.attempts
    while (outages < 10) {
      await eventually(() => expect(broker.away).not.toBe(''))
      const before = waits()
      await eventually(() => expect(waits()).toBeGreaterThan(before + 2))
      outages++
      broker.away = ''
    }
    expect(realtime.types()).toMatchObject([{ sent: 0, errored: 0 }])
    broker.cuts = () => false
    await eventually(() => expect(numbers(broker.sent.get('topic of A'))).toEqual([0, 1]))
  })

  test('disabled and enabled in the middle, nothing is lost', async () => {
    const waits: (() => void)[] = []
    const { broker, realtime } = setUp([2], {
      wait: (_, signal) =>
        new Promise<void>((done, fail) => {
          waits.push(done)
          signal.addEventListener('abort', () => fail(signal.reason))
        }),
    })
    realtime.offer(batchOf(['A', 'A', 'A', 'A']))
    await eventually(() => expect(waits.length).toBeGreaterThan(0))
    realtime.disable()
    await eventually(() => {
      expect(broker.open()).toBe(0)
      // The first one may have gone alone, before the others were there.
      const [a] = realtime.types()
      expect((a?.queueSize ?? 0) + (a?.sent ?? 0)).toBe(4)
    })
    realtime.enable()
    await eventually(() => {
      for (const go of waits.splice(0)) go()
      expect(realtime.types()).toMatchObject([{ sent: 3, errored: 1 }])
    })
    expect(numbers(broker.sent.get('topic of A'))).toEqual([0, 1, 3])
  })
})

describe('requests', () => {
  test('are bounded by bytes; a larger message goes alone', async () => {
    const broker = createFakeBroker()
    broker.holds = true
    const realtime = open(broker, { maxRequestBytes: 2_000 })
    await connected(realtime)
    const sizes: number[][] = []
    const texts = [10, 900, 900, 900, 5_000, 10, 10]
    for (const size of texts) {
      const event = { eventName: 'A', payload: { text: 'x'.repeat(size) } }
      realtime.offer({ ...batchOf(['A']), body: Buffer.from(JSON.stringify(event)) })
    }
    for (let at = 0; sizes.flat().length < texts.length; at++) {
      await eventually(() => expect(broker.requests.length).toBeGreaterThan(at))
      // What is to go with it may still be read.
      const messages = broker.requests[at]?.messages ?? []
      sizes.push(messages.map(({ bytes }) => bytes))
      broker.requests[at]?.answer(messages.map(() => 'sent'))
    }
    for (const request of sizes) {
      expect(request.length === 1 || request.reduce((sum, bytes) => sum + bytes, 0) <= 2_000).toBe(true)
    }
    await eventually(() => expect(sentOf(realtime)).toBe(texts.length))
  })
})

describe('switching', () => {
  test('disabled it ignores events, keeps what waits, and continues when enabled', async () => {
    const broker = createFakeBroker()
    broker.holds = true
    const realtime = open(broker)
    realtime.offer(batchOf(['A']))
    await eventually(() => expect(broker.requests).toHaveLength(1))
    realtime.disable()
    broker.holds = false
    realtime.offer(batchOf(['A', 'x', 'A']))
    expect([realtime.isEnabled(), realtime.ignored()]).toEqual([false, 2])
    await eventually(() => expect(realtime.types()[0]?.queueSize).toBe(1))
    expect(realtime.health()).toMatchObject({
      code: 'WARN',
      message: expect.stringContaining('forwarding is disabled'),
    })
    realtime.enable()
    await eventually(() => expect(sentOf(realtime)).toBe(1))
    realtime.offer(batchOf(['A'], 9))
    await eventually(() => expect(numbers(broker.sent.get('topic of A'))).toEqual([0, 9]))
  })

  test('a type that is removed gives up what waits; counters continue where they were', async () => {
    const broker = createFakeBroker()
    broker.holds = true
    const realtime = open(broker, { types: ['A', 'B'] })
    realtime.offer(batchOf(['A', 'A']))
    await eventually(() => expect(broker.requests).toHaveLength(1))
    realtime.offer(batchOf(['A']))
    expect([realtime.removeType('A'), realtime.removeType('A')]).toEqual([true, false])
    expect(realtime.types().map(({ type }) => type)).toEqual(['B'])
    await eventually(() => expect(realtime.total()).toEqual({ enqueued: 3, sent: 0, dropped: 0, errored: 1 }))
    expect(realtime.health().message).toContain('enqueued: 3, sent: 0, dropped: 0, errored: 1')
    realtime.offer(batchOf(['A']))
    broker.holds = false
    expect(realtime.addType('A')).toBe(true)
    realtime.offer(batchOf(['A'], 7))
    await eventually(() => expect(numbers(broker.sent.get('topic of A'))).toEqual([7]))
    expect(realtime.types()).toMatchObject([
      { type: 'B', enqueued: 0 },
      { type: 'A', enqueued: 4, sent: 1, errored: 1 },
    ])
    broker.requests[0]?.answer(['sent', 'sent'])
    await eventually(() => expect(realtime.total()).toEqual({ enqueued: 4, sent: 3, dropped: 0, errored: 1 }))
  })

  test.each(['holds', 'away'] as const)('what waits at a stop is logged, by type: a broker that %s', async how => {
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    try {
      const broker = createFakeBroker()
      const log = { info: () => {}, warn: vi.fn() }
      if (how === 'holds') broker.holds = true
      else broker.away = 'ECONNREFUSED'
      const realtime = open(broker, { types: ['A', 'B', 'C'], log })
      realtime.offer(batchOf(['A', 'A', 'B']))
      await eventually(() => expect(how === 'holds' ? broker.requests.length : broker.attempts()).toBeGreaterThan(0))
      const closed = realtime.close()
      await vi.runAllTimersAsync()
      await closed
      expect(log.warn).toHaveBeenLastCalledWith(
        expect.objectContaining({ messages: 3, types: { A: 2, B: 1 } }),
        expect.stringContaining('discarded at shutdown'),
      )
    } finally {
      vi.useRealTimers()
    }
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

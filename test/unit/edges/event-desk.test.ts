import { MessageChannel } from 'node:worker_threads'
import { describe, expect, test, vi } from 'vitest'
import { createCollector } from '../../../src/collector/collector.ts'
import type { LiveEvent } from '../../../src/collector/live/feed.ts'
import { defaultCollectorSettings } from '../../../src/collector/settings.ts'
import { createEventDesk } from '../../../src/edges/event-desk.ts'
import { createRemoteDoor } from '../../../src/edges/remote-door.ts'
import type { Durability } from '../../../src/spool/replica/replica-status.ts'
import type { Spool } from '../../../src/spool/spool.ts'
import type { SpoolSettings } from '../../../src/spool/spool-settings.ts'
import { type EventThreadOptions, type EventThreads, startEventThreads } from '../../suites/event-threads.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'
import { openTestSpool, readEvents } from '../../suites/spool.ts'
import { createTearingDisk, type TearingDiskOptions } from '../../suites/tearing-disk.ts'
import { get } from '../collector/fakes.ts'

type Bench = EventThreads & {
  readonly spool: Spool
  readonly beat: () => Promise<void>
  readonly found: () => Promise<unknown[]>
}

type Options = EventThreadOptions & {
  readonly disk?: TearingDiskOptions
  readonly spool?: Partial<SpoolSettings>
  /** @default as the spool says */
  readonly durability?: () => Durability
}

/** Threads say by the clock of the machine when a request came: no segment ends by time while a test runs. */
const flushIntervalMs = 86_400_000

const start = async (
  count: number,
  { disk = {}, spool: own = {}, durability, ...options }: Options = {},
): Promise<Bench> => {
  const fileSystem = createMemoryFileSystem()
  const clock = { ms: Date.now() }
  const settings = { flushIntervalMs, ...own }
  const { spool, beat } = await openTestSpool({ disk: createTearingDisk(disk), fileSystem, settings, clock })
  const found = async (): Promise<unknown[]> => {
    await spool.processLeftBelowFiles()
    return (await readEvents(fileSystem)).map(({ payload }) => payload['n']).toSorted((a, b) => Number(a) - Number(b))
  }
  const seen: Spool = {
    ...spool,
    get durability() {
      return durability?.() ?? spool.durability
    },
  }
  return { ...startEventThreads(seen, count, options), spool, beat, found }
}

const event = (n: number | string, name = 'A'): string => `{"eventName":"${name}","payload":{"n":${n}}}`
const eio = Object.assign(new Error('EIO: i/o error'), { code: 'EIO' })
const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n)

describe('createEventDesk', () => {
  test('what threads take is kept once, and counted by the time it is answered', async () => {
    const { threads, collector, found, spool } = await start(2)
    const answers = await Promise.all(upTo(40).map(async n => await threads[n % 2]?.post(event(n))))
    expect(new Set(answers.map(answer => answer?.status))).toEqual(new Set([202]))
    expect(collector.counters.POST_Json_API).toMatchObject({ requests: 40, accepted: 40, received: 40, failures: 0 })
    expect(collector.counters.POST_Json_API.latency.summary().count).toBe(40)
    expect(collector.counters.POST_Json_API.byType).toEqual(new Map([['A', 40]]))
    expect(spool.stats()).toMatchObject({ writtenEvents: 40, queuedEvents: 0 })
    expect(collector.admission).toMatchObject({ requests: 0, queuedEvents: 0, inflightBytes: 0 })
    expect(await found()).toEqual(upTo(40))
  })

  test('a thread says that events are on one machine alone, whatever way they go to the desk, and only then', async () => {
    let durability: Durability = 'local'
    const { threads } = await start(1, { durability: () => durability })
    const [thread] = threads
    const said = async () => {
      const answers = [
        await thread?.post(event(1)),
        await thread?.post(event(2), { headers: { 'idempotency-key': `of ${durability}` } }),
        await thread?.get('/1?v=A'),
      ]
      return answers.map(answer => [
        answer?.status,
        answer?.body === '' ? undefined : JSON.parse(answer?.body ?? '').durability,
        new Map(answer?.headers).get('warning')?.includes('on one machine alone') ?? false,
      ])
    }
    expect(await said()).toEqual([
      [202, 'local', true],
      [202, 'local', true],
      [202, undefined, true],
    ])
    durability = 'full'
    expect(await said()).toEqual([
      [202, undefined, false],
      [202, undefined, false],
      [202, undefined, false],
    ])
  })

  test('memory is used again and again, and bodies larger than one of them have their own', async () => {
    const { threads, found } = await start(1)
    const [thread] = threads
    const padded = (n: number, bytes: number): string => event(`${n},"pad":"${'x'.repeat(bytes)}"`)
    const sizes = [400_000, 700_000, 1_100_000, 5_000_000, 900_000, 10, 600_000, 600_000]
    for (const round of [0, 1, 2]) {
      const answers = await Promise.all(
        sizes.map(async (size, i) => await thread?.post(padded(round * sizes.length + i, size))),
      )
      expect(answers.map(answer => answer?.status)).toEqual(sizes.map(() => 202))
    }
    expect(await found()).toEqual(upTo(3 * sizes.length))
  })

  test('GET by a thread, with its caller, its trace and what it was received at', async () => {
    const { threads, forwarded, collector } = await start(1)
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
    const answer = await threads[0]?.get('/1?v=A', { headers: { traceparent }, peer: '10.1.2.3' })
    const other = await threads[0]?.get('/1?v=B', { peer: '10.1.2.4' })
    expect([answer?.status, other?.status]).toEqual([202, 202])
    expect(forwarded.map(one => [one.batch.caller, one.traceparent, one.batch.events[0]?.name])).toEqual([
      ['10.1.2.3', traceparent, 'A'],
      ['10.1.2.4', undefined, 'B'],
    ])
    expect(collector.counters.GET_API).toMatchObject({ accepted: 2, requests: 2 })
  })

  test('a viewer sees events of threads, and those that they refused', async () => {
    const { threads, collector } = await start(1)
    const seen: LiveEvent[] = []
    const stop = collector.live.watch({}, { onEvent: one => void seen.push(one), onFigures: () => {}, onEnd: () => {} })
    await threads[0]?.post(event(1), { peer: '10.0.0.9' })
    await threads[0]?.post(`[${event(2)},7]`)
    await expect.poll(() => seen.length).toBe(3)
    // Events are looked at in turns of their own, refusals at once.
    expect(seen.toSorted((a, b) => a.kind.localeCompare(b.kind))).toMatchObject([
      { kind: 'accepted', type: 'A', peer: '10.0.0.9' },
      { kind: 'accepted', type: 'A' },
      { kind: 'rejected', code: 'bad-event', events: 1, sent: { length: `[${event(2)},7]`.length } },
    ])
    stop()
  })

  test('filters, schemas and limits of a thread are counted as usual', async () => {
    const fields = { A: [{ id: 1, name: 'n', type: 'string' }] }
    const filters = { host: [], ip: [], useragent: [], path: [], 'event-type': ['^Gone$'] }
    const { threads, collector } = await start(1, { fields, settings: { filters } })
    const [thread] = threads
    expect(await thread?.post(event(1, 'Gone'))).toMatchObject({ status: 202 })
    const misfit = await thread?.post(event(1))
    expect(misfit).toMatchObject({ status: 202, body: expect.stringContaining('"mismatches":[{"index":0') })
    expect(await thread?.post(event('"text"'))).toMatchObject({ status: 202 })
    expect(await thread?.post('nonsense')).toMatchObject({ status: 400 })
    expect(collector.counters.POST_Json_API).toMatchObject({
      requests: 4,
      received: 4,
      accepted: 2,
      filtered: 1,
      malformed: 1,
      failures: 1,
    })
    expect(collector.counters.POST_Json_API.mismatches).toEqual(new Map([['A', 1]]))
  })

  test('events that do not fit are refused by a thread, and counted by their names', async () => {
    const fields = { A: [{ id: 1, name: 'n', type: 'string' }] }
    const { threads, collector } = await start(1, { fields, refusesMismatches: true })
    expect(await threads[0]?.post(event(1))).toMatchObject({ body: expect.stringContaining('"rejected":1') })
    expect(await threads[0]?.post(`[${event(1)},${event('"text"')}]`)).toMatchObject({ status: 202 })
    await expect.poll(() => collector.counters.POST_Json_API.mismatches.get('A')).toBe(2)
    expect(collector.counters.POST_Json_API).toMatchObject({ received: 3, accepted: 1, malformed: 2 })
  })
})

describe('a batch of a thread that is refused', () => {
  const manyTypes = `[${upTo(10_001)
    .map(n => event(n, `T${n}`))
    .join(',')}]`

  type Refused = {
    readonly status: number
    readonly code?: string
    readonly body?: string
    readonly count: Readonly<Record<string, number>>
    /** Fails from when the spool is open. */
    readonly fail?: TearingDiskOptions['fail']
    readonly options?: Options
    readonly isDrained?: boolean
  }
  const cases: Readonly<Record<string, Refused>> = {
    'that has too many types': { body: manyTypes, status: 413, code: 'too-large', count: { errored: 10_001 } },
    'by a full disk': {
      options: { disk: { freeBytes: () => 0 }, spool: { minFreeBytes: 1 } },
      status: 503,
      code: 'overloaded',
      count: { lost: 1 },
    },
    'by a failed sync': {
      fail: operation => (operation === 'fdatasync' ? eio : undefined),
      status: 503,
      code: 'unavailable',
      count: { errored: 1 },
    },
    'after a failed write whose end cannot be made safe': {
      fail: () => eio,
      status: 0,
      body: event(1),
      count: { unknown: 1 },
    },
    'while the spool is drained': { isDrained: true, status: 503, code: 'draining', count: { ignored: 1 } },
    'by the limits of all threads': {
      options: { settings: { maxEventQueueSize: 0 } },
      status: 503,
      code: 'overloaded',
      count: { lost: 1 },
    },
  }

  test.each(Object.entries(cases))('%s', async (_, given) => {
    const { status, code, count, body = event(1), options = {}, isDrained = false } = given
    let fails = false
    const fail: TearingDiskOptions['fail'] = (...call) => (fails ? given.fail?.(...call) : undefined)
    const { threads, spool, collector } = await start(1, { ...options, disk: { ...options.disk, fail } })
    // The segment is open by then.
    if (given.fail) await threads[0]?.post(event(0, 'Before'))
    fails = true
    if (isDrained) await spool.drain()
    const answer = await threads[0]?.post(body)
    expect(answer?.status, answer?.body).toBe(status)
    if (code === undefined) expect(answer?.body).toBe('OutcomeUnknown')
    else expect(JSON.parse(answer?.body ?? '')).toMatchObject({ code, status })
    expect(new Map(answer?.headers).has('retry-after')).toBe(status === 503)
    const accepted = given.fail ? 1 : 0
    expect(collector.counters.POST_Json_API).toMatchObject({ requests: 1 + accepted, failures: 1, accepted, ...count })
    expect(collector.admission).toMatchObject({ requests: 0, queuedEvents: 0 })
  })

  test('leaves those beside it alone', async () => {
    const { threads, found } = await start(1)
    const answers = await Promise.all([event(1), manyTypes, event(2)].map(async body => await threads[0]?.post(body)))
    expect(answers.map(answer => answer?.status)).toEqual([202, 413, 202])
    expect(await found()).toEqual([1, 2])
  })

  test('HEAD tells whether an event would be taken', async () => {
    const { threads, spool } = await start(1)
    expect(await threads[0]?.get('/1?v=A', { method: 'HEAD' })).toMatchObject({ status: 202 })
    await spool.drain()
    expect(await threads[0]?.get('/1?v=A', { method: 'HEAD' })).toMatchObject({ status: 503 })
  })
})

describe('an idempotency key', () => {
  const keyed = (key: string) => ({ headers: { 'idempotency-key': key } })

  test('counts once, whichever threads it is used on, at once and later', async () => {
    const { threads, collector, found } = await start(2)
    const answers = await Promise.all(upTo(20).map(async i => await threads[i % 2]?.post(event(1), keyed('k'))))
    expect(new Set(answers.map(answer => `${answer?.status} ${answer?.body}`))).toEqual(
      new Set(['202 {"accepted":1,"rejected":0,"errors":[]}']),
    )
    expect(collector.counters.POST_Json_API).toMatchObject({ requests: 20, accepted: 1, received: 1, replays: 19 })
    expect(await found()).toEqual([1])
    expect(await threads[0]?.post(event(2), keyed('k'))).toMatchObject({ status: 422 })
    expect(await threads[1]?.post(event(1), keyed('k'))).toMatchObject({ status: 202 })
  })

  test('is free again where its request was not kept', async () => {
    let isBroken = false
    const { threads, found, beat } = await start(2, {
      disk: { fail: operation => (isBroken && operation === 'fdatasync' ? eio : undefined) },
    })
    isBroken = true
    expect(await threads[0]?.post(event(1), keyed('k'))).toMatchObject({ status: 503 })
    isBroken = false
    await beat()
    expect(await threads[1]?.post(event(1), keyed('k'))).toMatchObject({ status: 202 })
    expect(await found()).toEqual([1])
  })

  test('over the limits of all threads is refused, and counted', async () => {
    const { threads, collector } = await start(1, { settings: { maxEventQueueSize: 0 } })
    expect(await threads[0]?.post(event(1), keyed('k'))).toMatchObject({ status: 503 })
    expect(collector.counters.POST_Json_API).toMatchObject({ received: 1, lost: 1, handedOver: 0 })
  })

  test('of a request of which nothing is left to keep is not remembered', async () => {
    const { threads, collector } = await start(1)
    expect(await threads[0]?.post('nonsense', keyed('k'))).toMatchObject({ status: 400 })
    expect(await threads[0]?.post('[7]', keyed('j'))).toMatchObject({ status: 202 })
    expect(collector.counters.POST_Json_API).toMatchObject({ received: 2, malformed: 2, accepted: 0 })
  })

  test('partial refusals are reported again', async () => {
    const { threads, collector } = await start(2)
    const first = await threads[0]?.post(`[${event(1)},7]`, keyed('k'))
    const second = await threads[1]?.post(`[${event(1)},7]`, keyed('k'))
    expect([second?.status, second?.body]).toEqual([first?.status, first?.body])
    expect(collector.counters.POST_Json_API).toMatchObject({ accepted: 1, malformed: 1, replays: 1 })
  })
})

describe('events with ids', () => {
  const cloudEvent = (n: number, id = `id-${n}`): string =>
    JSON.stringify({ specversion: '1.0', source: '/s', id, type: 'A', n })
  const init = { type: 'application/cloudevents-batch+json' }

  test('that several threads take at once are kept once, with what belongs to their requests', async () => {
    const { threads, collector, found, forwarded } = await start(2)
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
    const sent = upTo(4).flatMap(() => threads.map(thread => thread.post(`[${cloudEvent(1)},${cloudEvent(2)}]`, init)))
    const answers = await Promise.all(sent)
    expect(answers.map(({ status }) => status)).toEqual(sent.map(() => 202))
    const last = await threads[0]?.post(`[${cloudEvent(2)},${cloudEvent(3)}]`, {
      ...init,
      headers: { traceparent },
      peer: '10.1.2.3',
    })
    expect(last).toMatchObject({ status: 202, body: expect.stringContaining('"accepted":2') })
    expect(forwarded.at(-1)).toMatchObject({ traceparent, batch: { caller: '10.1.2.3', events: [{ index: 1 }] } })
    expect(collector.counters.POST_CloudEvents_API).toMatchObject({
      received: 18,
      accepted: 3,
      duplicates: 15,
      unknown: 0,
    })
    expect(collector.admission).toMatchObject({ requests: 0, queuedEvents: 0, inflightBytes: 0 })
    expect(await found()).toEqual([1, 2, 3])
  })

  test('are refused as others are, and can be sent again', async () => {
    let isBroken = true
    const { threads, collector, found, beat } = await start(1, {
      disk: {
        fail: (operation, path) => (isBroken && operation === 'fdatasync' && path.startsWith('log/') ? eio : undefined),
      },
    })
    expect(await threads[0]?.post(`[${cloudEvent(1)}]`, init)).toMatchObject({ status: 503 })
    isBroken = false
    await beat()
    expect(await threads[0]?.post(`[${cloudEvent(1)}]`, init)).toMatchObject({ status: 202 })
    expect(collector.counters.POST_CloudEvents_API).toMatchObject({ received: 2, accepted: 1, errored: 1 })
    expect(await found()).toEqual([1])
  })

  test('of a thread that dies are known to the others', async () => {
    const { threads, collector, found } = await start(2)
    expect(await threads[0]?.post(`[${cloudEvent(1)}]`, init)).toMatchObject({ status: 202 })
    await threads[0]?.kill()
    expect(await threads[1]?.post(`[${cloudEvent(1)}]`, init)).toMatchObject({ status: 202 })
    expect(collector.counters.POST_CloudEvents_API).toMatchObject({
      received: 2,
      accepted: 1,
      duplicates: 1,
      unknown: 0,
    })
    expect(await found()).toEqual([1])
  })
})

describe('a thread that dies', () => {
  test('what it had handed over is kept and counted; its limits are free', async () => {
    const { threads, collector, found } = await start(2, {})
    const sent = upTo(10).map(n => threads[0]?.post(event(n)))
    await sent[0]
    await threads[0]?.kill()
    expect(collector.admission).toMatchObject({ requests: 0, queuedEvents: 0, inflightBytes: 0 })
    expect(await threads[1]?.post(event(10))).toMatchObject({ status: 202 })
    const { accepted, unknown, received } = collector.counters.POST_Json_API
    expect(received).toBe(accepted + unknown)
    expect(await found()).toHaveLength(accepted)
  })

  test('what it had taken and not handed over is unknown', async () => {
    const { threads, collector, spool } = await start(1)
    await threads[0]?.get('/1?v=A')
    void threads[0]?.get('/1?v=B', {}, 60_000)
    await expect.poll(() => collector.counters.GET_API.handedOver).toBe(2)
    expect(collector.admission).toMatchObject({ requests: 1, queuedEvents: 1 })
    await threads[0]?.kill()
    expect(collector.counters.GET_API).toMatchObject({ requests: 2, accepted: 1, unknown: 1, received: 2 })
    expect(collector.admission).toMatchObject({ requests: 0, queuedEvents: 0 })
    expect(spool.stats()).toMatchObject({ writtenEvents: 1 })
  })

  test('a key that it had used counts once still', async () => {
    const { threads, found } = await start(2)
    const headers = { 'idempotency-key': 'k' }
    void threads[0]?.post(event(1), { headers })
    await threads[0]?.post(event(2))
    await threads[0]?.kill()
    expect(await threads[1]?.post(event(1), { headers })).toMatchObject({ status: 202 })
    expect(await found()).toEqual([1, 2])
  })
})

describe('a thread whose end is seen before what it said', () => {
  test('what it had handed over by then is taken', async () => {
    const { spool } = await openTestSpool({ disk: createTearingDisk(), fileSystem: createMemoryFileSystem() })
    const collector = createCollector({ spool, edgeThreads: 1 })
    const { port1, port2 } = new MessageChannel()
    const thread = createEventDesk({ spool, collector }).connect(port1, 1)
    const door = createRemoteDoor({
      port: port2,
      start: thread.start,
      settings: () => defaultCollectorSettings,
      clock: { now: Date.now, monotonicMs: () => performance.now() },
      filters: collector.filters,
    })
    const posted = vi.spyOn(port2, 'postMessage').mockImplementationOnce((...message) => {
      posted.mockRestore()
      port2.postMessage(...message)
      thread.disconnect()
    })
    const answered = get(door, '/1?v=A')
    await expect(answered).rejects.toThrow('The main thread has gone')
    await expect.poll(() => spool.stats().writtenEvents).toBe(1)
    expect(collector.counters.GET_API).toMatchObject({ accepted: 1, unknown: 0 })
  })
})

describe('ack=memory', () => {
  test('threads answer before anything is written, and all of it is written', async () => {
    const { threads, found } = await start(2, { spool: { ack: 'memory' } })
    const answers = await Promise.all(upTo(200).map(async n => await threads[n % 2]?.post(event(n))))
    expect(new Set(answers.map(answer => answer?.status))).toEqual(new Set([202]))
    expect(await found()).toEqual(upTo(200))
  })
})

import { describe, expect, test } from 'vitest'
import { type Collector, type CollectorOptions, createCollector } from '../../../../src/collector/collector.ts'
import { sumCounters } from '../../../../src/collector/counters.ts'
import { defaultCollectorSettings } from '../../../../src/collector/settings.ts'
import { toEventIds, toSender } from '../../../../src/collector/submit/event-ids.ts'
import { createValidator } from '../../../../src/collector/validation/validator.ts'
import type { Api } from '../../../../src/spool/apis.ts'
import { eventIdAt } from '../../../../src/spool/event-ids.ts'
import type { Spool } from '../../../../src/spool/spool.ts'
import type { SpoolSettings } from '../../../../src/spool/spool-settings.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { openTestSpool, readEvents } from '../../../suites/spool.ts'
import { createTearingDisk } from '../../../suites/tearing-disk.ts'
import { type CallInit, knock, post } from '../fakes.ts'

/** A collector with a real spool, whose log can be made to fail, and whose process can end. */
const start = async (
  settings: Partial<SpoolSettings> = {},
  filters: readonly string[] = [],
  options: Pick<CollectorOptions, 'validate'> = {},
) => {
  const fileSystem = createMemoryFileSystem()
  const faults = { isBroken: false }
  const failing = {
    fail: (operation: string, path: string) =>
      faults.isBroken && operation === 'fdatasync' && path.startsWith('log/') ? new Error('EIO') : undefined,
  }
  let disk = createTearingDisk(failing)
  const open = async () => {
    const opened = await openTestSpool({ disk, fileSystem, settings })
    const collector = createCollector({
      ...options,
      spool: opened.spool,
      settings: () => ({
        ...defaultCollectorSettings,
        doors: new Set(['cloudevents', 'segment'] as const),
        filters: { ...defaultCollectorSettings.filters, 'event-type': filters },
      }),
      clock: { now: () => opened.clock.ms, monotonicMs: () => 0 },
    })
    return { ...opened, collector }
  }
  let current = await open()
  return {
    faults,
    collector: (): Collector => current.collector,
    spool: (): Spool => current.spool,
    beat: () => current.beat(),
    seal: async () => {
      current.clock.ms += 30_000
      await current.beat()
    },
    restart: async () => {
      disk = disk.kill(failing)
      current = await open()
    },
    found: async () => {
      await current.spool.processLeftBelowFiles()
      // Refused ones are rows of their own.
      const events = (await readEvents(fileSystem)).filter(({ payload }) => 'n' in payload)
      return events.map(({ payload }) => Number(payload['n'])).toSorted((a, b) => a - b)
    },
  }
}

type World = Awaited<ReturnType<typeof start>>

type Sent = { readonly id?: string; readonly type?: string; readonly n: number | string }

const toCloudEvent = ({ id = 'i', type = 'A', n }: Sent): object => ({
  specversion: '1.0',
  source: '/s',
  id,
  type,
  n,
})

const send = (world: World, events: readonly Sent[], init: CallInit = {}): Promise<Response> =>
  post(world.collector(), JSON.stringify(events.map(toCloudEvent)), {
    type: 'application/cloudevents-batch+json',
    ...init,
  })

const sendToSegment = (world: World, { id = 'i', type = 'A', n }: Sent, writeKey = 'w'): Promise<Response> =>
  knock(
    world.collector(),
    'postSegment',
    '/v1/batch',
    JSON.stringify({ writeKey, batch: [{ type: 'track', event: type, messageId: id, n }] }),
  )

const one = [{ n: 1 }] as const
const cloudEvents = 'POST_CloudEvents_API' satisfies Api

/** Ways in which an event is repeated; what is in the file system then. */
const ways: readonly (readonly [string, (world: World) => Promise<unknown>, readonly number[]])[] = [
  ['after its answer was lost', world => send(world, one).then(() => send(world, one)), [1]],
  [
    'while the first try is on its way, four times at once',
    async world => {
      const answers = await Promise.all(Array.from({ length: 4 }, () => send(world, one)))
      expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202])
    },
    [1],
  ],
  [
    'while the first try is on its way, and fails',
    async world => {
      world.faults.isBroken = true
      const first = send(world, one)
      const second = send(world, one)
      expect((await first).status).toBe(503)
      expect((await second).status).toBe(503)
      world.faults.isBroken = false
      await world.beat()
      expect((await send(world, one)).status).toBe(202)
    },
    [1],
  ],
  [
    'after a 503',
    async world => {
      world.faults.isBroken = true
      expect((await send(world, one)).status).toBe(503)
      world.faults.isBroken = false
      await world.beat()
      for (const _ of [1, 2, 3]) expect((await send(world, one)).status).toBe(202)
    },
    [1],
  ],
  [
    'after a restart',
    async world => {
      await send(world, one)
      await world.restart()
      await send(world, one)
    },
    [1],
  ],
  [
    'after a 503 and a restart, in which nobody knows it',
    async world => {
      world.faults.isBroken = true
      await send(world, one)
      world.faults.isBroken = false
      await world.restart()
      await send(world, one)
    },
    [1],
  ],
  [
    'after it was sealed, and after a restart behind that',
    async world => {
      await send(world, one)
      await world.seal()
      await send(world, one)
      await world.restart()
      await send(world, one)
    },
    [1],
  ],
  [
    'after so many others that it is forgotten: then it counts again',
    async world => {
      await send(world, one)
      for (let n = 2; n < 12; n++) await send(world, [{ id: `i${n}`, n }])
      await send(world, one)
    },
    [1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
  ],
  ['from another address', world => send(world, one).then(() => send(world, one, { peer: '10.9.8.7' })), [1]],
  ['in one request', world => send(world, [{ n: 1 }, { n: 2 }, { id: 'j', n: 3 }]), [1, 3]],
  [
    'among others that are new',
    async world => {
      await send(world, [{ id: 'a', n: 1 }])
      await send(world, [
        { id: 'b', n: 2 },
        { id: 'a', n: 1 },
        { id: 'c', n: 3 },
      ])
    },
    [1, 2, 3],
  ],
  [
    'with another type: another event',
    world => send(world, one).then(() => send(world, [{ type: 'B', n: 2 }])),
    [1, 2],
  ],
  ['through another door: another event', world => send(world, one).then(() => sendToSegment(world, { n: 2 })), [1, 2]],
  [
    'with another write key: another event',
    world => sendToSegment(world, { n: 1 }).then(() => sendToSegment(world, { n: 2 }, 'x')),
    [1, 2],
  ],
  ['with the same write key', world => sendToSegment(world, { n: 1 }).then(() => sendToSegment(world, { n: 1 })), [1]],
]

describe('an event that comes again with its id', () => {
  test.each(ways)('%s', async (_, act, left) => {
    const world = await start({ maxEventIds: 10 })
    await act(world)
    expect(await world.found()).toEqual(left)
  })

  test('is accepted as before, and counted as what it is', async () => {
    const world = await start()
    const first = await send(world, one)
    const second = await send(world, [...one, { id: 'j', n: 2 }])
    expect([first.status, second.status]).toEqual([202, 202])
    expect(await first.json()).toMatchObject({ accepted: 1, rejected: 0 })
    expect(await second.json()).toMatchObject({ accepted: 2, rejected: 0 })
    expect(world.collector().counters[cloudEvents]).toMatchObject({ received: 3, accepted: 2, duplicates: 1 })
    expect(world.collector().counters[cloudEvents].byType).toEqual(new Map([['A', 2]]))
    expect(world.collector().admission).toMatchObject({ requests: 0, queuedEvents: 0 })
  })

  test('the rest of its request is kept whole or not at all, and the books balance', async () => {
    const world = await start()
    await send(world, one)
    world.faults.isBroken = true
    expect((await send(world, [...one, { id: 'j', n: 2 }, { id: 'k', n: 3 }])).status).toBe(503)
    world.faults.isBroken = false
    await world.beat()
    const { counters } = world.collector()
    expect(counters[cloudEvents]).toMatchObject({ received: 4, accepted: 1, duplicates: 1, errored: 2 })
    await send(world, [...one, { id: 'j', n: 2 }, { id: 'k', n: 3 }])
    expect(counters[cloudEvents]).toMatchObject({ received: 7, accepted: 3, duplicates: 2, errored: 2 })
    expect(sumCounters(counters, 'rejected')).toBe(2)
    expect(await world.found()).toEqual([1, 2, 3])
  })

  test.each(['warn', 'set-aside'] as const)('counts once among those that do not fit their schema: %s', async mode => {
    const fields = [{ id: 1, name: 'n', type: 'string' }]
    const validate = createValidator({ lookup: name => (name === 'A' ? fields : undefined), mode: () => mode })
    const world = await start({}, [], { validate })
    await send(world, one)
    await send(world, [...one, { id: 'j', n: 2 }])
    expect(world.collector().counters[cloudEvents]).toMatchObject({ received: 3, accepted: 2, duplicates: 1 })
    expect(world.collector().counters[cloudEvents].mismatches).toEqual(new Map([['A', 2]]))
  })

  test('what a filter drops is not remembered, and the others keep their ids', async () => {
    const world = await start({}, ['^Gone$'])
    const events = [
      { type: 'Gone', id: 'g', n: 1 },
      { id: 'i', n: 2 },
    ]
    await send(world, events)
    expect(world.spool().stats().eventIds).toBe(1)
    await send(world, events.slice(1))
    await send(world, events)
    const counts = { received: 5, accepted: 1, duplicates: 2, filtered: 2 }
    expect(world.collector().counters[cloudEvents]).toMatchObject(counts)
  })

  test('requests that fail one after another ahead of it are waited for some times, and no more', async () => {
    const world = await start()
    let asked = 0
    world.spool().recallIds = () => {
      asked++
      return { kept: [], ahead: Promise.resolve(false) }
    }
    expect((await send(world, one)).status).toBe(503)
    expect(asked).toBe(8)
    expect(world.collector().counters[cloudEvents]).toMatchObject({ received: 1, lost: 1 })
  })
})

describe('with an Idempotency-Key as well', () => {
  const keyed = { headers: { 'idempotency-key': 'k' } }

  test('the key counts first, and what is left is new', async () => {
    const world = await start()
    await send(world, one)
    const both = [...one, { id: 'j', n: 2 }]
    expect(await (await send(world, both, keyed)).json()).toMatchObject({ accepted: 2 })
    expect(await (await send(world, both, keyed)).json()).toMatchObject({ accepted: 2 })
    expect((await send(world, [{ id: 'z', n: 9 }], keyed)).status).toBe(422)
    expect(world.collector().counters[cloudEvents]).toMatchObject({ replays: 1, duplicates: 1, accepted: 2 })
    expect(await world.found()).toEqual([1, 2])
  })

  test('one that waited for an id looks for its key again: events without ids come once, too', async () => {
    const world = await start()
    const body = JSON.stringify([toCloudEvent({ n: 1 }), toCloudEvent({ id: 'x'.repeat(600), n: 2 })])
    const type = 'application/cloudevents-batch+json'
    const answers = await Promise.all([
      send(world, one),
      post(world.collector(), body, { type, ...keyed }),
      post(world.collector(), body, { type, ...keyed }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202])
    expect(await world.found()).toEqual([1, 2])
  })
})

describe('an id', () => {
  const of = (api: Api, sender: string, name: string, id: string | undefined): string | undefined => {
    const events = [{ index: 0, name, date: 1, granularity: 'HOURLY' as const }]
    const parsed = { events, ids: [id] } as never
    const ids = toEventIds({ api, sender, parsed }, events)
    return ids && eventIdAt(ids, 0)
  }
  const someone = { name: 'shop', has: () => true }

  test('is another one where anything about it is', () => {
    const usual = [cloudEvents, 's', 'A', 'i'] as const
    const ids = [
      of(...usual),
      of('POST_Segment_API', 's', 'A', 'i'),
      of(cloudEvents, 't', 'A', 'i'),
      of(cloudEvents, 's', 'B', 'i'),
      of(cloudEvents, 's', 'A', 'j'),
      of(cloudEvents, 'sA', '', 'i'),
    ]
    expect(new Set(ids).size).toBe(ids.length)
    expect(of(...usual)).toBe(of(...usual))
    expect(of(cloudEvents, 's', 'A', undefined)).toBeUndefined()
  })

  test('belongs to the proven name, else to the given key, else to all', () => {
    const senders = [
      toSender(undefined, undefined),
      toSender(undefined, 'key'),
      toSender(someone, 'key'),
      toSender({ ...someone, subject: 'shop@R' }, 'key'),
    ]
    expect(new Set(senders).size).toBe(senders.length)
    expect(toSender({ ...someone, isClaimed: true }, 'key')).toBe(toSender(undefined, 'key'))
    expect(toSender(someone, 'key')).toBe(toSender(someone, undefined))
  })

  test('leaves nothing of long keys in memory', async () => {
    const { setFlagsFromString } = await import('node:v8')
    const { runInNewContext } = await import('node:vm')
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const used = (): number => {
      collect()
      return process.memoryUsage().heapUsed
    }
    const before = used()
    for (let i = 0; i < 24; i++) expect(toSender(undefined, `${i}`.padEnd(2 ** 20))).toHaveLength(43)
    expect(used() - before).toBeLessThan(8 * 2 ** 20)
  })
})

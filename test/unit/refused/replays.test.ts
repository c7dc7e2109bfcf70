import { describe, expect, test } from 'vitest'
import { loadContract } from '../../../src/contract/load.ts'
import { type BoundOperation, bindService } from '../../../src/contract/service.ts'
import { SluiceError } from '../../../src/errors.ts'
import type { ReplayOutcome } from '../../../src/refused/refused-answers.ts'
import { createRefusedDesk, type RefusedDeskOptions } from '../../../src/refused/refused-desk.ts'
import type { RefusedFiles } from '../../../src/refused/refused-files.ts'
import { type RefusedRecord, toRefusedRecord } from '../../../src/refused/refused-record.ts'
import { replayInTurn } from '../../../src/refused/replay-in-turn.ts'
import { createReplayer } from '../../../src/refused/replayer.ts'
import { createRefusedId } from '../../../src/spool/refused-id.ts'
import { openRefusedServer } from '../../suites/refused-server.ts'
import { createTestCollector, readBatch } from '../collector/fakes.ts'

type Server = Awaited<ReturnType<typeof openRefusedServer>>

const when = Date.UTC(2026, 10, 22, 8)
const json = { 'content-type': 'application/json' }
const order = (total: unknown) => JSON.stringify({ eventName: 'Order', payload: { total } })
const words = (outcomes: readonly { readonly outcome: string }[]) => outcomes.map(({ outcome }) => outcome)
const idsOf = async (server: Server) => (await server.list(['Order'])).rows.map(({ id }) => id)
const track = (server: Server) => server.post('{"event":"Order","messageId":"m","total":"x"}', json, '/v1/track')

const record = (members: Readonly<Record<string, unknown>> = {}): RefusedRecord =>
  toRefusedRecord({
    id: createRefusedId(when, 'Order'),
    when,
    api: 'POST_Json_API',
    method: 'POST',
    target: '/rest/1.0/event',
    contentType: 'application/json',
    isReplayable: true,
    sent: order(1),
    ...members,
  })

describe('a replay that is accepted in part', () => {
  const bodies: readonly (readonly [name: string, sent: string])[] = [
    ['one that is no event', `[${order(1)},{"eventName":"Order","payload":7}]`],
    ['the first one', `[7,${order(1)}]`],
    ['one of another type', `[${order(1)},{"eventName":"/x","payload":{}}]`],
  ]

  const replayAlone = async (sent: string) => {
    const made = createTestCollector()
    const { getEventV1, getEventV2, postEvent } = made.collector.handlers
    const bound = bindService(loadContract(), {
      tags: ['events'],
      handlers: { getEventV1, getEventV2, postEvent },
      guardOf: () => ({ authorize: undefined }),
    })
    return { ...made, replay: () => createReplayer(bound, error => expect.fail(String(error)))(record({ sent })) }
  }

  test.each(bodies)('keeps the rest in the same record, so that nothing comes between: %s', async (_, sent) => {
    const { spool, collector, replay } = await replayAlone(sent)
    expect(await replay()).toMatchObject({ outcome: 'accepted', accepted: 1 })
    expect(spool.refused).toEqual([])
    expect(spool.batches).toHaveLength(1)
    const events = spool.batches.flatMap(readBatch)
    expect(events).toMatchObject([
      { name: 'Order', payload: { total: 1 } },
      { date: when, payload: { when, kind: 'refused', isReplayable: true, position: sent.startsWith('[7') ? 0 : 1 } },
    ])
    const { accepted, malformed, replayed } = collector.counters.POST_Json_API
    expect({ accepted, malformed, replayed }).toEqual({ accepted: 1, malformed: 1, replayed: 1 })
  })

  test.each(bodies)('keeps nothing of it where the disk fails: %s', async (_, sent) => {
    const { spool, collector, replay } = await replayAlone(sent)
    spool.failure = new SluiceError('unavailable', 'disk')
    expect(await replay()).toMatchObject({ outcome: 'failed', accepted: 0 })
    expect([...spool.batches, ...spool.refused]).toEqual([])
    expect(collector.counters.POST_Json_API).toMatchObject({ errored: 1, malformed: 1, accepted: 0 })
    spool.failure = undefined
    expect(await replay()).toMatchObject({ outcome: 'accepted', accepted: 1 })
  })

  test('stays whole where not each event that is refused could be a row', async () => {
    const server = await openRefusedServer()
    await server.post(`[${order('x')}${',7'.repeat(101)}]`)
    await server.flush()
    const ids = await idsOf(server)
    server.validate('off')
    expect(await server.replay(...ids)).toMatchObject([{ outcome: 'refused', accepted: 0 }])
    await server.flush()
    expect(await server.stored('Order')).toEqual([])
    expect((await server.list()).rows).toMatchObject([{ id: ids[0], isReplayed: false }])
  })

  test('dates the rest as it came, however late', async () => {
    const server = await openRefusedServer()
    await server.post(`[${order('x')},{"eventName":"Order","payload":{"total":"y"},"more":7}]`)
    await server.post(`[${order('x')},{"eventName":"Order","payload":7}]`)
    await server.flush()
    const ids = await idsOf(server)
    await server.flush()
    server.validate('off')
    await server.replay(...ids)
    await server.flush()
    const rows = await server.stored('_refused/Order')
    expect(rows.map(([hour]) => hour)).toEqual(rows.map(() => '2026/11/22/08'))
    expect(rows).toHaveLength(3)
  })

  test('is known by its ids though another event of it is refused again', async () => {
    const server = await openRefusedServer()
    const event = (total: unknown, messageId: string) => ({ type: 'track', event: 'Order', messageId, total })
    const send = (...batch: readonly unknown[]) => server.post(JSON.stringify({ batch }), json, '/v1/batch')
    await send(event('x', 'm'), event('y', 'n'))
    server.clock.ms++
    await send(event('x', 'm'))
    await server.flush()
    const ids = await idsOf(server)
    server.validate('off')
    expect(words(await server.replay(...ids))).toEqual(['duplicate', 'accepted'])
    expect((await server.list(['Order'])).rows).toMatchObject([{ isReplayed: true }, { isReplayed: true }])
  })
})

describe('what became of it', () => {
  test('duplicate: its sender has sent the event again, so it is in', async () => {
    const server = await openRefusedServer()
    await track(server)
    await server.flush()
    const ids = await idsOf(server)
    server.validate('off')
    await track(server)
    expect((await server.list(['Order'])).rows).toMatchObject([{ isReplayed: true }])
    expect(await server.replay(...ids)).toMatchObject([{ outcome: 'duplicate', accepted: 0 }])
    await server.flush()
    expect(await server.stored('Order')).toHaveLength(1)
  })

  test('filtered: nothing of it is in, and it can be sent in once the filter is gone', async () => {
    const server = await openRefusedServer()
    await server.post(order('x'))
    await server.flush()
    const ids = await idsOf(server)
    server.validate('off')
    const bean = 'sluice.metrics.collector.filters:name=EventType'
    await server.rpc.exec(bean, 'addPattern', ['Order'])
    expect(await server.replay(...ids)).toMatchObject([{ outcome: 'filtered', accepted: 0 }])
    expect((await server.list(['Order'])).rows).toMatchObject([{ isReplayed: false }])
    await server.rpc.exec(bean, 'removePattern', ['Order'])
    expect(words(await server.replay(...ids))).toEqual(['accepted'])
  })

  test("a key that a sender makes up is not a replay's", async () => {
    const server = await openRefusedServer()
    await server.post(order('x'))
    await server.flush()
    const [id = ''] = await idsOf(server)
    server.validate('off')
    expect((await server.post(order('other'), { 'idempotency-key': `replay:${id}` })).status).toBe(202)
    expect((await server.list(['Order'])).rows).toMatchObject([{ isReplayed: false }])
    expect(words(await server.replay(id))).toEqual(['accepted'])
    expect(() => new Headers({ 'idempotency-key': '\u0000replay:' })).toThrow(TypeError)
  })

  test('errored: a mistake of the server is logged, and the others continue', async () => {
    const mistakes: unknown[] = []
    const postEvent = loadContract().operations.find(({ id }) => id === 'postEvent')
    if (postEvent === undefined) throw new Error('There is no postEvent')
    const bound: BoundOperation = {
      operation: postEvent,
      guard: { authorize: undefined },
      answer: () => {
        throw new TypeError('a mistake')
      },
    }
    const replay = createReplayer([bound], (error, id) => void mistakes.push({ error, id }))
    const one = record()
    expect(await replay(one)).toMatchObject({ id: one.id, outcome: 'errored', accepted: 0 })
    expect(mistakes).toMatchObject([{ id: one.id, error: { cause: { message: 'a mistake' } } }])
  })
})

describe('many', () => {
  test('go in as they came, the oldest first, whatever the order in which they are asked for', async () => {
    const server = await openRefusedServer()
    for (const total of ['a', 'b', 'c', 'd']) {
      await server.post(
        total === 'c' ? `[${order('c')},{"eventName":"Fine","payload":{}},${order('cc')}]` : order(total),
      )
      server.clock.ms += 1_000
      if (total === 'b') await server.flush()
    }
    await server.flush()
    const ids = (await idsOf(server)).toSorted((a, b) => (a.slice(-3) < b.slice(-3) ? 1 : -1))
    server.validate('off')
    await server.replay(...ids)
    await server.flush()
    const totals = (await server.stored('Order')).map(([, row]) => (row as { readonly total: string }).total)
    expect(totals).toEqual(['a', 'b', 'c', 'cc', 'd'])
  })

  const outcomes: readonly (readonly [
    name: string,
    told: readonly ReplayOutcome['outcome'][],
    want: readonly string[],
  ])[] = [
    ['one that the server fails at', ['accepted', 'errored', 'accepted'], ['accepted', 'errored', 'accepted']],
    ['one that is refused', ['refused', 'not-replayable', 'accepted'], ['refused', 'not-replayable', 'accepted']],
    ['the collector takes nothing', ['accepted', 'failed', 'accepted'], ['accepted', 'failed', 'failed']],
  ]
  test.each(outcomes)('%s', async (_, told, want) => {
    const records = told.map((__, i) => record({ when: when + i }))
    const left = [...told]
    const replay = async ({ id }: RefusedRecord): Promise<ReplayOutcome> => ({
      id,
      accepted: 0,
      outcome: left.shift() ?? 'failed',
      detail: '',
    })
    const became = await replayInTurn(records, { ...endless, replay })
    expect(records.map(({ id }) => became.get(id)?.outcome)).toEqual(want)
  })

  test('one after the other by the time at which they came, and within a request by their places', async () => {
    const wanted = [
      record({ position: 1 }),
      record({ position: 2 }),
      record({ when: when + 1 }),
      record({ when: when + 2 }),
    ]
    const turns: string[] = []
    const replay = async ({ id }: RefusedRecord): Promise<ReplayOutcome> => {
      turns.push(id)
      return { id, accepted: 1, outcome: 'accepted', detail: '' }
    }
    await replayInTurn(wanted.toReversed(), { ...endless, replay })
    expect(turns).toEqual(wanted.map(({ id }) => id))
  })

  test('when the time is over the first one is in, and the others can be asked for again', async () => {
    const records = [record(), record({ when: when + 1 })]
    const replay = async ({ id }: RefusedRecord): Promise<ReplayOutcome> => ({
      id,
      accepted: 1,
      outcome: 'accepted',
      detail: '',
    })
    const became = await replayInTurn(records, { ...endless, replay, isOver: () => true })
    expect(records.map(({ id }) => became.get(id)?.outcome)).toEqual(['accepted', 'failed'])
  })

  test.each([
    ['not-found', 0, 'No refused event has the id'],
    ['failed', 16_000, 'The search took too long'],
  ])('of one that is not there, %s where the search took %i ms', async (outcome, ms, message) => {
    let now = 0
    const { desk } = openDesk(
      {
        rows: async function* rows() {
          yield record()
          now += ms
          yield record()
        },
      },
      { nowMs: () => now },
    )
    const id = createRefusedId(when, 'Order')
    expect(await desk.replay([id])).toMatchObject([{ id, outcome }])
    await expect(desk.show(id)).rejects.toThrow(message)
  })

  test.each(['directories', 'files', 'rows', 'replay'] as const)(
    'have their answer when the time is over, though something hangs: %s',
    async what => {
      const { promise: isReached, resolve: hang } = Promise.withResolvers<void>()
      let calls = what === 'replay' ? 2 : 1
      const hangs = (): Promise<never> => {
        if (--calls === 0) hang()
        return new Promise(() => {})
      }
      const one = record()
      const { desk, endTime } = openDesk(
        {
          ...(what === 'directories' && { directories: hangs }),
          ...(what === 'files' && { files: hangs }),
          rows: async function* rows() {
            if (what === 'rows') await hangs()
            yield one
          },
        },
        what === 'replay' ? { replay: hangs } : {},
      )
      const answers = [
        desk.replay([one.id]),
        ...(what === 'replay' ? [desk.replayFound(all).then(({ outcomes }) => outcomes)] : []),
      ]
      await isReached
      endTime()
      for (const answer of answers)
        expect(await soon(answer)).toMatchObject([
          { id: one.id, outcome: 'failed', detail: expect.stringMatching(/^The call took too long/) },
        ])
    },
  )

  test('that were found are not looked for a second time', async () => {
    let looks = 0
    const one = record()
    const { desk } = openDesk({
      rows: async function* rows() {
        looks++
        yield one
      },
    })
    expect(await desk.replayFound(all)).toEqual({
      outcomes: [{ id: one.id, accepted: 1, outcome: 'accepted', detail: '' }],
    })
    expect(looks).toBe(1)
  })

  test('that are long come by turns, so that few of them are held at once', async () => {
    const records = [1, 2, 3].map(n =>
      record({ when: when + n, id: createRefusedId(when + n, 'Order'), sent: 'x'.repeat(9 * 2 ** 20) }),
    )
    const { desk } = openDesk({
      rows: async function* rows() {
        yield* records
      },
    })
    const ids = records.map(({ id }) => id)
    expect(words(await desk.replay(ids))).toEqual(['accepted', 'failed', 'failed'])
    expect(words(await desk.replay(ids.slice(1)))).toEqual(['accepted', 'failed'])
  })
})

/** What is there after some turns, in which nothing waits for anything else; a promise that hangs is `pending`. */
const soon = async <T>(answer: Promise<T>): Promise<T | 'pending'> => {
  const pending = async (): Promise<'pending'> => {
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)
    return 'pending'
  }
  return await Promise.race([answer, pending()])
}

/** As long as it takes. */
const endless = { isOver: () => false, wait: <T>(step: Promise<T>): Promise<T> => step }

const all = { types: [], code: undefined, from: 0, to: Number.MAX_SAFE_INTEGER, before: undefined, limit: 50 }

/** A desk over one hour of one type. */
const openDesk = (files: Partial<RefusedFiles>, options: Partial<RefusedDeskOptions> = {}) => {
  const timers: AbortController[] = []
  const desk = createRefusedDesk({
    files: {
      directories: async path => {
        const depth = path.split('/').length
        return ['Order', '2026', '11', '22', '08'].slice(depth - 3, depth - 2)
      },
      files: async path => (path.includes('/dt=') ? [] : ['a']),
      rows: async function* none() {},
      ...files,
    },
    root: '/events',
    replay: async ({ id }) => ({ id, accepted: 1, outcome: 'accepted', detail: '' }),
    isIn: () => false,
    waitingByType: () => new Map(),
    nowMs: () => 0,
    timeout: () => {
      const timer = new AbortController()
      timers.push(timer)
      return timer.signal
    },
    ...options,
  })
  return {
    desk,
    /** The time of all active replays is over. */
    endTime: (): void => {
      for (const timer of timers) timer.abort()
    },
  }
}

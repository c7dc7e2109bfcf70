import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { openRefusedServer, operator, withSenders } from '../../suites/refused-server.ts'

const order = (total: unknown, more: object = {}) => JSON.stringify({ eventName: 'Order', payload: { total, ...more } })
const good = order(1.5)
const bad = order('much')
const hour = '2026/11/22/08'

type Server = Awaited<ReturnType<typeof openRefusedServer>>

const figure = async ({ app }: Server, name: string): Promise<number> => {
  const headers = { authorization: `Bearer ${operator}` }
  const text = await (await app.adminFetch(new Request('http://127.0.0.1/metrics', { headers }))).text()
  return [...text.matchAll(new RegExp(`^${name}(?:\\{[^}\\n]*\\})? (\\S+)$`, 'gm'))].reduce(
    (sum, [, n]) => sum + Number(n),
    0,
  )
}

const books = async (server: Server) => {
  const figures = {
    received: await figure(server, 'collector_events_received_total'),
    accepted: await figure(server, 'collector_events_accepted_total'),
    rejected: await figure(server, 'collector_events_rejected_total'),
    replayed: await figure(server, 'collector_events_replayed_total'),
  }
  expect(figures.received).toBe(figures.accepted + figures.rejected)
  return figures
}

const words = (outcomes: readonly { readonly outcome: string }[]) => outcomes.map(({ outcome }) => outcome)
const json = { 'content-type': 'application/json' }
const sendTrack = (server: Server) => server.post('{"event":"Order","messageId":"m","total":"x"}', json, '/v1/track')
const sendCloudEvent = (server: Server) =>
  server.post('{"total":"x"}', {
    ...json,
    'ce-specversion': '1.0',
    'ce-id': '1',
    'ce-source': '/s',
    'ce-type': 'Order',
    'ce-total': 'x',
  })
const toSegment = (...events: readonly object[]) =>
  JSON.stringify({ batch: events.map(event => ({ type: 'track', ...event })) })

describe('list', () => {
  test('pages by type and code, the newest first, and says what is not in a file yet', async () => {
    const server = await openRefusedServer()
    for (const total of ['a', 'b', 'c', 'd']) {
      await server.post(order(total))
      server.clock.ms += 1_000
      if (total === 'b') await server.flush()
    }
    await server.post('no JSON')
    expect(await server.list()).toMatchObject({ waiting: 3, rows: { length: 2 } })
    expect((await server.list(['Order'])).waiting).toBe(2)
    await server.flush()
    const all = await server.list()
    expect(all.rows.map(({ type }) => type)).toEqual(['', 'Order', 'Order', 'Order', 'Order'])
    expect(all).not.toHaveProperty('next')
    expect((await server.list(['_unknown'])).rows).toMatchObject([{ code: 'bad-event', type: '' }])
    expect((await server.list([], 'bad-event')).rows).toHaveLength(1)
    expect((await server.list(['Other'])).rows).toEqual([])
    const seen: string[] = []
    let next: string | undefined = ''
    do {
      const page: Awaited<ReturnType<Server['list']>> = await server.list(['Order'], '', 3, next)
      expect(page.rows.length).toBeLessThanOrEqual(3)
      seen.push(...page.rows.map(({ id }) => id))
      next = page.next
    } while (next !== undefined)
    expect(seen).toEqual(all.rows.slice(1).map(({ id }) => id))
    const since = Date.UTC(2026, 10, 22, 9)
    expect((await server.exec('list', [], '', since, 0, '', 10)) as object).toMatchObject({ rows: { length: 3 } })
    expect((await server.exec('list', [], '', 0, since, '', 10)) as object).toMatchObject({ rows: { length: 2 } })
  })

  test('has no bytes; show and export have them, with the place marked', async () => {
    const server = await openRefusedServer()
    await server.post(`[${good},${bad}]`)
    await server.flush()
    const { rows } = await server.list()
    expect(rows).toMatchObject([{ position: 1, isReplayed: false }])
    expect(JSON.stringify(rows)).not.toContain('sent')
    const start = bad.indexOf('"much"')
    const whole = { sent: bad, mark: { start, end: start + 6 } }
    expect(await server.exec('show', rows[0]?.id)).toMatchObject(whole)
    expect(await server.exec('export', [], '', 0, 0, '', 10)).toMatchObject({ rows: [whole] })
    await expect(server.exec('show', 'nothing')).rejects.toThrow('No refused event has the id nothing')
  })
})

describe('R29: replay', () => {
  test.each<[string, (server: Server) => Promise<unknown>, number]>([
    ['a request', server => server.post(bad), 1],
    ['a request with a key', server => server.post(bad, { 'idempotency-key': 'k' }), 1],
    ['a request with two', server => server.post(`[${bad},${bad}]`), 2],
    ['one within a 202', server => server.post(`[${bad},{"eventName":"Other","payload":{}}]`), 1],
    ['a compressed one', server => server.post(new Uint8Array(gzipSync(bad)), { 'content-encoding': 'gzip' }), 1],
    ['Segment', sendTrack, 1],
    [
      'one of several of Segment',
      server =>
        server.post(
          '{"batch":[{"type":"track","event":"Order","messageId":"m","total":"x"},{"type":"track","event":"Fine","messageId":"n"}]}',
          json,
          '/v1/batch',
        ),
      1,
    ],
    ['a CloudEvent', sendCloudEvent, 1],
    ['parameters', server => server.post('[{"total":"x"}]', json, '/rest/1.0/event?name=Order'), 1],
  ])('%s goes in with its old date, once', async (_, send, count) => {
    const server = await openRefusedServer()
    await send(server)
    await server.flush()
    const { rows } = await server.list(['Order'])
    const ids = rows.map(({ id }) => id)
    expect(ids).toHaveLength(1)
    expect(words(await server.replay(...ids))).toEqual(['refused'])
    server.validate('off')
    const before = await books(server)
    const both = await Promise.all([server.replay(...ids), server.replay(...ids)])
    expect(both.flatMap(words).sort()).toEqual(['accepted', 'before'])
    expect(words(await server.replay(...ids))).toEqual(['before'])
    expect(await books(server)).toMatchObject({
      accepted: before.accepted + count,
      replayed: count,
      rejected: before.rejected,
    })
    expect((await server.list(['Order'])).rows).toMatchObject([{ isReplayed: true }])
    await server.flush()
    expect((await server.stored('Order')).map(([at]) => at)).toEqual(Array(count).fill(hour))
    // Nothing of it was stored as refused once more.
    expect((await server.list(['Order'])).rows).toHaveLength(1)
  })

  test.each<[string, string, string, Readonly<Record<string, string>>, object]>([
    [
      'Firehose',
      '/firehose?name=Order',
      JSON.stringify({ records: [{ data: btoa('{"total":"x"}') }] }),
      { 'x-amz-firehose-request-id': 'r', 'x-amz-firehose-common-attributes': '{"commonAttributes":{"stage":"a"}}' },
      { total: 'x', commonAttributes: { stage: 'a' } },
    ],
    [
      'Snowplow',
      '/com.snowplowanalytics.snowplow/tp2',
      '{"data":[{"e":"Order","total":"x"}]}',
      { cookie: 'session=hush; sp=visitor' },
      { total: 'x', nuid: 'visitor' },
    ],
    [
      'Snowplow, without a cookie where the sender wants none',
      '/com.snowplowanalytics.snowplow/tp2',
      '{"data":[{"e":"Order","total":"x"}]}',
      { 'sp-anonymous': '*', cookie: 'sp=visitor' },
      { total: 'x', e: 'Order' },
    ],
  ])('has what its door takes from headers: %s', async (_, path, body, headers, payload) => {
    const server = await openRefusedServer()
    expect((await server.post(body, headers, path)).status).toBe(400)
    await server.flush()
    server.validate('off')
    const { rows } = await server.list(['Order'])
    expect(words(await server.replay(...rows.map(({ id }) => id)))).toEqual(['accepted'])
    // What its sender repeats counts as the same where it has ids.
    if (path.includes('firehose')) expect((await server.post(body, headers, path)).status).toBe(200)
    await server.flush()
    const stored = (await server.stored('Order')).map(([, row]) => Object(row) as Record<string, unknown>)
    expect(stored).toMatchObject([payload])
    if (!('nuid' in payload)) expect(stored[0]).not.toHaveProperty('nuid')
  })

  test('of what was refused before it was read counts once with every try of its sender', async () => {
    const server = await openRefusedServer()
    server.set('collector.doors=')
    const headers = {
      ...json,
      'content-type': 'text/csv',
      'content-length': '1',
      'ce-specversion': '1.0',
      'ce-id': '1',
      'ce-source': '/s',
      'ce-type': 'Order',
    }
    expect((await server.post('x', headers)).status).toBe(415)
    await server.flush()
    server.set()
    const [row] = (await server.list()).rows
    expect(words(await server.replay(row?.id ?? ''))).toEqual(['accepted'])
    expect((await server.post('x', headers)).status).toBe(202)
    await server.flush()
    expect(await server.stored('Order')).toHaveLength(1)
  })

  test('of events with the same ids of two senders are two', async () => {
    const server = await openRefusedServer(...withSenders('ann', 'bob'))
    server.set('collector.doors=')
    const event = { 'ce-specversion': '1.0', 'ce-id': '1', 'ce-source': '/s', 'ce-type': 'Order' }
    const send = (name: string) =>
      server.post('x', { ...event, 'content-type': 'text/csv', 'content-length': '1', authorization: `Bearer ${name}` })
    for (const name of ['ann', 'bob']) expect((await send(name)).status).toBe(415)
    await server.flush()
    server.set()
    const ids = (await server.list()).rows.map(({ id }) => id)
    expect(words(await server.replay(...ids))).toEqual(['accepted', 'accepted'])
    for (const name of ['ann', 'bob']) expect((await send(name)).status).toBe(202)
    server.clock.ms += 1
    await server.flush()
    expect(await figure(server, 'collector_events_accepted_total')).toBe(2)
  })

  test('of GET, which has no key of its own', async () => {
    const server = await openRefusedServer()
    expect((await server.call('/1?v=Order,x')).status).toBe(400)
    await server.flush()
    const [row] = (await server.list()).rows
    expect(words(await server.replay(row?.id ?? ''))).toEqual(['refused'])
    expect(await server.exec('show', row?.id)).toMatchObject({ target: '/1?v=Order,x' })
  })

  test('its sender may send the request again, before and after', async () => {
    const server = await openRefusedServer()
    for (const key of ['a', 'b', 'c']) {
      await server.post(order(key), { 'idempotency-key': key })
      server.clock.ms++
    }
    await server.flush()
    const [c, b, a] = (await server.list()).rows.map(({ id }) => id)
    server.validate('off')
    expect((await server.post(order('a'), { 'idempotency-key': 'a' })).status).toBe(202)
    expect((await server.post(order('other'), { 'idempotency-key': 'b' })).status).toBe(202)
    // The key of b is that of something else: b itself is nowhere else.
    expect((await server.list()).rows).toMatchObject([
      { id: c, isReplayed: false },
      { id: b, isReplayed: false },
      { id: a, isReplayed: true },
    ])
    expect(words(await server.replay(a ?? '', b ?? '', c ?? ''))).toEqual(['before', 'superseded', 'accepted'])
    expect((await server.post(order('c'), { 'idempotency-key': 'c' })).status).toBe(202)
    expect(await books(server)).toMatchObject({ accepted: 3, replayed: 1 })
  })

  test.each(['reject', 'set-aside'] as const)(
    'of a door has the date that stands in its own place (%s)',
    async mode => {
      const server = await openRefusedServer()
      server.validate(mode)
      const timestamp = '2026-01-02T03:04:05.000Z'
      await server.post(JSON.stringify({ event: 'Order', messageId: 'm', total: 'x', timestamp }), json, '/v1/track')
      await server.flush()
      const { rows } = await server.list(['Order'])
      server.validate('off')
      expect(words(await server.replay(...rows.map(({ id }) => id)))).toEqual(['accepted'])
      await server.flush()
      expect((await server.stored('Order')).map(([at]) => at)).toEqual(['2026/01/02/03'])
    },
  )

  test.each<[string, (server: Server) => Promise<unknown>]>([
    ['alone', sendTrack],
    ['all', server => server.post(toSegment({ event: 'Order', messageId: 'm', total: 'x' }), json, '/v1/batch')],
    [
      'one of two',
      server =>
        server.post(
          toSegment({ event: 'Fine', messageId: 'n' }, { event: 'Order', messageId: 'm', total: 'x' }),
          json,
          '/v1/batch',
        ),
    ],
    ['a CloudEvent', sendCloudEvent],
  ])('of an event with an id counts once with every try of its sender: %s', async (_, send) => {
    const server = await openRefusedServer()
    await send(server)
    server.clock.ms++
    await send(server)
    await server.flush()
    const { rows } = await server.list(['Order'])
    expect(rows).toHaveLength(2)
    server.validate('off')
    await server.replay(...rows.map(({ id }) => id))
    await send(server)
    await server.flush()
    expect(await server.stored('Order')).toHaveLength(1)
  })

  test('what would be set aside again stays where it is', async () => {
    const server = await openRefusedServer()
    server.validate('set-aside')
    expect((await server.post(bad)).status).toBe(202)
    await server.flush()
    const [row] = (await server.list()).rows
    const [outcome] = await server.replay(row?.id ?? '')
    expect(outcome).toMatchObject({ outcome: 'refused', detail: 'Order /total is "much"; expected a number' })
    server.validate('warn')
    expect(words(await server.replay(row?.id ?? ''))).toEqual(['accepted'])
    expect(await books(server)).toMatchObject({ accepted: 2, replayed: 1, rejected: 1 })
    await server.flush()
    expect((await server.list()).rows).toHaveLength(1)
  })

  test('of a request that fits in part, the rest is for itself from then on', async () => {
    const server = await openRefusedServer()
    await server.post(`[${bad},{"eventName":"Order","payload":7}]`)
    await server.flush()
    const [row] = (await server.list()).rows
    server.validate('off')
    const [outcome] = await server.replay(row?.id ?? '')
    expect(outcome).toMatchObject({ outcome: 'accepted', accepted: 1, detail: expect.stringMatching(/^1 of 2 events/) })
    await server.flush()
    const { rows } = await server.list()
    expect(rows).toHaveLength(2)
    expect(rows.find(({ id }) => id !== row?.id)).toMatchObject({ position: 1, isReplayed: false })
    expect(rows.find(({ id }) => id === row?.id)).toMatchObject({ isReplayed: true })
  })

  test('of all that fit, page by page', async () => {
    const server = await openRefusedServer()
    for (let i = 0; i < 5; i++) await server.post(order(`n${i}`))
    await server.post('no JSON')
    await server.flush()
    server.validate('off')
    const first = (await server.exec('replayFound', ['Order'], '', 0, 0, '', 3)) as { outcomes: []; next: string }
    expect(words(first.outcomes)).toEqual(['accepted', 'accepted', 'accepted'])
    const second = await server.exec('replayFound', ['Order'], '', 0, 0, first.next, 3)
    expect(second).toMatchObject({ outcomes: [{ outcome: 'accepted' }, { outcome: 'accepted' }] })
    expect(second).not.toHaveProperty('next')
    expect(await books(server)).toMatchObject({ accepted: 5, replayed: 5 })
  })

  test.each<[string, string, (server: Server) => Promise<unknown>, RegExp]>([
    ['what is cut', 'not-replayable', server => server.post(`"${'x'.repeat(70_000)}`), /only its beginning is stored/],
    [
      'one of several of another make',
      'not-replayable',
      server => server.post('{"batch":[7,{"type":"track","event":"Fine","messageId":"n"}]}', json, '/v1/batch'),
      /no form for one event alone/,
    ],
  ])('%s is %s, in words', async (_, outcome, send, detail) => {
    const server = await openRefusedServer()
    await send(server)
    await server.flush()
    const [row] = (await server.list()).rows
    expect(row).toMatchObject({ notReplayable: expect.stringMatching(detail) })
    expect(await server.replay(row?.id ?? '')).toMatchObject([{ outcome, detail: expect.stringMatching(detail) }])
  })

  test('while the collector accepts nothing it fails, and continues later', async () => {
    const server = await openRefusedServer()
    await server.post(order('a'))
    await server.post(order('b'))
    await server.flush()
    server.validate('off')
    const ids = (await server.list()).rows.map(({ id }) => id)
    const writer = 'sluice.metrics.collector:name=HDFSWriter'
    await server.rpc.exec(writer, 'drain', [])
    expect(words(await server.replay(...ids))).toEqual(['failed', 'failed'])
    await server.rpc.exec(writer, 'undoDrain', [])
    expect(words(await server.replay(...ids, 'nothing'))).toEqual(['accepted', 'accepted', 'not-found'])
  })

  test('no header makes a replay of a request', async () => {
    const server = await openRefusedServer()
    await server.post(bad, { 'sluice-replay': 'x' })
    await server.flush()
    expect((await server.list()).rows).toHaveLength(1)
    expect(await books(server)).toMatchObject({ replayed: 0 })
  })

  test('at most 200 at once', async () => {
    const server = await openRefusedServer()
    await expect(server.replay(...Array.from({ length: 201 }, (_, i) => `${i}`))).rejects.toThrow('At most 200 ids')
  })
})

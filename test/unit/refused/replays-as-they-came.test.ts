import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { openRefusedServer } from '../../suites/refused-server.ts'

type Server = Awaited<ReturnType<typeof openRefusedServer>>

const json = { 'content-type': 'application/json' }
const words = (outcomes: readonly { readonly outcome: string }[]) => outcomes.map(({ outcome }) => outcome)
const replayAll = async (server: Server) =>
  words(await server.replay(...(await server.list(['Order'])).rows.filter(one => !one.isReplayed).map(({ id }) => id)))
const hoursOf = async (server: Server) => (await server.stored('Order')).map(([at]) => at).toSorted()
const order = (total: unknown) => JSON.stringify({ eventName: 'Order', payload: { total } })

describe('events of one request with several dates', () => {
  const timestamps = ['2026-01-02T03:04:05.000Z', '2026-02-03T04:05:06.000Z']
  const hours = ['2026/01/02/03', '2026/02/03/04']
  const batch = (...types: readonly string[]) =>
    JSON.stringify({
      batch: types.map((event, i) => ({
        type: 'track',
        event,
        messageId: `m${i}`,
        total: 'x',
        timestamp: timestamps[i],
      })),
    })

  test('are replayed each with its own, all of them at once', async () => {
    const server = await openRefusedServer()
    expect((await server.post(batch('Order', 'Order'), json, '/v1/batch')).status).toBe(400)
    await server.flush()
    expect((await server.list(['Order'])).rows).toHaveLength(1)
    server.validate('off')
    expect(await replayAll(server)).toEqual(['accepted'])
    await server.flush()
    expect(await hoursOf(server)).toEqual(hours)
  })

  test('keep them through a replay in part', async () => {
    const server = await openRefusedServer()
    await server.post(batch('Order', 'Strict'), json, '/v1/batch')
    await server.flush()
    server.validate('off')
    expect(await replayAll(server)).toEqual(['accepted'])
    await server.flush()
    expect(await hoursOf(server)).toEqual(hours.slice(0, 1))
    const target = `/rest/1.0/event?date=${timestamps[1]}&gr=HOURLY`
    expect(await server.stored('_refused/Strict')).toMatchObject([['2026/11/22/08', { target, position: 1 }]])
  })

  test('of JSON have them in their payloads', async () => {
    const server = await openRefusedServer()
    const events = timestamps.map(eventDate => ({ eventName: 'Order', payload: { eventDate, total: 'x' } }))
    await server.post(JSON.stringify(events))
    await server.flush()
    server.validate('off')
    expect(await replayAll(server)).toEqual(['accepted'])
    await server.flush()
    expect(await hoursOf(server)).toEqual(hours)
  })
})

describe('the sender repeats its request by its key after a replay, and hears that it is in', () => {
  const track = '{"event":"Order","total":"x","writeKey":"hush"}'
  const cases: readonly (readonly [name: string, send: (server: Server) => Promise<Response>])[] = [
    ['JSON', server => server.post(order('x'), { 'idempotency-key': 'k' })],
    [
      'gzip',
      server =>
        server.post(new Uint8Array(gzipSync(order('x'))), { 'idempotency-key': 'k', 'content-encoding': 'gzip' }),
    ],
    ['keys in its body', server => server.post(track, { ...json, 'idempotency-key': 'k' }, '/v1/track')],
    [
      'a CloudEvent',
      server =>
        server.post('{"total":"x"}', {
          'ce-specversion': '1.0',
          'ce-id': '1',
          'ce-source': '/s',
          'ce-type': 'Order',
          'ce-total': 'x',
          'idempotency-key': 'k',
        }),
    ],
  ]
  test.each(cases)('%s', async (_, send) => {
    const server = await openRefusedServer()
    await send(server)
    await server.flush()
    server.validate('off')
    expect(await replayAll(server)).toEqual(['accepted'])
    expect((await send(server)).ok).toBe(true)
    await server.flush()
    expect(await server.stored('Order')).toHaveLength(1)
  })

  test('before it, the replay finds it in', async () => {
    const server = await openRefusedServer()
    const send = () => server.post(track, { ...json, 'idempotency-key': 'k' }, '/v1/track')
    await send()
    await server.flush()
    const ids = (await server.list(['Order'])).rows.map(({ id }) => id)
    server.validate('off')
    expect((await send()).ok).toBe(true)
    expect(words(await server.replay(...ids))).toEqual(['before'])
  })

  describe('a request of more than is stored of one, event by event', () => {
    const send = (server: Server, more = 'x') =>
      server.post(`[${order(more.repeat(40_000))},${order('y'.repeat(40_000))}]`, { 'idempotency-key': 'k' })
    const open = async (tries: number) => {
      const server = await openRefusedServer()
      for (let i = 0; i < tries; i++) {
        expect((await (await send(server)).json()) as object).toMatchObject({ accepted: 0, rejected: 2 })
        server.clock.ms++
      }
      await server.flush()
      server.validate('off')
      const { rows } = await server.list(['Order'])
      expect(rows).toHaveLength(2)
      return { server, ids: rows.map(({ id }) => id) }
    }
    const areIn = async (server: Server) => (await server.list(['Order'])).rows.map(({ isReplayed }) => isReplayed)

    test('goes in once, however often it was tried', async () => {
      const { server, ids } = await open(3)
      expect(words(await server.replay(...ids))).toEqual(['accepted', 'accepted'])
      expect(words(await server.replay(...ids))).toEqual(['before', 'before'])
      expect(await areIn(server)).toEqual(ids.map(() => true))
      await server.flush()
      expect(await server.stored('Order')).toHaveLength(2)
    })

    test('is in where its sender has repeated it', async () => {
      const { server, ids } = await open(1)
      expect((await send(server)).status).toBe(202)
      expect(await areIn(server)).toEqual([true, true])
      expect(words(await server.replay(...ids))).toEqual(['before', 'before'])
      await server.flush()
      expect(await server.stored('Order')).toHaveLength(2)
    })

    test('is not in where its sender has used the key for something else', async () => {
      const { server, ids } = await open(1)
      expect((await send(server, 'z')).status).toBe(202)
      expect(await areIn(server)).toEqual([false, false])
      expect(words(await server.replay(...ids))).toEqual(['accepted', 'accepted'])
    })
  })

  test('neither a list nor a detail has the fingerprint', async () => {
    const server = await openRefusedServer()
    await server.post(order('x'), { 'idempotency-key': 'k' })
    await server.flush()
    const { rows } = await server.list()
    expect(await server.exec('show', rows[0]?.id)).not.toHaveProperty('fingerprint')
    expect(await server.stored('_refused/Order')).toMatchObject([
      ['2026/11/22/08', { fingerprint: expect.any(String) }],
    ])
  })
})

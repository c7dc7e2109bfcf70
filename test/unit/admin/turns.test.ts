import { connect } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { AdminOptions } from '../../../admin/admin.ts'
import { createRpcClient } from '../../../admin/client/rpc-client.ts'
import { family } from '../../../admin/metrics/metric.ts'
import { ClientGone, createTurns } from '../../../admin/turns.ts'
import { attribute, defineBean } from '../../../src/beans/bean.ts'
import { createEdge } from '../../../src/http/edge/node.ts'
import { silentLogger } from '../../../src/log/log.ts'
import { createTestAdmin } from '../../suites/test-admin.ts'
import { inEachTurn } from '../../suites/turns.ts'

const beanCount = 2_000
/** With the clock below a piece ends at the third look at it, so that there are many more turns than this. */
const leastTurns = beanCount / 10

/** A clock that advances with each look at it, whatever the machine. */
const createClock = () => {
  let ms = 0
  return () => {
    ms += 0.1
    return ms
  }
}

const options: Partial<AdminOptions> = {
  nowMs: createClock(),
  metrics: [
    family('counter', 'many_total', 'Many.', () =>
      Array.from({ length: beanCount }, (_, i) => ({ labels: { i: String(i) }, value: i })),
    ),
  ],
}

const createManyBeans = async (read: () => unknown = () => 1, more: Partial<AdminOptions> = {}) => {
  const { registry, fetch } = await createTestAdmin({ ...options, ...more })
  for (let i = 0; i < beanCount; i++) {
    const attributes = { A: attribute('long', 'One.', read), B: attribute('map', 'Another.', () => ({ B: read() })) }
    registry.register(defineBean({ name: `d${i % 10}:name=n${i},type=T`, description: 'A bean.', attributes }))
  }
  return fetch
}

const toRequest = (path: string, message?: unknown, signal?: AbortSignal): Request =>
  new Request(`http://localhost${path}`, {
    ...(message === undefined
      ? {}
      : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(message) }),
    ...(signal === undefined ? {} : { signal }),
  })

const rpc = (method: string, params: unknown): unknown => ({ jsonrpc: '2.0', id: 1, method, params })

describe('A2: others have their turns while many beans are', () => {
  test.each([
    { what: 'read', path: '/rpc', message: rpc('read', { mbean: '*:*' }) },
    { what: 'read by attribute', path: '/rpc', message: rpc('read', { mbean: '*:type=T,*', attribute: 'A' }) },
    { what: 'looked for in vain', path: '/rpc', message: rpc('search', { pattern: '*:type=S,*' }) },
    { what: 'found', path: '/rpc', message: rpc('search', { pattern: '*:*' }) },
    { what: 'listed', path: '/rpc', message: rpc('list', { limit: 1_000 }) },
    { what: 'read by Jolokia', path: '/jolokia', message: { type: 'read', mbean: '*:*' } },
    { what: 'searched by Jolokia', path: '/jolokia/search/*:*', message: undefined },
    { what: 'listed by Jolokia', path: '/jolokia/list', message: undefined },
    { what: 'listed by Jolokia in short', path: '/jolokia/list?maxDepth=1', message: undefined },
    { what: 'scraped', path: '/metrics', message: undefined },
  ])('$what', async ({ path, message }) => {
    const fetch = await createManyBeans()
    let turns = 0
    const response = await inEachTurn(
      () => turns++,
      async () => await fetch(toRequest(path, message)),
    )
    expect(response.status).toBe(200)
    expect(turns).toBeGreaterThan(leastTurns)
    expect(Number(response.headers.get('content-length'))).toBe((await response.arrayBuffer()).byteLength)
  })

  test('sent: a long answer goes out in many turns', async () => {
    const fetch = await createManyBeans(() => 'x'.repeat(1_000))
    const response = await fetch(toRequest('/rpc', rpc('read', { mbean: '*:*' })))
    let turns = 0
    const text = await inEachTurn(
      () => turns++,
      () => response.text(),
    )
    expect(Object.keys(JSON.parse(text).result.value)).toHaveLength(beanCount)
    expect(turns).toBeGreaterThan(text.length / 100_000)
  })

  test('the attributes of one bean are of one turn, those of all are not', async () => {
    let turn = 0
    const fetch = await createManyBeans(() => turn)
    const client = createRpcClient({ url: 'http://localhost', fetch })
    const { value } = await inEachTurn(
      () => turn++,
      () => client.readMany('*:*'),
    )
    const seen = new Set<unknown>()
    for (const { A, B } of Object.values(value)) {
      expect(B).toEqual({ B: A })
      seen.add(A)
    }
    expect(seen.size).toBeGreaterThan(leastTurns)
  })
})

test.each([
  { path: '/rpc', message: rpc('read', { mbean: '*:*' }) },
  { path: '/rpc', message: [rpc('read', { mbean: '*:*' }), rpc('read', { mbean: '*:*' })] },
  { path: '/jolokia', message: { type: 'read', mbean: '*:*' } },
])('a client that goes away stops what is read for it at $path, and is no failure', async ({ path, message }) => {
  const client = new AbortController()
  const failures: unknown[] = []
  const stopAfter = 100
  let reads = 0
  const read = (): number => {
    if (reads === stopAfter) client.abort()
    return reads++
  }
  const logger = { error: (fields: Readonly<Record<string, unknown>>) => void failures.push(fields) }
  const fetch = await createManyBeans(read, { logger })
  await fetch(toRequest(path, message, client.signal))
  expect(reads).toBeGreaterThan(stopAfter)
  expect(reads).toBeLessThan(2 * stopAfter)
  expect(failures).toEqual([])
})

test('a connection that closes stops what is read for it', async () => {
  let reads = 0
  const read = (): number => {
    if (reads === 100) socket.destroy()
    return reads++
  }
  const fetch = await createManyBeans(read, { source: () => ({ allowedHosts: ['127.0.0.1'], allowedOrigins: [] }) })
  const handled = Promise.withResolvers<Response>()
  const edge = await createEdge({
    name: 'admin',
    host: '127.0.0.1',
    port: 0,
    fetch: async (request, env) => {
      const response = fetch(request, env)
      handled.resolve(response)
      return response
    },
    logger: silentLogger,
    // It may have ended its side only, until so long nothing is written.
    limits: { halfClosedMs: 1 },
  })
  onTestFinished(() => edge.close())
  const socket = connect({ host: edge.host, port: edge.port })
  const body = JSON.stringify(rpc('read', { mbean: '*:*' }))
  const head = `Host: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
  socket.write(`POST /rpc HTTP/1.1\r\n${head}\r\n\r\n${body}`)
  await handled.promise
  expect(reads).toBeGreaterThan(100)
  expect(reads).toBeLessThan(2 * beanCount)
})

describe('createTurns', () => {
  const signal = new AbortController().signal

  test('requests side by side have their pieces in turns of their own', async () => {
    const openTurns = createTurns(createClock())
    const turnsOf: number[] = []
    let turn = 0
    const work = async (): Promise<void> => {
      const turns = openTurns({ signal })
      // After the first piece, which begins with the request.
      await turns.next()
      for (let piece = 0; piece < 10; piece++) {
        turnsOf.push(turn)
        await turns.next()
      }
    }
    await inEachTurn(
      () => turn++,
      () => Promise.all([work(), work(), work()]),
    )
    expect(new Set(turnsOf).size).toBe(30)
  })

  test('a piece is as much as fits into its time, not one item', async () => {
    const turns = createTurns(createClock())({ signal })
    let turn = 0
    const seen: number[] = []
    await inEachTurn(
      () => turn++,
      () => turns.each(Array.from({ length: 60 }), () => seen.push(turn)),
    )
    expect(seen).toHaveLength(60)
    expect(new Set(seen).size).toBeGreaterThan(10)
    expect(new Set(seen).size).toBeLessThan(40)
  })

  test('short work is done at once', async () => {
    const turns = createTurns(() => 0)({ signal })
    const done: number[] = []
    const all = turns.each([1, 2, 3], one => done.push(one))
    expect(done).toEqual([1, 2, 3])
    await all
  })

  test('what fails in the middle fails, and nothing is done behind it', async () => {
    const turns = createTurns(createClock())({ signal })
    const done: number[] = []
    const fail = (one: number): void => {
      if (one === 20) throw new RangeError('no')
      done.push(one)
    }
    await expect(
      turns.each(
        Array.from({ length: 50 }, (_, i) => i),
        fail,
      ),
    ).rejects.toThrow(RangeError)
    expect(done).toHaveLength(20)
  })

  test('stops for a client that has gone', async () => {
    const turns = createTurns(createClock())({ signal: AbortSignal.abort() })
    await expect(turns.each(Array.from({ length: 50 }), () => {})).rejects.toThrow(ClientGone)
  })
})

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Duplex, getDefaultHighWaterMark } from 'node:stream'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { createFixedResponse } from '../../../../src/http/answers/fixed-response.ts'
import type { BaseCall } from '../../../../src/http/call/base-call.ts'
import { createEdge, type Edge } from '../../../../src/http/edge/node.ts'
import { createLane } from '../../../../src/http/lane/lane.ts'
import { defaultEdgeLimits, type EdgeLimits } from '../../../../src/http/limits.ts'
import { silentLogger } from '../../../../src/log/log.ts'
import { Deferred } from '../../../../src/runtime/deferred.ts'
import { laneOptions } from '../../../suites/http-lane/lane-options.ts'
import { MemorySocket } from '../../../suites/http-lane/memory-socket.ts'
import { createRawClient, type RawClient, toPost } from '../raw-client.ts'

const edges: Edge[] = []
const clients: RawClient[] = []
afterEach(async () => {
  for (const { socket } of clients.splice(0)) socket.destroy()
  await Promise.all(edges.splice(0).map(edge => edge.close()))
})

/** Which way each request took: its target and body, in the order in which they were seen; `begun` while it is read. */
type Seen = { readonly lane: string[]; readonly begun: string[]; readonly node: string[] }

/** `POST /a` and `GET /a` are on the lane, and wait for the gate; everything else is answered by `fetch`. */
const start = async (limits: Partial<EdgeLimits> = {}) => {
  const seen: Seen = { lane: [], begun: [], node: [] }
  let gate = Promise.resolve()
  let open = (): void => {}
  const answer = async (call: BaseCall): Promise<Response> => {
    const body = Buffer.from(await call.bytes(1e6)).toString()
    seen.lane.push(`${call.target} ${body}`)
    await gate
    return createFixedResponse(200, {}, `lane ${body}`)
  }
  const edge = await createEdge({
    name: 'server',
    host: '127.0.0.1',
    port: 0,
    fetch: async request => {
      const { pathname } = new URL(request.url)
      seen.begun.push(pathname)
      const body = await request.text()
      seen.node.push(`${pathname} ${body}`)
      return new Response(`node ${body}`)
    },
    lane: (_, target) => (target === '/a' ? answer : undefined),
    logger: silentLogger,
    limits: { idleGraceMs: 10, ...limits },
  })
  edges.push(edge)
  const client = await createRawClient(edge.port)
  clients.push(client)
  const shut = (): void => {
    gate = new Promise(resolve => {
      open = resolve
    })
  }
  return { seen, edge, client, shut, open: () => open() }
}

const chunked = 'POST /a HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nxy\r\n0\r\n\r\n'
const get = (path: string, headers = ''): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`

describe('the lane', () => {
  test('answers what is plain and whole, and hands the rest of the connection over with all its bytes', async () => {
    const { seen, client } = await start()
    client.send(toPost('/a', 'one') + get('/a') + toPost('/b', 'two') + toPost('/a', 'three') + chunked)
    await client.until(/lane one[\s\S]*lane [\s\S]*node two[\s\S]*node three[\s\S]*node xy/)
    client.send(toPost('/a', 'four'))
    await client.until(/node four/)
    expect(seen).toMatchObject({ lane: ['/a one', '/a '], node: ['/b two', '/a three', '/a xy', '/a four'] })
  })

  test('hands over only when the requests before it are answered', async () => {
    const { seen, client, shut, open } = await start()
    shut()
    client.send(toPost('/a', 'one') + toPost('/b', 'two'))
    await expect.poll(() => seen.lane).toEqual(['/a one'])
    client.send(toPost('/b', 'three'))
    client.socket.end()
    expect(seen.node).toEqual([])
    open()
    await client.until(/lane one/)
    await expect.poll(() => seen.node).toEqual(['/b two', '/b three'])
  })

  test('a request in two pieces stays, wherever it is cut', async () => {
    const { seen, client } = await start()
    const whole = toPost('/a', 'one')
    for (let at = 1; at < whole.length; at++) {
      client.send(whole.slice(0, at))
      await new Promise(resolve => setImmediate(resolve))
      client.send(whole.slice(at))
      await client.until(/lane one/)
    }
    expect(seen.lane).toHaveLength(whole.length - 1)
    expect(seen.node).toEqual([])
  })

  test('who sends a body slowly goes to node:http, which has times for that', async () => {
    const { seen, client } = await start({ checkEveryMs: 10 })
    const whole = toPost('/a', 'one')
    client.send(whole.slice(0, -1))
    await expect.poll(() => seen.begun).toEqual(['/a'])
    client.send(whole.slice(-1))
    await client.until(/node one/)
    expect(seen).toEqual({ lane: [], begun: ['/a'], node: ['/a one'] })
  })

  test('who sends a byte now and then is slow as well', async () => {
    const { seen, client } = await start({ checkEveryMs: 10 })
    client.send('POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n')
    const drip = setInterval(() => client.send('x'), 1)
    onTestFinished(() => clearInterval(drip))
    await expect.poll(() => seen.begun).toEqual(['/a'])
  })

  test('what all connections hold of unfinished requests is bounded: beyond that they go to node:http', async () => {
    // No connection is handed over for being slow.
    const { seen, edge } = await start({ checkEveryMs: 60_000 })
    const length = 250_000
    const onLane = Math.floor((16 * 2 ** 20) / length)
    const senders = await Promise.all(Array.from({ length: onLane + 5 }, () => createRawClient(edge.port)))
    clients.push(...senders)
    for (const sender of senders) {
      sender.send(`POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${length}\r\n\r\n${'x'.repeat(length - 1)}`)
    }
    await expect.poll(() => seen.begun.length).toBeGreaterThanOrEqual(5)
    expect([seen.lane, seen.node]).toEqual([[], []])
    for (const sender of senders) sender.send('y')
    await Promise.all(senders.map(sender => sender.until(/(?:lane|node) x+y/)))
    expect(seen.lane.length).toBeGreaterThan(0)
    expect(seen.lane.length + seen.node.length).toBe(senders.length)
  })

  test('a body of very many pieces goes to node:http, however few its bytes are', async () => {
    const handedOver: number[] = []
    const lane = createLane({
      routes: () => () => createFixedResponse(200),
      limits: defaultEdgeLimits,
      logger: silentLogger,
      handOver: socket => void handedOver.push(socket.readableLength),
    })
    onTestFinished(() => lane.close())
    const socket = new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() })
    lane.take(socket as Socket)
    const head = 'POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n'
    socket.push(head)
    for (let sent = 1; sent <= 300 && handedOver.length === 0; sent++) {
      socket.push('x')
      await new Promise(resolve => setImmediate(resolve))
    }
    expect(handedOver).toEqual([head.length + 256])
  })

  test('answers of one turn go out in one write, in the order of their requests', async () => {
    const { edge, seen, shut, open } = await start()
    shut()
    const socket = connect(edge.port, '127.0.0.1')
    await once(socket, 'connect')
    const requests = 100
    socket.write(Array.from({ length: requests }, (_, i) => toPost('/a', `<${i}>`)).join(''))
    const pieces: string[] = []
    socket.on('data', piece => void pieces.push(piece.toString('latin1')))
    await expect.poll(() => seen.lane).toHaveLength(requests)
    open()
    await expect.poll(() => pieces.join('')).toContain(`<${requests - 1}>`)
    expect(pieces).toHaveLength(1)
    expect([...pieces.join('').matchAll(/lane <(\d+)>/g)].map(([, i]) => Number(i))).toEqual(
      Array.from({ length: requests }, (_, i) => i),
    )
    socket.destroy()
  })

  test('an answer that comes later goes out in the turn in which it comes, in one pass over all connections', () => {
    class LaterAnswer extends Deferred<Response> {
      come = (text: string): void => this.settle(createFixedResponse(200, {}, text))
    }
    const answers: LaterAnswer[] = []
    const lane = createLane({
      ...laneOptions,
      routes: () => () => {
        const answer = new LaterAnswer()
        answers.push(answer)
        return answer
      },
      handOver: () => {},
    })
    onTestFinished(() => lane.close())
    const sockets = [new MemorySocket(), new MemorySocket(), new MemorySocket()]
    for (const socket of sockets) {
      lane.take(socket)
      socket.emit('data', Buffer.from(get('/a')))
    }
    for (const [i, answer] of answers.entries()) answer.come(`<${i}>`)
    expect(sockets.map(({ received }) => /<\d>$/.exec(received)?.[0])).toEqual(['<0>', '<1>', '<2>'])
  })

  test('a client that reads no answers is read no more until it does', async () => {
    const lane = createLane({
      routes: () => () => createFixedResponse(200, {}, 'x'),
      limits: defaultEdgeLimits,
      logger: silentLogger,
      handOver: () => {},
    })
    onTestFinished(() => lane.close())
    let written = (): void => {}
    const socket = new Duplex({
      writableHighWaterMark: 1,
      read: () => {},
      write: (_chunk, _encoding, done) => {
        written = done
      },
    })
    lane.take(socket as Socket)
    socket.push(toPost('/a', 'one'))
    await expect.poll(() => socket.writableNeedDrain).toBe(true)
    expect(socket.isPaused()).toBe(true)
    const drained = once(socket, 'drain')
    written()
    await drained
    expect(socket.isPaused()).toBe(false)
  })

  test('a connection has 256 requests in work, and the others of it wait unread', async () => {
    const { client, seen, shut, open } = await start()
    shut()
    const requests = 1_000
    client.send(Array.from({ length: requests }, (_, i) => toPost('/a', `<${i}>`)).join(''))
    await expect.poll(() => seen.lane).toHaveLength(256)
    client.send(toPost('/a', 'last'))
    for (let turn = 0; turn < 10; turn++) await new Promise(resolve => setImmediate(resolve))
    expect(seen.lane).toHaveLength(256)
    open()
    await client.until(/lane <999>[\s\S]*lane last/)
    expect(seen.lane.map(one => one.replace(/\D/g, ''))).toEqual([...Array(requests).keys(), ''].map(String))
  })

  test('all connections together have 16 384 requests in work, and beyond that each has 8, until others are gone', async () => {
    let begun = 0
    const lane = createLane({
      routes: () => () => {
        begun++
        return new Promise<Response>(() => {})
      },
      limits: defaultEdgeLimits,
      logger: silentLogger,
      handOver: () => {},
    })
    onTestFinished(() => lane.close())
    const take = (): Duplex => {
      const socket = new Duplex({ read: () => {}, write: () => {} })
      lane.take(socket as Socket)
      socket.push(toPost('/a', 'one').repeat(300))
      return socket
    }
    const full = Array.from({ length: 8 }, take)
    await expect.poll(() => begun).toBe(2_048)
    const late = Array.from({ length: 10 }, take)
    await expect.poll(() => begun).toBe(2_048 + 20)
    for (let turn = 0; turn < 10; turn++) await new Promise(resolve => setImmediate(resolve))
    expect(begun).toBe(2_048 + 20)
    for (const socket of [...full, ...late]) socket.destroy()
    await Promise.all([...full, ...late].map(async socket => socket.closed || (await once(socket, 'close'))))
    take()
    await expect.poll(() => begun).toBe(2_048 + 20 + 256)
  })

  test('a client that reads no answers costs 64 KiB of them, and those to what is in work', async () => {
    const lane = createLane({
      routes: () => () => createFixedResponse(200, {}, 'x'),
      limits: defaultEdgeLimits,
      logger: silentLogger,
      handOver: () => {},
    })
    onTestFinished(() => lane.close())
    const socket = new Duplex({
      writableHighWaterMark: getDefaultHighWaterMark(false),
      read: () => {},
      write: () => {},
    })
    lane.take(socket as Socket)
    for (let i = 0; i < 20; i++) socket.push(toPost('/a', 'one').repeat(500))
    await expect.poll(() => socket.writableNeedDrain).toBe(true)
    for (let turn = 0; turn < 10; turn++) await new Promise(resolve => setImmediate(resolve))
    expect(socket.isPaused()).toBe(true)
    expect(socket.writableLength).toBeLessThan(65_536 + 256 * 200)
  })

  test('a request whose client has left is reported, once, as one without an answer', async () => {
    const told: string[] = []
    const lane = createLane({
      routes: () => () => new Promise<Response>(() => {}),
      limits: defaultEdgeLimits,
      logger: silentLogger,
      handOver: () => {},
      onAnswered: call => void told.push(`${call.method} ${call.target} ${call.answer?.head}`),
    })
    onTestFinished(() => lane.close())
    const socket = new Duplex({ read: () => {}, write: () => {} })
    lane.take(socket as Socket)
    socket.push(toPost('/a', 'one') + toPost('/b', 'two'))
    await expect.poll(() => lane.isBusy(socket as Socket)).toBe(true)
    expect(told).toEqual([])
    const closed = once(socket, 'close')
    socket.destroy()
    await closed
    expect(told).toEqual(['POST /a undefined', 'POST /b undefined'])
  })

  test('a client that ends its side gets its answer', async () => {
    const { client, seen, shut, open } = await start()
    shut()
    client.send(toPost('/a', 'one'))
    await expect.poll(() => seen.lane).toHaveLength(1)
    client.socket.end()
    open()
    expect(await client.rest()).toMatch(/lane one$/)
  })

  test('an empty line after a request is not a request, and half a line gets an error', async () => {
    const { client, edge } = await start()
    client.send(`${toPost('/a', 'one')}\r\n`)
    await client.until(/lane one/)
    client.socket.end()
    expect(await client.rest()).toBe('')
    const half = await createRawClient(edge.port)
    clients.push(half)
    half.send('GET /a HT')
    half.socket.end()
    expect(await half.rest()).toMatch(/^HTTP\/1\.1 400 [\s\S]*The connection ended before the request was complete/)
  })

  test('R12: a drain answers what is under way, says so with the last answer, and closes what is idle', async () => {
    const { client, seen, edge, shut, open } = await start()
    const idle = await createRawClient(edge.port)
    clients.push(idle)
    idle.send(toPost('/a', 'zero'))
    await idle.until(/lane zero/)
    shut()
    client.send(toPost('/a', 'one') + toPost('/a', 'two'))
    await expect.poll(() => seen.lane).toHaveLength(3)
    const closed = edge.close()
    expect(await idle.rest()).toBe('')
    open()
    const answers = await client.rest()
    expect(answers.match(/^Connection: .*$/gm)).toEqual(['Connection: keep-alive', 'Connection: close'])
    expect(answers).toMatch(/lane one[\s\S]*lane two$/)
    await closed
  })

  test('the one answer after "Connection: close" is the last: later bytes are ignored', async () => {
    const { client, seen, edge } = await start({ idleGraceMs: 200 })
    client.send(toPost('/a', 'zero'))
    await client.until(/lane zero/)
    const closed = edge.close()
    client.send(toPost('/a', 'one'))
    expect(await client.until(/lane one/)).toMatch(/Connection: close/)
    client.send(toPost('/a', 'two'))
    expect(await client.rest()).toBe('')
    expect(seen.lane).toEqual(['/a zero', '/a one'])
    await closed
  })
})

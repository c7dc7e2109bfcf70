import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { IncomingMessage } from 'node:http'
import { connect, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createEdge, type EdgeOptions } from '../../../../src/http/edge/node.ts'
import { createRequestGate } from '../../../../src/http/edge/request-gate.ts'
import { openCertificate } from '../../../../src/http/edge/tls.ts'
import { defaultEdgeLimits } from '../../../../src/http/limits.ts'
import { silentLogger } from '../../../../src/log/log.ts'
import { makeCertificate } from '../../../bench/certificate.ts'
import { openEdgeBehind } from '../../../suites/edge-ways.ts'

type Seen = { readonly method: string; readonly target: string; readonly body: string }

/** A server that shows what it was asked, and one connection to it. */
const open = async (lane = false) => {
  const seen: Seen[] = []
  const edge = await createEdge({
    name: 'server',
    host: '127.0.0.1',
    port: 0,
    fetch: async request => {
      const { pathname, search } = new URL(request.url)
      seen.push({ method: request.method, target: pathname + search, body: await request.text() })
      return new Response('fine')
    },
    logger: silentLogger,
    ...(lane ? { lane: () => undefined } : {}),
  })
  const socket: Socket = connect(edge.port, '127.0.0.1')
  await once(socket, 'connect')
  let got = ''
  socket.on('data', bytes => {
    got += bytes.toString()
  })
  socket.on('error', () => {})
  const ended = once(socket, 'close')
  onTestFinished(async () => {
    socket.destroy()
    await edge.close()
  })
  return {
    seen,
    /** When the server has ended the connection. */
    ended,
    send: (...pieces: readonly (string | Buffer)[]) => {
      for (const piece of pieces) socket.write(piece)
    },
    /** Until there are this many answers. */
    answers: async (count: number) => {
      await expect.poll(() => got.match(/HTTP\/1\.1 \d+/g)).toHaveLength(count)
      return got.match(/(?<=HTTP\/1\.1 )\d+/g)?.map(Number)
    },
  }
}

const get = (target: string): string => `GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`
const put = (target: string, body: string, length = Buffer.byteLength(body)): string =>
  `PUT ${target} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${length}\r\n\r\n${body}`

describe('targets beyond ASCII', () => {
  test.each([false, true])(
    'come as they would escaped, also on a connection that stays open (lane: %s)',
    async lane => {
      const { seen, send, answers } = await open(lane)
      send(get('/raw/é-日本-😀?x=ü#'.replace('#', '')))
      await answers(1)
      send(get('/raw/plain'))
      await answers(2)
      send(put('/raw/ü', 'ä'))
      await answers(3)
      send(get('/raw/%C3%A9'))
      expect(await answers(4)).toEqual([200, 200, 200, 200])
      expect(seen).toEqual([
        { method: 'GET', target: '/raw/%C3%A9-%E6%97%A5%E6%9C%AC-%F0%9F%98%80?x=%C3%BC', body: '' },
        { method: 'GET', target: '/raw/plain', body: '' },
        { method: 'PUT', target: '/raw/%C3%BC', body: 'ä' },
        { method: 'GET', target: '/raw/%C3%A9', body: '' },
      ])
    },
  )

  test('are not looked for in bodies, wherever they are cut', async () => {
    const { seen, send, answers } = await open()
    const body = `${get('/raw/é')}${get('/raw/ü')}`
    const [head, rest] = [put('/raw/file', '', Buffer.byteLength(body)), Buffer.from(body)]
    send(head)
    await new Promise(done => setImmediate(done))
    send(rest.subarray(0, Buffer.byteLength(get('/raw/é'))))
    await new Promise(done => setImmediate(done))
    send(rest.subarray(Buffer.byteLength(get('/raw/é'))))
    await answers(1)
    send(get('/raw/ö'))
    await answers(2)
    expect(seen.map(({ target, body: text }) => [target, text])).toEqual([
      ['/raw/file', body],
      ['/raw/%C3%B6', ''],
    ])
  })

  test.each([
    ['in the version', get('/raw/x').replace('HTTP/1.1', 'HTTP/1.é')],
    ['in a name of a header', get('/raw/x').replace('Host', 'Hóst')],
  ])('are refused %s', async (_, request) => {
    const { seen, send, answers } = await open()
    send(request)
    expect(await answers(1)).toEqual([400])
    expect(seen).toEqual([])
  })

  test('come in any pieces, behind empty lines and bodies of every kind', async () => {
    const chunks =
      'PUT /ü HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1a;x="y"\r\nabc\r\n\r\nGET /é HTTP/1.1\r\n\r\r\n0\r\nX: é\r\n\r\n'
    const all = Buffer.from(`\r\n${chunks}\r\n${put('/ö', '')}${put('/ß', get('/é'))}${get('/å')}`)
    const expected = [
      { method: 'PUT', target: '/%C3%BC', body: 'abc\r\n\r\nGET /é HTTP/1.1\r\n\r' },
      { method: 'PUT', target: '/%C3%B6', body: '' },
      { method: 'PUT', target: '/%C3%9F', body: get('/é') },
      { method: 'GET', target: '/%C3%A5', body: '' },
    ]
    for (const size of [all.length, 1, 2, 3, 7, 64]) {
      const { seen, send, answers } = await open()
      for (let at = 0; at < all.length; at += size) {
        send(all.subarray(at, at + size))
        await new Promise(done => setImmediate(done))
      }
      expect(await answers(4)).toEqual([200, 200, 200, 200])
      expect(seen).toEqual(expected)
    }
  })

  test('come with much before and behind them', async () => {
    const { seen, send, answers } = await open()
    send(put('/raw/é', 'x'.repeat(2_000_000)), get('/raw/ü'), put('/raw/file', 'x'.repeat(2_000_000)), get('/raw/ö'))
    expect(await answers(4)).toEqual([200, 200, 200, 200])
    expect(seen.map(({ target, body }) => [target, body.length])).toEqual([
      ['/raw/%C3%A9', 2_000_000],
      ['/raw/%C3%BC', 0],
      ['/raw/file', 2_000_000],
      ['/raw/%C3%B6', 0],
    ])
  })

  test('that are not UTF-8 arrive as their bytes', async () => {
    const { seen, send, answers } = await open()
    send(Buffer.from(get('/raw/\xff\x80'), 'latin1'))
    await answers(1)
    expect(seen.map(({ target }) => target)).toEqual(['/raw/%FF%80'])
  })
})

/** Requests and answers of a server whose connections have one request in work at a time. */
const openBusy = async (options: Partial<EdgeOptions> = {}, threads = 0) => {
  let begun = 0
  const waiting: (() => void)[] = []
  const edge = await openEdgeBehind(threads, {
    name: 'server',
    host: '127.0.0.1',
    port: 0,
    fetch: async request => {
      begun++
      await request.text()
      await new Promise<void>(resolve => waiting.push(resolve))
      return new Response('fine')
    },
    logger: silentLogger,
    ...options,
  })
  const sockets: Socket[] = []
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    for (const resume of waiting.splice(0)) resume()
    await edge.close()
  })
  const client = async (): Promise<{ readonly socket: Socket; readonly got: () => string }> => {
    const socket = options.tls
      ? connectTls({ port: edge.port, host: '127.0.0.1', rejectUnauthorized: false })
      : connect({ port: edge.port, host: '127.0.0.1', allowHalfOpen: true })
    sockets.push(socket)
    let got = ''
    socket.on('data', bytes => {
      got += bytes.toString('latin1')
    })
    socket.on('error', () => {})
    await once(socket, options.tls ? 'secureConnect' : 'connect')
    return { socket, got: () => got }
  }
  return { client, begun: () => begun, waiting }
}

const directory = mkdtempSync(join(tmpdir(), 'sluice-gate-'))
const files = makeCertificate(directory)
afterAll(() => rmSync(directory, { recursive: true }))

const statuses = (got: string): string[] => got.match(/(?<=HTTP\/1\.1 )\d+/g) ?? []

describe.each([
  [false, 0],
  [true, 0],
  [false, 3],
  [true, 3],
])('one request of a connection is in work at a time (TLS: %s, behind %i threads)', (isTls, threads) => {
  const openOne = async (options: Partial<EdgeOptions> = {}) =>
    openBusy({ ...options, tls: isTls ? await openCertificate(files, silentLogger) : undefined }, threads)

  test('the next begins when the answer before it has gone, in order and with bodies', async () => {
    const { client, begun, waiting } = await openOne()
    const { socket, got } = await client()
    const count = 50
    for (let i = 0; i < count; i++) socket.write(i % 2 === 0 ? get(`/${i}`) : put(`/${i}`, 'x'.repeat(i)))
    for (let i = 1; i <= count; i++) {
      await expect.poll(begun).toBe(i)
      waiting.shift()?.()
      await expect.poll(() => statuses(got())).toHaveLength(i)
    }
    expect(new Set(statuses(got()))).toEqual(new Set(['200']))
  })

  test('another connection is not held up', async () => {
    const { client, begun, waiting } = await openOne()
    const [one, other] = [await client(), await client()]
    one.socket.write(get('/').repeat(100))
    await expect.poll(begun).toBe(1)
    other.socket.write(get('/'))
    await expect.poll(begun).toBe(2)
    waiting.pop()?.()
    await expect.poll(() => statuses(other.got())).toEqual(['200'])
    expect(statuses(one.got())).toEqual([])
  })

  test('the end of a client is seen behind its requests, and ends the connection', async () => {
    const { client, begun, waiting } = await openOne()
    const { socket, got } = await client()
    const ended = once(socket, 'close')
    socket.end(get('/').repeat(5))
    for (let i = 1; i <= 5; i++) {
      await expect.poll(begun).toBe(i)
      waiting.shift()?.()
    }
    await ended
    // Node takes the end for a client that is gone, whose last request needs no answer.
    expect(statuses(got()).length).toBeGreaterThanOrEqual(4)
  })

  test('unread answers hold back the reading', async () => {
    const answer = Buffer.alloc(2 ** 20)
    let open = 0
    let most = 0
    const { client, begun, waiting } = await openOne({
      fetch: (_, { outgoing }) => {
        most = Math.max(most, ++open)
        outgoing.once('close', () => open--)
        return new Response(answer)
      },
    })
    const { socket, got } = await client()
    socket.pause()
    const count = 100
    socket.write(get('/').repeat(count))
    await expect.poll(() => most).toBe(1)
    socket.resume()
    await expect.poll(() => got().length).toBeGreaterThan(count * answer.length)
    expect(most).toBe(1)
    expect([begun(), waiting]).toEqual([0, []])
  })
})

test.each([
  ['an expectation that nobody knows', 'GET / HTTP/1.1\r\nHost: localhost\r\nExpect: more\r\n\r\n', '417'],
  ['what is beside the routes', 'OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n', '204'],
])('%s is answered, again and again, and read no faster than its answers', async (_, request, status) => {
  const { client } = await openBusy()
  const { socket, got } = await client()
  socket.write(request.repeat(1_000))
  await expect.poll(() => statuses(got())).toEqual(Array(1_000).fill(status))
})

test('an answer that Node gives by itself is counted as one in work', async () => {
  const { client, begun, waiting } = await openBusy()
  const { socket, got } = await client()
  socket.write(`${get('/')}GET / HTTP/1.1\r\nHost: localhost\r\nExpect: more\r\n\r\n${get('/')}`)
  await expect.poll(begun).toBe(1)
  expect(got()).toBe('')
  waiting.shift()?.()
  await expect.poll(begun).toBe(2)
  waiting.shift()?.()
  await expect.poll(() => statuses(got())).toEqual(['200', '417', '200'])
})

test('a connection is cut whose parser begins a request within another one', () => {
  const gate = createRequestGate(defaultEdgeLimits)
  const socket = new Socket()
  gate.watch(socket)
  const incoming = new IncomingMessage(socket)
  new gate.ServerResponse(incoming)
  expect(socket.destroyed).toBe(false)
  new gate.ServerResponse(incoming)
  expect(socket.destroyed).toBe(true)
})

test('heads that have begun hold so much together: beyond it a large one is refused, and small ones pass', () => {
  const gate = createRequestGate({ maxBegunHeadBytes: 50_000 })
  const open = () => {
    const socket = new Socket()
    let bytes = 0
    let refusal: unknown
    socket.on('data', piece => {
      bytes += piece.length
    })
    vi.spyOn(socket, 'end').mockImplementation(text => {
      refusal = text
      return socket
    })
    gate.watch(socket)
    const send = (text: string) => {
      socket.emit('data', Buffer.from(text))
      return { isRefused: String(refusal).startsWith('HTTP/1.1 503 '), bytes }
    }
    return { socket, send }
  }
  const small = 'GET / HTTP/1.1\r\nHost: localhost\r\nX: '
  const large = `${small}${'x'.repeat(20_000)}`
  const [first, second] = [open(), open()]
  expect(first.send(large)).toEqual({ isRefused: false, bytes: large.length })
  expect(second.send(large)).toEqual({ isRefused: false, bytes: large.length })
  // Of one that is refused the parser has the bytes before, and no more.
  const refused = open()
  expect(refused.send(small)).toEqual({ isRefused: false, bytes: small.length })
  expect(refused.send('x'.repeat(20_000))).toEqual({ isRefused: true, bytes: small.length })
  expect(open().send(small)).toEqual({ isRefused: false, bytes: small.length })
  refused.socket.emit('close')
  // What has arrived whole holds nothing, nor does a connection that is gone.
  first.send('\r\n\r\n')
  expect(open().send(large).isRefused).toBe(false)
  const over = open()
  expect(over.send(large).isRefused).toBe(true)
  over.socket.emit('close')
  second.socket.emit('close')
  expect(open().send(large).isRefused).toBe(false)
})

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createEdge } from '../../../src/http/node.ts'
import { silentLogger } from '../../../src/log/log.ts'

type Seen = { readonly method: string; readonly target: string; readonly body: string }

/** A server whose targets below `/raw/` may be raw, and one connection to it. */
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
    rawTargetsBelow: '/raw/',
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
    /** Until there are so many answers. */
    answers: async (count: number) => {
      await vi.waitFor(() => expect(got.match(/HTTP\/1\.1 \d+/g)).toHaveLength(count))
      return got.match(/(?<=HTTP\/1\.1 )\d+/g)?.map(Number)
    },
  }
}

const get = (target: string): string => `GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`
const put = (target: string, body: string, length = Buffer.byteLength(body)): string =>
  `PUT ${target} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${length}\r\n\r\n${body}`

describe('targets beyond ASCII', () => {
  test.each([false, true])('come as they would escaped, also on a connection that goes on (lane: %s)', async lane => {
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
  })

  test('are not looked for in bodies, wherever they are cut', async () => {
    const { seen, send, answers } = await open()
    const body = `${get('/raw/é')}${get('/raw/ü')}`
    const [head, rest] = [put('/raw/file', '', Buffer.byteLength(body)), Buffer.from(body)]
    send(head)
    await new Promise(done => setImmediate(done))
    send(rest.subarray(0, Buffer.byteLength(get('/raw/é'))))
    await vi.waitFor(() => new Promise(done => setImmediate(done)))
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
    ['elsewhere', get('/other/é')],
    ['in the version', get('/raw/x').replace('HTTP/1.1', 'HTTP/1.é')],
    ['in a line without an end', 'GET /raw/é'],
  ])('are refused %s', async (_, request) => {
    const { seen, send, answers } = await open()
    send(request)
    expect(await answers(1)).toEqual([400])
    expect(seen).toEqual([])
  })

  test.each([
    ['elsewhere, where the connection began with a path that may have them', '/raw/a', '/other/é'],
    ['where the connection began with another path', '/other/a', '/raw/é'],
  ])('are refused %s', async (_, first, second) => {
    const { seen, send, answers } = await open()
    send(get(first))
    await answers(1)
    send(get(second))
    expect(await answers(2)).toEqual([200, 400])
    expect(seen).toHaveLength(1)
  })

  test.each([
    ['a length', (body: string) => put('/raw/file', body)],
    [
      'chunks',
      (body: string) =>
        `PUT /raw/file HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    ],
  ])('are not waited for behind a request that brings much, with %s: its connection ends', async (_, toRequest) => {
    const { seen, send, answers, ended } = await open()
    send(toRequest('x'.repeat(2_000_000)))
    expect(await answers(1)).toEqual([200])
    await ended
    expect(seen.map(({ target, body }) => [target, body.length])).toEqual([['/raw/file', 2_000_000]])
  })

  test('come with much behind them', async () => {
    const { seen, send, answers } = await open()
    send(put('/raw/é', 'x'.repeat(2_000_000)))
    await answers(1)
    send(get('/raw/ü'))
    expect(await answers(2)).toEqual([200, 200])
    expect(seen.map(({ target, body }) => [target, body.length])).toEqual([
      ['/raw/%C3%A9', 2_000_000],
      ['/raw/%C3%BC', 0],
    ])
  })

  test('that are no UTF-8 come as the bytes that they are', async () => {
    const { seen, send, answers } = await open()
    send(Buffer.from(get('/raw/\xff\x80'), 'latin1'))
    await answers(1)
    expect(seen.map(({ target }) => target)).toEqual(['/raw/%FF%80'])
  })
})

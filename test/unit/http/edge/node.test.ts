import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { Hono } from 'hono'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { SluiceError, toResponse } from '../../../../src/errors.ts'
import { type Access, unanswered } from '../../../../src/http/access/access.ts'
import { createFixedResponse } from '../../../../src/http/answers/fixed-response.ts'
import type { BaseCall } from '../../../../src/http/call/base-call.ts'
import { toBaseCall } from '../../../../src/http/call/to-call.ts'
import type { Edge, EdgeOptions } from '../../../../src/http/edge/node.ts'
import { silentLogger } from '../../../../src/log/log.ts'
import { openEdgeBehind } from '../../../suites/edge-ways.ts'
import { createRawClient, type RawClient, toPost } from '../raw-client.ts'

const edges: Edge[] = []
const clients: RawClient[] = []
afterEach(async () => {
  for (const client of clients.splice(0)) client.socket.destroy()
  await Promise.all(edges.splice(0).map(edge => edge.close()))
})

const accepted = createFixedResponse(202, { 'cache-control': 'no-store' })
const maxBytes = 100

type Answer = (call: BaseCall) => Promise<Response>

const countBytes: Answer = async call => {
  const body = await call.bytes(maxBytes)
  return body.length === 0 ? accepted : new Response(`got ${body.length}`, { status: 200 })
}

type Start = (answer?: Answer, options?: Partial<EdgeOptions>) => Promise<Edge>

/** The same routes twice: `/lane/…` on the lane, `/usual/…` through Hono, so that every test runs both ways. */
const startBehind =
  (threads: number): Start =>
  async (answer = countBytes, options = {}) => {
    const app = new Hono()
    for (const path of ['/lane/*', '/usual/*']) app.all(path, context => answer(toBaseCall(context)))
    app.onError(toResponse)
    const edge = await openEdgeBehind(threads, {
      name: 'server',
      host: '127.0.0.1',
      port: 0,
      fetch: (request, env) => app.fetch(request, env),
      lane: (_, target) => (target.startsWith('/lane') ? answer : undefined),
      logger: silentLogger,
      ...options,
      limits: { idleGraceMs: 10, ...options.limits },
    })
    edges.push(edge)
    return edge
  }

const open = async (edge: Edge): Promise<RawClient> => {
  const client = await createRawClient(edge.port)
  clients.push(client)
  return client
}

/** When the last thread has stopped listening; threads stop one after the other. */
const untilRefused = (port: number): Promise<void> =>
  expect
    .poll(async () => {
      const socket = connect(port, '127.0.0.1').on('error', () => {})
      const outcome = await once(socket, 'connect').catch(({ code }) => code)
      socket.destroy()
      return outcome
    })
    .toBe('ECONNREFUSED')

/** A promise that the test settles. */
const createGate = (): { readonly opened: Promise<void>; open(): void } => {
  let release = (): void => {}
  const opened = new Promise<void>(resolve => {
    release = resolve
  })
  return { opened, open: () => release() }
}

describe.each([
  ['/lane', 0],
  ['/usual', 0],
  ['/usual', 3],
] as const)('an edge, at %s, behind %i threads', (path, threads) => {
  const start = startBehind(threads)

  test('answers many requests on one connection, pipelined ones in order', async () => {
    const client = await open(await start())
    for (const length of [1, 2]) {
      client.send(toPost(`${path}/a`, 'x'.repeat(length)))
      expect(await client.until(/got \d+/)).toMatch(new RegExp(`^HTTP/1.1 200 OK\\r\\n[\\s\\S]*got ${length}$`))
    }
    client.send(
      [
        toPost(`${path}/a`, 'xxx'),
        toPost(`${path}/a`, 'xxxx'),
        `GET ${path}/a HTTP/1.1\r\nHost: localhost\r\n\r\n`,
      ].join(''),
    )
    expect(await client.until(/got 3[\s\S]*got 4[\s\S]*202 Accepted[\s\S]*\r\n\r\n/)).toMatch(/content-length: 0/i)
  })

  test('reads chunked bodies, and refuses large ones of either kind so that the client sees why', async () => {
    const edge = await start()
    const chunked = await open(edge)
    const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n`
    chunked.send(`${head}3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n`)
    await chunked.until(/got 5/)
    chunked.send(`${head}80\r\n${'x'.repeat(128)}\r\n`)
    expect(await chunked.until(/"code":"too-large"[^}]*}/)).toMatch(/^HTTP\/1\.1 413 [\s\S]*connection: close/i)
    chunked.send('0\r\n\r\n')
    expect(await chunked.rest()).toBe('')

    const announced = await open(edge)
    announced.send(`POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\nabc`)
    expect(await announced.until(/"code":"too-large"[^}]*}/)).toMatch(/^HTTP\/1\.1 413 [\s\S]*connection: close/i)
    announced.socket.end()
    await announced.rest()
  })

  test('a client that sends 8 MB before it reads still sees the 413', async () => {
    const edge = await start()
    const response = await fetch(`${edge.url}${path}`, { method: 'POST', body: new Uint8Array(8 * 2 ** 20) })
    expect(response.status).toBe(413)
    expect(await response.json()).toMatchObject({ code: 'too-large' })
  })

  test('does not read endlessly after an early answer', async () => {
    const client = await open(await start(countBytes, { limits: { lingerBytes: 10_000 } }))
    client.send(`POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\n${'x'.repeat(50_000)}`)
    expect(await client.rest()).toMatch(/^HTTP\/1\.1 413 /)
  })

  test('a small unread body costs neither the answer nor the connection', async () => {
    const client = await open(await start(() => Promise.resolve(new Response('early'))))
    for (const body of ['one', 'two']) {
      client.send(toPost(path, body))
      await client.until(/HTTP\/1\.1 200[\s\S]*early/)
    }
  })

  test('gives up on a body that does not come: 408 and close', async () => {
    const client = await open(await start(countBytes, { limits: { bodyIdleMs: 30, lingerMs: 30 } }))
    client.send(`POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\nabc`)
    expect(await client.rest()).toMatch(
      /^HTTP\/1\.1 408 [\s\S]*connection: close[\s\S]*"code":"request-timeout"[\s\S]*3 bytes did/i,
    )
  })

  test('a body for which there is no room is refused at once', async () => {
    const answer: Answer = async call => {
      await call.bytes(1e6, () => {
        throw new SluiceError('overloaded', 'no room')
      })
      return accepted
    }
    const client = await open(await start(answer))
    client.send(`POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 400000\r\n\r\n${'x'.repeat(1_000)}`)
    await client.until(/HTTP\/1\.1 503 [\s\S]*no room/)
  })

  test('tells of each request once it is over, by whom and how it was answered', async () => {
    const told: Access[] = []
    const [arrived, gate] = [createGate(), createGate()]
    const answer: Answer = async call => {
      if (call.target.endsWith('/wait')) {
        arrived.open()
        await gate.opened
      }
      call.identified?.({ name: 'shop', has: () => true })
      return await countBytes(call)
    }
    const edge = await start(answer, { onAccess: access => told.push(access) })
    const client = await open(edge)
    client.send(toPost(`${path}/a`, 'four', 'User-Agent: test/1\r\nX-Forwarded-For: 192.0.2.7\r\n'))
    await client.until(/got 4/)
    const begun = Date.now()
    await expect.poll(() => told).toHaveLength(1)
    const { at, durationMs, ...first } = told[0] as Access
    expect(first).toEqual({
      listener: 'server',
      peer: '127.0.0.1',
      forwardedFor: '192.0.2.7',
      user: 'shop',
      method: 'POST',
      target: `${path}/a`,
      httpVersion: '1.1',
      status: 200,
      bytes: 5,
      referer: undefined,
      userAgent: 'test/1',
      traceparent: undefined,
    })
    expect(at).toBeLessThanOrEqual(begun)
    expect(durationMs).toBeGreaterThan(0)
    client.send(toPost(`${path}/wait`, 'four'))
    await arrived.opened
    client.socket.resetAndDestroy()
    await expect.poll(() => told).toHaveLength(2)
    expect(told[1]).toMatchObject({ target: `${path}/wait`, status: unanswered, bytes: 0 })
    gate.open()
  })

  test.each(['ends', 'hangs up'])('a body that is cut short is a bad request: its client %s', async how => {
    const failed = vi.fn()
    const client = await open(
      await start(call =>
        call.bytes(maxBytes).then(
          () => accepted,
          error => {
            failed(error)
            throw error
          },
        ),
      ),
    )
    client.send(`POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\nabc`)
    if (how === 'ends') client.socket.end()
    else await new Promise(sent => client.socket.end(() => client.socket.destroy()).once('close', sent))
    await expect.poll(() => failed).toHaveBeenCalledWith(expect.objectContaining({ code: 'bad-request' }))
    expect(failed).toHaveBeenCalledOnce()
  })

  test('a call is aborted when its client goes away', async () => {
    const asked = vi.fn()
    const aborted = vi.fn()
    const gate = createGate()
    const edge = await start(call => {
      call.signal.addEventListener('abort', aborted)
      asked()
      return gate.opened.then(() => accepted)
    })
    const client = await open(edge)
    client.send(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    await expect.poll(() => asked).toHaveBeenCalledOnce()
    client.socket.resetAndDestroy()
    await expect.poll(() => aborted).toHaveBeenCalledOnce()
    gate.open()
  })

  test('streams a body, and a reader that gives up can still answer', async () => {
    const read: number[] = []
    const edge = await start(async call => {
      let length = 0
      for await (const chunk of call.stream() ?? []) {
        length += chunk.length
        if (call.header('x-stop') !== undefined) throw new SluiceError('exists', 'stop')
      }
      read.push(length)
      return accepted
    })
    const body = new Uint8Array(3 * 2 ** 20)
    expect((await fetch(`${edge.url}${path}`, { method: 'POST', body })).status).toBe(202)
    expect(read).toEqual([body.length])
    const stopped = await fetch(`${edge.url}${path}`, { method: 'POST', body, headers: { 'x-stop': '1' } })
    expect([stopped.status, await stopped.json()]).toEqual([409, expect.objectContaining({ code: 'exists' })])
  })

  test('tells a handler who calls', async () => {
    const edge = await start(call =>
      Promise.resolve(
        Response.json([
          call.method,
          call.target,
          call.peer,
          call.secure,
          call.header('x-two'),
          call.header('none') ?? null,
        ]),
      ),
    )
    const client = await open(edge)
    client.send(`GET ${path}/%2F?a=%zz HTTP/1.1\r\nHost: localhost\r\nX-Two: 1\r\nX-Two: 2\r\n\r\n`)
    expect(await client.until(/\[.*\]/)).toContain(
      JSON.stringify(['GET', `${path}/%2F?a=%zz`, '127.0.0.1', false, '1, 2', null]),
    )
  })

  test('a handler that fails is a 500 that shows nothing', async () => {
    const error = vi.fn()
    const edge = await start(() => Promise.reject(new TypeError('inner')), { logger: { ...silentLogger, error } })
    const response = await fetch(`${edge.url}${path}`)
    expect([response.status, await response.json()]).toEqual([
      500,
      expect.not.objectContaining({ detail: expect.anything() }),
    ])
    expect(error).toHaveBeenCalledTimes(path === '/lane' ? 1 : 0)
  })

  test('HEAD has headers and no body', async () => {
    const client = await open(await start(() => Promise.resolve(new Response('body', { status: 200 }))))
    client.send(`HEAD ${path} HTTP/1.1\r\nHost: localhost\r\n\r\nHEAD ${path} HTTP/1.0\r\n\r\n`)
    expect(await client.rest()).not.toContain('body')
  })

  test('R12: a drain answers what is in flight and what is on its way, closes the idle, and then accepts nothing new', async () => {
    const gate = createGate()
    const arrived = createGate()
    const ready = vi.fn()
    const edge = await start(
      async call => {
        if (!call.target.endsWith('/slow')) return accepted
        arrived.open()
        await gate.opened
        return new Response('late')
      },
      { onDrain: ready, limits: { idleGraceMs: 200 } },
    )
    const [slow, busy, idle] = [await open(edge), await open(edge), await open(edge)]
    slow.send(`GET ${path}/slow HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    await arrived.opened
    for (const client of [busy, idle]) {
      client.send(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
      expect(await client.until(/\r\n\r\n/)).toMatch(/connection: keep-alive/i)
    }
    const closed = edge.close()
    expect(ready).toHaveBeenCalledOnce()
    const newcomer = await open(edge)
    for (const client of [busy, newcomer]) {
      client.send(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
      expect(await client.rest()).toMatch(/^HTTP\/1\.1 202 [\s\S]*connection: close/i)
    }
    expect(await idle.rest()).toBe('')
    await untilRefused(edge.port)
    gate.open()
    expect(await slow.rest()).toMatch(/^HTTP\/1\.1 200 [\s\S]*connection: close[\s\S]*late$/i)
    await closed
    await expect(edge.close()).resolves.toBeUndefined()
    expect(ready).toHaveBeenCalledOnce()
  })

  test('R12: of requests that stand behind each other in a drain none breaks off, and the last answer says so', async () => {
    const gate = createGate()
    let begun = 0
    const edge = await start(
      async () => {
        begun++
        await gate.opened
        return new Response('whole')
      },
      { limits: { idleGraceMs: 200 } },
    )
    const request = `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`
    const several = await Promise.all(Array.from({ length: 10 }, () => open(edge)))
    for (const client of several) client.send(request.repeat(3))
    // The lane begins all of them, node:http one after the other.
    await expect.poll(() => begun).toBe(several.length * (path === '/lane' ? 3 : 1))
    const closed = edge.close()
    gate.open()
    for (const client of several) {
      const ends = await client.rest()
      const last = 'close'
      expect(ends.match(/(?<=^connection: ).*(?=\r)/gim)).toEqual(
        path === '/lane' ? ['keep-alive', 'keep-alive', last] : [last],
      )
      expect(ends.split('\r\n\r\nwhole').length - 1).toBe(path === '/lane' ? 3 : 1)
      expect(ends).toMatch(/whole$/)
    }
    await closed
  })

  test('behind a delay a drain still takes connections, and asks for others, even without connections before', async () => {
    const ready = vi.fn()
    const edge = await start(() => Promise.resolve(accepted), { onDrain: ready, limits: { drainDelayMs: 1_000 } })
    const closed = edge.close()
    expect(ready).toHaveBeenCalledOnce()
    for (let i = 0; i < 5; i++) {
      const newcomer = await open(edge)
      newcomer.send(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
      expect(await newcomer.rest()).toMatch(/^HTTP\/1\.1 202 [\s\S]*connection: close/i)
    }
    await closed
    await untilRefused(edge.port)
  })

  test('keep-alive clients see no failure while servers are replaced', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 8 })
    const request = (port: number): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        get({ host: '127.0.0.1', port, path, agent }, response =>
          response.resume().on('end', () => resolve(response.statusCode)),
        ).on('error', reject)
      })
    let current = await start(countBytes, { limits: { idleGraceMs: 200 } })
    let isRunning = true
    const statuses: (number | undefined)[] = []
    const load = Array.from({ length: 8 }, async () => {
      while (isRunning) statuses.push(await request(current.port))
    })
    for (let round = 0; round < 3; round++) {
      const seen = statuses.length
      await expect.poll(() => statuses.length).toBeGreaterThan(seen + 16)
      const previous = current
      current = await start(countBytes, { limits: { idleGraceMs: 200 } })
      await previous.close()
    }
    isRunning = false
    await Promise.all(load)
    agent.destroy()
    expect(statuses.length).toBeGreaterThan(8)
    expect(new Set(statuses)).toEqual(new Set([202]))
  })
})

describe.each([0, 3])('an edge behind %i threads', threads => {
  const start = startBehind(threads)

  test('answers HTTP/1.0 without a Host, and refuses HTTP/1.1 without one', async () => {
    const edge = await start()
    const old = await open(edge)
    old.send('GET /usual HTTP/1.0\r\n\r\n')
    expect(await old.rest()).toMatch(/^HTTP\/1\.1 202 /)
    const bad = await open(edge)
    bad.send('GET /usual HTTP/1.1\r\n\r\n')
    expect(await bad.rest()).toMatch(/^HTTP\/1\.1 400 /)
  })

  test.each([
    [
      'too many headers',
      `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`,
      431,
      'headers-too-large',
    ],
    ['a URL of 70 KB', `GET /${'x'.repeat(70_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`, 431, 'headers-too-large'],
    ['something else', 'SSH-2.0-OpenSSH\r\n\r\n', 400, 'bad-request'],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400, 'bad-request'],
    ['a bad host', 'GET /usual HTTP/1.1\r\nHost: a b\r\n\r\n', 400, 'bad-request'],
    ['a backslash', 'GET /usual\\x HTTP/1.1\r\nHost: a\r\n\r\n', 400, 'bad-request'],
  ])('refuses %s', async (_, request, status, code) => {
    const client = await open(await start())
    client.send(request)
    const answer = await client.until(/"code":"[a-z-]+"/)
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(answer).toContain(`"code":"${code}"`)
  })

  test('gives up on headers that do not come: 408 and close', async () => {
    const client = await open(await start(countBytes, { limits: { headersTimeoutMs: 40, checkEveryMs: 20 } }))
    client.send('GET /usual HTTP/1.1\r\nHost: loc')
    expect(await client.rest()).toMatch(/^HTTP\/1\.1 408 [\s\S]*request-timeout/)
  })

  test('closes a connection that sends nothing, but not one whose handler is slow', async () => {
    const gate = createGate()
    const edge = await start(() => gate.opened.then(() => new Response('late')), {
      limits: { inactivityTimeoutMs: 50, checkEveryMs: 20 },
    })
    const [silent, waiting] = [await open(edge), await open(edge)]
    waiting.send('GET /lane HTTP/1.1\r\nHost: localhost\r\n\r\n')
    expect(await silent.rest()).toBe('')
    gate.open()
    expect(await waiting.until(/late/)).toMatch(/^HTTP\/1\.1 200 /)
  })

  test('reads no more of a body until there is room for it, and has patience meanwhile', async () => {
    const room = createGate()
    const pieces: number[] = []
    const answer: Answer = async call => {
      const body = await call.bytes(1e6, bytes => {
        pieces.push(bytes)
        return pieces.length === 1 ? room.opened : undefined
      })
      return new Response(`got ${body.length}`)
    }
    const edge = await start(answer, { limits: { bodyIdleMs: 200, bodyWindowMs: 250 } })
    const [client, slow] = [await open(edge), await open(edge)]
    const head = 'POST /usual HTTP/1.1\r\nHost: localhost\r\nContent-Length: 400000\r\n\r\n'
    client.send(`${head}x`)
    await expect.poll(() => pieces).toHaveLength(1)
    client.send('x'.repeat(399_999))
    // A body that is being read, but does not arrive, gets an answer meanwhile.
    slow.send(`${head}x`)
    expect(await slow.rest()).toMatch(/^HTTP\/1\.1 408 /)
    expect(pieces).toEqual([1, 1])
    room.open()
    await client.until(/got 400000/)
  })

  test.skipIf(threads > 0)('P1: a body that comes with its headers is read without a timer', async () => {
    const bodyIdleMs = 12_345
    const client = await open(await start(countBytes, { limits: { bodyIdleMs } }))
    const timers = vi.spyOn(globalThis, 'setTimeout')
    onTestFinished(() => timers.mockRestore())
    const bodyTimers = (): number => timers.mock.calls.filter(([, ms]) => ms === bodyIdleMs).length
    client.send(toPost('/lane', 'abc'))
    await client.until(/got 3/)
    expect(bodyTimers()).toBe(0)
    client.send('POST /usual HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\n')
    await expect.poll(bodyTimers).toBe(1)
    client.send('abc')
    await client.until(/got 3/)
  })

  test.skipIf(networkInterfaces()['lo']?.every(({ family }) => family !== 'IPv6'))(
    'on all addresses, knows IPv4 clients by their IPv4 address',
    async () => {
      const edge = await start(call => Promise.resolve(new Response(call.peer)), { host: '::' })
      const answers = ['127.0.0.1', '[::1]'].map(async host => (await fetch(`http://${host}:${edge.port}/lane`)).text())
      expect(await Promise.all(answers)).toEqual(['127.0.0.1', '::1'])
      expect(edge.url).toBe(`http://localhost:${edge.port}`)
    },
  )

  test('has at most so many connections', async () => {
    const edge = await start(countBytes, { limits: { maxConnections: 1 } })
    const first = await open(edge)
    first.send('GET /lane HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await first.until(/202/)
    expect(await (await open(edge)).rest()).toBe('')
  })

  test('cuts what is in flight when a drain takes too long', async () => {
    const arrived = createGate()
    const edge = await start(
      () => {
        arrived.open()
        return new Promise(() => {})
      },
      { limits: { drainMs: 50 } },
    )
    const client = await open(edge)
    client.send('GET /lane HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await arrived.opened
    await edge.close()
    expect(await client.rest()).toBe('')
  })

  test('says which setting to change when its port is taken', async () => {
    const { port } = await start()
    await expect(start(countBytes, { name: 'admin', port })).rejects.toThrow(
      `The admin listener cannot start: another program listens on 127.0.0.1:${port} already; stop it, or choose another admin.port.`,
    )
    await expect(start(countBytes, { host: '203.0.113.7' })).rejects.toThrow(/server\.host/)
  })
})

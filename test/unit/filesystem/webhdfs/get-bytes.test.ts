import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as createTlsServer, getCACertificates, setDefaultCACertificates, TLSSocket } from 'node:tls'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { release } from '../../../../src/bytes/slabs.ts'
import { downloadFromNode } from '../../../../src/filesystem/webhdfs/read/download.ts'
import { createAsk } from '../../../../src/filesystem/webhdfs/transport/ask.ts'
import { getBytes } from '../../../../src/filesystem/webhdfs/transport/get-bytes.ts'
import { expectCode } from '../../../suites/filesystem.ts'

let server: Server | undefined
const sockets = new Set<Socket>()
afterEach(() => {
  for (const socket of sockets) socket.destroy()
  sockets.clear()
  server?.close()
})

/** A data node that does as the test says with a connection whose request has arrived. */
const serve = async (answer: (socket: Socket, request: string) => void): Promise<URL> => {
  server = createServer(socket => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('data', request => answer(socket, request.toString()))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/webhdfs/v1/f%20g?op=OPEN&offset=0`)
}

/** Each piece on its own: the next one when the one before has left. */
const send = async (socket: Socket, pieces: readonly (string | Uint8Array)[]): Promise<void> => {
  socket.setNoDelay(true)
  for (const piece of pieces) {
    await new Promise(resolve => socket.write(piece, resolve))
    await new Promise(resolve => setImmediate(resolve))
  }
}

const options = { path: '/f', timeoutMs: 10_000, idleTimeoutMs: 10_000 }

const readAll = async (location: URL): Promise<string> =>
  Buffer.concat(await Array.fromAsync(await downloadFromNode(location, options))).toString()

const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: 11\r\n\r\n'
const whole = `${head}hello world`

describe('R14: an answer of a data node', () => {
  test('is asked for in plain words', async () => {
    let asked = ''
    const location = await serve((socket, request) => {
      asked = request
      socket.end(whole)
    })
    expect(await readAll(location)).toBe('hello world')
    expect(asked).toBe(
      `GET /webhdfs/v1/f%20g?op=OPEN&offset=0 HTTP/1.1\r\nhost: ${location.host}\r\n` +
        'accept-encoding: identity\r\nconnection: close\r\n\r\n',
    )
  })

  test('may come in two pieces, wherever it is cut', async () => {
    for (let at = 1; at < whole.length; at++) {
      const location = await serve(socket => void send(socket, [whole.slice(0, at), whole.slice(at)]))
      expect(await readAll(location)).toBe('hello world')
      server?.close()
    }
  })

  test('may come byte by byte, behind others that only say that one is to come', async () => {
    const before = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'
    const location = await serve(socket => void send(socket, `${before}${whole}`.split('')))
    expect(await readAll(location)).toBe('hello world')
  })

  test('that ends early is never a whole one, wherever it is cut', async () => {
    for (let at = 0; at < whole.length; at++) {
      const location = await serve(socket => socket.end(whole.slice(0, at)))
      await expectCode(readAll(location), 'unavailable')
      server?.close()
    }
  })

  test('that is reset in the middle is never a whole one', async () => {
    const location = await serve(socket => void send(socket, [whole.slice(0, -1)]).then(() => socket.resetAndDestroy()))
    await expectCode(readAll(location), 'unavailable')
  })

  test('says what is not HTTP, or has a head without an end', async () => {
    for (const text of ['SSH-2.0-OpenSSH_9.6\r\n', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(70_000)}`]) {
      const location = await serve(socket => socket.write(text))
      await expect(readAll(location)).rejects.toThrow(/data node 127\.0\.0\.1:\d+ failed with HPE_INVALID/)
      server?.close()
    }
  })

  test('ends where its length says, whatever follows', async () => {
    const location = await serve(socket => socket.write(`${whole}HTTP/1.1 500 of somebody else`))
    expect(await readAll(location)).toBe('hello world')
  })

  test('of no announced length ends with the connection', async () => {
    const location = await serve(socket => socket.end('HTTP/1.1 200 OK\r\n\r\nhello'))
    expect(await readAll(location)).toBe('hello')
  })

  test('of no announced length that stalls, or is not wanted any more, is not a whole one', async () => {
    const location = await serve(socket => socket.write('HTTP/1.1 200 OK\r\n\r\nhello'))
    const stalled = await downloadFromNode(location, { ...options, idleTimeoutMs: 20 })
    await expect(Array.fromAsync(stalled)).rejects.toThrow('stalled for 20 ms after 5 bytes')
    const stop = new AbortController()
    const { source } = await downloadFromNode(location, { ...options, signal: stop.signal })
    await source.read()
    const rest = source.read()
    stop.abort()
    await expectCode(rest, 'unavailable')
  })

  test('may be empty', async () => {
    const location = await serve(socket => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'))
    expect(await readAll(location)).toBe('')
  })

  test('may be chunked, in any pieces; one that is cut is not a whole one', async () => {
    const chunked = (parts: readonly string[]): string =>
      [...parts.map(part => `${part.length.toString(16)}\r\n${part}\r\n`), '0\r\n\r\n'].join('')
    const parts = fc.array(fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme-ascii' }), { maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(parts, fc.array(fc.nat(), { maxLength: 5 }), fc.boolean(), async (texts, cuts, isCut) => {
        const text = `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunked(texts)}`
        const sent = isCut ? text.slice(0, -1) : text
        const ends = [0, ...cuts.map(cut => cut % sent.length).sort((a, b) => a - b), sent.length]
        const pieces = ends.slice(1).map((end, index) => sent.slice(ends[index], end))
        const location = await serve(socket => void send(socket, pieces).then(() => socket.end()))
        if (isCut) await expectCode(readAll(location), 'unavailable')
        else expect(await readAll(location)).toBe(texts.join(''))
        server?.close()
      }),
      { numRuns: 60 },
    )
  })

  test('with malformed chunks breaks off', async () => {
    const location = await serve(socket =>
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nxyz\r\n'),
    )
    await expect(readAll(location)).rejects.toThrow(/HPE_INVALID/)
  })

  test('of many megabytes arrives as it is, also where what was read is given back', async () => {
    const bytes = Buffer.alloc(24 * 2 ** 20)
    for (let at = 0; at < bytes.length; at += 4) bytes.writeUInt32LE(at, at)
    const location = await serve(socket => {
      socket.end(Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${bytes.length}\r\n\r\n`), bytes]))
    })
    let at = 0
    let first: Uint8Array | undefined
    for await (const chunk of await downloadFromNode(location, options)) {
      expect(bytes.compare(chunk, 0, chunk.length, at, at + chunk.length)).toBe(0)
      at += chunk.length
      // A chunk that was not given back is still held.
      if (first === undefined) first = chunk
      else release(chunk)
    }
    expect(at).toBe(bytes.length)
    expect(bytes.compare(first ?? bytes, 0, first?.length, 0, first?.length)).toBe(0)
  })
})

test('a data node has to wait for a reader that does not ask', async () => {
  let sent = 0
  const full = Promise.withResolvers<void>()
  const location = await serve(socket => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n')
    const more = (): void => {
      for (;;) {
        sent += 65_536
        if (!socket.write(Buffer.alloc(65_536))) break
      }
    }
    more()
    let before = -1
    const look = setInterval(() => {
      if (before === sent) {
        clearInterval(look)
        full.resolve()
      }
      before = sent
    }, 100)
    socket.on('drain', more)
  })
  const asked = getBytes(location, undefined)
  const { body } = await asked.answer
  await full.promise
  // The windows of the reader and of two kernels.
  expect(sent).toBeLessThan(64 * 2 ** 20)
  asked.stop(new Error('enough'))
  await expect(
    (async () => {
      while ((await body.read()) !== undefined);
    })(),
  ).rejects.toThrow('enough')
})

describe.skipIf(spawnSync('openssl', ['version']).status !== 0)('with TLS', () => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-tls-'))
  const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')]
  const kind = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  beforeAll(() => void spawnSync('openssl', [...kind, ...names, '-keyout', key, '-out', cert]))
  afterAll(() => rmSync(directory, { recursive: true }))

  const serveTls = async (name: string): Promise<URL> => {
    server = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, socket => {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.once('data', () =>
        socket.end(`HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n${'x'.repeat(1_000_000)}`),
      )
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    return new URL(`https://${name}:${(server.address() as AddressInfo).port}/webhdfs/v1/f?op=OPEN`)
  }

  test('bytes come from a data node that is trusted, and from no other one', async () => {
    await expect(readAll(await serveTls('localhost'))).rejects.toThrow(/DEPTH_ZERO_SELF_SIGNED_CERT/)
    server?.close()
    const before = getCACertificates()
    setDefaultCACertificates([readFileSync(cert)])
    try {
      expect(await readAll(await serveTls('localhost'))).toBe('x'.repeat(1_000_000))
      server?.close()
      await expect(readAll(await serveTls('127.0.0.1'))).rejects.toThrow(/ERR_TLS_CERT_ALTNAME_INVALID/)
    } finally {
      setDefaultCACertificates(before)
    }
  })

  test('what was given up while it still connected is not sent when it has', async () => {
    const held = Promise.withResolvers<Socket>()
    server = createServer(socket => {
      sockets.add(socket)
      held.resolve(socket)
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const url = new URL(`https://localhost:${(server.address() as AddressInfo).port}/`)
    const before = getCACertificates()
    setDefaultCACertificates([readFileSync(cert)])
    const own = createAsk()
    try {
      const asked = own.ask(new URL('/first', url), { method: 'DELETE' })
      const socket = await held.promise
      asked.stop(new Error('enough'))
      await expect(asked.answer).rejects.toThrow('enough')
      const secure = new TLSSocket(socket, { isServer: true, key: readFileSync(key), cert: readFileSync(cert) })
      const heard = new Promise<string>(resolve => {
        secure.on('error', () => {}).on('data', resolve)
        secure.on('close', () => resolve('the end'))
      })
      expect(String(await heard)).toBe('the end')
    } finally {
      setDefaultCACertificates(before)
      await own.close()
    }
  })
})

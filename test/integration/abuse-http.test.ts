import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { defaultEdgeLimits } from '../../src/http/limits.ts'
import { startTarget, type Target } from '../overload/target.ts'
import { cleanUp } from './process/child.ts'

let target: Target
beforeAll(async () => {
  target = await startTarget()
})
afterAll(cleanUp)

/** Bytes of a request, and the answer that ends the connection; a second request after it must not be answered. */
type Shape = { readonly name: string; readonly bytes: string; readonly want: number }

const body = '{"eventName":"Smuggled","payload":{}}'
const post = (...headers: readonly string[]): string =>
  ['POST /rest/1.0/event HTTP/1.1', 'Host: localhost', 'Content-Type: application/json', ...headers, '', ''].join(
    '\r\n',
  )
const get = (target: string, ...headers: readonly string[]): string =>
  [`GET ${target} HTTP/1.1`, 'Host: localhost', ...headers, '', ''].join('\r\n')
const smuggled = get('/1?v=Smuggled')
const numbered = (count: number, value: string): string[] => Array.from({ length: count }, (_, i) => `X-${i}: ${value}`)

const shapes: readonly Shape[] = [
  { name: '10 000 headers', bytes: get('/1?v=a', ...numbered(10_000, 'a')), want: 431 },
  { name: 'a header of 256 KB', bytes: get('/1?v=a', `X: ${'a'.repeat(2 ** 18)}`), want: 431 },
  { name: 'a header name of 256 KB', bytes: get('/1?v=a', `${'a'.repeat(2 ** 18)}: x`), want: 431 },
  { name: 'a URL of 64 KB', bytes: get(`/1?v=${'a'.repeat(65_536)}`), want: 431 },
  {
    name: 'a chunk extension of 256 KB',
    bytes: `${post('Transfer-Encoding: chunked')}1;${'a'.repeat(2 ** 18)}\r\n{\r\n`,
    want: 413,
  },
  { name: 'a method that is none', bytes: `EAT / HTTP/1.1\r\nHost: localhost\r\n\r\n${smuggled}`, want: 400 },
  { name: 'a method of 100 KB', bytes: `${'A'.repeat(100_000)} / HTTP/1.1\r\nHost: localhost\r\n\r\n`, want: 400 },
  { name: 'version 9.9', bytes: `GET / HTTP/9.9\r\nHost: localhost\r\n\r\n${smuggled}`, want: 400 },
  { name: 'the preface of HTTP/2', bytes: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', want: 400 },
  { name: 'a TLS greeting', bytes: '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', want: 400 },
  { name: 'no Host', bytes: `GET /1?v=a HTTP/1.1\r\n\r\n`, want: 400 },
  {
    name: 'Content-Length beside Transfer-Encoding',
    bytes: `${post('Content-Length: 4', 'Transfer-Encoding: chunked')}0\r\n\r\n${smuggled}`,
    want: 400,
  },
  {
    name: 'Transfer-Encoding beside Content-Length',
    bytes: `${post('Transfer-Encoding: chunked', 'Content-Length: 4')}0\r\n\r\n${smuggled}`,
    want: 400,
  },
  {
    name: 'two lengths that differ',
    bytes: `${post('Content-Length: 0', `Content-Length: ${smuggled.length}`)}${smuggled}`,
    want: 400,
  },
  {
    name: 'two equal lengths',
    bytes: `${post('Content-Length: 37', 'Content-Length: 37')}${body}${smuggled}`,
    want: 400,
  },
  { name: 'a list of lengths', bytes: `${post('Content-Length: 37, 37')}${body}${smuggled}`, want: 400 },
  { name: 'a length with a sign', bytes: `${post('Content-Length: +37')}${body}${smuggled}`, want: 400 },
  { name: 'a length in hexadecimal', bytes: `${post('Content-Length: 0x25')}${body}${smuggled}`, want: 400 },
  {
    name: 'a length beyond 64 bits',
    bytes: `${post('Content-Length: 99999999999999999999')}${body}${smuggled}`,
    want: 400,
  },
  {
    name: 'a coding before chunked that nobody knows',
    bytes: `${post('Transfer-Encoding: xchunked')}0\r\n\r\n${smuggled}`,
    want: 400,
  },
  {
    name: 'chunked, and something behind it',
    bytes: `${post('Transfer-Encoding: chunked, identity')}0\r\n\r\n${smuggled}`,
    want: 400,
  },
  {
    name: 'gzip before chunked',
    bytes: `${post('Transfer-Encoding: gzip, chunked')}0\r\n\r\n${smuggled}`,
    want: 400,
  },
  {
    name: 'gzip and chunked in two headers',
    bytes: `${post('Transfer-Encoding: gzip', 'Transfer-Encoding: chunked')}0\r\n\r\n${smuggled}`,
    want: 400,
  },
  {
    name: 'chunked twice',
    bytes: `${post('Transfer-Encoding: chunked', 'transfer-encoding: chunked')}0\r\n\r\n${smuggled}`,
    want: 400,
  },
  { name: 'two Host headers', bytes: `${get('/1?v=a', 'host: other')}${smuggled}`, want: 400 },
  { name: 'two Host headers of one name', bytes: `${get('/1?v=a', 'Host: localhost')}${smuggled}`, want: 400 },
  { name: 'version 2.0', bytes: `GET /1?v=a HTTP/2.0\r\nHost: localhost\r\n\r\n${smuggled}`, want: 400 },
  { name: 'version 0.9', bytes: `GET /1?v=a HTTP/0.9\r\nHost: localhost\r\n\r\n${smuggled}`, want: 400 },
  { name: 'a space before the colon', bytes: `${post('Transfer-Encoding : chunked')}0\r\n\r\n${smuggled}`, want: 400 },
  {
    name: 'a folded header',
    bytes: `${post('X: a\r\n Transfer-Encoding: chunked', 'Content-Length: 0')}${smuggled}`,
    want: 400,
  },
  { name: 'line feeds alone', bytes: `${post('Content-Length: 0').replaceAll('\r\n', '\n')}${smuggled}`, want: 400 },
  {
    name: 'a line feed within the headers',
    bytes: `${get('/1?v=a', 'X: a\nTransfer-Encoding: chunked')}${smuggled}`,
    want: 400,
  },
  { name: 'a carriage return within the headers', bytes: `${get('/1?v=a', 'X: a\rY: b')}${smuggled}`, want: 400 },
  { name: 'a NUL in a header', bytes: `${get('/1?v=a', 'X: a\0b')}${smuggled}`, want: 400 },
  { name: 'a NUL in the URL', bytes: `${get('/1?v=\0')}${smuggled}`, want: 400 },
  { name: 'a chunk length that is none', bytes: `${post('Transfer-Encoding: chunked')}zz\r\n${smuggled}`, want: 400 },
  {
    name: 'a chunk length of 2^64',
    bytes: `${post('Transfer-Encoding: chunked')}10000000000000000\r\n${smuggled}`,
    want: 400,
  },
]

/** Noticed when the answer may be on its way: only a route that reads its body can refuse it. */
const lateShapes: readonly Shape[] = [
  {
    name: 'a chunk that is longer than it says',
    bytes: `${post('Transfer-Encoding: chunked')}1\r\n{{\r\n0\r\n\r\n${smuggled}`,
    want: 400,
  },
]

describe.each(['server', 'management'])('R11: the %s listener', listener => {
  test.each(listener === 'server' ? [...shapes, ...lateShapes] : shapes)(
    'refuses $name with $want, and ends the connection',
    async ({ bytes, want }) => {
      const port = listener === 'server' ? target.port : Number(new URL(target.adminUrl).port)
      const answers = await talk(port, bytes)
      expect(answers.match(/^HTTP\/1\.1 \d{3}/gm)).toEqual([`HTTP/1.1 ${want}`])
      expect(answers).toMatch(/^connection: close\r$/im)
    },
  )
})

test('R11: HTTP/1.0 without a Host reaches the collector, and neither gateway nor management', async () => {
  const adminPort = Number(new URL(target.adminUrl).port)
  const asked = [
    [target.port, '/1?v=Old', 202],
    [target.port, '/1.0/healthcheck', 200],
    [target.port, '/rest/1.0/json?path=/', 403],
    [adminPort, '/metrics', 403],
    [adminPort, '/jolokia/version', 403],
    [adminPort, '/', 403],
  ] as const
  for (const [port, path, want] of asked) {
    expect([path, await talk(port, `GET ${path} HTTP/1.0\r\n\r\n`)]).toEqual([
      path,
      expect.stringMatching(new RegExp(`^HTTP/1.1 ${want} `)),
    ])
  }
})

test('R11: a URL longer than 8 KB within what headers may take is a 414', async () => {
  for (const route of ['/1?v=', '/rest/1.0/json?path=/', '/nowhere?x=']) {
    const response = await fetch(`${target.url}${route}${'a'.repeat(9_000)}`)
    expect([route, response.status]).toEqual([route, 414])
  }
})

test('R11: nothing of all that was taken for an event', async () => {
  expect(await target.honest()).toEqual([202, 200])
  const text = await (await fetch(`${target.adminUrl}/metrics`)).text()
  expect(text).toMatch(/type="Honest"/)
  expect(text).not.toMatch(/type="Smuggled"/)
})

test('R11: the contract says what the limits say', () => {
  const { headersTimeoutMs, keepAliveTimeoutMs, inactivityTimeoutMs, maxHeaderBytes, maxConnections } =
    defaultEdgeLimits
  const { bodyIdleMs, bodyWindowMs, bodyWindowBytes } = defaultEdgeLimits
  const contract = readFileSync('openapi.yaml', 'utf8')
  const sentences = [
    `Headers that are incomplete ${headersTimeoutMs / 1_000} s after`,
    `sends no byte for ${bodyIdleMs / 1_000} s`,
    `fewer than ${bodyWindowBytes / bodyWindowMs / 1.024} KiB a second for ${bodyWindowMs / 1_000} s`,
    `${keepAliveTimeoutMs / 1_000} s after its last answer`,
    `${inactivityTimeoutMs / 1_000} s without a byte`,
    `of more than ${maxHeaderBytes / 1_024} KiB`,
    `when ${maxConnections / 1_000} 000 others are open`,
  ]
  expect(sentences.filter(sentence => !contract.includes(sentence))).toEqual([])
})

/** Everything received until the server ends the connection. */
const talk = (port: number, bytes: string): Promise<string> =>
  new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    let received = ''
    socket.on('data', chunk => {
      received += chunk.toString('latin1')
    })
    // Of a request that is longer than what is read of it, the rest may meet a closed door.
    socket.on('error', () => {})
    socket.on('close', () => resolve(received))
    socket.write(bytes, 'latin1')
  })

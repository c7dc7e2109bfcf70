import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createLocalFileSystem } from '../../src/filesystem/local.ts'
import { createTestServer, type TestServer } from '../suites/admin.ts'
import { chunksOf } from '../suites/filesystem.ts'
import { flat } from '../suites/flat-filesystem.ts'
import { contract } from '../unit/contract/fixture.ts'

/** What the contract shows of errors, by status and what it says. */
const examples = new Map(
  contract.operations
    .flatMap(({ answers }) => answers.flatMap(({ content }) => content['application/problem+json'] ?? []))
    .flatMap(({ example, examples: named }) => [example, ...Object.values(named).map(({ value }) => value)])
    .flatMap(value => {
      const { success, data } = z.looseObject({ code: z.string(), detail: z.string() }).safeParse(value)
      return success ? [[data.detail, data.code] as const] : []
    }),
)

/** The requests that the examples are the answers to: the head of one, without its host, and its body. */
const requests: readonly (readonly [code: string, head: string, body?: string])[] = [
  ['bad-event', 'GET /2?v=Hello,sa,b1,91 HTTP/1.1'],
  ['bad-event-name', 'GET /1?v=a/b HTTP/1.1'],
  ['bad-parameter', 'GET /1?v=Hello&gr=MINUTELY HTTP/1.1'],
  ['bad-parameter', 'GET /rest/1.0/json?path=/&pretty=yes HTTP/1.1'],
  ['bad-path', 'GET /rest/1.0/json?path=/../etc HTTP/1.1'],
  ['forbidden-host', 'GET /rest/1.0/json?path=/ HTTP/1.1\r\nHost: example.test'],
  ['not-found', 'GET /rest/1.0/json?path=/data/none.txt HTTP/1.1'],
  ['method-not-allowed', 'PUT /1 HTTP/1.1\r\nContent-Length: 0'],
  ['not-acceptable', 'GET /rest/1.0/text?path=/data/words.txt HTTP/1.1\r\nAccept: image/png'],
  ['exists', 'POST /rest/1.0?path=/data/words.txt HTTP/1.1\r\nContent-Type: text/plain\r\nContent-Length: 1', 'x'],
  ['range-not-satisfiable', 'GET /rest/1.0/binary?path=/data/words.txt HTTP/1.1\r\nRange: bytes=100-'],
  ['unreadable', 'GET /rest/1.0/text?path=/data/broken.smile HTTP/1.1'],
  ['too-large', 'POST /rest/1.0/event HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 67108865'],
  ['uri-too-long', `GET /1?v=${'a'.repeat(8_995)} HTTP/1.1`],
  ['unsupported-media-type', 'POST /rest/1.0/event HTTP/1.1\r\nContent-Type: text/xml\r\nContent-Length: 1', 'x'],
  [
    'nothing-accepted',
    'POST /rest/1.0/event HTTP/1.1\r\nContent-Type: application/json\r\nPrefer: handling=strict\r\nContent-Length: 21',
    '{"eventName":"Hello"}',
  ],
]

/** Too much for a test to provoke, or a matter of time. */
const unprovoked = ['denied', 'rate-limited', 'overloaded', 'draining', 'unavailable']

describe('the examples of the contract are what the server says', () => {
  let server: TestServer
  let root = ''
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'sluice-examples-'))
    const fileSystem = flat(await createLocalFileSystem({ root }))
    await fileSystem.create('/data/words.txt', chunksOf('one two three four'.slice(0, 17)))
    // A document whose object begins with a value.
    await fileSystem.create('/data/broken.smile', chunksOf(':)\n\u0001\ufffd\u0000'))
    server = await createTestServer({ fileSystem, transport: 'node' })
  })
  afterAll(async () => {
    await server.close()
    await rm(root, { recursive: true })
  })

  const ask = async (head: string, body: string): Promise<unknown> => {
    const { hostname, port, host } = new URL(server.serverUrl)
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    const named = head.includes('\r\nHost:') ? head : `${head}\r\nHost: ${host}`
    socket.write(`${named}\r\nConnection: close\r\n\r\n${body}`)
    let text = ''
    for await (const chunk of socket) text += String(chunk)
    return JSON.parse(/\{.*\}/s.exec(text)?.[0] ?? text)
  }

  test.each(requests.map(([code, head, body = '']) => ({ code, head, body })))(
    '$code',
    async ({ code, head, body }) => {
      const problem = z.looseObject({ code: z.string(), detail: z.string() }).parse(await ask(head, body))
      expect(problem.code).toBe(code)
      expect([...examples].filter(([, of]) => of === code).map(([detail]) => detail)).toContain(problem.detail)
    },
  )

  test('each of them is requested, except those that take too much', () => {
    const asked = new Set(requests.map(([code]) => code))
    const left = [...examples].flatMap(([detail, code]) =>
      asked.has(code) || unprovoked.includes(code) ? [] : [detail],
    )
    expect(left).toEqual([])
  })
})

import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Operation } from '../../src/contract/contract.ts'
import { loadAdminContract, loadContract } from '../../src/contract/load.ts'
import { makeCertificate } from '../bench/certificate.ts'
import { startTarget, type Target } from '../overload/target.ts'
import { haproxy, nginx, type ShippedProxy, startHaproxy, startNginx } from '../suites/shipped-proxy.ts'
import { cleanUp } from './process/child.ts'

/** Of each operation and each way to be a burden; a release run takes 250, which are 1 000 at a time. */
const connections = Number(process.env['SLUICE_TEST_CONTRACT_CONNECTIONS'] ?? 5)
/** Which operations, by a part of their names. */
const only = process.env['SLUICE_TEST_CONTRACT_ONLY'] ?? ''

/** What all of them may cost beyond as many ordinary clients, in MB: the process, or where files are read, the process and its readers. */
const usualMb = 128
const readersMb = 300

/** What reads files, in processes of their own. */
const reading: ReadonlySet<string> = new Set(['files', 'pages', 'webhdfs'])

afterAll(cleanUp)

/** How a client is a burden: what it sends first. None of them reads. */
const ways: Readonly<Record<string, (request: Sent) => string>> = {
  'many requests, and none of the answers read': ({ head, body }) => `${head}\r\n${body}`.repeat(400),
  'a body that is announced and does not come': ({ method, target }) =>
    `${method} ${target} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 60000000\r\n\r\n{`,
  'a request that does not end': ({ head }) => head.slice(0, -3),
  'many requests, and the end': ({ head, body }) => `${head}\r\n${body}`.repeat(20),
}

/** A request of the contract's examples, its head without the empty line. */
type Sent = { readonly method: string; readonly target: string; readonly head: string; readonly body: string }

const toSent = ({ method, path, parameters, requestContent }: Operation): Sent => {
  const filled = parameters
    .filter(parameter => parameter.in === 'path')
    .reduce((url, { name, example }) => url.replace(`{${name}}`, String(example ?? 'x')), path)
  const query = parameters
    .filter(parameter => parameter.in === 'query' && (parameter.required || parameter.name === 'path'))
    .map(
      ({ name, example }) =>
        `${name}=${encodeURIComponent(name === 'path' ? '/abuse/big.txt' : String(example ?? 'x'))}`,
    )
  const target = query.length === 0 ? filled : `${filled}?${query.join('&')}`
  const [type] = Object.keys(requestContent)
  const body = type === undefined ? '' : '{}'
  const about = type === undefined ? '' : `Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n`
  return { method, target, body, head: `${method} ${target} HTTP/1.1\r\nHost: localhost\r\n${about}` }
}

type Open = () => Promise<Socket>
const openPlain =
  (port: number): Open =>
  async () => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    socket.on('error', () => {}).pause()
    await once(socket, 'connect').catch(() => {})
    return socket
  }
const openTls =
  (port: number): Open =>
  async () => {
    const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
    socket.on('error', () => {}).pause()
    await once(socket, 'secureConnect').catch(() => {})
    return socket
  }

/** Opens them all, each a burden in its way. */
const burden = async (operation: Operation, open: Open): Promise<readonly Socket[]> => {
  const sent = toSent(operation)
  const sockets: Socket[] = []
  for (const [way, toText] of Object.entries(ways)) {
    for (let opened = 0; opened < connections; opened += 50) {
      const some = await Promise.all(Array.from({ length: Math.min(50, connections - opened) }, open))
      for (const socket of some) {
        socket.write(toText(sent))
        if (way.endsWith('the end')) socket.end()
        sockets.push(socket)
      }
    }
  }
  return sockets
}

/**
 * As many clients as the burden has, which read their answers: their own cost, and that of the engine's work, does not
 * count as the burden's.
 */
const warm = async (open: Open): Promise<void> => {
  const sockets: Socket[] = []
  while (sockets.length < 4 * connections) {
    const some = await Promise.all(Array.from({ length: Math.min(50, 4 * connections - sockets.length) }, open))
    await Promise.all(
      some.map(async socket => {
        socket.write('GET /1?v=Warm,s1 HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(100))
        await once(socket.resume(), 'data')
      }),
    )
    sockets.push(...some)
  }
  for (const socket of sockets) socket.destroy()
}

/** An event is asked for again as often as a client retries after a 503. */
const mostTries = 10

/**
 * The answer to an event for a client that retries after a 503: while more arrives than one turn of the server should
 * take, a sixth of all requests is refused at once, from any client; how soon that happens depends on the machine.
 */
const trying = async (event: () => Promise<number>): Promise<number> => {
  for (let tries = 1; ; tries++) {
    const status = await event()
    if (status !== 503 || tries === mostTries) return status
  }
}

/** Runs something, with the most memory that the server had meanwhile. */
const peakOf = async <T>(
  target: Target,
  work: () => Promise<T>,
): Promise<{ readonly peakMb: number; readonly done: T }> => {
  const before = target.residentMb()
  const { growthMb, done } = await target.growth(work)
  return { peakMb: before + growthMb, done }
}

/** One operation after the other, with an event beside each; which ones cost too much, or held the event up. */
const tryAll = async (target: Target, operations: readonly Operation[], open: Open, event: () => Promise<number>) => {
  target.put('big.txt', Buffer.from('some text\t12345\n'.repeat(500_000)))
  const ordinaryMb = (await peakOf(target, () => warm(open))).peakMb
  const faults: string[] = []
  const figures: string[] = []
  for (const operation of operations.filter(({ id }) => id.includes(only))) {
    // The cost of the first answer of its kind does not count.
    const one = await open()
    one.write(`${toSent(operation).head}Connection: close\r\n\r\n${toSent(operation).body}`)
    await Promise.race([once(one.resume(), 'data'), once(one, 'close')])
    one.destroy()
    // Readers that have started meanwhile do not count either.
    const usualNowMb = Math.max(ordinaryMb, target.residentMb())
    const { peakMb, done } = await peakOf(target, async () => {
      const sockets = await burden(operation, open)
      const begun = performance.now()
      const status = await trying(event)
      const took = performance.now() - begun
      for (const socket of sockets) socket.destroy()
      return { status, took }
    })
    const moreMb = peakMb - usualNowMb
    figures.push(`${operation.id} ${moreMb.toFixed(0)} MB ${done.took.toFixed(0)} ms`)
    const most = reading.has(operation.tag) ? readersMb : usualMb
    if (moreMb > most || done.status !== 202) faults.push(`${operation.id}: ${moreMb.toFixed(0)} MB, ${done.status}`)
  }
  console.log(figures.join('\n'))
  expect(faults).toEqual([])
}

const heap = { nodeArgs: ['--max-old-space-size=512'] }
const timeout = 3_600_000

describe(`R11: ${connections} connections for each way to be a burden to each operation take bounded memory, and hold up no event`, () => {
  const eventAt = (url: string) => async (): Promise<number> => {
    const response = await fetch(`${url}/1?v=Beside,s1`)
    await response.arrayBuffer()
    return response.status
  }

  test('of the data listener', { timeout }, async () => {
    const target = await startTarget([], heap)
    await tryAll(target, loadContract().operations, openPlain(target.port), eventAt(target.url))
  })

  test('of the management listener', { timeout }, async () => {
    const target = await startTarget([], heap)
    const port = Number(new URL(target.adminUrl).port)
    await tryAll(target, loadAdminContract().operations, openPlain(port), eventAt(target.url))
  })

  test('by TLS', { timeout }, async () => {
    const directory = mkdtempSync(join(tmpdir(), 'sluice-burden-'))
    onTestFinished(() => rmSync(directory, { recursive: true }))
    const { cert, key } = makeCertificate(directory)
    const target = await startTarget([`server.tls.cert=${cert}`, `server.tls.key=${key}`], heap)
    const open = openTls(target.port)
    const event = async (): Promise<number> => {
      const socket = await open()
      socket.write('GET /1?v=Beside,s1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
      const [answer] = await once(socket.resume(), 'data')
      socket.destroy()
      return Number(String(answer).slice(9, 12))
    }
    await tryAll(target, loadContract().operations, open, event)
  })

  const proxies: readonly (readonly [string, string | undefined, typeof startHaproxy])[] = [
    ['HAProxy', haproxy, startHaproxy],
    ['nginx', nginx, startNginx],
  ]
  for (const [name, program, startProxy] of proxies) {
    test.skipIf(program === undefined)(`through ${name} as it is shipped`, { timeout }, async () => {
      const target = await startTarget([], heap)
      const proxy: ShippedProxy = await startProxy([{ server: target.port, scribe: target.scribePort }])
      onTestFinished(() => proxy.close())
      const event = eventAt(`http://127.0.0.1:${proxy.port}`)
      await tryAll(target, loadContract().operations, openPlain(proxy.port), event)
    })
  }
})

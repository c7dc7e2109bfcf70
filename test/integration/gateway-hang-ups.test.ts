import { mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Logger } from '../../src/log/log.ts'
import { createTestGateway, type TestGateway } from '../suites/gateway.ts'
import { createMemoryFileSystem } from '../suites/memory-filesystem.ts'
import { createRawClient } from '../unit/http/raw-client.ts'

/** Clients of the gateway that hang up, and such as hardly read. */
let gateway: TestGateway | undefined
let directory = ''
const lines: string[] = []
const note =
  (level: string) =>
  (fields: object, message: string): void =>
    void lines.push(`${level} ${message} ${JSON.stringify(fields)}`)
const logger: Logger = { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') }

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sluice-readers-'))
  lines.length = 0
})
afterEach(async () => {
  await gateway?.close()
  gateway = undefined
  rmSync(directory, { recursive: true, force: true })
})

const listen = async (settings: readonly string[]) => {
  gateway = await createTestGateway({ fileSystem: null, settings: [`data.dir=${directory}`, ...settings], logger })
  const listeners = await gateway.app.start()
  return listeners.find(({ name }) => name === 'server')?.port ?? 0
}

const write = (path: string, text: string): void => {
  const file = join(directory, 'fs', path)
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, text)
}

/** This process, and those that it started. */
const processes = (): readonly string[] => {
  const threads = readdirSync('/proc/self/task')
  const children = threads.flatMap(id => readFileSync(`/proc/self/task/${id}/children`, 'latin1').trim().split(' '))
  return ['self', ...children.filter(pid => pid !== '')]
}

/** Files below the directory that this process or its readers have open. */
const openFiles = (): readonly string[] =>
  processes().flatMap(pid =>
    readdirSync(`/proc/${pid}/fd`).flatMap(fd => {
      try {
        const target = readlinkSync(`/proc/${pid}/fd/${fd}`)
        return target.startsWith(join(directory, 'fs')) ? [target] : []
      } catch {
        return []
      }
    }),
  )

const figure = async (name: string): Promise<number> => {
  const text = (await (await gateway?.app.adminFetch(new Request('http://localhost/metrics')))?.text()) ?? ''
  return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1])
}

const get = (target: string, more = ''): string => `GET /rest/1.0/${target} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`

describe.skipIf(process.platform !== 'linux')('clients that hang up', () => {
  const targets = ['json', 'text', 'binary', 'hdfs'].map(route => `${route}?path=/tree&recursive=true`)
  test.each([
    ...targets.map(target => ({ target, more: '' })),
    { target: 'binary?path=/tree&recursive=true', more: 'Accept: application/x-tar\r\n' },
    { target: 'json?path=/tree/d0/f9.txt', more: '' },
    { target: 'binary?path=/tree/d0/f9.txt', more: '' },
  ])('leave no file open, and no error in the log: $target $more', async ({ target, more }) => {
    for (let d = 0; d < 3; d++)
      for (let f = 0; f < 10; f++) write(`tree/d${d}/f${f}.txt`, 'a\tb\n'.repeat(100 + f * 20_000))
    const port = await listen([])
    // The reader is ready before any client leaves.
    await (await fetch(`http://127.0.0.1:${port}/rest/1.0/json?path=/`)).text()
    for (let round = 0; round < 8; round++) {
      const clients = await Promise.all(Array.from({ length: 8 }, () => createRawClient(port)))
      for (const [at, client] of clients.entries()) {
        client.send(get(target, more))
        // At once, after some turns of the loop, or in the middle of the answer.
        if (at % 4 === 3) await client.until(/\r\n\r\n/).catch(() => {})
        else for (let turn = 0; turn < at * round; turn++) await new Promise(resolve => setImmediate(resolve))
        client.socket.destroy()
      }
    }
    await expect.poll(openFiles).toEqual([])
    await expect.poll(() => figure('gateway_reads')).toBe(0)
    expect(lines.filter(line => /^(error|warn)/.test(line))).toEqual([])
  })
})

test.each(['json', 'text', 'binary'])('a hang-up is worth a line of debug, whatever fails for it: %s', async route => {
  const memory = createMemoryFileSystem()
  const status = { ...(await memory.getFileStatus('/')), path: '/f', isDirectory: false, length: 2 ** 30 }
  const start = Buffer.from('a\tb\n'.repeat(200_000))
  const waits = Promise.withResolvers<void>()
  const fails = Promise.withResolvers<void>()
  gateway = await createTestGateway({
    logger,
    fileSystem: {
      ...memory,
      getFileStatus: async () => status,
      open: async () => {
        let given = 0
        return new ReadableStream<Uint8Array>(
          {
            pull: controller => {
              if (given++ === 0) return controller.enqueue(start)
              waits.resolve()
              return fails.promise
            },
          },
          { highWaterMark: 0 },
        )
      },
    },
  })
  const client = new AbortController()
  const response = await gateway.call(`/rest/1.0/${route}?path=/f`, { signal: client.signal })
  const reading = Array.fromAsync(response.body ?? []).catch(() => {})
  await waits.promise
  expect(await figure('gateway_reads')).toBe(1)
  client.abort()
  // As whatever waits for a signal fails.
  fails.reject(new DOMException('This operation was aborted', 'AbortError'))
  await reading
  expect(lines.filter(line => /^(error|warn)/.test(line))).toEqual([])
  expect(lines.filter(line => line.startsWith('debug a client hung up'))).toHaveLength(1)
  expect(await figure('gateway_reads')).toBe(0)
})

describe('R11: reads at a time', () => {
  test('are bounded: beyond 503 with Retry-After and its code, counted; a place is free when a read ends or its client goes', async () => {
    write('big', 'x'.repeat(16 * 2 ** 20))
    write('small', 'small')
    const port = await listen(['gateway.max-reads=2'])
    const slow = await Promise.all([createRawClient(port), createRawClient(port)])
    for (const client of slow) {
      client.socket.pause()
      client.send(get('binary?path=/big'))
    }
    await expect.poll(() => figure('gateway_reads')).toBe(2)
    for (const target of ['binary?path=/small', 'json?path=/', 'text?path=/small', 'hdfs?path=/']) {
      const refused = await fetch(`http://127.0.0.1:${port}/rest/1.0/${target}`)
      const { status, headers } = refused
      expect({ target, status, retry: headers.get('retry-after') }).toEqual({ target, status: 503, retry: '1' })
      expect(await refused.json()).toMatchObject({ code: 'overloaded', detail: expect.stringContaining('max-reads') })
    }
    expect(await figure('gateway_reads_refused_total')).toBe(4)
    const page = await fetch(`http://127.0.0.1:${port}/rest/1.0/hdfs?path=/`, { headers: { accept: 'text/html' } })
    expect([page.status, page.headers.get('content-type'), page.headers.get('retry-after')]).toEqual([
      503,
      'text/html; charset=utf-8',
      '1',
    ])
    slow[0]?.socket.destroy()
    await expect.poll(() => figure('gateway_reads')).toBe(1)
    for (const target of ['binary?path=/small', 'json?path=/', 'text?path=/small', 'hdfs?path=/', 'binary?path=/none'])
      await (await fetch(`http://127.0.0.1:${port}/rest/1.0/${target}`)).text()
    expect(await figure('gateway_reads')).toBe(1)
    slow[1]?.socket.resume()
    await expect.poll(() => figure('gateway_reads')).toBe(0)
  })

  test.each(['binary', 'text', 'json'])(
    '%s: what waits for a client that does not read is bounded, back to the file',
    async route => {
      let given = 0
      const length = 256 * 2 ** 20
      const memory = createMemoryFileSystem()
      const status = { ...(await memory.getFileStatus('/')), path: '/big.txt', isDirectory: false, length }
      const chunk = Buffer.from('a\tb\n'.repeat(16_384))
      gateway = await createTestGateway({
        fileSystem: {
          ...memory,
          getFileStatus: async () => status,
          open: async (_, { length: wanted = length } = {}) =>
            new ReadableStream<Uint8Array>(
              {
                pull: controller => {
                  given += chunk.length
                  controller.enqueue(chunk.subarray(0, wanted))
                },
              },
              { highWaterMark: 0 },
            ),
        },
      })
      const port = (await gateway.app.start()).find(({ name }) => name === 'server')?.port ?? 0
      const clients = await Promise.all(Array.from({ length: 2 }, () => createRawClient(port)))
      for (const client of clients) {
        client.socket.pause()
        client.send(get(`${route}?path=/big.txt`))
      }
      // Until nothing moves any more.
      let before = -1
      await expect
        .poll(
          () => {
            const isStill = given === before && given > 0
            before = given
            return isStill
          },
          { interval: 300, timeout: 30_000 },
        )
        .toBe(true)
      const perClient = given / clients.length
      for (const { socket } of clients) socket.destroy()
      // The kernel's own buffers take up to 6 MB each on loopback; the rest is what the process holds.
      expect(perClient).toBeLessThan(9 * 2 ** 20)
    },
  )
})

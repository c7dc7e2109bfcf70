import { readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { hasProc, readChildrenMb } from '../bench/proc.ts'
import type { HoldOptions } from '../overload/hold.ts'
import { startTarget, type Target } from '../overload/target.ts'
import { createRawClient } from '../unit/http/raw-client.ts'
import { type Child, cleanUp, start } from './process/child.ts'

/** A release run takes 10 000 and 1 000. */
const idle = Number(process.env['SLUICE_TEST_IDLE_CONNECTIONS'] ?? 2_000)
const slow = Number(process.env['SLUICE_TEST_SLOW_CONNECTIONS'] ?? 300)
const readers = Number(process.env['SLUICE_TEST_SLOW_READERS'] ?? 200)

/** Resident memory of one connection that does nothing, and that of a process that has more to do than before. */
const idleKb = 48
const slowKb = 1_024
const usualMb = 256

const maxOpenFiles = Number(/^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1] ?? 0)
const timeout = 300_000

afterAll(cleanUp)

const hold = (target: Target, options: Omit<HoldOptions, 'port'>): Child =>
  start(process.execPath, [
    resolve('test/overload/hold.ts'),
    JSON.stringify({ ...options, port: target.port } satisfies HoldOptions),
  ])

/** Resolves when the server has accepted as many: a client knows only that its system has. */
const accepted = (target: Target, connections: number): Promise<void> =>
  expect
    .poll(() => readdirSync(`/proc/${target.pid}/fd`).length, { timeout: 60_000, interval: 50 })
    .toBeGreaterThanOrEqual(connections)

/** Honest requests one after another, all of which pass. */
const passes = async (target: Target, requests: number): Promise<void> => {
  for (let i = 0; i < requests; i++) expect(await target.honest()).toEqual([202, 200])
}

// These two wait for the server to lose its patience: side by side, each with a server of its own.
test.skipIf(maxOpenFiles < idle + 1_000).concurrent(
  `R11: ${idle} idle connections take little memory, hinder nobody, and are closed in time`,
  {
    timeout,
  },
  async () => {
    const target = await startTarget()
    await passes(target, 100)
    const share = Math.ceil(idle / 3)
    const { growthMb, done } = await target.growth(async () => {
      const clients = hold(target, { kinds: { silent: share, 'half-head': share, idle: share } })
      await clients.logged('held')
      await accepted(target, share)
      await passes(target, 100)
      return clients
    })
    console.log(`${3 * share} idle connections: ${growthMb.toFixed(1)} MB`)
    expect(growthMb).toBeLessThan(usualMb + (idle * idleKb) / 1_024)
    // Headers that never arrive get an answer; a client that had its answer is closed without one.
    expect((await done.logged('closed: silent'))['statuses']).toEqual({ 408: share })
    expect((await done.logged('closed: half-head'))['statuses']).toEqual({ 408: share })
    expect((await done.logged('closed: idle'))['statuses']).toEqual({ 200: share })
    await passes(target, 1)
  },
)

test.concurrent(`R11: ${slow} slow connections take bounded memory, hinder nobody, and do not get more time than others`, {
  timeout,
}, async () => {
  // Honest reads are to pass beside the slow ones.
  const target = await startTarget([`gateway.max-reads=${slow}`])
  const file = target.put('big.bin', Buffer.alloc(64 * 2 ** 20))
  await passes(target, 100)
  const share = Math.ceil(slow / 3)
  const { growthMb, done } = await target.growth(async () => {
    const clients = hold(target, { kinds: { 'slow-head': share, 'slow-body': share, 'slow-reader': share }, file })
    await clients.logged('held')
    await accepted(target, share)
    await passes(target, 100)
    // Readers have had all this time to be sent more than they take: 64 MB each, if the server held it for them.
    for (const kind of ['slow-head', 'slow-body']) {
      const statuses = (await clients.logged(`closed: ${kind}`))['statuses'] as Record<string, number>
      // A byte that is sent to a closed door may cost its sender the answer.
      const { 408: told = 0, none = 0, ...others } = statuses
      expect({ kind, others, all: told + none }).toEqual({ kind, others: {}, all: share })
      expect(told).toBeGreaterThan(0)
    }
    return clients
  })
  console.log(`${3 * share} slow connections: ${growthMb.toFixed(1)} MB`)
  expect(growthMb).toBeLessThan(usualMb + (slow * slowKb) / 1_024)
  expect(done.output()).not.toContain('closed: slow-reader')
  await passes(target, 1)
})

test(`R11: ${readers} slow readers take bounded memory, round after round; those beyond the bound are told so`, {
  timeout: timeout + readers * 1_000,
}, async () => {
  const maxReads = Math.min(64, readers / 4)
  // They share one address, which may have eight ninths.
  const admitted = Math.ceil((maxReads * 8) / 9)
  const target = await startTarget([`gateway.max-reads=${maxReads}`])
  await passes(target, 100)
  const file = target.put('big.txt', Buffer.from('some text\t12345\n'.repeat(2_000_000)))
  const routes = ['binary', 'json', 'text'].map(route => `${route}?path=${encodeURIComponent(file)}`)
  /** Opens them all; what the first bytes of their answers say. They never read on, and then hang up. */
  const round = async (): Promise<Readonly<Record<string, number>>> => {
    const statuses: Record<string, number> = {}
    const sockets = await Promise.all(
      Array.from({ length: readers }, async (_, at) => {
        const client = await createRawClient(target.port)
        client.send(`GET /rest/1.0/${routes[at % 3]} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
        const [, status = ''] = /^HTTP\/1.1 (\d+)/.exec(await client.until(/\r\n\r\n/)) ?? []
        client.socket.pause()
        statuses[status] = (statuses[status] ?? 0) + 1
        return client.socket
      }),
    )
    await expect.poll(reads).toBe(admitted)
    for (const socket of sockets) socket.destroy()
    await expect.poll(reads).toBe(0)
    return statuses
  }
  const reads = async (): Promise<number> => {
    const metrics = await (await fetch(`${target.adminUrl}/metrics`)).text()
    return Number(/^gateway_reads (\d+)$/m.exec(metrics)?.[1])
  }
  const readersMb = (): number => readChildrenMb(target.pid)
  const before = readersMb()
  const growths: number[] = []
  for (let at = 0; at < 3; at++) {
    const { growthMb, done } = await target.growth(round)
    expect(done).toEqual({ 200: admitted, 503: readers - admitted })
    growths.push(growthMb)
  }
  console.log(`${readers} slow readers, ${admitted} at a time: ${growths.map(one => one.toFixed()).join(', ')} MB`)
  expect(growths[0]).toBeLessThan(300)
  // What a round left is what the next one uses.
  expect(growths[2]).toBeLessThan(100)
  // And it is given back when nothing is read any more.
  const between = (before + readersMb()) / 2
  if (hasProc) await expect.poll(readersMb, { timeout: 60_000, interval: 200 }).toBeLessThan(between)
  console.log(`readers before ${before.toFixed()} MB, in the end ${readersMb().toFixed()} MB`)
  await passes(target, 1)
})

test('R11: readers that read nothing, a hundred after the other, all get their first bytes, and so do those after them', async () => {
  const target = await startTarget(['gateway.max-reads=1000'])
  const file = target.put('big.txt', Buffer.from('some text\t12345\n'.repeat(2_000_000)))
  const ask = async (): Promise<string> => {
    const client = await createRawClient(target.port)
    client.send(`GET /rest/1.0/json?path=${encodeURIComponent(file)} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    const head = await client.until(/\r\n\r\n/)
    client.socket.pause()
    return head.slice(0, 'HTTP/1.1 200'.length)
  }
  for (let round = 0; round < 3; round++) {
    const heads = await Promise.all(Array.from({ length: 100 }, ask))
    expect(new Set(heads)).toEqual(new Set(['HTTP/1.1 200']))
  }
  await passes(target, 1)
})

test('R11: more connections than the process may open files: it goes on, and acknowledged events get to their place', async () => {
  const target = await startTarget(['collector.diskspool.flush-interval-seconds=1'], { maxOpenFiles: 600 })
  const kept = await createRawClient(target.port)
  const beacon = async (type: string): Promise<string> => {
    kept.send(`GET /1?v=${type},s1 HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    return (await kept.until(/\r\n\r\n/)).slice(9, 12)
  }
  expect(await beacon('Before')).toBe('202')
  const ports = [target.port, target.scribePort, Number(new URL(target.adminUrl).port)]
  const sockets = ports.flatMap(port => Array.from({ length: 700 }, () => connect(port, '127.0.0.1')))
  for (const socket of sockets) socket.on('error', () => {})
  await expect.poll(() => (target.output().match(/connections are refused/g) ?? []).length).toBe(3)
  expect(await beacon('Within')).toBe('202')
  await expect.poll(() => target.committed('Within')).toBe(true)
  // A look at the figures needs a file, too: there is one.
  expect(readdirSync(`/proc/${target.pid}/fd`).length).toBeLessThan(560)
  for (const socket of sockets) socket.destroy()
  await expect.poll(() => (target.output().match(/connections are accepted again/g) ?? []).length).toBe(3)
  await passes(target, 1)
  expect(await (await fetch(`${target.adminUrl}/metrics`)).text()).toContain('process_max_fds 600')
  kept.socket.destroy()
})

/** What may wait for one listener; fewer where the system allows fewer. */
const somaxconn = Number(readFileSync('/proc/sys/net/core/somaxconn', 'latin1'))
const atOnce = 1_000

test.skipIf(somaxconn < atOnce || maxOpenFiles < 2 * atOnce)(
  `R11: ${atOnce} connections opened while the server is stopped all get their answer`,
  { timeout },
  async () => {
    const target = await startTarget()
    process.kill(target.pid, 'SIGSTOP')
    const clients = hold(target, { kinds: { idle: atOnce }, atOnce })
    await clients.logged('connected')
    process.kill(target.pid, 'SIGCONT')
    await clients.logged('held')
    await passes(target, 1)
  },
)

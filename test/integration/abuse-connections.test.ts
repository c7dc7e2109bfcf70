import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import type { HoldOptions } from '../overload/hold.ts'
import { startTarget, type Target } from '../overload/target.ts'
import { type Child, cleanUp, start } from './process/child.ts'

/** A release run takes 10 000 and 1 000. */
const idle = Number(process.env['SLUICE_TEST_IDLE_CONNECTIONS'] ?? 2_000)
const slow = Number(process.env['SLUICE_TEST_SLOW_CONNECTIONS'] ?? 300)

/** Resident memory of one connection that does nothing, and that of a process that has more to do than before. */
const idleKb = 48
const slowKb = 1_024
const usualMb = 256

const maxOpenFiles = Number(/^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1] ?? 0)
const timeout = 300_000

afterEach(cleanUp)

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

describe.skipIf(maxOpenFiles < idle + 1_000)(`with ${maxOpenFiles} file descriptors`, () => {
  test(`R11: ${idle} idle connections take little memory, hinder nobody, and are closed in time`, {
    timeout,
  }, async () => {
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
    // Headers that never come are told so; a client that has had its answer is left without a word.
    expect((await done.logged('closed: silent'))['statuses']).toEqual({ 408: share })
    expect((await done.logged('closed: half-head'))['statuses']).toEqual({ 408: share })
    expect((await done.logged('closed: idle'))['statuses']).toEqual({ 200: share })
    await passes(target, 1)
  })
})

test(`R11: ${slow} slow connections take bounded memory, hinder nobody, and do not get more time than others`, {
  timeout,
}, async () => {
  const target = await startTarget()
  const file = target.put('big.bin', Buffer.alloc(64 * 2 ** 20))
  await passes(target, 100)
  const share = Math.ceil(slow / 3)
  const { growthMb, done } = await target.growth(async () => {
    const clients = hold(target, { kinds: { 'slow-head': share, 'slow-body': share, 'slow-reader': share }, file })
    await clients.logged('held')
    await accepted(target, share)
    await passes(target, 100)
    // Readers have had all this time to be sent more than they take: 64 MB each, if somebody held it for them.
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

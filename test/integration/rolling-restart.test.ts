import { afterEach, expect, test } from 'vitest'
import { createLocalFileSystem } from '../../src/filesystem/local.ts'
import { type Balancer, createBalancer } from '../suites/balancer.ts'
import { drainFully } from '../suites/drain-fully.ts'
import { createKeepAliveClient } from '../suites/keep-alive-client.ts'
import { allIsWell, createClientLedger } from '../suites/ledger-of-client.ts'
import { findEvents } from '../suites/marks.ts'
import { createSluice, type Sluice } from '../suites/sluice-process.ts'
import { readFiles } from '../suites/spool.ts'

/** Restarts of each of the two servers; a release run takes more. */
const rounds = Number(process.env['SLUICE_TEST_ROLLING_ROUNDS'] ?? 2)
const clientCount = 8
const eventsBetweenRestarts = 500

const servers: Sluice[] = []
let balancer: Balancer | undefined
afterEach(async () => {
  await balancer?.close()
  await Promise.all(servers.splice(0).map(server => server.close()))
})

const portOf = (server: Sluice): number => Number(new URL(server.urls()?.['server'] ?? '').port)

const findAll = async (): Promise<number[]> => {
  const found: number[] = []
  for (const { directory } of servers) {
    const files = await readFiles(await createLocalFileSystem({ root: `${directory}/fs` }))
    found.push(...[...files.values()].flatMap(findEvents))
  }
  return found
}

test('R12: a rolling restart under load fails no request of clients that keep their connections', {
  timeout: 180_000 + rounds * 60_000,
}, async () => {
  const front = await createBalancer()
  balancer = front
  for (let i = 0; i < 2; i++) {
    const server = await createSluice()
    servers.push(server)
    await server.start()
    front.add(portOf(server))
  }
  const ledger = createClientLedger()
  const clients = Array.from({ length: clientCount }, () => createKeepAliveClient(front.port, ledger))
  const more = async (events: number): Promise<void> => {
    const want = ledger.acknowledged.size + events
    await expect.poll(() => ledger.acknowledged.size, { timeout: 60_000 }).toBeGreaterThanOrEqual(want)
  }

  let restarts = 0
  for (let round = 0; round < rounds; round++) {
    for (const server of servers) {
      await more(eventsBetweenRestarts)
      front.remove(portOf(server))
      expect(await server.drain()).toBe(0)
      await more(eventsBetweenRestarts)
      await server.start()
      front.add(portOf(server))
      restarts++
    }
  }
  await more(eventsBetweenRestarts)
  await Promise.all(clients.map(client => client.stop()))
  const failed = clients.flatMap(({ counts }) => counts.failed)
  const [asked, repeated] = (['asked', 'repeated'] as const).map(name =>
    clients.reduce((sum, { counts }) => sum + counts[name], 0),
  )
  expect(failed).toEqual([])
  // Each drain has told its clients to leave.
  expect(asked).toBeGreaterThanOrEqual(restarts)
  for (const server of servers) await drainFully(server)
  expect(ledger.compare(await findAll())).toEqual(allIsWell)
  console.log(
    `rolling restart: ${restarts} restarts, ${ledger.acknowledged.size} requests over ${clientCount} kept connections, none failed, ${repeated} repeated because their connection had been closed while idle`,
  )
})

/** Three collectors behind a real proxy, with the configuration that is shipped for it, writing into one directory. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { findFreePorts } from '../../scripts/free-ports.ts'
import { openHdfsStore } from '../foreign/hdfs-store.ts'
import { readEvents } from '../foreign/read-events.ts'
import { openLocalStore, type Store } from '../foreign/store.ts'
import { toCrashRequest } from '../suites/crash-requests.ts'
import { describePart } from '../suites/describe-part.ts'
import { drainFully } from '../suites/drain-fully.ts'
import { describeHdfs } from '../suites/hdfs.ts'
import { createKeepAliveClient, type KeepAliveClient } from '../suites/keep-alive-client.ts'
import { createKeptScribeClient } from '../suites/kept-scribe-client.ts'
import { allIsWell, createClientLedger } from '../suites/ledger-of-client.ts'
import { findEvents } from '../suites/marks.ts'
import {
  type CollectorPorts,
  haproxy,
  nginx,
  type ShippedProxy,
  startHaproxy,
  startNginx,
} from '../suites/shipped-proxy.ts'
import { createSluice, ownProtocol, type Sluice } from '../suites/sluice-process.ts'

/** Restarts of each of the three collectors; a release run takes more. */
const rounds = Number(process.env['SLUICE_TEST_ROLLING_ROUNDS'] ?? 1)
const collectorCount = 3
const clientCount = 6
const eventsBetweenRestarts = 500
/** Between two requests of a client. Most of the time is waiting for the proxy, and more load would show no other thing. */
const longestRestMs = 40
/** More than HAProxy's checks take. */
const drainDelaySeconds = 3
const keys = Array.from({ length: 60 }, (_, index) => `kept key ${index}`)

const servers: Sluice[] = []
let proxy: ShippedProxy | undefined
let directory = ''
afterEach(async () => {
  await proxy?.close()
  proxy = undefined
  await Promise.all(servers.splice(0).map(server => server.close()))
  await rm(directory, { recursive: true, force: true })
})

/** Three with spools and ports of their own, and one output directory. @param settings of each, by its index */
const startCollectors = async (settings: (index: number) => readonly string[]): Promise<readonly CollectorPorts[]> => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-rolling-'))
  const free = await findFreePorts(2 * collectorCount)
  const ports = Array.from({ length: collectorCount }, (_, i) => ({
    server: free[2 * i] ?? 0,
    scribe: free[2 * i + 1] ?? 0,
  }))
  for (const [index, { server, scribe }] of ports.entries()) {
    const own = join(directory, String(index))
    await mkdir(own)
    const sluice = await createSluice({
      directory: own,
      settings: [
        `data.dir=${join(directory, 'shared')}`,
        `collector.diskspool.path=${join(own, '.diskpool')}`,
        `server.port=${server}`,
        `collector.scribe.port=${scribe}`,
        `server.drain-delay-seconds=${drainDelaySeconds}`,
        'collector.seal-threads=2',
        // Collectors with and without edge threads of their own write into one directory.
        `server.threads=${index === 1 ? 1 : 3}`,
        ...settings(index),
      ],
    })
    servers.push(sluice)
    await sluice.start()
  }
  return ports
}

/** Resolves when a collector that has just started has been sent events. */
const takesPart = async (port: number): Promise<void> => {
  const report = async (): Promise<string> => await (await fetch(`http://127.0.0.1:${port}/1.0/healthcheck`)).text()
  await expect.poll(report).toMatch(/enqueued: [1-9]/)
}

/** Everything that is held against a rolling restart of all of them under load. */
const restartAll = async (
  startProxy: (collectors: readonly CollectorPorts[]) => Promise<ShippedProxy>,
  store: () => Promise<Store>,
  settings: (index: number) => readonly string[] = () => [],
  outputDirectory = '/events',
): Promise<readonly KeepAliveClient[]> => {
  const ports = await startCollectors(settings)
  const front = await startProxy(ports)
  proxy = front
  const ledger = createClientLedger()

  // Requests whose answer the sender has not heard: it repeats them once the restarts are over.
  const keyed = keys.map(key => ({ key, events: [ledger.issue()] }))
  const sendKeyed = async (all: typeof keyed): Promise<void> => {
    for (const { key, events } of all) {
      const answer = await fetch(toCrashRequest(`http://127.0.0.1:${front.port}`, 'POST JSON', events, { key }))
      expect(answer.status, await answer.text()).toBe(202)
      ledger.acknowledge(...events)
    }
  }
  await sendKeyed(keyed)
  const { scribePort } = front
  const clients = [
    ...Array.from({ length: clientCount }, () => createKeepAliveClient(front.port, ledger, longestRestMs)),
    ...(scribePort === undefined ? [] : [createKeptScribeClient(scribePort, ledger, { longestRestMs })]),
  ]
  const more = async (events: number): Promise<void> => {
    const want = ledger.acknowledged.size + events
    await expect.poll(() => ledger.acknowledged.size).toBeGreaterThanOrEqual(want)
  }
  for (let round = 0; round < rounds; round++) {
    for (const [index, server] of servers.entries()) {
      await more(eventsBetweenRestarts)
      await front.leave(index)
      expect(await server.drain()).toBe(0)
      await more(eventsBetweenRestarts)
      await server.start()
      await front.join(index)
      await takesPart(ports[index]?.server ?? 0)
    }
  }
  await more(eventsBetweenRestarts)
  await Promise.all(clients.map(client => client.stop()))
  // In another order: a proxy that sends them round in turn would meet the same collectors by chance.
  await sendKeyed(keyed.toReversed())
  expect(clients.flatMap(({ counts }) => counts.failed)).toEqual([])
  for (const server of servers) await drainFully(server)
  const { events, files, unreadable } = await readEvents(await store(), outputDirectory)
  expect(unreadable).toEqual([])
  const found = events.flatMap(({ fields }) => findEvents(Buffer.from(JSON.stringify(fields, bigintAsText))))
  expect(ledger.compare(found)).toEqual(allIsWell)
  console.log(
    `rolling restart: ${rounds * collectorCount} restarts, ${ledger.acknowledged.size} events over ${clients.length} kept connections in ${files} files of one directory; none failed, lost or twice`,
  )
  return clients
}

const bigintAsText = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value)
const local = (): Promise<Store> => Promise.resolve(openLocalStore(join(directory, 'shared/fs')))
const repeatsOf = (clients: readonly KeepAliveClient[]): readonly number[] =>
  clients.map(({ counts }) => counts.repeated)
const timeout = 300_000 + rounds * 60_000

describePart(
  'haproxy',
  haproxy === undefined ? 'no HAProxy: "haproxy" is not on the PATH' : undefined,
  'HAProxy',
  () => {
    test('R23: a rolling restart of three fails no request, loses nothing and keeps nothing twice', {
      timeout,
    }, async () => {
      const clients = await restartAll(startHaproxy, local)
      // HAProxy never closes a connection of its clients over a restart; a collector may end those of Scribe between calls.
      expect(repeatsOf(clients).slice(0, clientCount)).toEqual(Array.from({ length: clientCount }, () => 0))
    })

    test('the client has its own address, whatever it claims', { timeout }, async () => {
      const front = await startHaproxy(await startCollectors(() => ['collector.filters.ip=^127\\.0\\.0\\.9$']))
      proxy = front
      const send = (localAddress: string): Promise<void> =>
        new Promise((resolve, reject) => {
          const headers = { 'x-forwarded-for': localAddress === '127.0.0.9' ? '192.0.2.99' : '127.0.0.9' }
          const options = {
            port: front.port,
            host: '127.0.0.1',
            localAddress,
            path: `/1?v=From,s${localAddress}`,
            headers,
          }
          get(options, answer => void answer.resume().on('end', resolve)).on('error', reject)
        })
      await send('127.0.0.9')
      await send('127.0.0.8')
      for (const server of servers) await drainFully(server)
      const { events } = await readEvents(await local(), '/events')
      expect(events.length).toBe(1)
      expect(JSON.stringify(events[0]?.fields, bigintAsText)).toContain('127.0.0.8')
    })

    describeHdfs('with HDFS', ({ namenodeUrl, webhdfsUrl }) => {
      test('R23: a rolling restart of three that write into one directory of HDFS', { timeout }, async () => {
        const output = `/rolling-${process.pid}`
        // Two whose logs are in HDFS, with one DataNode.
        const settings = (index: number): readonly string[] => [
          `namenode.url=${namenodeUrl}`,
          `namenode.webhdfs.url=${webhdfsUrl}`,
          `collector.event-output-directory=${output}`,
          `collector.ack=${index === 1 ? 'fsync' : 'replicated'}`,
          'collector.replicated.replication=1',
          'collector.replicated.min=1',
        ]
        await restartAll(startHaproxy, () => openHdfsStore(webhdfsUrl), settings, output)
        expect(new Set(servers.flatMap(({ ways }) => ways))).toEqual(new Set([ownProtocol]))
      })
    })
  },
)

describePart('nginx', nginx === undefined ? 'no nginx: "nginx" is not on the PATH' : undefined, 'nginx', () => {
  test('R12: a rolling restart of three, each marked down before it stops', { timeout }, async () => {
    await restartAll(startNginx, local)
  })
})

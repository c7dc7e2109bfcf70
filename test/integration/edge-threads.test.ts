import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createToken } from '../../src/http/auth/auth.ts'
import { hashToken } from '../../src/http/auth/token-callers.ts'
import { toTokenLine } from '../../src/http/auth/token-file.ts'
import { silentLogger } from '../../src/log/log.ts'
import { readEvents } from '../foreign/read-events.ts'
import { openLocalStore } from '../foreign/store.ts'
import { findImbalance, readBooks } from '../suites/books.ts'
import { maxEvents, requestKinds, toCrashRequest } from '../suites/crash-requests.ts'
import { createKeptScribeClient } from '../suites/kept-scribe-client.ts'
import { allIsWell, type ClientLedger, createClientLedger, type Verdict } from '../suites/ledger-of-client.ts'
import { findEvents } from '../suites/marks.ts'
import { endsOfThread, endThread, openThreadedApp, type ThreadedApp } from '../suites/threaded-app.ts'
import { readAnswer, toCall, toFrame } from '../unit/collector/scribe/calls.ts'
import { createRawClient, toPost } from '../unit/http/raw-client.ts'

/** Ends of threads under load; a release run takes 200. */
const kills = Number(process.env['SLUICE_TEST_EDGE_KILLS'] ?? 5)
const eventsBetweenKills = 200
const connections = 8
const requestsOfConnection = 9

/** Segments that are full while there is load, and so sealed beside each other. */
const sealedByTwo = ['collector.diskspool.max-segment-bytes=65536', 'collector.seal-threads=2']

let server: ThreadedApp | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

const open = async (...given: Parameters<typeof openThreadedApp>): Promise<ThreadedApp> => {
  server = await openThreadedApp(...given)
  return server
}

/** An event over a connection of its own, so that many of them meet all threads, in a request that the lane takes. */
const send = async (
  { urls }: ThreadedApp,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<number> => {
  const client = await createRawClient(Number(new URL(urls['server'] ?? '').port))
  const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  client.send(toPost('/rest/1.0/event', JSON.stringify(body), `Content-Type: application/json\r\n${more.join('')}`))
  const status = /\d+/.exec((await client.until(/^HTTP\/1\.1 \d+ /)).slice(9))
  client.socket.destroy()
  return Number(status)
}

const event = (id: string, eventName = 'Tried') => ({ eventName, payload: { id } })

/** Enough that each of three threads has some of them. */
const many = 60
const sendMany = (app: ThreadedApp, body: unknown, headers = {}): Promise<number[]> =>
  Promise.all(Array.from({ length: many }, () => send(app, body, headers)))

const metric = async ({ urls }: ThreadedApp, name: string): Promise<number> => {
  const text = await (await fetch(`${urls['admin']}/metrics`)).text()
  return [...text.matchAll(new RegExp(`^${name}(?:\\{[^}\\n]*\\})? (\\S+)$`, 'gm'))].reduce(
    (sum, [, n]) => sum + Number(n),
    0,
  )
}

const eventNames = 'sluice.metrics.collector.filters:name=EventType'

/** Reads the settings again, with these beside those of the start. */
const reload = async (app: ThreadedApp, ...settings: readonly string[]): Promise<void> => {
  app.set(...settings)
  await app.rpc.exec('sluice.metrics:name=Settings', 'reload', [])
}

describe.each([1, 3])('with %i threads', threads => {
  test('what a bean or a setting says holds for every connection when the call has its answer', async () => {
    const app = await open(threads)
    expect(new Set(await sendMany(app, event('a')))).toEqual(new Set([202]))
    for (let round = 1; round <= 3; round++) {
      await app.rpc.exec(eventNames, 'addPattern', ['^Tried$'])
      await sendMany(app, event('b'))
      expect(await metric(app, 'collector_events_filtered_total')).toBe(round * many)
      await app.rpc.exec(eventNames, 'removePattern', ['^Tried$'])
      await sendMany(app, event('c'))
      expect(await metric(app, 'collector_events_filtered_total')).toBe(round * many)
      await reload(app, 'collector.max-body-bytes=10')
      expect(new Set(await sendMany(app, event('d')))).toEqual(new Set([413]))
      await reload(app)
    }
    expect(new Set(await sendMany(app, event('e')))).toEqual(new Set([202]))
    expect(await metric(app, 'collector_events_accepted_total')).toBe(5 * many)
  })

  test('who may send is known everywhere as soon as the management knows it', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'sluice-edges-tokens-'))
    onTestFinished(() => rm(directory, { recursive: true }))
    const path = join(directory, 'tokens')
    const [operator, sender, other] = [createToken(), createToken(), createToken()]
    const operators = toTokenLine('ops', ['view', 'operate'], hashToken(operator))
    await writeFile(path, [operators, toTokenLine('app', ['send'], hashToken(sender))].join('\n'))
    const app = await open(threads, [`auth.tokens=${path}`, 'collector.auth=token'], { token: operator })
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
    expect(new Set(await sendMany(app, event('a'), bearer(sender)))).toEqual(new Set([202]))
    expect(new Set(await sendMany(app, event('a')))).toEqual(new Set([401]))
    const viewer = createToken()
    await writeFile(
      path,
      [operators, toTokenLine('v', ['view'], hashToken(viewer)), toTokenLine('other', ['send'], hashToken(other))].join(
        '\n',
      ),
    )
    const look = (): Promise<number> =>
      fetch(`${app.urls['admin']}/metrics`, { headers: bearer(viewer) }).then(({ status }) => status)
    await expect.poll(look).toBe(200)
    expect(new Set(await sendMany(app, event('b'), bearer(sender)))).toEqual(new Set([401]))
    expect(new Set(await sendMany(app, event('b'), bearer(other)))).toEqual(new Set([202]))
  })

  test('events are compared with their schemas everywhere', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'sluice-edges-schemas-'))
    onTestFinished(() => rm(directory, { recursive: true }))
    const schema = { type: 'object', properties: { id: { type: 'integer' } } }
    await writeFile(join(directory, 'Tried.json'), JSON.stringify(schema))
    const app = await open(threads, [`registrar.path=${directory}`, 'collector.validation=reject'])
    const rejected = () => metric(app, 'collector_events_rejected_total')
    await sendMany(app, event('a'))
    expect(await rejected()).toBe(many)
    await sendMany(app, { eventName: 'Tried', payload: { id: 1 } })
    await reload(app, 'collector.validation=warn')
    await sendMany(app, event('a'))
    expect(await rejected()).toBe(many)
    await writeFile(join(directory, 'Tried.json'), JSON.stringify({ ...schema, 'x-sluice-validation': 'reject' }))
    const areRejected = async (): Promise<boolean> => {
      const before = await rejected()
      await sendMany(app, event('a'))
      return (await rejected()) === before + many
    }
    await expect.poll(areRejected).toBe(true)
  })

  test('a key that is sent over many connections counts once', async () => {
    const app = await open(threads)
    for (let round = 0; round < 10; round++) {
      const headers = { 'idempotency-key': `"key-${round}"` }
      expect(new Set(await sendMany(app, event(`k${round}`), headers))).toEqual(new Set([202]))
      expect(await metric(app, 'collector_events_accepted_total')).toBe(round + 1)
    }
    expect(await send(app, event('other'), { 'idempotency-key': '"key-0"' })).toBe(422)
  })

  test('R13: events of all ways in are in the files once, and the figures say how many', async () => {
    const app = await open(threads, ['collector.output.format=jsonl', ...sealedByTwo])
    const client = createClientLedger()
    const load = startLoad(app, client)
    await load.acknowledged(500)
    await load.stop()
    const books = await readBooks(app.urls['admin'])
    expect(books).toMatchObject({ received: client.issued, accepted: client.acknowledged.size, unknown: 0 })
    expect(findImbalance(books)).toEqual([])
    expect(await reckon(app, client)).toEqual(allIsWell)
  })
})

test(
  'R21: edge threads end under load, again and again: nothing acknowledged is lost, nothing is there twice',
  async () => {
    const error = vi.fn()
    const app = await open(3, ['collector.output.format=jsonl', ...sealedByTwo], { logger: { ...silentLogger, error } })
    const client = createClientLedger()
    const awayMs: number[] = []
    const load = startLoad(app, client)
    for (let kill = 0; kill < kills; kill++) {
      await load.acknowledged(eventsBetweenKills)
      // The oldest one: connections find it.
      const victim = app.workers.find(({ threadId }) => threadId !== -1)
      if (victim) await endThread(victim, endsOfThread[kill % endsOfThread.length] ?? 'terminate')
      const endedAt = performance.now()
      await expect.poll(() => app.workers).toHaveLength(kill + 4)
      const [news] = await once(app.workers.at(-1) as Worker, 'message')
      expect(news).toEqual({ kind: 'listening' })
      awayMs.push(performance.now() - endedAt)
    }
    await load.acknowledged(eventsBetweenKills)
    await load.stop()
    expect(error).toHaveBeenCalledTimes(kills)
    const books = await readBooks(app.urls['admin'])
    expect(findImbalance(books)).toEqual([])
    const { acknowledged, issued } = client
    expect(books.accepted).toBeGreaterThanOrEqual(acknowledged.size)
    // Events lost with a thread, none of them acknowledged.
    expect(books.unknown).toBeGreaterThan(0)
    expect(books.unknown).toBeLessThanOrEqual(issued - acknowledged.size)
    expect(await reckon(app, client)).toEqual(allIsWell)
    console.log(
      `edge threads: ${kills} ended, ${acknowledged.size} of ${issued} events acknowledged, ${books.accepted} kept, ${books.unknown} unknown, none lost, none twice; replaced after ${toMiddle(awayMs)} ms in the middle, ${Math.round(Math.max(...awayMs))} at most`,
    )
  },
  300_000 + kills * 5_000,
)

test('figures say that threads ended; Scribe says for how long the server has been there, not the thread', async () => {
  const app = await open(3)
  const aliveSince = await askAliveSince(app)
  // fb303 counts in seconds.
  await expect.poll(() => Math.floor(Date.now() / 1_000)).toBeGreaterThan(Number(aliveSince) + 1)
  for (const worker of app.workers.slice(0, 3)) await endThread(worker, 'exception')
  await expect.poll(() => metric(app, 'sluice_edge_threads')).toBe(3)
  expect(await metric(app, 'sluice_edge_threads_configured')).toBe(3)
  expect(await metric(app, 'sluice_edge_threads_ended_total')).toBe(3)
  const { value } = await app.rpc.read('sluice.metrics:name=EdgeThreads')
  expect(value).toEqual({ Configured: 3, Living: 3, Ended: 3, LastEnd: 'a bug', Replacing: true })
  expect(await askAliveSince(app)).toBe(aliveSince)
})

/** By `aliveSince` of fb303, in seconds. */
const askAliveSince = async ({ urls }: ThreadedApp): Promise<unknown> => {
  const socket = connect(Number(new URL(urls['scribe'] ?? '').port), '127.0.0.1')
  socket.write(toFrame(toCall('aliveSince')))
  const [answer] = await once(socket, 'data')
  socket.destroy()
  return readAnswer(answer.subarray(4)).result
}

const toMiddle = (ms: readonly number[]): number => Math.round(ms.toSorted((a, b) => a - b)[ms.length >> 1] ?? 0)

/** Sends events by all ways in, until it is stopped; whatever happens to a request, only a 202 counts. */
const startLoad = ({ urls }: ThreadedApp, client: ClientLedger) => {
  const scribe = createKeptScribeClient(Number(new URL(urls['scribe'] ?? '').port), client, { repeats: false })
  let isOver = false
  const one = async (_: unknown, index: number): Promise<void> => {
    for (let i = index; !isOver; i++) {
      const kind = requestKinds[i % requestKinds.length] ?? 'POST JSON'
      const events = Array.from({ length: maxEvents(kind) }, () => client.issue())
      try {
        const request = toCrashRequest(urls['server'] ?? '', kind, events)
        // Others take the place of some connections, so that each thread has its share.
        if (i % requestsOfConnection === 0) request.headers.set('connection', 'close')
        const response = await fetch(request)
        await response.arrayBuffer()
        if (response.status === 202) client.acknowledge(...events)
      } catch {
        // Its connection ended with its thread.
      }
    }
  }
  const all = Promise.all(Array.from({ length: connections }, one))
  return {
    acknowledged: async (more: number): Promise<void> => {
      const want = client.acknowledged.size + more
      await expect.poll(() => client.acknowledged.size).toBeGreaterThanOrEqual(want)
    },
    stop: async (): Promise<void> => {
      isOver = true
      await Promise.all([all, scribe.stop()])
    },
  }
}

/** What is in the file system once the server has flushed all of it. */
const reckon = async (app: ThreadedApp, client: ClientLedger): Promise<Verdict> => {
  await app.rpc.exec('sluice.metrics.collector:name=HDFSWriter', 'processLeftBelowFiles', [])
  await expect
    .poll(() => metric(app, 'collector_hdfs_events_total'))
    .toBe(await metric(app, 'collector_events_accepted_total'))
  const { events, unreadable } = await readEvents(openLocalStore(join(app.directory, 'fs')), '/events')
  expect(unreadable).toEqual([])
  return client.compare(events.map(({ fields }) => findEvents(Buffer.from(JSON.stringify(fields)))[0] ?? Number.NaN))
}

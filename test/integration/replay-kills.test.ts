import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createRpcClient, type RpcClient } from '../../admin/client/rpc-client.ts'
import { readEvents } from '../foreign/read-events.ts'
import { openLocalStore } from '../foreign/store.ts'
import { readBooks } from '../suites/books.ts'
import { bundled } from '../suites/bundle.ts'
import { allIsWell, type ClientLedger, createClientLedger } from '../suites/ledger-of-client.ts'
import { findEvents, toMark } from '../suites/marks.ts'
import { nodeOptions } from '../suites/start-command.ts'
import { type Child, cleanUp, createDirectory, start } from './process/child.ts'

/** `kill -9` during replays; a release run takes 200. */
const kills = Number(process.env['SLUICE_TEST_REPLAY_KILLS'] ?? 5)
/** Requests with a refused event for each kill. */
const requestsOfKill = 60
const refusedName = 'sluice.metrics.collector:name=Refused'
const settingsName = 'sluice.metrics:name=Settings'
const writerName = 'sluice.metrics.collector:name=HDFSWriter'

type Outcome = { readonly id: string; readonly outcome: string; readonly accepted: number; readonly detail: string }

afterAll(cleanUp)

test(
  'R29: kill -9 in the middle of replays: each refused event is in once, and the books balance at every instant',
  async () => {
    const cwd = createDirectory()
    const client = createClientLedger()
    let server = await open(cwd, 'reject')
    let before = 0
    let inTheMiddle = 0
    let looks = 0
    for (let kill = 0; kill < kills; kill++) {
      const sent = await sendRefused(server, client)
      await server.rpc.exec(writerName, 'processLeftBelowFiles', [])
      await server.validate('off')
      const ids = await listIds(server.rpc, sent.refused)
      const begin = await readBooks(server.admin)
      const watch = watchBooks(server.admin, begin.accepted - begin.replayed)
      // When some are in, a different number each time.
      const some = watch.replayed(begin.replayed + 1 + ((kill * 7) % (requestsOfKill - 10)))
      // As if clicked twice.
      const first = [replay(server.rpc, ids), replay(server.rpc, ids)].map(one => one.catch(() => undefined))
      await some
      server.child.process.kill('SIGKILL')
      await server.child.ended()
      await Promise.all(first)
      looks += await watch.stop()
      server = await open(cwd, 'off')
      const again = watchBooks(server.admin, 0)
      const [one, other] = await Promise.all([replayAll(server.rpc, ids), replayAll(server.rpc, ids)])
      looks += await again.stop()
      for (const outcomes of [one, other]) expect(outcomes.map(toWord)).toEqual(ids.map(() => 'in'))
      const told = [...one, ...other].reduce((sum, { accepted: events }) => sum + events, 0)
      const books = await readBooks(server.admin)
      const { accepted } = books
      expect(books).toMatchObject({ replayed: accepted, rejected: 0, unknown: 0 })
      // An event may get in although its call was answered with a timeout: the next call says that it is in.
      expect(told).toBeLessThanOrEqual(accepted)
      client.acknowledge(...sent.events)
      before += ids.length - accepted
      if (accepted > 0 && accepted < ids.length) inTheMiddle++
      await server.validate('reject')
    }
    await server.rpc.exec(writerName, 'processLeftBelowFiles', [])
    server.child.process.kill('SIGKILL')
    await server.child.ended()
    const { events, unreadable } = await readEvents(openLocalStore(join(cwd, 'data', 'fs')), '/events/Tried')
    expect(unreadable).toEqual([])
    const numbers = events.map(({ fields }) => findEvents(Buffer.from(JSON.stringify(fields)))[0] ?? Number.NaN)
    expect(client.compare(numbers)).toEqual(allIsWell)
    expect(looks).toBeGreaterThan(kills)
    expect(inTheMiddle).toBeGreaterThan(0)
    console.log(
      `replays: ${kills} kills, ${inTheMiddle} of them in the middle of one; ${client.issued} events refused first, ${before} in before a kill, ${numbers.length} in the files, none lost, none twice; books looked at ${looks} times`,
    )
  },
  120_000 + kills * 15_000,
)

type Server = {
  readonly child: Child
  readonly rpc: RpcClient
  readonly admin: string
  readonly url: string
  readonly validate: (mode: string) => Promise<void>
}

const open = async (cwd: string, mode: string): Promise<Server> => {
  const write = (validation: string): void =>
    writeFileSync(
      join(cwd, 'sluice.yaml'),
      [
        'data: { dir: data }',
        'server: { threads: 1 }',
        `collector: { validation: ${validation}, doors: [segment, cloudevents, ndjson], output: { format: jsonl }, scribe: { enabled: false }, diskspool: { min-free-bytes: 0 } }`,
        'registrar: { path: schemas }',
      ].join('\n'),
    )
  mkdirSync(join(cwd, 'schemas'), { recursive: true })
  writeFileSync(join(cwd, 'schemas', 'Tried.json'), '{"properties":{"mark":{"type":"number"}}}')
  write(mode)
  const main = await bundled('src/main.ts')
  const child = start(process.execPath, [...nodeOptions, main, '--config', join(cwd, 'sluice.yaml')], { cwd })
  const ready = await child.logged('sluice is ready')
  const admin = String(ready['admin'])
  const rpc = createRpcClient({ url: admin })
  return {
    child,
    rpc,
    admin,
    url: String(ready['server']),
    validate: async next => {
      write(next)
      await rpc.exec(settingsName, 'reload', [])
    },
  }
}

/** Requests that are refused as a whole, with a key and without, and events refused within others; by several ways in. */
const sendRefused = async (
  { url }: Server,
  client: ClientLedger,
): Promise<{ readonly events: readonly number[]; readonly refused: number }> => {
  const events: number[] = []
  const bad = (): string => {
    const event = client.issue()
    events.push(event)
    return JSON.stringify({ eventName: 'Tried', payload: { mark: toMark(event) } })
  }
  const json = { 'content-type': 'application/json' }
  const send = async (path: string, body: string, headers: Readonly<Record<string, string>>): Promise<void> => {
    await (await fetch(`${url}${path}`, { method: 'POST', body, headers })).arrayBuffer()
  }
  for (let i = 0; i < requestsOfKill; i++) {
    const key = { 'idempotency-key': `key-${client.issued}` }
    if (i % 4 === 0) await send('/rest/1.0/event', bad(), { ...json, ...key })
    else if (i % 4 === 1) await send('/rest/1.0/event', bad(), json)
    else if (i % 4 === 2) await send('/rest/1.0/event', `[{"eventName":"Fine","payload":{}},${bad()}]`, json)
    else {
      const event = client.issue()
      events.push(event)
      await send('/v1/track', JSON.stringify({ event: 'Tried', messageId: `m-${event}`, mark: toMark(event) }), json)
    }
  }
  return { events, refused: requestsOfKill }
}

/** The newest ones. */
const listIds = async (rpc: RpcClient, count: number): Promise<readonly string[]> => {
  const page = (await rpc.exec(refusedName, 'list', [['Tried'], '', 0, 0, '', count])) as {
    readonly rows: readonly { readonly id: string; readonly isReplayed: boolean }[]
  }
  expect(page.rows.map(({ isReplayed }) => isReplayed)).toEqual(Array(count).fill(false))
  return page.rows.map(({ id }) => id)
}

const replay = async (rpc: RpcClient, ids: readonly string[]): Promise<readonly Outcome[]> =>
  ((await rpc.exec(refusedName, 'replay', [ids])) as { readonly outcomes: readonly Outcome[] }).outcomes

/** As clients do: what was not its turn any more is asked for again. */
const replayAll = async (rpc: RpcClient, ids: readonly string[]): Promise<readonly Outcome[]> => {
  const outcomes: Outcome[] = []
  for (let left = ids; left.length > 0; ) {
    const answer = await replay(rpc, left)
    outcomes.push(...answer.filter(one => !isLate(one)))
    left = answer.filter(isLate).map(({ id }) => id)
  }
  return outcomes
}

const isLate = ({ outcome, detail }: Outcome): boolean =>
  outcome === 'failed' && detail.startsWith('The call took too long')

const toWord = ({ outcome, detail }: Outcome): string =>
  outcome === 'accepted' || outcome === 'before' ? 'in' : `${outcome}: ${detail}`

/** Looks at the books again and again: only the replay sends anything meanwhile. @param accepted of senders alone */
const watchBooks = (admin: string, accepted: number) => {
  let isOver = false
  let looks = 0
  let wanted = Number.POSITIVE_INFINITY
  const { promise, resolve } = Promise.withResolvers<void>()
  const watch = async (): Promise<void> => {
    while (!isOver) {
      const books = await readBooks(admin).catch(() => undefined)
      if (books === undefined) continue
      looks++
      const { received, filtered, duplicates, rejected, unknown } = books
      expect(received).toBe(books.accepted + filtered + duplicates + rejected + unknown)
      expect(books.accepted - books.replayed).toBe(accepted)
      if (books.replayed >= wanted) resolve()
    }
  }
  const watching = watch()
  // The code that stops it gets its error.
  watching.catch(() => {})
  return {
    /** Resolves when this many are in by replays. */
    replayed: (events: number): Promise<void> => {
      wanted = events
      return Promise.race([promise, watching])
    },
    stop: async (): Promise<number> => {
      isOver = true
      await watching
      return looks
    },
  }
}

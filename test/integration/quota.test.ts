import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { findImbalance, readBooks } from '../suites/books.ts'
import { openThreadedApp, type ThreadedApp } from '../suites/threaded-app.ts'
import { readAnswer, toFrame, toLog } from '../unit/collector/scribe/calls.ts'
import { createRawClient, toPost } from '../unit/http/raw-client.ts'

let server: ThreadedApp | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

const open = async (...given: Parameters<typeof openThreadedApp>): Promise<ThreadedApp> => {
  server = await openThreadedApp(...given)
  return server
}

type Answer = { readonly status: number; readonly head: string }

/** Events over a connection of their own, so that many of them meet all threads. */
const send = async ({ urls }: ThreadedApp, address: string, events: number): Promise<Answer> => {
  const client = await createRawClient(Number(new URL(urls['server'] ?? '').port))
  const body = JSON.stringify(Array.from({ length: events }, () => ({ eventName: 'Tried', payload: {} })))
  client.send(toPost('/rest/1.0/event', body, `Content-Type: application/json\r\nX-Forwarded-For: ${address}\r\n`))
  const head = await client.until(/^HTTP\/1\.1 \d+ [\s\S]*?\r\n\r\n/)
  client.socket.destroy()
  return { status: Number(head.slice(9, 12)), head: head.toLowerCase() }
}

/** Enough that each of three threads has some of them. */
const many = 30
const sendMany = async (app: ThreadedApp, address: string): Promise<ReadonlySet<number>> =>
  new Set((await Promise.all(Array.from({ length: many }, () => send(app, address, 1)))).map(({ status }) => status))

const reload = async (app: ThreadedApp, ...settings: readonly string[]): Promise<void> => {
  app.set(...settings)
  await app.rpc.exec('sluice.metrics:name=Settings', 'reload', [])
}

const callScribe = async ({ urls }: ThreadedApp): Promise<unknown> => {
  const { port } = new URL(urls['scribe'] ?? '')
  const socket = connect(Number(port), '127.0.0.1')
  socket.write(toFrame(toLog([{ category: 'Tried', message: 'x' }])))
  const [answer] = await once(socket, 'data')
  socket.destroy()
  return readAnswer(answer.subarray(4)).result
}

/** The first figures that the page Live is sent in which a sender is slowed. */
const readSlowed = async ({ urls }: ThreadedApp): Promise<unknown> => {
  const { body } = await fetch(`${urls['admin']}/live`)
  let text = ''
  for await (const bytes of body ?? []) {
    text += Buffer.from(bytes).toString()
    const [, json] = /^event: figures\ndata: (.*"slowed":\[\{.*)$/m.exec(text) ?? []
    if (json !== undefined) return JSON.parse(json).slowed
  }
  return undefined
}

describe.each([1, 3])('with %i threads', threads => {
  test('a sender over its quota is refused on every connection, other senders are not, and it is identified', async () => {
    const app = await open(threads)
    expect((await send(app, '10.0.0.1', 1_000)).status).toBe(202)
    expect(await sendMany(app, '10.0.0.1')).toEqual(new Set([202]))
    await reload(app, 'collector.quota.events-per-second=1')
    expect((await send(app, '10.0.0.1', 1_000)).status).toBe(202)
    expect(await sendMany(app, '10.0.0.1')).toEqual(new Set([429]))
    expect((await send(app, '10.0.0.2', 1)).status).toBe(202)
    const { head } = await send(app, '10.0.0.1', 1)
    expect(head).toMatch(/\r\nretry-after: [56]\d\r\n/)
    expect(head).toMatch(/\r\nratelimit: "events";r=0;t=[56]\d\r\n/)
    expect(head).toContain('\r\nratelimit-policy: "events";q=10;w=10;qu="events"\r\n')

    const refused = many + 1
    const books = await readBooks(app.urls['admin'])
    expect(findImbalance(books)).toEqual([])
    expect([books.rejected, books.accepted]).toEqual([refused, 2_000 + many + 1])
    const slowed = [{ by: 'address', name: '10.0.0.1', requests: refused }]
    await expect
      .poll(() => app.rpc.read('sluice.metrics.collector:name=Quota', 'SlowedSenders'))
      .toMatchObject({ value: slowed })
    expect(await readSlowed(app)).toMatchObject(slowed)

    await reload(app)
    expect(await sendMany(app, '10.0.0.1')).toEqual(new Set([202]))
  })

  test.each(['', '?gr=never'])('a body that breaks off costs what came of it: %s', async query => {
    const app = await open(threads, ['collector.quota.bytes-per-second=10', 'collector.quota.burst-seconds=10'])
    const client = await createRawClient(Number(new URL(app.urls['server'] ?? '').port))
    const head = `POST /rest/1.0/event${query} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 10.0.0.1\r\n`
    client.send(`${head}Content-Type: application/json\r\nContent-Length: 50000\r\n\r\n${'x'.repeat(500)}`)
    client.socket.end()
    expect(await client.rest()).toMatch(/^HTTP\/1\.1 400 /)
    expect((await send(app, '10.0.0.1', 1)).head).toMatch(/^http\/1\.1 429 [\s\S]*\r\nretry-after: (?:3\d|40)\r\n/)
  })

  test('Scribe is to try later', async () => {
    const app = await open(threads, ['collector.quota.bytes-per-second=1', 'collector.quota.burst-seconds=1'])
    expect(await callScribe(app)).toBe(0)
    expect(await callScribe(app)).toBe(1)
  })
})

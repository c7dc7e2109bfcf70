import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createGatewayClient, type GatewayClient, type Row } from '../../clients/gateway/gateway-client.ts'
import {
  createDirectTracker,
  createGetSender,
  createPostSender,
  createScribeSender,
  createTracker,
  type FieldEvent,
  field,
  type PayloadEvent,
  type RejectedEvent,
} from '../../clients/tracker/index.ts'
import { startServer, type TestServer } from './clients/server.ts'

let server: TestServer
let client: GatewayClient
let directory: string

beforeAll(async () => {
  server = await startServer()
  client = createGatewayClient(server)
  directory = await mkdtemp(join(tmpdir(), 'sluice-client-'))
})

afterAll(async () => {
  await client.close()
  await server.close()
  await rm(directory, { recursive: true, force: true })
})

/** All rows below a directory, when everything is there. */
const rowsOf = async (path: string): Promise<Row[]> => {
  await server.commit()
  return await Array.fromAsync(client.rows(path, { recursive: true }))
}

/** Events of one name: what the old library's sample holds, and what rounding would show. */
const payloadEvents = (eventName: string, count: number): PayloadEvent[] =>
  Array.from({ length: count }, (_, n) => ({
    eventName,
    payload: { n, big: 2n ** 60n + BigInt(n), text: 'ä\n"', nested: { list: [1.5, null, true] } },
    date: 1_230_865_445_006,
    granularity: 'DAILY',
  }))

const onRejected = (rejected: RejectedEvent): void => {
  throw new Error(`rejected: ${rejected.detail}`)
}

describe('createTracker', () => {
  test.each(['json', 'smile'] as const)('%s events arrive exactly, once each', async format => {
    const name = `Post-${format}`
    const given = payloadEvents(name, 250)
    const tracker = await createTracker({
      sender: createPostSender({ url: server.url, format }),
      directory: join(directory, name),
      maxBatchEvents: 100,
      onRejected,
    })
    await Promise.all(given.map(event => tracker.track(event)))
    expect(await tracker.close()).toMatchObject({ accepted: 250, rejected: 0, waitingBatches: 0 })
    const rows = await rowsOf(`/events/${name}`)
    expect(rows.map(row => row['n']).sort((a, b) => Number(a) - Number(b))).toEqual(given.map((_, n) => n))
    expect(rows.find(row => row['n'] === 7)).toMatchObject({
      ...given[7]?.payload,
      eventDate: 1_230_865_445_006,
      eventGranularity: 'DAILY',
    })
    expect(await Array.fromAsync(client.list(`/events/${name}/2009/01`))).toMatchObject([
      { path: `/events/${name}/2009/01/02`, isDir: true },
    ])
  })

  test('a server that loses its answers gets each event once', async () => {
    let calls = 0
    const sender = createPostSender({
      url: server.url,
      fetch: async (url, init) => {
        const response = await fetch(url, init)
        await response.arrayBuffer()
        // The server has the batch; its answer is lost, twice.
        if (++calls <= 2) throw new TypeError('fetch failed')
        return new Response(null, { status: response.status })
      },
    })
    const tracker = await createTracker({ sender, directory: join(directory, 'lost'), onRejected })
    for (const event of payloadEvents('LostAnswers', 20)) await tracker.track(event)
    await tracker.flush()
    await tracker.flush()
    expect(await tracker.close()).toMatchObject({ accepted: 20, retries: 2 })
    expect(await rowsOf('/events/LostAnswers')).toHaveLength(20)
  })

  test('tells which events the server refused', async () => {
    const rejected: RejectedEvent[] = []
    const tracker = await createTracker({
      sender: createPostSender({ url: server.url }),
      directory: join(directory, 'partly'),
      onRejected: one => rejected.push(one),
    })
    await tracker.track({ eventName: 'Partly', payload: { n: 1 } })
    await tracker.track({ eventName: 'no/slashes', payload: { n: 2 } })
    await tracker.track({ eventName: 'Partly', payload: { n: 3 } })
    expect(await tracker.close()).toMatchObject({ accepted: 2, rejected: 1 })
    expect(rejected).toMatchObject([{ event: { eventName: 'no/slashes', payload: { n: 2 } }, code: 'bad-event-name' }])
    expect((await rowsOf('/events/Partly')).map(row => row['n'])).toEqual([1, 3])
  })

  test('waits on disk for a server that comes later, in another tracker', async () => {
    const place = join(directory, 'later')
    const port = await freePort()
    const away = createPostSender({ url: `http://127.0.0.1:${port}` })
    const first = await createTracker({ sender: away, directory: place, onRejected })
    for (const event of payloadEvents('Later', 5)) await first.track(event)
    expect(await first.close()).toMatchObject({ accepted: 0, waitingBatches: 1 })
    const second = await createTracker({ sender: createPostSender({ url: server.url }), directory: place, onRejected })
    await second.flush()
    expect(await second.close()).toMatchObject({ accepted: 5, waitingBatches: 0 })
    expect(await rowsOf('/events/Later')).toHaveLength(5)
  })

  const fieldEvent = (eventName: string): FieldEvent => ({
    eventName,
    fields: [field.i64(-(2n ** 63n)), field.text('a,b %+ü'), field.bool(true), field.double(3.14)],
    date: 1_230_865_445_006,
  })
  const fieldRow = { 1: -(2n ** 63n), 2: 'a,b %+ü', 3: true, 4: 3.14 }

  test('GET v2 arrives exactly', async () => {
    const sender = createGetSender({ url: server.url })
    const tracker = await createTracker({ sender, directory: join(directory, 'get2'), onRejected })
    await tracker.track(fieldEvent('GetTwo'))
    expect(await tracker.close()).toMatchObject({ accepted: 1 })
    expect(await rowsOf('/events/GetTwo')).toEqual([expect.objectContaining(fieldRow)])
    expect(await Array.fromAsync(client.list('/events/GetTwo/2009/01/02'))).toHaveLength(1)
  })

  test('GET v1 arrives exactly, without a spool', async () => {
    await using tracker = createDirectTracker({ url: server.url })
    await tracker.track(fieldEvent('GetOne'))
    expect(await rowsOf('/events/GetOne')).toEqual([expect.objectContaining(fieldRow)])
  })

  test('Scribe arrives exactly', async () => {
    const sender = createScribeSender({ host: server.host, port: server.scribePort })
    const tracker = await createTracker({ sender, directory: join(directory, 'scribe'), onRejected })
    await tracker.track(fieldEvent('ByScribe'))
    await tracker.track(fieldEvent('ByScribe'))
    expect(await tracker.close()).toMatchObject({ accepted: 2 })
    expect(await rowsOf('/events/ByScribe')).toEqual([
      expect.objectContaining(fieldRow),
      expect.objectContaining(fieldRow),
    ])
  })
})

describe('createGatewayClient', () => {
  const text = Array.from({ length: 200 }, (_, n) => `row ${n}\t${n}\n`).join('')

  test('uploads, reads rows, downloads and deletes', async () => {
    const source = join(directory, 'rows.txt')
    await writeFile(source, text)
    const progress: number[] = []
    const made = await client.upload(source, '/data/rows.txt', {
      permission: '640',
      onProgress: done => progress.push(done),
    })
    expect(made).toMatchObject({ path: '/data/rows.txt', size: text.length, permission: '0640' })
    expect(progress.at(-1)).toBe(text.length)
    await expect(client.upload(Buffer.from('x'), '/data/rows.txt')).rejects.toMatchObject({
      code: 'exists',
      status: 409,
    })
    await client.upload(Buffer.from(text), '/data/rows.txt', { overwrite: true })

    const numbers = client.rows('/data/rows.txt', { range: [10, 12], as: row => Number(row['col-1']) })
    expect(await Array.fromAsync(numbers)).toEqual([10, 11, 12])
    const columns = ['col-1', 'a,"b"']
    expect(await Array.fromAsync(client.rows('/data/rows.txt', { range: [10, 10], columns }))).toEqual([
      { 'col-1': '10', 'a,"b"': null },
    ])
    expect(await Array.fromAsync(client.rows('/data/rows.txt', { where: 'col-1 = 10 or col-0 = "row 2"' }))).toEqual([
      { 'col-0': 'row 2', 'col-1': '2' },
      { 'col-0': 'row 10', 'col-1': '10' },
    ])
    for await (const row of client.rows('/data/rows.txt')) {
      expect(row).toEqual({ 'col-0': 'row 0', 'col-1': '0' })
      break
    }
    const target = join(directory, 'copy.txt')
    expect(await client.download('/data/rows.txt', target)).toMatchObject({ size: text.length, resumedAt: 0 })
    expect(await readFile(target, 'utf8')).toBe(text)
    await expect(client.download('/data/rows.txt', target)).rejects.toMatchObject({ code: 'exists' })
    expect(await new Response(await client.open('/data/rows.txt')).text()).toBe(text)

    await expect(client.delete('/data')).rejects.toMatchObject({ code: 'not-empty' })
    expect(await client.delete('/data', { recursive: true })).toEqual({ path: '/data', deleted: true })
    await expect(Array.fromAsync(client.rows('/data/rows.txt'))).rejects.toMatchObject({
      code: 'not-found',
      status: 404,
    })
  })

  test('lists more than one page', async () => {
    await Promise.all(Array.from({ length: 5 }, (_, n) => client.upload(Buffer.from('x'), `/many/${n}`)))
    const entries = await Array.fromAsync(client.list('/many'))
    expect(entries.map(entry => entry.path)).toEqual([0, 1, 2, 3, 4].map(n => `/many/${n}`))
    expect(entries[0]).not.toHaveProperty('content')
  })

  /** A client whose downloads break off after a number of bytes each. */
  const createBreakingClient = (maxBytes: number) => {
    const ranges: (string | undefined)[] = []
    const breaking = createGatewayClient({
      ...server,
      fetch: async (url, init) => {
        ranges.push((init.headers as Record<string, string>)['range'])
        const response = await fetch(url, init)
        if (!response.ok || response.body === null) return response
        let left = maxBytes
        const cut = new TransformStream<Uint8Array, Uint8Array>({
          transform: (chunk, controller) => {
            controller.enqueue(chunk.subarray(0, left))
            left -= chunk.length
            if (left < 0) controller.error(new Error('cut'))
          },
        })
        return new Response(response.body.pipeThrough(cut), response)
      },
    })
    return { breaking, ranges }
  }

  test('an interrupted download resumes where it was', async () => {
    await client.upload(Buffer.from(text), '/resume/a.txt')
    const { breaking, ranges } = createBreakingClient(1_000)
    const target = join(directory, 'resumed.txt')
    const done = await breaking.download('/resume/a.txt', target, { sleep: async () => {} })
    expect(done).toMatchObject({ size: text.length })
    expect(await readFile(target, 'utf8')).toBe(text)
    expect(ranges[0]).toBeUndefined()
    expect(ranges.slice(1).every(range => range !== undefined)).toBe(true)
    await expect(stat(`${target}.part`)).rejects.toThrow('ENOENT')
    await expect(stat(`${target}.part.json`)).rejects.toThrow('ENOENT')
  })

  test('a later download resumes, unless the file has changed', async () => {
    await client.upload(Buffer.from(text), '/resume/b.txt')
    const { breaking } = createBreakingClient(1_000)
    const target = join(directory, 'later.txt')
    const giveUp = breaking.download('/resume/b.txt', target, { maxResumes: 0 })
    await expect(giveUp).rejects.toMatchObject({ code: 'broken' })
    await expect(stat(target)).rejects.toThrow('ENOENT')
    const had = (await stat(`${target}.part`)).size
    expect(await client.download('/resume/b.txt', target)).toMatchObject({ resumedAt: had, size: text.length })
    expect(await readFile(target, 'utf8')).toBe(text)

    await expect(breaking.download('/resume/b.txt', target, { maxResumes: 0, overwrite: true })).rejects.toThrow()
    const changed = text.replaceAll('row', 'line')
    await client.upload(Buffer.from(changed), '/resume/b.txt', { overwrite: true })
    expect(await client.download('/resume/b.txt', target, { overwrite: true })).toMatchObject({ resumedAt: 0 })
    expect(await readFile(target, 'utf8')).toBe(changed)
  })

  test('a complete download that only lacked its name gets it', async () => {
    await client.upload(Buffer.from(text), '/resume/c.txt')
    const target = join(directory, 'whole.txt')
    const { breaking } = createBreakingClient(text.length - 1)
    await expect(breaking.download('/resume/c.txt', target, { maxResumes: 0 })).rejects.toThrow()
    await writeFile(`${target}.part`, text)
    expect(await client.download('/resume/c.txt', target)).toMatchObject({ size: text.length })
    expect(await readFile(target, 'utf8')).toBe(text)
  })

  test('an empty file is downloaded too', async () => {
    await client.upload(new Uint8Array(), '/empty')
    expect(await client.download('/empty', join(directory, 'empty'))).toMatchObject({ size: 0 })
  })

  test('rows that cannot be read to the end are reported after those before', async () => {
    await client.upload(Buffer.from('{"a":1}\n{"a":'), '/damaged.json')
    const rows: Row[] = []
    const reading = (async () => {
      for await (const row of client.rows('/damaged.json')) rows.push(row)
    })()
    await expect(reading).rejects.toMatchObject({ code: 'unreadable' })
    expect(rows).toEqual([{ a: 1 }])
  })

  test('nothing works once it is closed', async () => {
    const closed = createGatewayClient(server)
    await closed.close()
    await expect(closed.delete('/x')).rejects.toMatchObject({ code: 'closed' })
    await expect(Array.fromAsync(closed.rows('/x'))).rejects.toMatchObject({ code: 'closed' })
  })

  test('says that the gateway does not answer', async () => {
    const lonely = createGatewayClient({ host: '127.0.0.1', port: await freePort() })
    await expect(lonely.open('/x')).rejects.toMatchObject({ code: 'unreachable', status: 0 })
  })
})

/** A port without a listener. */
const freePort = async (): Promise<number> => {
  const taken = createServer().listen(0, '127.0.0.1')
  await new Promise(resolve => taken.once('listening', resolve))
  const { port } = taken.address() as { port: number }
  await new Promise(resolve => taken.close(resolve))
  return port
}

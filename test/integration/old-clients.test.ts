import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createGatewayClient } from '../../clients/gateway/gateway-client.ts'
import { startServer, type TestServer } from './clients/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer('collector.validation=off')
})
afterAll(() => server.close())

const read = (name: string): Buffer => readFileSync(new URL(`../fixtures/old-clients/${name}`, import.meta.url))

/** An answer, read from the bytes that a server sent. */
type Answer = { readonly status: number; readonly head: string; readonly body: string; readonly isClosed: boolean }

/** Sends requests over one connection, each when the answer before is whole, as the old library did. */
const replay = async (...requests: readonly Buffer[]): Promise<Answer[]> => {
  const socket = connect(server.port, server.host)
  const answers: Answer[] = []
  let bytes = Buffer.alloc(0)
  let arrived = Promise.withResolvers<void>()
  let isClosed = false
  socket.on('data', chunk => {
    bytes = Buffer.concat([bytes, chunk])
    arrived.resolve()
  })
  socket.on('close', () => {
    isClosed = true
    arrived.resolve()
  })
  for (const request of requests) {
    socket.write(request)
    let answer = toAnswer(bytes, isClosed)
    while (answer === undefined) {
      await arrived.promise
      arrived = Promise.withResolvers<void>()
      answer = toAnswer(bytes, isClosed)
    }
    answers.push(answer)
    bytes = Buffer.alloc(0)
  }
  socket.destroy()
  return answers
}

/** Undefined while the answer is not whole; everything received once the connection is closed. */
const toAnswer = (bytes: Buffer, isClosed: boolean): Answer | undefined => {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) {
    if (isClosed) throw new Error('The server closed the connection without an answer')
    return undefined
  }
  const head = bytes.subarray(0, end).toString('latin1')
  const body = bytes.subarray(end + 4).toString()
  const length = /^content-length: (\d+)/im.exec(head)?.[1]
  const isWhole = length === undefined ? body.endsWith('\r\n0\r\n\r\n') : Buffer.byteLength(body) >= Number(length)
  if (!isWhole && !isClosed) return undefined
  return { status: Number(head.split(' ')[1]), head, body, isClosed }
}

const eventsOf = async (name: string) => {
  await server.commit()
  await using client = createGatewayClient(server)
  return await Array.fromAsync(client.rows(`/events/${name}`, { recursive: true }))
}

describe('the event tracker of 2012', () => {
  const payload = {
    firstName: 'joe',
    lastName: 'Sixpäck',
    theNumberFive: 5,
    big: 1234567890123456789n,
    pi: 3.14,
    ok: true,
  }

  test.each(['json', 'smile'])('posts %s, and gets exactly 202', async format => {
    const answers = await replay(read(`tracker-${format}-1.http`), read(`tracker-${format}-2.http`))
    expect(answers.map(answer => answer.status)).toEqual([202, 202])
    expect(answers[0]?.head).not.toMatch(/^warning|^connection: close/im)
    // Every second request asks for it.
    expect(answers[1]?.head).toMatch(/^connection: close/im)
  })

  test('and every event is there, exactly', async () => {
    const rows = [...(await eventsOf('sample')), ...(await eventsOf('other'))]
    expect(rows.map(row => Number(row['n'])).sort((a, b) => a - b)).toEqual([0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5])
    for (const row of rows) {
      expect(row).toMatchObject({ ...payload, eventDate: 1230865445006, eventGranularity: 'DAILY' })
    }
  })

  test('sends by GET', async () => {
    const answers = await replay(read('get-encoded.http'), read('get-numbers.http'))
    expect(answers.map(({ status, body }) => ({ status, body }))).toEqual([
      { status: 202, body: '' },
      { status: 202, body: '' },
    ])
    expect(await eventsOf('SomeEvent')).toEqual([expect.objectContaining({ 1: 'text/plain; charset=iso-8859-1' })])
    const numbers = [1, 2, 127, -128, 32767, -32768, 2147483647, -2147483648, 10000000000, -20000000000, 3.14, true]
    const [row] = await eventsOf('EventName')
    expect(numbers.map((_, index) => row?.[String(index + 1)])).toEqual(numbers)
  })

  test.each([
    { name: 'scribe-strict', event: 'Hello', want: { 1: 'World' } },
    { name: 'scribe-hello', event: 'hello', want: { 1: 'world' } },
    { name: 'scribe-opsalert', event: 'OpsAlert', want: { 1: 'NAGIOS', 2: 'nagios@ning.com', 4: 'Alerting alert' } },
  ])('sends $name', async ({ name, event, want }) => {
    const socket = connect(server.scribePort, server.host)
    socket.write(read(`${name}.frame`))
    const [reply] = (await once(socket, 'data')) as [Buffer]
    socket.destroy()
    expect(reply.toString('hex')).toBe('0000001780010002000000034c6f67000000000800000000000000')
    expect(await eventsOf(event)).toEqual([expect.objectContaining(want)])
  })
})

describe('the gateway client of 2012', () => {
  test('uploads, and expects 201', async () => {
    const [answer] = await replay(read('access-upload.http'))
    expect(answer?.status).toBe(201)
    const [again] = await replay(read('access-upload.http'))
    expect(again?.status).toBe(409)
  })

  test.each(['access-read', 'access-download'])('%s: entries with their rows', async name => {
    const [answer] = await replay(read(`${name}.http`))
    expect(answer?.status).toBe(200)
    const { entries } = toListing(answer?.body ?? '')
    expect(entries.map(entry => entry.content)).toEqual([
      [
        { 'col-0': 'word', 'col-1': 'count' },
        { 'col-0': 'sluice', 'col-1': '7' },
      ],
    ])
  })

  test('access-read-raw: what its MapReduce parser splits', async () => {
    const [answer] = await replay(read('access-read-raw.http'))
    expect(answer?.status).toBe(200)
    const [entry] = toListing(answer?.body ?? '').entries
    expect(entry?.content).toEqual([{ record: 'word\tcount' }, { record: 'sluice\t7' }])
  })
})

/** The body of an answer in chunks, or not. */
const toListing = (body: string) =>
  JSON.parse(body.startsWith('{') ? body : unchunk(body)) as {
    readonly entries: readonly { readonly content: unknown }[]
  }

const unchunk = (body: string): string => {
  const bytes = Buffer.from(body)
  let text = ''
  for (let at = 0; ; ) {
    const line = bytes.indexOf('\r\n', at)
    const length = Number.parseInt(bytes.subarray(at, line).toString(), 16)
    if (!(length > 0)) return text
    text += bytes.subarray(line + 2, line + 2 + length).toString()
    at = line + 2 + length + 2
  }
}

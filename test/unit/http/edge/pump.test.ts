import { createServer, IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { pump } from '../../../../src/http/edge/pump.ts'

type Answered = { readonly status: number; readonly head: Headers; readonly body: string; readonly broken: unknown[] }

/** What a client gets of an answer, to the end or to where it is cut off. */
const answer = async (response: Response): Promise<Answered> => {
  const broken: unknown[] = []
  const server = createServer((_, outgoing) => void pump(response, outgoing, error => broken.push(error)))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  try {
    const got = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    const body = await got.text().catch(() => 'cut off')
    return { status: got.status, head: got.headers, body, broken }
  } finally {
    server.closeAllConnections()
    server.close()
  }
}
const source = (pull: (controller: ReadableStreamDefaultController<Uint8Array>) => void): Response =>
  new Response(new ReadableStream({ pull }), {
    status: 206,
    headers: [
      ['x-a', '1'],
      ['set-cookie', 'a'],
      ['set-cookie', 'b'],
    ],
  })

describe('pump', () => {
  test('a small body has its length, and every header arrives', async () => {
    const { status, head, body } = await answer(new Response('whole', { status: 201, headers: { 'x-a': '1' } }))
    expect([status, body, head.get('content-length'), head.get('x-a')]).toEqual([201, 'whole', '5', '1'])
  })

  test('a long body arrives whole, in order', async () => {
    let left = 2_000
    const { status, head, body } = await answer(
      source(controller => {
        controller.enqueue(new TextEncoder().encode(`${left}`.padStart(8_000)))
        if (--left === 0) controller.close()
      }),
    )
    expect([status, body.length, head.getSetCookie()]).toEqual([206, 16_000_000, ['a', 'b']])
  })

  test.each([1, 2, 50])('a body that breaks after %i chunks is cut off, with nothing added', async chunks => {
    let left = chunks
    const { body, broken } = await answer(
      source(controller => {
        if (left-- > 0) controller.enqueue(new Uint8Array(10_000))
        else controller.error(new Error('the disk is gone'))
      }),
    )
    expect(body).toBe('cut off')
    expect(broken).toMatchObject([{ message: 'the disk is gone' }])
  })

  test('a client that leaves stops the source', async () => {
    const cancelled = Promise.withResolvers<void>()
    const endless = new Response(
      new ReadableStream({
        pull: controller => controller.enqueue(new Uint8Array(100_000)),
        cancel: () => cancelled.resolve(),
      }),
    )
    const server = createServer((_, outgoing) => void pump(endless, outgoing, () => {}))
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const got = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    await got.body?.cancel()
    await cancelled.promise
    server.closeAllConnections()
    server.close()
  })
})

/** An answer whose client takes each chunk on request. */
class SlowOutgoing extends ServerResponse {
  readonly written: unknown[] = []

  constructor() {
    super(new IncomingMessage(new Socket()))
  }

  override write(chunk: unknown): boolean {
    this.written.push(chunk)
    return false
  }
}

describe('R11: pump, with a client that', () => {
  const pumped = async (msOfChunk: number) => {
    let now = 0
    let given = 0
    const body = new ReadableStream<Uint8Array>(
      { pull: controller => controller.enqueue(Uint8Array.of(++given)) },
      { highWaterMark: 0 },
    )
    const outgoing = new SlowOutgoing()
    const done = pump(
      new Response(body),
      outgoing,
      () => {},
      () => now,
    )
    const ahead: number[] = []
    for (let taken = 1; taken <= 5; taken++) {
      await expect.poll(() => outgoing.written.length).toBe(taken)
      // Whatever would be read ahead has been by now.
      await new Promise(resolve => setImmediate(resolve))
      ahead.push(given - taken)
      now += msOfChunk
      outgoing.emit('drain')
    }
    outgoing.destroy()
    outgoing.emit('close')
    await done
    return ahead
  }

  test('takes its time: nothing is read ahead', async () => expect(await pumped(1_000)).toEqual([1, 0, 0, 0, 0]))

  test('takes what it is given: the next chunk is at hand', async () =>
    expect(await pumped(1)).toEqual([1, 1, 1, 1, 1]))

  test('was gone before the answer was made: the source is stopped', async () => {
    const outgoing = new SlowOutgoing()
    outgoing.destroy()
    await new Promise(resolve => setImmediate(resolve))
    let isCancelled = false
    const cancel = (): void => {
      isCancelled = true
    }
    await pump(new Response(new ReadableStream({ cancel })), outgoing, () => {})
    expect(isCancelled).toBe(true)
  })
})

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { pump } from '../../../src/http/pump.ts'

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

import { afterEach, describe, expect, test } from 'vitest'
import { createLaneRoutes } from '../../../../src/contract/lane-routes.ts'
import { createWatched } from '../../../../src/current.ts'
import { createEdge, type Edge, type EdgeOptions } from '../../../../src/http/edge/node.ts'
import { silentLogger } from '../../../../src/log/log.ts'
import { openEdgeBehind } from '../../../suites/edge-ways.ts'
import { createKeyPair } from '../../../suites/key-pair.ts'
import { contract, createTestService } from '../../contract/fixture.ts'
import { createRawClient, toPost } from '../raw-client.ts'

let edge: Edge | undefined
afterEach(async () => {
  await edge?.close()
  edge = undefined
})

const turns = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i++) await new Promise(resolve => setImmediate(resolve))
}
const toGet = (target: string): string => `GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`

const keys = createKeyPair()

describe.each([
  [0, false],
  [1, false],
  [0, true],
  [1, true],
])('with %i threads (TLS: %s), a client that ends its side behind its request', (threads, isSecure) => {
  /** All that such a client gets until the server ends its own side. */
  const ask = async (fetch: EdgeOptions['fetch'], requests: string, halfClosedMs: number): Promise<string> => {
    edge = await openEdgeBehind(threads, {
      name: 'server',
      host: '127.0.0.1',
      port: 0,
      fetch,
      logger: silentLogger,
      limits: { idleGraceMs: 10, halfClosedMs },
      ...(isSecure ? { tls: createWatched(keys) } : {}),
    })
    const client = await createRawClient(edge.port, isSecure)
    client.send(requests)
    client.socket.end()
    return await client.rest()
  }
  const endless = new Promise<never>(() => {})

  test('gets its answer, whenever it is there', async () => {
    const fetch = async ({ url }: Request): Promise<Response> => {
      await turns(20)
      return new Response(`fine ${new URL(url).pathname}`)
    }
    expect(await ask(fetch, toGet('/a'), 60_000)).toMatch(/^HTTP\/1\.1 200 [\s\S]*fine \/a$/)
  })

  test('gets all of them', async () => {
    const fetch = async ({ url }: Request): Promise<Response> => {
      await turns(5)
      return new Response(`fine ${new URL(url).pathname}`)
    }
    const answers = await ask(fetch, toGet('/a') + toGet('/b') + toGet('/c'), 60_000)
    expect(answers.match(/fine \/\w/g)).toEqual(['fine /a', 'fine /b', 'fine /c'])
  })

  test('gets an answer that comes in pieces to its end', async () => {
    const fetch = (): Response =>
      new Response(
        new ReadableStream<Uint8Array>({
          async start(controller) {
            for (let i = 0; i < 5; i++) {
              controller.enqueue(Buffer.from(`piece ${i} `))
              await turns(5)
            }
            controller.close()
          },
        }),
      )
    expect(await ask(fetch, toGet('/'), 60_000)).toMatch(/piece 4/)
  })

  test('is not waited for without a byte for it: its request is given up', async () => {
    const gone = Promise.withResolvers<void>()
    const fetch: EdgeOptions['fetch'] = async (_, { outgoing }) => {
      outgoing?.once('close', () => gone.resolve())
      return await endless
    }
    expect(await ask(fetch, toGet('/'), 30)).toBe('')
    await gone.promise
  })

  test('gets an answer at once when its request is cut short', async () => {
    expect(await ask(() => new Response('fine'), 'GET / HTT', 60_000)).toMatch(/^HTTP\/1\.1 400 /)
  })

  test('has its connection ended where nothing is asked', async () => {
    expect(await ask(() => new Response('fine'), '', 60_000)).toBe('')
  })
})

test.each([false, true])('on the lane, too, it gets all of its answers (TLS: %s)', async isSecure => {
  const postEvent = async (): Promise<Response> => {
    await turns(20)
    return new Response('kept', { status: 202 })
  }
  edge = await createEdge({
    name: 'server',
    host: '127.0.0.1',
    port: 0,
    fetch: () => new Response('another way'),
    lane: createLaneRoutes(contract, createTestService({ handlers: { postEvent } })),
    logger: silentLogger,
    limits: { idleGraceMs: 10 },
    ...(isSecure ? { tls: createWatched(keys) } : {}),
  })
  const client = await createRawClient(edge.port, isSecure)
  client.send(toPost('/rest/1.0/event', '{}', 'Content-Type: application/json\r\n').repeat(3))
  client.socket.end()
  expect((await client.rest()).match(/HTTP\/1\.1 202 /g)).toHaveLength(3)
})

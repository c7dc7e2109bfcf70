import { describe, expect, test } from 'vitest'
import { createRpcClient } from '../../admin/client/rpc-client.ts'
import { postJson, startTestServer, type TestServer } from '../suites/admin.ts'
import { findImbalance, readBooks } from '../suites/books.ts'
import { createTearingDisk } from '../suites/tearing-disk.ts'
import { createRawClient, toPost } from '../unit/http/raw-client.ts'

const body = '{"eventName":"Order","payload":{"id":1}}'
const json = 'Content-Type: application/json\r\n'

/** A server on whose disk, from the call of `breakDisk` on, no sync succeeds and nothing can be cut off. */
const start = async (transport: 'node' | 'fetch', threads = 1) => {
  let isBroken = false
  const disk = createTearingDisk({
    fail: operation =>
      isBroken && ['fdatasync', 'truncate', 'rename'].includes(operation)
        ? Object.assign(new Error('EIO: i/o error'), { code: 'EIO' })
        : undefined,
  })
  const server = await startTestServer({
    transport,
    disk,
    set: [`server.threads=${threads}`, 'collector.seal-threads=2'],
  })
  const breakDisk = (): void => {
    isBroken = true
  }
  return { server, breakDisk }
}

const portOf = ({ serverUrl }: TestServer): number => Number(new URL(serverUrl).port)

describe('R5: a request of which nobody can say whether it was kept', () => {
  const ways: readonly (readonly [string, string, number])[] = [
    ['the short way', toPost('/rest/1.0/event', body, json), 1],
    ['the usual way', toPost('/rest/1.0/event/', body, json), 1],
    ['GET', 'GET /1?v=Order,s1 HTTP/1.1\r\nHost: localhost\r\n\r\n', 1],
    ['GET on the usual way', 'GET /2/?v=Order,s1 HTTP/1.1\r\nHost: localhost\r\n\r\n', 1],
    ['a batch', toPost('/rest/1.0/event', `[${body},${body},${body}]`, json), 3],
  ]
  const rows = [
    ...ways.map(way => [1, ...way] as const),
    // Those with a way of their own through the threads.
    ...ways.filter(([way]) => !way.startsWith('GET')).map(way => [3, ...way] as const),
  ]
  test.each(rows)(
    'with %i threads, %s: the connection closes without an answer, and the books say so',
    async (threads, _, request, events) => {
      const { server, breakDisk } = await start('node', threads)
      const client = await createRawClient(portOf(server))
      client.send(toPost('/rest/1.0/event', body, json))
      await client.until(/^HTTP\/1\.1 202 [\s\S]*?\r\n\r\n\{[^}]*\}/)
      breakDisk()
      client.send(request)
      expect(await client.rest()).toBe('')
      const books = await readBooks(server.adminUrl)
      expect(books).toMatchObject({ received: events + 1, accepted: 1, rejected: 0, errored: 0, unknown: events })
      expect(findImbalance(books)).toEqual([])
      const { value } = await createRpcClient({ url: server.adminUrl }).read(
        'sluice.metrics.collector:name=WriterQueueStats',
        'UnknownEvents',
      )
      expect(value).toBe(events)
      // The next one is not even tried: its refusal is true.
      const next = await createRawClient(portOf(server))
      next.send(toPost('/rest/1.0/event', body, json))
      expect(await next.until(/^HTTP\/1\.1 \d{3}/)).toBe('HTTP/1.1 503')
      next.socket.destroy()
    },
  )

  test('without a connection the answer is a network error of the Fetch standard', async () => {
    const { server, breakDisk } = await start('fetch')
    expect((await postJson(server, body)).status).toBe(202)
    breakDisk()
    expect((await postJson(server, body)).type).toBe('error')
  })
})

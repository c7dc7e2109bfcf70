import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { hadoopOf } from '../../../../src/filesystem/facets.ts'
import { createWebHdfsClient } from '../../../../src/filesystem/webhdfs/client.ts'
import { maxErrorBytes, maxJsonBytes, maxPageBytes } from '../../../../src/filesystem/webhdfs/transport/read-limited.ts'
import { createWebHdfsFileSystem } from '../../../../src/filesystem/webhdfs.ts'

/** Endless answers of an untrusted server. */
const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** A server, and how many bytes it has got rid of. */
const serve = async (answer: Answer) => {
  const sent: Promise<number>[] = []
  const server = createServer((request, response) => {
    const { socket } = response
    sent.push(new Promise(done => socket?.once('close', () => done(socket.bytesWritten))))
    answer(request, response)
  })
  servers.push(server)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sent }
}

/** Writes for as long as the client reads. */
const endless =
  (status: number, start = ''): Answer =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.write(start)
    const more = (): void => {
      while (!response.destroyed && response.write(' '.repeat(65_536))) {
        // Until it is full.
      }
    }
    response.on('drain', more)
    more()
  }

const fileSystem = (url: string) => createWebHdfsFileSystem({ url: 'hdfs://nn:8020', urls: [url], maxRetries: 0 })

/** What lies between the two sides of a connection beside what was read. */
const kernelBytes = 8 * 2 ** 20

describe('answers without an end', () => {
  test('an error: no more than its start is read', async () => {
    expect(maxErrorBytes).toBe(65_536)
    const { url, sent } = await serve(endless(404, '<html>'))
    await expect(fileSystem(url).getFileStatus('/x')).rejects.toMatchObject({ code: 'unavailable' })
    expect(await sent[0]).toBeLessThan(maxErrorBytes + kernelBytes)
  })

  test('an error of a data node, to a read and to a write', async () => {
    const dataNode = await serve(endless(403, '<html>'))
    const nameNode = await serve((_, response) => {
      response.writeHead(307, { location: `${dataNode.url}/data` }).end()
    })
    const fs = fileSystem(nameNode.url)
    await expect(fs.open('/x')).rejects.toMatchObject({ code: 'unavailable' })
    expect(await dataNode.sent[0]).toBeLessThan(maxErrorBytes + kernelBytes)
    const source = async function* () {
      yield Buffer.from('x')
    }
    await expect(hadoopOf(fs).create('/x', source())).rejects.toThrow('/x')
    expect(await dataNode.sent[1]).toBeLessThan(maxErrorBytes + kernelBytes)
  })

  test('a status', async () => {
    const { url, sent } = await serve(endless(200, '{"FileStatus":'))
    await expect(fileSystem(url).getFileStatus('/x')).rejects.toMatchObject({ code: 'unavailable' })
    expect(await sent[0]).toBeLessThan(maxJsonBytes + kernelBytes)
  })

  test('a page of a listing', async () => {
    const { url, sent } = await serve(endless(200, '{"DirectoryListing":'))
    await expect(Array.fromAsync(fileSystem(url).listStatus('/x'))).rejects.toMatchObject({ code: 'unavailable' })
    expect(await sent[0]).toBeLessThan(maxPageBytes + kernelBytes)
  })

  test('a redirect', async () => {
    const { url, sent } = await serve((request, response) => {
      response.setHeader('location', 'http://127.0.0.1:1/data')
      endless(307)(request, response)
    })
    const client = createWebHdfsClient({ urls: [url], maxRetries: 0 })
    const call = { method: 'GET', op: 'OPEN', path: '/x', action: 'open', repeatable: true } as const
    expect(await client.redirect(call)).toEqual(new URL('http://127.0.0.1:1/data'))
    expect(await sent[0]).toBeLessThan(maxErrorBytes + kernelBytes)
  })
})

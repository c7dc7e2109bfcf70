import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { downloadFromNode } from '../../../../src/filesystem/webhdfs/read/download.ts'

const size = 20_000_000
const server = createServer((_, response) => {
  // As a data node does: the connection ends with the answer.
  response.writeHead(200, { 'content-length': size, connection: 'close' }).end(Buffer.alloc(size, 'x'))
})
afterEach(() => void server.close())

test('a slow reader gets all of an answer whose connection is closed behind it', async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const location = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  const options = { path: '/f', timeoutMs: 10_000, idleTimeoutMs: 10_000 }
  const bodies = await Promise.all(Array.from({ length: 8 }, () => downloadFromNode(location, options)))
  const lengths = await Promise.all(
    bodies.map(async body => {
      let length = 0
      for await (const chunk of body) {
        length += chunk.length
        // Lets the other side run ahead until it has said everything and is gone.
        for (let turn = 0; turn < 3; turn++) await new Promise(resolve => setImmediate(resolve))
      }
      return length
    }),
  )
  expect(lengths).toEqual(bodies.map(() => size))
})

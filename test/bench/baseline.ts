/**
 * The server that Sluice is measured against: `node:http`, one `JSON.parse`, the same bytes appended to one file, and
 * one write and one `fdatasync` for all requests that wait. It validates nothing, counts nothing and bounds nothing:
 * it is the price of HTTP and of the disk on Node, not something to run.
 *
 *     node test/bench/baseline.ts FILE [written]
 *
 * prints `{"msg":"baseline is ready","server":"http://127.0.0.1:PORT"}`. With `written` the 202 does not wait for the
 * `fdatasync`.
 */
import { closeSync, fdatasync, openSync, write } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'

const [file, ack] = process.argv.slice(2)
if (file === undefined) throw new TypeError('Usage: baseline.ts FILE [written]')
const fd = openSync(file, 'a')
const syncs = ack !== 'written'

let pending: Buffer[] = []
let waiting: ServerResponse[] = []
let isCommitting = false

const append = (bytes: Buffer, response: ServerResponse): void => {
  pending.push(bytes)
  waiting.push(response)
  if (!isCommitting) commit()
}

/** Everything that arrives during one write and fdatasync is the next group. */
const commit = (): void => {
  isCommitting = true
  const group = Buffer.concat(pending)
  const responses = waiting
  pending = []
  waiting = []
  write(fd, group, 0, group.length, null, (error, written) => {
    if (error ?? written !== group.length) throw error ?? new Error(`Wrote ${written} of ${group.length} bytes`)
    if (syncs) fdatasync(fd, failed => settle(failed, responses))
    else settle(null, responses)
  })
}

const settle = (error: Error | null, responses: readonly ServerResponse[]): void => {
  if (error !== null) throw error
  for (const response of responses) response.writeHead(202, { 'Content-Length': 0 }).end()
  if (pending.length > 0) commit()
  else isCommitting = false
}

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    const target = request.url ?? ''
    const fields = decodeURIComponent(target.slice(target.indexOf('v=') + 2)).split(',')
    append(Buffer.from(fields.join(',')), response)
    return
  }
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const body = Buffer.concat(chunks)
    JSON.parse(body.toString())
    append(body, response)
  })
})

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new TypeError('The baseline has no TCP address')
  process.stdout.write(`${JSON.stringify({ msg: 'baseline is ready', server: `http://127.0.0.1:${address.port}` })}\n`)
})

process.once('SIGTERM', () => {
  server.close(() => closeSync(fd))
  server.closeAllConnections()
})

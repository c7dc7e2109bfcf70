/**
 * The server that Sluice is measured against: `node:http`, one `JSON.parse`, the same bytes appended to one file, and
 * one write and one `fdatasync` for all requests that wait, on a writer thread of its own. It validates nothing, counts
 * nothing and bounds nothing: it is the price of HTTP and of the disk on Node, not something to run. Beside it, the
 * same on `node:net` ({@link createBareHttp}), which is the price of sockets alone, and for Scribe: `node:net`, frames
 * split by their length, their bytes appended, and a fixed answer.
 *
 *     node test/bench/baseline.ts FILE [written]
 *
 * prints `{"msg":"baseline is
 * ready","server":"http://127.0.0.1:PORT","net":"http://127.0.0.1:PORT","scribe":"tcp://…"}`. With `written` no answer
 * waits for the `fdatasync`.
 */
import { closeSync, openSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createNetServer, type Server } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { createBareHttp } from './bare-http.ts'
import { startGroupWriter } from './baseline-writer.ts'
import { scribeOk } from './scribe.ts'

/** More than all connections of a load send at once. */
const maxGroupBytes = 64 << 20

const [file, ack] = process.argv.slice(2)
if (file === undefined) throw new TypeError('Usage: baseline.ts FILE [written]')
const fd = openSync(file, 'a')
const writer = startGroupWriter(fd, ack !== 'written', maxGroupBytes)

let pending: Buffer[] = []
let waiting: (() => void)[] = []
let isCommitting = false

const append = (bytes: Buffer, answer: () => void): void => {
  pending.push(bytes)
  waiting.push(answer)
  if (!isCommitting) void commit()
}

/** Everything that arrives while one group is written and synced, and that is there just then, is the next one. */
const commit = async (): Promise<void> => {
  isCommitting = true
  while (waiting.length > 0) {
    const answers = waiting
    waiting = []
    let length = 0
    for (const bytes of pending) {
      // Into shared memory `set` is ten times as slow.
      writer.bytes.fill(bytes, length, length + bytes.length)
      length += bytes.length
    }
    pending = []
    await writer.commit(length)
    for (const answer of answers) answer()
    await setImmediate()
  }
  isCommitting = false
}

const server = createServer((request, response) => {
  const answer = (): void => void response.writeHead(202, { 'Content-Length': 0 }).end()
  if (request.method === 'GET') {
    const target = request.url ?? ''
    const fields = decodeURIComponent(target.slice(target.indexOf('v=') + 2)).split(',')
    append(Buffer.from(fields.join(',')), answer)
    return
  }
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const body = Buffer.concat(chunks)
    JSON.parse(body.toString())
    append(body, answer)
  })
})

const scribe = createNetServer({ noDelay: true }, socket => {
  let held: Buffer = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk])
    while (held.length >= 4 && held.length >= 4 + held.readInt32BE()) {
      const end = 4 + held.readInt32BE()
      append(held.subarray(0, end), () => socket.write(scribeOk))
      held = held.subarray(end)
    }
  })
  socket.on('error', () => socket.destroy())
})

const net = createBareHttp((body, answer) => {
  JSON.parse(body.toString())
  append(body, answer)
})

const listen = async (listener: Server): Promise<number> => {
  await new Promise<void>(resolve => listener.listen(0, '127.0.0.1', resolve))
  const address = listener.address()
  if (address === null || typeof address === 'string') throw new TypeError('The baseline has no TCP address')
  return address.port
}

const addresses = {
  server: `http://127.0.0.1:${await listen(server)}`,
  net: `http://127.0.0.1:${await listen(net)}`,
  scribe: `tcp://127.0.0.1:${await listen(scribe)}`,
}
process.stdout.write(`${JSON.stringify({ msg: 'baseline is ready', ...addresses })}\n`)

process.once('SIGTERM', () => {
  scribe.close()
  net.close()
  server.close(() => void writer.close().then(() => closeSync(fd)))
  server.closeAllConnections()
})

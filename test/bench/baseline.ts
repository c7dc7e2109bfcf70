/**
 * The server that Sluice is measured against: `node:http`, one `JSON.parse`, the same bytes appended to one file, and
 * one write and one `fdatasync` for all requests that wait. It validates nothing, counts nothing and bounds nothing:
 * it is the price of HTTP and of the disk on Node, not something to run. Beside it, the same for Scribe: `node:net`,
 * frames told apart by their length, their bytes appended, and a fixed answer.
 *
 *     node test/bench/baseline.ts FILE [written]
 *
 * prints `{"msg":"baseline is ready","server":"http://127.0.0.1:PORT","scribe":"tcp://127.0.0.1:PORT"}`. With `written`
 * no answer waits for the `fdatasync`.
 */
import { closeSync, fdatasync, openSync, write } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createNetServer, type Server } from 'node:net'
import { scribeOk } from './scribe.ts'

const [file, ack] = process.argv.slice(2)
if (file === undefined) throw new TypeError('Usage: baseline.ts FILE [written]')
const fd = openSync(file, 'a')
const syncs = ack !== 'written'

let pending: Buffer[] = []
let waiting: (() => void)[] = []
let isCommitting = false

const append = (bytes: Buffer, answer: () => void): void => {
  pending.push(bytes)
  waiting.push(answer)
  if (!isCommitting) commit()
}

/** Everything that arrives during one write and fdatasync is the next group. */
const commit = (): void => {
  isCommitting = true
  const group = Buffer.concat(pending)
  const answers = waiting
  pending = []
  waiting = []
  write(fd, group, 0, group.length, null, (error, written) => {
    if (error ?? written !== group.length) throw error ?? new Error(`Wrote ${written} of ${group.length} bytes`)
    if (syncs) fdatasync(fd, failed => settle(failed, answers))
    else settle(null, answers)
  })
}

const settle = (error: Error | null, answers: readonly (() => void)[]): void => {
  if (error !== null) throw error
  for (const answer of answers) answer()
  if (pending.length > 0) commit()
  else isCommitting = false
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

const listen = async (listener: Server): Promise<number> => {
  await new Promise<void>(resolve => listener.listen(0, '127.0.0.1', resolve))
  const address = listener.address()
  if (address === null || typeof address === 'string') throw new TypeError('The baseline has no TCP address')
  return address.port
}

const addresses = {
  server: `http://127.0.0.1:${await listen(server)}`,
  scribe: `tcp://127.0.0.1:${await listen(scribe)}`,
}
process.stdout.write(`${JSON.stringify({ msg: 'baseline is ready', ...addresses })}\n`)

process.once('SIGTERM', () => {
  scribe.close()
  server.close(() => closeSync(fd))
  server.closeAllConnections()
})

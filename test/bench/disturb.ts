/**
 * Another user of a server, until this process is ended; prints `disturbing` after the first answers.
 *
 *     node test/bench/disturb.ts '{"kind":"poll","url":"http://127.0.0.1:8081"}'
 *
 * `poll` reads, lists and scrapes the management at `url` once a second; `read` gets `url` again and again, and drops
 * it; `look` gets `url` once, and drops what comes of it until it ends.
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'

export type DisturbOptions = { readonly kind: 'poll' | 'read' | 'look'; readonly url: string }

const pollEveryMs = 1_000

const poll = async (url: string): Promise<void> => {
  const { hostname, port } = new URL(url)
  const calls = [
    { jsonrpc: '2.0', id: 1, method: 'read', params: { mbean: '*:*' } },
    { jsonrpc: '2.0', id: 2, method: 'list', params: {} },
  ]
  const body = JSON.stringify(calls)
  const head = `Host: ${hostname}:${port}\r\nConnection: close\r\n`
  const sent = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`
  for (let isFirst = true; ; isFirst = false) {
    await ask(url, `POST /rpc HTTP/1.1\r\n${head}${sent}\r\n${body}`, bytes => {
      if (bytes.includes('"error":{"code"')) throw new Error(`The management answered ${bytes.toString()}`)
    })
    await ask(url, `GET /metrics HTTP/1.1\r\n${head}\r\n`)
    if (isFirst) console.log('disturbing')
    await setTimeout(pollEveryMs)
  }
}

/** @throws Error when an answer is not 200, or breaks off */
const read = async (url: string): Promise<void> => {
  const { hostname, port, pathname, search } = new URL(url)
  const request = `GET ${pathname}${search} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nConnection: close\r\n\r\n`
  for (let isFirst = true; ; isFirst = false) {
    const tail = await ask(url, request, () => {
      if (isFirst) console.log('disturbing')
      isFirst = false
    })
    if (tail !== lastChunk) throw new Error(`${url} broke off`)
  }
}

/** @throws Error when an answer is not 200, or ends */
const look = async (url: string): Promise<void> => {
  const { hostname, port, pathname } = new URL(url)
  let isFirst = true
  await ask(url, `GET ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`, () => {
    if (isFirst) console.log('disturbing')
    isFirst = false
  })
  throw new Error(`${url} ended`)
}

const memory = Buffer.allocUnsafeSlow(256 * 1024)

/**
 * One request over a bare socket, its answer into one piece of memory: this process shares a core with the load, whose
 * latencies must not tell of a parser, or of a collection of garbage, here.
 * @param look gets each piece of the answer; it is overwritten by the next one
 * @returns the end of the answer
 * @throws Error when the answer is not 200
 */
const ask = async (url: string, request: string, look: (bytes: Buffer) => void = () => {}): Promise<string> => {
  const { hostname, port } = new URL(url)
  let isHead = true
  let tail = ''
  const callback = (count: number): boolean => {
    if (isHead) {
      isHead = false
      const status = memory.toString('latin1', 0, Math.min(count, 64)).split('\r\n', 1)[0]
      if (status !== 'HTTP/1.1 200 OK') throw new Error(`${url} answered ${status}`)
    }
    look(memory.subarray(0, count))
    tail = (tail + memory.toString('latin1', Math.max(0, count - lastChunk.length), count)).slice(-lastChunk.length)
    return true
  }
  const socket = connect({ host: hostname, port: Number(port), onread: { buffer: memory, callback } })
  socket.write(request)
  await once(socket, 'close')
  return tail
}

/** What ends a body in chunks. */
const lastChunk = '0\r\n\r\n'

const { kind, url } = JSON.parse(process.argv[2] ?? '') as DisturbOptions
await { poll, read, look }[kind](url)

/**
 * Somebody else at a server, until this process is ended; prints `disturbing` after the first answers.
 *
 *     node test/bench/disturb.ts '{"kind":"poll","url":"http://127.0.0.1:8081"}'
 *
 * `poll` reads, lists and scrapes the management at `url` once a second; `read` gets `url` again and again, and drops it.
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'

export type DisturbOptions = { readonly kind: 'poll' | 'read'; readonly url: string }

const pollEveryMs = 1_000

const poll = async (url: string): Promise<void> => {
  const calls = [
    { jsonrpc: '2.0', id: 1, method: 'read', params: { mbean: '*:*' } },
    { jsonrpc: '2.0', id: 2, method: 'list', params: {} },
  ]
  const body = JSON.stringify(calls)
  for (const first = { isFirst: true }; ; first.isFirst = false) {
    const rpc = await fetch(`${url}/rpc`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    const answers = (await rpc.json()) as readonly { readonly error?: unknown }[]
    const failed = answers.find(({ error }) => error !== undefined)
    if (failed) throw new Error(`The management answered ${JSON.stringify(failed.error)}`)
    const metrics = await fetch(`${url}/metrics`)
    if (!metrics.ok) throw new Error(`/metrics answered ${metrics.status}`)
    await metrics.text()
    if (first.isFirst) console.log('disturbing')
    await setTimeout(pollEveryMs)
  }
}

/**
 * Over a bare socket, into one piece of memory: this process shares a core with the load, whose latencies must not tell
 * of a collection of garbage here.
 * @throws Error when an answer is not 200, or breaks off
 */
const read = async (url: string): Promise<void> => {
  const { hostname, port, pathname, search } = new URL(url)
  const request = `GET ${pathname}${search} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nConnection: close\r\n\r\n`
  const memory = Buffer.allocUnsafeSlow(256 * 1024)
  for (let isFirst = true; ; isFirst = false) {
    let isHead = true
    let tail = ''
    const callback = (count: number): boolean => {
      if (isHead) {
        isHead = false
        const status = memory.toString('latin1', 0, Math.min(count, 64)).split('\r\n', 1)[0]
        if (status !== 'HTTP/1.1 200 OK') throw new Error(`${url} answered ${status}`)
        if (isFirst) console.log('disturbing')
      }
      tail = (tail + memory.toString('latin1', Math.max(0, count - lastChunk.length), count)).slice(-lastChunk.length)
      return true
    }
    const socket = connect({ host: hostname, port: Number(port), onread: { buffer: memory, callback } })
    socket.write(request)
    await once(socket, 'close')
    if (tail !== lastChunk) throw new Error(`${url} broke off`)
  }
}

/** What ends a body in chunks. */
const lastChunk = '0\r\n\r\n'

const { kind, url } = JSON.parse(process.argv[2] ?? '') as DisturbOptions
await (kind === 'poll' ? poll(url) : read(url))

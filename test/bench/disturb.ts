/**
 * Somebody else at a server, until this process is ended; prints `disturbing` after the first answers.
 *
 *     node test/bench/disturb.ts '{"kind":"poll","url":"http://127.0.0.1:8081"}'
 *
 * `poll` reads, lists and scrapes the management at `url` once a second; `read` gets `url` again and again, and drops it.
 */
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
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

/** By `node:http`: this process shares a core with the load, and takes no more of it than it must. */
const read = async (url: string): Promise<void> => {
  for (let isFirst = true; ; isFirst = false) {
    const [answer] = (await once(get(url), 'response')) as [IncomingMessage]
    if (answer.statusCode !== 200) throw new Error(`${url} answered ${answer.statusCode}`)
    if (isFirst) console.log('disturbing')
    answer.resume()
    await once(answer, 'end')
  }
}

const { kind, url } = JSON.parse(process.argv[2] ?? '') as DisturbOptions
await (kind === 'poll' ? poll(url) : read(url))

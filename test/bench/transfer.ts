/**
 * Requests to a gateway from a process of its own, each connection one after the other; bodies are counted and dropped.
 *
 *     node test/bench/transfer.ts '{"url":"http://127.0.0.1:8080/…","method":"GET","requests":10}'
 *
 * prints a {@link TransferResult} as one line of JSON.
 */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { Agent as TlsAgent, request as tlsRequest } from 'node:https'

/** What to send, and how often. */
export type TransferOptions = {
  readonly url: string
  readonly method: 'GET' | 'POST'
  /** File of the certificate that the server may have signed by itself. */
  readonly ca?: string
  readonly headers?: Readonly<Record<string, string>>
  /** JSON text that is sent with a POST. */
  readonly body?: string
  /** Bytes that are sent with a POST instead of `body`, in pieces of 64 KiB. */
  readonly uploadBytes?: number
  readonly requests: number
}

/** Latencies in ms, from the request to the last byte of its answer. */
export type TransferResult = {
  /** Of all bodies of answers. */
  readonly bytes: number
  readonly seconds: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
}

const pieceBytes = 65_536

const run = async (options: TransferOptions): Promise<TransferResult> => {
  const latencies: number[] = []
  const send = createSender(options)
  const startedAt = performance.now()
  let bytes = 0
  for (let i = 0; i < options.requests; i++) {
    const sentAt = performance.now()
    bytes += await send()
    latencies.push(performance.now() - sentAt)
  }
  return {
    bytes,
    seconds: (performance.now() - startedAt) / 1_000,
    p50Ms: toPercentile(latencies, 0.5),
    p99Ms: toPercentile(latencies, 0.99),
    maxMs: Math.max(...latencies),
  }
}

const toPercentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(share * values.length) - 1)] ?? 0

const createSender = ({ url, method, ca, headers = {}, body = '', uploadBytes }: TransferOptions) => {
  const isTls = url.startsWith('https:')
  const agent = isTls ? new TlsAgent({ keepAlive: true }) : new Agent({ keepAlive: true })
  const length = uploadBytes ?? Buffer.byteLength(body)
  const sent = method === 'POST' ? { 'content-length': length } : {}
  const common = { method, agent, headers: { ...headers, ...sent } }
  const piece = Buffer.alloc(pieceBytes, 'lorem ipsum dolor sit amet consectetur\n')
  return async (): Promise<number> => {
    const outgoing = isTls
      ? tlsRequest(url, { ...common, ...(ca === undefined ? {} : { ca: readFileSync(ca) }) })
      : request(url, common)
    const answer = once(outgoing, 'response')
    answer.catch(() => {})
    for (let left = uploadBytes ?? 0; left > 0; left -= pieceBytes) {
      if (!outgoing.write(piece.subarray(0, Math.min(left, pieceBytes))))
        await Promise.race([once(outgoing, 'drain'), answer])
    }
    outgoing.end(body)
    const [incoming] = (await answer) as [IncomingMessage]
    return drain(incoming, url)
  }
}

const drain = async (incoming: IncomingMessage, url: string): Promise<number> => {
  let bytes = 0
  let head = ''
  const isGood = (incoming.statusCode ?? 0) < 300
  incoming.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (!isGood) head += chunk.toString('utf8', 0, 500)
  })
  await once(incoming, 'end')
  if (!isGood) throw new Error(`${url} was answered with ${incoming.statusCode}: ${head.slice(0, 500)}`)
  return bytes
}

process.stdout.write(`${JSON.stringify(await run(JSON.parse(process.argv[2] ?? '')))}\n`)
// Connections that are kept alive would keep this process.
process.exit(0)

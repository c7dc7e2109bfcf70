/**
 * Requests to a gateway from a process of its own, those of a connection one after the other; bodies are counted and
 * dropped, a 307 is followed.
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
  /** A `*` in it is replaced by the number of a file, from 0 on in turn. */
  readonly url: string
  /** Files that there are. @default 1 */
  readonly files?: number
  readonly method: 'GET' | 'POST'
  /** File of the certificate that the server may have signed by itself. */
  readonly ca?: string
  readonly headers?: Readonly<Record<string, string>>
  /** JSON text that is sent with a POST. */
  readonly body?: string
  /** Bytes that are sent with a POST instead of `body`, in pieces of 64 KiB. */
  readonly uploadBytes?: number
  /** Length that each answer has to have. @default any */
  readonly answerBytes?: number
  /** @default 1 */
  readonly connections?: number
  /** Of all connections together. */
  readonly requests: number
  /** Takes the place of `requests`: how long it runs, after `warmUpMs` that do not count. */
  readonly durationMs?: number
  /** @default 0 */
  readonly warmUpMs?: number
}

/** Latencies in ms, from the request to the last byte of its answer. */
export type TransferResult = {
  /** Of all bodies of answers. */
  readonly bytes: number
  readonly seconds: number
  /** Those that count. */
  readonly requests: number
  /** Those of the warm-up, too. */
  readonly allRequests: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
}

const pieceBytes = 65_536

const run = async (options: TransferOptions): Promise<TransferResult> => {
  const { connections = 1, durationMs, warmUpMs = 0 } = options
  const latencies: number[] = []
  const send = createSender(options)
  const countedFrom = performance.now() + warmUpMs
  const until = durationMs === undefined ? Number.POSITIVE_INFINITY : countedFrom + durationMs
  const most = durationMs === undefined ? options.requests : Number.POSITIVE_INFINITY
  let sent = 0
  let bytes = 0
  const work = async (): Promise<void> => {
    for (let sentAt = performance.now(); sent < most && sentAt < until; ) {
      const length = await send(sent++)
      const answeredAt = performance.now()
      if (sentAt >= countedFrom) {
        bytes += length
        latencies.push(answeredAt - sentAt)
      }
      sentAt = answeredAt
    }
  }
  await Promise.all(Array.from({ length: connections }, work))
  if (latencies.length === 0) throw new Error(`${options.url}: no request was sent in the time that counts`)
  const sorted = latencies.toSorted((a, b) => a - b)
  return {
    bytes,
    seconds: (performance.now() - countedFrom) / 1_000,
    requests: latencies.length,
    allRequests: sent,
    p50Ms: toPercentile(sorted, 0.5),
    p99Ms: toPercentile(sorted, 0.99),
    maxMs: toPercentile(sorted, 1),
  }
}

const toPercentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0

const createSender = (options: TransferOptions): ((number: number) => Promise<number>) => {
  const { url, files = 1, method, ca, headers = {}, body = '', uploadBytes, answerBytes } = options
  const isTls = url.startsWith('https:')
  const agent = isTls ? new TlsAgent({ keepAlive: true }) : new Agent({ keepAlive: true })
  const length = uploadBytes ?? Buffer.byteLength(body)
  const sent = method === 'POST' ? { 'content-length': length } : {}
  const common = { method, agent, headers: { ...headers, ...sent } }
  const piece = Buffer.alloc(pieceBytes, 'lorem ipsum dolor sit amet consectetur\n')
  const ask = async (address: string): Promise<IncomingMessage> => {
    const outgoing = isTls
      ? tlsRequest(address, { ...common, ...(ca === undefined ? {} : { ca: readFileSync(ca) }) })
      : request(address, common)
    const answer = once(outgoing, 'response')
    answer.catch(() => {})
    for (let left = uploadBytes ?? 0; left > 0; left -= pieceBytes) {
      if (!outgoing.write(piece.subarray(0, Math.min(left, pieceBytes))))
        await Promise.race([once(outgoing, 'drain'), answer])
    }
    outgoing.end(body)
    const [incoming] = (await answer) as [IncomingMessage]
    return incoming
  }
  return async number => {
    const address = url.replace('*', String(number % files))
    let incoming = await ask(address)
    // A NameNode names the DataNode that has the file.
    if (incoming.statusCode === 307) {
      incoming.resume()
      await once(incoming, 'end')
      incoming = await ask(incoming.headers.location ?? '')
    }
    const bytes = await drain(incoming, address)
    if (bytes === (answerBytes ?? bytes)) return bytes
    throw new Error(`${address} was answered with ${bytes} bytes, not ${answerBytes}`)
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

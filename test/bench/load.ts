/**
 * Load on one server from a process of its own: connections that each send a request, wait for the answer, and send
 * the next. Requests are made beforehand and answers are hardly looked at, so that the generator is never the limit.
 *
 *     node test/bench/load.ts '{"port":8080,"pid":1,"kind":"post","connections":128,"warmUpMs":1000,"durationMs":5000}'
 *
 * prints a {@link LoadResult} as one line of JSON.
 */
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { answersOf } from './answers.ts'
import { createRequests, eventsOf, type RequestKind, type Shape } from './events.ts'
import { createHistogram } from './histogram.ts'
import { readCpuSeconds } from './proc.ts'

/** What to send, and for how long. */
export type LoadOptions = {
  readonly port: number
  /** The server's process, for the CPU time that it and its readers take. */
  readonly pid: number
  readonly kind: RequestKind
  readonly shape?: Shape
  readonly connections: number
  /** Addresses of this machine that connections come from, in turn. @default one that the system chooses */
  readonly from?: readonly string[]
  /**
   * Requests/s of all connections together: each then has its times to send at, and a request that had to wait for the
   * answer before it counts from its time on. @default as fast as answers arrive
   */
  readonly requestsPerSecond?: number
  /** Answers of this first time do not count. */
  readonly warmUpMs: number
  readonly durationMs: number
}

/** Answers during the measurement; latencies in ms, from the write of a request to the end of its answer. */
export type LoadResult = {
  readonly requestsPerSecond: number
  readonly eventsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
  /** CPU time of the server with its readers, all their threads, per event in µs; 0 where the system does not tell. */
  readonly cpuUs: number
  /** Share (0 to 1) of the answers that were a 503, as under overload, or a 429, of a sender over its quota: they count neither as events nor as latencies. */
  readonly refusedShare: number
  /** Answers that are neither good nor one of those, over the whole time; must be 0. */
  readonly failures: number
  /** The first of them. */
  readonly firstFailure: string
}

const host = '127.0.0.1'
const maxAnswerBytes = 65_536

const run = async (options: LoadOptions): Promise<LoadResult> => {
  const answers = answersOf(options.kind)
  const requests = createRequests(options.kind, `${host}:${options.port}`, options.shape)
  const eventsPerRequest = eventsOf(options.kind, options.shape)
  const latencies = createHistogram()
  const startedAt = performance.now()
  const countsFrom = startedAt + options.warmUpMs
  const endsAt = countsFrom + options.durationMs
  let next = 0
  let refused = 0
  let failures = 0
  let firstFailure = ''
  /** A good answer always has this length; learnt from the first one that was looked at. */
  let goodLength = -1

  const everyMs =
    options.requestsPerSecond === undefined ? 0 : (options.connections * 1_000) / options.requestsPerSecond

  const talk = (_: unknown, connection: number): Promise<void> =>
    new Promise((resolve, reject) => {
      let sentAt = 0
      let dueAt = startedAt + (everyMs * connection) / options.connections
      let partial: Buffer | undefined
      const send = (): void => {
        if (everyMs > 0) {
          dueAt += everyMs
          const now = performance.now()
          // A late timer of this process is not the server's fault.
          if (dueAt > now) return void globalThis.setTimeout(sendNow, dueAt - now)
        }
        sendNow(dueAt)
      }
      const sendNow = (since?: number): void => {
        sentAt = everyMs > 0 && since !== undefined ? since : performance.now()
        const request = requests[next++ % requests.length]
        if (request !== undefined) socket.write(request)
      }
      const settle = (isRefused = false): void => {
        const now = performance.now()
        if (now >= countsFrom && now < endsAt) {
          if (isRefused) refused++
          else latencies.record(now - sentAt)
        }
        if (now < endsAt) send()
        else {
          resolve()
          socket.destroy()
        }
      }
      const look = (bytes: Buffer): void => {
        partial = partial === undefined ? Buffer.from(bytes) : Buffer.concat([partial, bytes])
        const answer = answers.parse(partial)
        if (answer === undefined) return
        if (answer === 'good') goodLength = partial.length
        else if (answer === 'bad' && failures++ === 0) firstFailure = partial.toString('latin1').slice(0, 500)
        partial = undefined
        settle(answer === 'refused')
      }
      const onBytes = (length: number, buffer: Uint8Array): boolean => {
        const isUsual = partial === undefined && length === goodLength && answers.isUsual(buffer)
        if (isUsual) settle()
        else look(Buffer.from(buffer.subarray(0, length)))
        return true
      }
      const localAddress = options.from?.[connection % options.from.length]
      const from = localAddress === undefined ? {} : { localAddress }
      const socket = connect({
        host,
        port: options.port,
        ...from,
        noDelay: true,
        onread: { buffer: shared, callback: onBytes },
      })
      socket.once('connect', send)
      socket.once('error', reject)
      socket.once('close', () => reject(new Error('The server closed a connection')))
    })

  // Read and done with before the next one: all connections share it.
  const shared = new Uint8Array(maxAnswerBytes)
  const cpuUsed = measureCpu(options)
  await Promise.all(Array.from({ length: options.connections }, talk))
  const requestsPerSecond = (latencies.count * 1_000) / options.durationMs
  return {
    requestsPerSecond,
    eventsPerSecond: requestsPerSecond * eventsPerRequest,
    p50Ms: latencies.percentile(0.5),
    p99Ms: latencies.percentile(0.99),
    maxMs: latencies.max,
    cpuUs: ((await cpuUsed) * 1e6) / Math.max(1, latencies.count * eventsPerRequest),
    refusedShare: refused / Math.max(1, refused + latencies.count),
    failures,
    firstFailure,
  }
}

/** CPU seconds that the server takes from the end of the warm-up to the end. */
const measureCpu = async ({ pid, warmUpMs, durationMs }: LoadOptions): Promise<number> => {
  await setTimeout(warmUpMs)
  const before = readCpuSeconds(pid)
  await setTimeout(durationMs)
  return readCpuSeconds(pid) - before
}

process.stdout.write(`${JSON.stringify(await run(JSON.parse(process.argv[2] ?? '')))}\n`)

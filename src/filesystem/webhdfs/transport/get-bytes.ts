// node:net
/**
 * A `GET` to a data node, or a store, on a connection of its own: a data node closes it anyway. Neither by `fetch`, which ends
 * the process when that happens without an active read (nodejs/undici#5360), nor by `node:http`, which copies each
 * piece of a body: the socket's bytes go into reused memory, and are passed on from there.
 */
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { Inflow } from '../../../bytes/inflow.ts'
import { lend, release } from '../../../bytes/slabs.ts'
import { startTimeout } from '../../../runtime/timers.ts'
import { toTraceHeaders } from '../../../tracing/current-trace.ts'
import { createPacedSlabs, type PacedSlabs } from '../../cluster/paced-slabs.ts'
import type { Asked, Reply } from './answer.ts'
import { type AnswerHead, parseAnswerHead } from './answer-head.ts'
import { type ChunkedBody, createChunkedBody } from './chunked-body.ts'

/**
 * A body of an announced length ends with the connection, if not before: its reader counts.
 * @param expected bytes, if known: a few do not need much memory
 * @param headers more of the request, in lower case
 */
export const getBytes = (
  location: URL,
  expected: number | undefined,
  headers: Readonly<Record<string, string>> = {},
): Asked => {
  const { promise: answer, resolve, reject } = Promise.withResolvers<Reply>()
  const receiver = new Receiver({ location, expected, headers }, { onAnswer: resolve, onError: reject })
  return { answer, stop: error => receiver.destroy(error) }
}

/** Bytes of one read. Few for small bodies. A reader that stops before many have arrived costs little. */
const slabBytes = { few: 16 * 1024, usual: 64 * 1024 } as const
const fewBytes = 8 * 1024

type Wanted = {
  readonly location: URL
  readonly expected: number | undefined
  readonly headers: Readonly<Record<string, string>>
}

type ReceiverEvents = {
  readonly onAnswer: (answer: Reply) => void
  /** There is no answer, or its body ends here; a second call has no effect. */
  readonly onError: (error: Error) => void
}

class Receiver {
  readonly #events: ReceiverEvents
  readonly #socket: Socket
  readonly #inflow: Inflow
  readonly #slabs: PacedSlabs
  #isPaused = false
  /** The start of a head that arrived in pieces. */
  #before: Buffer | undefined
  #takeBody: ((bytes: Buffer) => void) | undefined
  #isChunked = false

  constructor({ location, expected, headers }: Wanted, events: ReceiverEvents) {
    this.#events = events
    this.#slabs = createPacedSlabs(expected !== undefined && expected <= fewBytes ? slabBytes.few : slabBytes.usual)
    this.#socket = open(location, { buffer: () => this.#slabs.next(), callback: length => this.#onRead(length) })
    this.#inflow = new Inflow({
      pause: () => {
        this.#isPaused = true
      },
      resume: () => {
        this.#isPaused = false
        this.#socket.resume()
      },
      cancel: () => void this.#socket.destroy(),
    })
    this.#socket.on('error', error => this.#fail(error))
    this.#socket.on('close', () => {
      this.#slabs.close()
      if (this.#takeBody && !this.#isChunked) this.#inflow.end()
      else this.#fail(closed())
    })
    this.#socket.write(toRequest(location, headers))
  }

  destroy(error: Error): void {
    this.#socket.destroy(error)
  }

  /** @returns whether to read on */
  #onRead(length: number): boolean {
    const bytes = this.#slabs.filled(length)
    if (this.#takeBody) this.#takeBody(bytes)
    else this.#readHead(bytes)
    const { waitMs } = this.#slabs
    if (this.#isPaused) return false
    if (waitMs === 0) return true
    startTimeout(() => {
      if (!this.#isPaused) this.#socket.resume()
    }, waitMs)
    return false
  }

  #readHead(last: Buffer): void {
    const all = this.#before ? Buffer.concat([this.#before, last]) : last
    const parsed = parseAnswerHead(all)
    if (parsed === 'malformed') this.destroy(notHttp())
    else if (parsed === 'incomplete') this.#before = Buffer.from(all)
    else {
      const { head, end } = parsed
      this.#takeBody = this.#toTakeBody(head)
      this.#events.onAnswer({ ...head, body: this.#inflow })
      const rest = all.subarray(end)
      this.#takeBody(all === last ? lend(rest, last) : rest)
    }
    release(last)
  }

  /** The bytes after a head, in the way that the head says (RFC 9112, section 6.3). */
  #toTakeBody(head: AnswerHead): (bytes: Buffer) => void {
    this.#isChunked = head.headers['transfer-encoding'] !== undefined
    if (this.#isChunked) {
      const body = createChunkedBody()
      return bytes => this.#takeChunked(body, bytes)
    }
    let left = Number(head.headers['content-length'] ?? Number.POSITIVE_INFINITY)
    return bytes => {
      const some = bytes.length > left ? lend(bytes.subarray(0, left), bytes) : bytes
      left -= some.length
      this.#hand(some)
      if (some !== bytes) release(bytes)
      if (left === 0) this.#finish()
    }
  }

  #takeChunked(body: ChunkedBody, bytes: Buffer): void {
    const hasMore = body.take(bytes, part => this.#hand(lend(part, bytes)))
    release(bytes)
    if (hasMore === undefined) this.destroy(notHttp())
    else if (!hasMore) this.#finish()
  }

  #hand(bytes: Buffer): void {
    if (bytes.length > 0) this.#inflow.push(bytes)
    else release(bytes)
  }

  #finish(): void {
    this.#inflow.end()
    this.#socket.destroy()
  }

  #fail(error: Error): void {
    this.#inflow.fail(error)
    this.#events.onError(error)
  }
}

type OnRead = { readonly buffer: () => Uint8Array; readonly callback: (length: number) => boolean }

const open = ({ protocol, hostname, port }: URL, onread: OnRead): Socket => {
  const host = hostname.replace(/^\[|\]$/g, '')
  if (protocol !== 'https:') return connect({ host, port: Number(port || 80), onread })
  // Only names can be asked for by name (RFC 6066, section 3). Node's types do not know `onread` here.
  const options = { host, port: Number(port || 443), onread, servername: isIP(host) === 0 ? host : '' }
  return connectTls({ ...options, ALPNProtocols: ['http/1.1'] })
}

const toRequest = ({ pathname, search, host }: URL, more: Wanted['headers']): string => {
  const own = { host, 'accept-encoding': 'identity', connection: 'close' }
  const lines = Object.entries({ ...more, ...toTraceHeaders(), ...own }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `GET ${pathname}${search} HTTP/1.1\r\n${lines.join('')}\r\n`
}

const closed = (): Error => Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' })

const notHttp = (): Error => Object.assign(new Error('the answer is not HTTP'), { code: 'HPE_INVALID' })

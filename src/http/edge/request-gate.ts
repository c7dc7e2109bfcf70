// node-only: works on the sockets of Node's server
import { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { exclusive, release } from '../../bytes/slabs.ts'
import { SluiceError } from '../../errors.ts'
import { type EdgeLimits, smallHeadBytes } from '../limits.ts'
import { answerClientError } from './client-error.ts'
import { type MessageEnd, MessageScan } from './message-scan.ts'

/** Lets one request of a connection after the other to the parser. */
export type RequestGate = {
  /** To be called when the server's own reader has the connection, and no byte of it yet. */
  watch(socket: Socket): void
  /** The class of the server's answers: each request that its parser finds makes one, whatever becomes of it. */
  readonly ServerResponse: typeof ServerResponse
}

/**
 * `node:http` parses and begins every request that has arrived on a connection: a few KB that ask a thousand times for
 * a large document are as many answers in memory when the client reads none. So the bytes after a request stay with the
 * socket, unread, until its answer has gone to the system, and a client that does not read is not read from.
 *
 * Characters beyond ASCII in a request line, in UTF-8 or not, are escaped on the way: no URI has them (RFC 3986), and
 * Node's parser refuses them, but browsers, `curl` and Hadoop's clients send them.
 */
export const createRequestGate = ({ maxBegunHeadBytes }: Pick<EdgeLimits, 'maxBegunHeadBytes'>): RequestGate => {
  const gates = new WeakMap<Socket, Gate>()
  const begun: BegunHeads = { bytes: 0, maxBytes: maxBegunHeadBytes }
  class GatedResponse extends ServerResponse {
    constructor(...given: ConstructorParameters<typeof ServerResponse>) {
      super(...given)
      gates.get(given[0].socket)?.begun(this)
    }
  }
  return {
    watch: socket => void gates.set(socket, new Gate(socket, begun)),
    ServerResponse: GatedResponse as typeof ServerResponse,
  }
}

type Reader = (bytes: Buffer) => void

/** What the connections of a listener hold together of heads that have not arrived whole. */
type BegunHeads = { bytes: number; readonly maxBytes: number }

class Gate {
  readonly #socket: Socket
  readonly #readers: readonly Reader[]
  readonly #scan = new MessageScan()
  readonly #begun: BegunHeads
  /** Of the head that has begun. */
  #headBytes = 0
  /** Of the request that is in work. */
  #answer: ServerResponse | undefined
  #isHolding = false

  constructor(socket: Socket, begun: BegunHeads) {
    this.#socket = socket
    this.#begun = begun
    this.#readers = socket.listeners('data') as Reader[]
    socket.removeAllListeners('data')
    socket.on('data', this.#onData).on('close', () => this.#countHead(0))
  }

  /** A request has its head. */
  begun(answer: ServerResponse): void {
    // The parser saw an end where none is: what follows may be anything.
    if (this.#answer !== undefined) this.#socket.destroy()
    this.#answer = answer
    answer.once('close', this.#onAnswered)
  }

  readonly #onData = (bytes: Buffer): void => {
    const socket = this.#socket
    for (let at = 0; at < bytes.length; ) {
      // Answered for the last time, or refused: the rest is ignored.
      if (socket.destroyed || !socket.writable) return
      if (this.#scan.part === 'whole' && this.#answer !== undefined) {
        this.#isHolding = true
        socket.pause()
        socket.unshift(bytes.subarray(at))
        return
      }
      at = this.#pass(bytes, at)
    }
    // The parser has copied what it keeps: uploads need not wait for garbage collection.
    release(exclusive(bytes))
  }

  /** @returns where the bytes end that the parser has got */
  #pass(bytes: Buffer, at: number): number {
    const scan = this.#scan
    const { part } = scan
    const end = scan.next(bytes, at)
    if (end === at) return end
    if (part === 'line' || part === 'fields') {
      this.#countHead(scan.part === 'body' ? 0 : this.#headBytes + end - at)
      if (this.#headBytes > smallHeadBytes && this.#begun.bytes > this.#begun.maxBytes) {
        answerClientError(tooManyBegun, this.#socket)
        return bytes.length
      }
    }
    const piece = at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end)
    const passed = part === 'line' ? escapeTarget(piece) : piece
    for (const reader of this.#readers) reader.call(this.#socket, passed)
    if (part === 'fields' && scan.part === 'body') scan.beginBody(toBodyEnd(this.#answer))
    return end
  }

  #countHead(bytes: number): void {
    this.#begun.bytes += bytes - this.#headBytes
    this.#headBytes = bytes
  }

  readonly #onAnswered = (): void => {
    this.#answer = undefined
    if (!this.#isHolding) return
    this.#isHolding = false
    if (!this.#socket.destroyed) this.#socket.resume()
  }
}

const tooManyBegun = new SluiceError('overloaded', 'Too many requests with large headers are in progress; retry later')

/** Without an answer the head was refused. */
const toBodyEnd = (answer: ServerResponse | undefined): MessageEnd => {
  if (answer === undefined) return 0
  const { 'transfer-encoding': coding, 'content-length': length } = answer.req.headers
  return coding === undefined ? Number(length ?? 0) : 'chunked'
}

const escapeTarget = (line: Buffer): Buffer => {
  if (line.every(byte => byte < 0x80)) return line
  const escaped = line
    .toString('latin1')
    .replaceAll(/[\x80-\xff]/g, char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
  return Buffer.from(escaped, 'latin1')
}

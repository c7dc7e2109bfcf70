// node:net
/**
 * A connection that is read by exact numbers of bytes, as protocols want it in which lengths stand in front. What arrives
 * is kept, in memory that is used again, until it is asked for; beyond a window of it the other side waits.
 */
import { connect, type Socket } from 'node:net'
import { createSlabs, release } from '../../../bytes/slabs.ts'
import { FormatError } from '../../../errors.ts'
import { startTimeout } from '../../../runtime/timers.ts'
import { connectTimeout } from '../../cluster/remote-exception.ts'
import { KeptBytes } from './kept-bytes.ts'
import type { Protection } from './protection.ts'

/** Where a node listens. */
export type NodeAddress = { readonly host: string; readonly port: number }

/** `host:port`, for messages. */
export const nodeName = ({ host, port }: NodeAddress): string => `${host.includes(':') ? `[${host}]` : host}:${port}`

/** What waits here to be read; a read of more is let in. */
const windowBytes = 512 * 1024
/** What waits here to be sent before a writer should wait. */
const sendBytes = 512 * 1024
const slabBytes = 256 * 1024

/** How long the other side may take to let a connection in. */
const defaultConnectMs = 10_000

type Wanted = { readonly length: number; resolve(bytes: Buffer): void; reject(error: Error): void }

export class ExactSocket {
  readonly address: NodeAddress
  readonly #socket: Socket
  readonly #slabs = createSlabs(slabBytes)
  readonly #closed = Promise.withResolvers<Error>()
  readonly #kept = new KeptBytes()
  #isPaused = false
  #wanted: Wanted | undefined
  #end: Error | undefined
  #isConnected = false
  #protection: Protection | undefined

  /** @param connectMs how long the other side may take to let the connection in, for tests */
  constructor(address: NodeAddress, connectMs: number = defaultConnectMs) {
    this.address = address
    const { host, port } = address
    const onread = { buffer: () => this.#slabs.next(), callback: (length: number) => this.#onRead(length) }
    this.#socket = connect({ host, port, noDelay: true, onread })
    const timer = startTimeout(() => this.destroy(withCode('it took too long to connect', connectTimeout)), connectMs)
    this.#socket.once('connect', () => {
      this.#isConnected = true
      clearTimeout(timer)
    })
    this.#socket.on('error', error => this.#onEnd(error))
    this.#socket.on('close', () => {
      clearTimeout(timer)
      this.#onEnd(withCode('the connection was closed', 'ECONNRESET'))
    })
  }

  /** Whether it can be written to. */
  get isOpen(): boolean {
    return this.#end === undefined
  }

  /** Whether the other side has ever let it in. */
  get wasConnected(): boolean {
    return this.#isConnected
  }

  /** Resolves with the reason when it ends, on either side. */
  get closed(): Promise<Error> {
    return this.#closed.promise
  }

  /** The next bytes, lent: they stay until they are released. One call at a time. @throws Error the connection ended before */
  read(length: number): Buffer | Promise<Buffer> {
    if (this.#kept.length >= length) return this.#take(length)
    if (this.#end) throw this.#end
    return new Promise((resolve, reject) => {
      this.#wanted = { length, resolve, reject }
      this.#resume()
    })
  }

  /** A length as a varint, and so many bytes. @throws Error more than `maxBytes`; the connection ended before */
  async readDelimited(maxBytes: number): Promise<Buffer> {
    let length = 0
    for (let scale = 1; ; scale *= 128) {
      const one = await this.read(1)
      const byte = one[0] ?? 0
      release(one)
      length += (byte & 0x7f) * scale
      if (length > maxBytes || scale > 2 ** 28) throw new RangeError(`a message of more than ${maxBytes} bytes`)
      if (byte < 0x80) return await this.read(length)
    }
  }

  /** All bytes from here on are protected. @throws FormatError some of them have arrived already */
  protect(protection: Protection): void {
    if (this.hasRest) throw new FormatError('SASL', 0, `${this.#kept.length} bytes behind its end`)
    this.#protection = protection
  }

  /** Sends all parts in one step of the system where it takes them. `taken` is called when it has. */
  write(parts: readonly Uint8Array[], taken?: () => void): void {
    const sent = this.#protection?.seal(parts) ?? parts
    const last = sent.length - 1
    this.#socket.cork()
    for (const [at, part] of sent.entries()) {
      if (at === last && taken) this.#socket.write(part, taken)
      else this.#socket.write(part)
    }
    this.#socket.uncork()
  }

  /** Whether enough waits to be sent. */
  get isFull(): boolean {
    return this.#socket.writableLength >= sendBytes
  }

  /** Resolves when everything was sent, or the connection has ended. */
  drained(): Promise<void> {
    if (this.#socket.writableLength === 0 || this.#end) return Promise.resolve()
    return new Promise(resolve => {
      const done = (): void => {
        this.#socket.off('drain', done)
        this.#socket.off('close', done)
        resolve()
      }
      this.#socket.once('drain', done)
      this.#socket.once('close', done)
    })
  }

  /** Nothing is expected for a while: it does not keep the process. Its memory it keeps: the next read goes there already. */
  rest(): void {
    this.#kept.rest()
    this.#socket.unref()
  }

  /** It is in use again. */
  wake(): void {
    this.#socket.ref()
  }

  /** Whether bytes arrived unasked. */
  get hasRest(): boolean {
    return this.#kept.length > 0
  }

  /** Ends it at once; what arrived and was not read is let go. */
  destroy(reason: Error): void {
    this.#onEnd(reason)
    this.#socket.destroy()
    this.#kept.clear()
  }

  /** @returns whether to read on */
  #onRead(length: number): boolean {
    const bytes = this.#slabs.filled(length)
    if (this.#protection === undefined) this.#kept.add(bytes)
    else this.#open(bytes, this.#protection)
    const wanted = this.#wanted
    if (wanted && this.#kept.length >= wanted.length) {
      this.#wanted = undefined
      wanted.resolve(this.#take(wanted.length))
    }
    this.#isPaused = this.#kept.length >= windowBytes && this.#wanted === undefined
    return !this.#isPaused
  }

  #open(bytes: Buffer, protection: Protection): void {
    try {
      for (const one of protection.open(bytes)) this.#kept.add(one)
    } catch (error) {
      this.destroy(error instanceof Error ? error : new Error(String(error)))
    } finally {
      release(bytes)
    }
  }

  #resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#socket.resume()
  }

  #take(length: number): Buffer {
    const bytes = this.#kept.take(length)
    if (this.#isPaused && this.#kept.length < windowBytes / 2) this.#resume()
    return bytes
  }

  #onEnd(reason: Error): void {
    if (this.#end) return
    this.#end = reason
    this.#wanted?.reject(reason)
    this.#wanted = undefined
    this.#slabs.close()
    this.#kept.rest()
    this.#closed.resolve(reason)
  }
}

const withCode = (message: string, code: string): Error => Object.assign(new Error(message), { code })

// node:net
/**
 * A connection that is read by exact numbers of bytes, for protocols with leading lengths. Incoming bytes are kept, in
 * reused memory, until they are asked for and copied; beyond a window of it the other side waits.
 */
import { connect, type Socket } from 'node:net'
import { release } from '../../../bytes/slabs.ts'
import { asError, FormatError } from '../../../errors.ts'
import { startTimeout } from '../../../runtime/timers.ts'
import { createPacedSlabs } from '../../cluster/paced-slabs.ts'
import { connectTimeout } from '../../cluster/remote-exception.ts'
import { KeptBytes } from './kept-bytes.ts'
import { ProtectedBytes } from './protected-bytes.ts'
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

type Wanted = { readonly length: number; resolve(): void; reject(error: Error): void }

export class ExactSocket {
  readonly address: NodeAddress
  readonly #socket: Socket
  readonly #slabs = createPacedSlabs(slabBytes)
  readonly #closed = Promise.withResolvers<Error>()
  readonly #kept = new KeptBytes()
  /** Why nothing is read: enough has arrived, or more has to arrive before. */
  #isPaused = false
  #isWaiting = false
  #wanted: Wanted | undefined
  #end: Error | undefined
  #isConnected = false
  #protected: ProtectedBytes | undefined

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
    this.#socket.on('error', error => this.#endLater(error))
    this.#socket.on('close', () => {
      clearTimeout(timer)
      this.#endLater(withCode('the connection was closed', 'ECONNRESET'))
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

  /** The next bytes. One call at a time. @throws Error the connection ended before */
  read(length: number): Buffer | Promise<Buffer> {
    if (this.#kept.length >= length) return this.#take(length)
    return this.#until(length).then(() => this.#take(length))
  }

  /** The next bytes, as many as fit, into `target`; `onPart` is called for each part. One call at a time. */
  async readInto(target: Uint8Array, onPart: () => void = () => {}): Promise<void> {
    for (let at = 0; ; ) {
      at += this.#kept.moveTo(at === 0 ? target : target.subarray(at))
      this.#goOn()
      if (at === target.length) return
      if (at > 0) onPart()
      await this.#until(1)
    }
  }

  /** All bytes from here on are protected. @throws FormatError some of them have arrived already */
  protect(protection: Protection): void {
    if (this.hasRest) throw new FormatError('SASL', 0, `${this.#kept.length} bytes behind its end`)
    const receive = (opened: Buffer): void => {
      this.#kept.add(opened)
      this.#serve()
    }
    const failed = (error: unknown): void => this.destroy(asError(error))
    this.#protected = new ProtectedBytes(protection, { send: sealed => this.#send(sealed), receive, failed })
  }

  /** Sends all parts in one step of the system where it takes them. `taken` is called when it has. */
  write(parts: readonly Uint8Array[], taken?: () => void): void {
    const last = parts.at(-1)
    this.#socket.cork()
    if (this.#protected) this.#protected.seal(parts, () => taken?.())
    else for (const part of parts) this.#socket.write(part, part === last ? taken : undefined)
    this.#socket.uncork()
  }

  /** Whether enough waits to be sent. */
  get isFull(): boolean {
    return this.#socket.writableLength + (this.#protected?.unsealed ?? 0) >= sendBytes
  }

  /** Resolves when everything was sent, or the connection has ended. */
  async drained(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    if (this.#protected) this.#protected.whenSealed(resolve)
    else resolve()
    await promise
    if (this.#socket.writableLength === 0 || this.#end) return
    await new Promise<void>(resolve => {
      const done = (): void => {
        this.#socket.off('drain', done).off('close', done)
        resolve()
      }
      this.#socket.once('drain', done).once('close', done)
    })
  }

  /** Nothing is expected for a while: it does not keep the process. Its memory it keeps: the next read goes there already. */
  rest(): void {
    this.#socket.unref()
  }

  /** It is in use again. */
  wake(): void {
    this.#socket.ref()
  }

  /** Whether bytes arrived unasked. */
  get hasRest(): boolean {
    return this.#kept.length + this.#unopened > 0
  }

  /** Bytes that can be read at once. */
  get arrived(): number {
    return this.#kept.length
  }

  /** Ends it at once; what arrived and was not read is let go. */
  destroy(reason: Error): void {
    this.#onEnd(reason)
    this.#socket.destroy()
    this.#kept.clear()
    this.#protected?.clear()
  }

  /** @returns whether to read on */
  #onRead(length: number): boolean {
    const bytes = this.#slabs.filled(length)
    // A waiting reader has space, and takes it at once.
    const isWanted = this.#wanted !== undefined
    if (this.#protected === undefined) this.#kept.add(bytes)
    else this.#open(bytes, this.#protected)
    this.#serve()
    this.#isPaused = (this.#kept.length >= windowBytes && !isWanted) || this.#unopened >= windowBytes
    if (this.#isPaused || this.#slabs.waitMs === 0) return !this.#isPaused
    this.#isWaiting = true
    startTimeout(() => {
      this.#isWaiting = false
      if (!this.#isPaused) this.#socket.resume()
    }, this.#slabs.waitMs)
    return false
  }

  #serve(): void {
    const wanted = this.#wanted
    if (wanted === undefined || this.#kept.length < wanted.length) return
    this.#wanted = undefined
    wanted.resolve()
  }

  #open(bytes: Buffer, by: ProtectedBytes): void {
    by.open(bytes, () => {
      release(bytes)
      this.#goOn()
    })
  }

  get #unopened(): number {
    return this.#protected?.unopened ?? 0
  }

  /** All that is sealed in one turn goes in one step of the system. */
  #send(sealed: Uint8Array): void {
    if (this.#socket.writableCorked === 0) {
      this.#socket.cork()
      process.nextTick(() => this.#socket.uncork())
    }
    this.#socket.write(sealed)
  }

  /** What arrived before is still read. */
  #endLater(reason: Error): void {
    if (this.#protected) this.#protected.whenOpened(() => this.#onEnd(reason))
    else this.#onEnd(reason)
  }

  /** Resolves when this many have arrived. */
  #until(length: number): Promise<void> {
    if (this.#end) throw this.#end
    return new Promise((resolve, reject) => {
      this.#wanted = { length, resolve, reject }
      this.#goOn()
    })
  }

  #take(length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length)
    this.#kept.moveTo(bytes)
    this.#goOn()
    return bytes
  }

  /** Resumes the flow when there is space, or a reader waits. */
  #goOn(): void {
    const isEnough = this.#kept.length >= windowBytes / 2 && this.#wanted === undefined
    if (!this.#isPaused || isEnough || this.#unopened >= windowBytes) return
    this.#isPaused = false
    if (!this.#isWaiting) this.#socket.resume()
  }

  #onEnd(reason: Error): void {
    if (this.#end) return
    this.#end = reason
    this.#wanted?.reject(reason)
    this.#wanted = undefined
    this.#slabs.close()
    this.#closed.resolve(reason)
  }
}

const withCode = (message: string, code: string): Error => Object.assign(new Error(message), { code })

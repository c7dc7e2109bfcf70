import { Socket } from 'node:net'

/** The server's end of a connection in memory: what the client sends is pushed in, and what it would get is kept. */
export class MemorySocket extends Socket {
  /** What the client has got, as latin1. */
  received = ''
  /** Called for everything that is written, ended or destroyed. */
  readonly #onActivity: () => void
  /** Whether a write is done a turn of the event loop later only, as with a client that reads slowly. */
  readonly #isSlow: boolean

  constructor({ onActivity = () => {}, isSlow = false }: { onActivity?: () => void; isSlow?: boolean } = {}) {
    const options = { allowHalfOpen: true, decodeStrings: false, ...(isSlow ? { writableHighWaterMark: 64 } : {}) }
    super(options)
    this.#onActivity = onActivity
    this.#isSlow = isSlow
  }

  /** Whether the server has said that nothing more will arrive. */
  get isEnded(): boolean {
    return this.writableEnded || this.destroyed
  }

  override _read(): void {}

  override _write(chunk: Buffer | string, _encoding: BufferEncoding, done: () => void): void {
    this._writev([{ chunk }], done)
  }

  override _writev(chunks: readonly { readonly chunk: Buffer | string }[], done: () => void): void {
    for (const { chunk } of chunks) this.received += typeof chunk === 'string' ? chunk : chunk.toString('latin1')
    this.#onActivity()
    if (this.#isSlow) setImmediate(done)
    else done()
  }

  override _final(done: () => void): void {
    this.#onActivity()
    done()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#onActivity()
    super._destroy(error, done)
  }
}

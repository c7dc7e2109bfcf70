import type { ByteSource } from './byte-stream.ts'

/** The sender: it is paused, resumed, and cancelled when the rest is not wanted. */
export type Sender = { pause(): void; resume(): void; cancel(): void }

const defaultWindowBytes = 256 * 1024

/**
 * Bytes that arrive by themselves, as a source: those not asked for yet are kept, and beyond `windowBytes` of them the
 * sender is paused.
 */
export class Inflow implements ByteSource {
  readonly #sender: Sender
  readonly #windowBytes: number
  readonly #kept: Uint8Array[] = []
  #keptBytes = 0
  #isPaused = false
  #end: { readonly error: unknown } | 'whole' | undefined
  #waiting: { resolve(bytes: Uint8Array | undefined): void; reject(error: unknown): void } | undefined

  /** @param isPaused whether the sender waits for the first read */
  constructor(sender: Sender, { windowBytes = defaultWindowBytes, isPaused = false } = {}) {
    this.#sender = sender
    this.#windowBytes = windowBytes
    this.#isPaused = isPaused
  }

  /** Takes what has arrived. */
  push(bytes: Uint8Array): void {
    if (this.#end !== undefined) return
    const waiting = this.#waiting
    this.#waiting = undefined
    if (waiting) {
      waiting.resolve(bytes)
      return
    }
    this.#kept.push(bytes)
    this.#keptBytes += bytes.length
    if (this.#keptBytes < this.#windowBytes || this.#isPaused) return
    this.#isPaused = true
    this.#sender.pause()
  }

  /** Nothing more will arrive. */
  end(): void {
    if (this.#end !== undefined) return
    this.#end = 'whole'
    this.#waiting?.resolve(undefined)
  }

  /** Nothing more will arrive, and the bytes so far are not all; it is handed on all the same. */
  fail(error: unknown): void {
    if (this.#end !== undefined) return
    this.#end = { error }
    this.#waiting?.reject(error)
  }

  read(): Promise<Uint8Array | undefined> {
    const bytes = this.#kept.shift()
    this.#keptBytes -= bytes?.length ?? 0
    if (this.#isPaused && this.#keptBytes < this.#windowBytes) {
      this.#isPaused = false
      this.#sender.resume()
    }
    if (bytes !== undefined) return Promise.resolve(bytes)
    if (this.#end === 'whole') return Promise.resolve(undefined)
    if (this.#end !== undefined) return Promise.reject(this.#end.error)
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
    })
  }

  cancel(): void {
    this.#kept.length = 0
    this.#keptBytes = 0
    this.end()
    this.#sender.cancel()
  }
}

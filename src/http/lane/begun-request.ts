/** The most bytes of incomplete requests, over all connections. */
const maxHeldBytes = 16 * 2 ** 20

/** And pieces that one may: each takes more memory than its bytes. */
const maxHeldPieces = 256

/** The beginning of an incomplete request. */
export class BegunRequest {
  #pieces: Buffer[] = []
  #bytes = 0
  /** Where the request ends, counted from its first byte; 0 while unknown. */
  #neededBytes = 0
  readonly #all: { bytes: number }

  /** @param all what all connections hold */
  constructor(all: { bytes: number }) {
    this.#all = all
  }

  get isEmpty(): boolean {
    return this.#bytes === 0
  }

  /** Whether there are as many bytes as were needed. */
  get isWhole(): boolean {
    return this.#bytes >= this.#neededBytes
  }

  /** Whether it must not be held any longer. */
  get isTooMuch(): boolean {
    return this.#all.bytes > maxHeldBytes || this.#pieces.length > maxHeldPieces
  }

  /** Whether it is line breaks, and nothing else. */
  get isBlank(): boolean {
    return this.#pieces.every(bytes => bytes.every(byte => byte === 0x0d || byte === 0x0a))
  }

  /** @param neededBytes of the request from its first byte on. @default as many as before */
  add(bytes: Buffer, neededBytes = this.#neededBytes): void {
    // Held for a while: not together with all that was read beside it.
    const own = Buffer.allocUnsafeSlow(bytes.length)
    bytes.copy(own)
    this.#pieces.push(own)
    this.#bytes += bytes.length
    this.#all.bytes += bytes.length
    this.#neededBytes = neededBytes
  }

  /** All of it, which is not held any more. */
  take(): Buffer {
    const [first, ...more] = this.#pieces
    const bytes = first !== undefined && more.length === 0 ? first : Buffer.concat(this.#pieces, this.#bytes)
    this.#all.bytes -= this.#bytes
    this.#pieces = []
    this.#bytes = 0
    return bytes
  }
}

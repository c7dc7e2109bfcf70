import { FormatError } from '../../errors.ts'
import { maxMessageHeaderBytes } from './message.ts'
import { MessageScanner } from './message-scanner.ts'

/** `framed`: a length precedes each message; `buffered`: messages simply follow one another. */
export type Transport = 'framed' | 'buffered'

/** One message of a stream. */
export type SplitMessage = {
  /** Without its frame; a view that stays as it is. Of a message that was shed, only the beginning. */
  readonly bytes: Uint8Array
  readonly isWhole: boolean
}

/**
 * Splits a byte stream into messages. Its first bytes decide the transport, which then stays:
 *
 *     framed      length:4 message     the fifth byte is 80 (strict) or 00 (old: the name's length is short)
 *     buffered    8001 …               strict
 *                 length:4 name …      old: the fifth byte is the first letter of a method's name
 *
 * Memory is taken for bytes that arrived, never for an announced length.
 */
export class MessageSplitter {
  readonly #maxBytes: number
  #transport: Transport | undefined
  /** The bytes held reach from `#start` to `#end`; our own buffer may have space after them. */
  #bytes: Uint8Array = new Uint8Array()
  #start = 0
  #end = 0
  #hasRoom = false
  /** Held bytes that are known to belong to the message that is next. */
  #looked = 0
  /** Bytes of a frame that were not looked at. */
  #frameLeft: number | undefined
  #scanner: MessageScanner | undefined
  /** The beginning of a message that was shed. */
  #head: Uint8Array | undefined

  /** @param maxBytes largest message, without its frame */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Undefined until the first bytes decide. */
  get transport(): Transport | undefined {
    return this.#transport
  }

  get heldBytes(): number {
    return this.#end - this.#start
  }

  /** Whether the stream is within a message, or after one that was not asked for yet. */
  get isWithin(): boolean {
    return this.heldBytes > 0 || this.#frameLeft !== undefined || this.#head !== undefined
  }

  /** Takes the next bytes of the stream, which must not change afterwards. */
  push(chunk: Uint8Array): void {
    const held = this.heldBytes
    if (held === 0) {
      this.#bytes = chunk
      this.#start = 0
      this.#end = chunk.length
      this.#hasRoom = false
      return
    }
    if (!this.#hasRoom || this.#end + chunk.length > this.#bytes.length) {
      const grown = Buffer.allocUnsafe(Math.max(2 * held, held + chunk.length))
      grown.set(this.#held())
      this.#bytes = grown
      this.#start = 0
      this.#end = held
      this.#hasRoom = true
    }
    this.#bytes.set(chunk, this.#end)
    this.#end += chunk.length
  }

  /**
   * The next message, or undefined while it is not complete.
   * @throws FormatError `thrift`: larger than allowed, or damaged so that its end cannot be found. {@link head} then
   *   has its beginning, and nothing after it can be read
   */
  next(): SplitMessage | undefined {
    this.#transport ??= this.#detect()
    if (this.#transport === undefined) return undefined
    const isComplete = this.#transport === 'framed' ? this.#lookAtFrame() : this.#scan()
    if (this.#head !== undefined) {
      const more = this.#cut()
      if (this.#head.length < maxMessageHeaderBytes) this.#head = firstBytes(Buffer.concat([this.#head, more]))
    }
    if (!isComplete) return undefined
    this.#frameLeft = undefined
    this.#scanner = undefined
    const head = this.#head
    this.#head = undefined
    return head === undefined ? { bytes: this.#cut(), isWhole: true } : { bytes: head, isWhole: false }
  }

  /** Discards the incomplete message, now and as it arrives, except its beginning. */
  shed(): void {
    if (this.#frameLeft === undefined && this.#scanner === undefined) return
    this.#head ??= firstBytes(this.#cut())
  }

  /** The beginning of the message that is next, as far as it is there: enough for its header. */
  head(): Uint8Array {
    return this.#head ?? firstBytes(this.#held())
  }

  #held(): Uint8Array {
    return this.#bytes.subarray(this.#start, this.#end)
  }

  #detect(): Transport | undefined {
    const [first, second, , , fifth] = this.#held()
    if (first === 0x80 && second === 0x01) return 'buffered'
    if (fifth === undefined) return undefined
    return isLetter(fifth) ? 'buffered' : 'framed'
  }

  #lookAtFrame(): boolean {
    if (this.#frameLeft === undefined) {
      if (this.heldBytes < 4) return false
      this.#frameLeft = this.#readLength()
    }
    const more = Math.min(this.#frameLeft, this.heldBytes - this.#looked)
    this.#looked += more
    this.#frameLeft -= more
    return this.#frameLeft === 0
  }

  #readLength(): number {
    const [a = 0, b = 0, c = 0, d = 0] = this.#held()
    const length = (a << 24) | (b << 16) | (c << 8) | d
    this.#start += 4
    if (length > 0 && length <= this.#maxBytes) return length
    throw new FormatError('thrift', 0, `expected a frame of 1 to ${this.#maxBytes} bytes, found ${length}`)
  }

  #scan(): boolean {
    if (this.heldBytes === this.#looked) return false
    this.#scanner ??= new MessageScanner(this.#maxBytes)
    const end = this.#scanner.feed(this.#held(), this.#looked)
    this.#looked = end ?? this.heldBytes
    return end !== undefined
  }

  /** Takes out what was looked at. */
  #cut(): Uint8Array {
    const start = this.#start
    this.#start += this.#looked
    this.#looked = 0
    return this.#bytes.subarray(start, this.#start)
  }
}

/** A copy, so that it keeps no large buffer. */
const firstBytes = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes.subarray(0, maxMessageHeaderBytes))

const isLetter = (byte: number): boolean => (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a)

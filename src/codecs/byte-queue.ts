import { Buffer } from 'node:buffer'

/** Bytes as they arrive: what file systems, decompressors and row serializers hand to one another. */
export type QueueSource = AsyncIterable<Uint8Array>

/**
 * Chunks of a stream as one run of bytes that is read from its front. Nothing is requested from the source before it is
 * needed. Returned bytes stay as they are, unless {@link ByteQueue.recycle} allows otherwise.
 */
export class ByteQueue {
  readonly #source: AsyncIterator<Uint8Array>
  #bytes: Buffer = Buffer.alloc(0)
  #start = 0
  #end = 0
  #offset: number
  #isDone = false
  /** Whether this queue owns the memory of the bytes; a chunk of the source must not be written to. */
  #isOwn = false
  #isRecycling = false
  #failure: { readonly reason: unknown } | undefined

  /** @param offset of the source's first byte, for {@link ByteQueue.offset} */
  constructor(source: QueueSource, offset = 0) {
    this.#source = source[Symbol.asyncIterator]()
    this.#offset = offset
  }

  /** Offset of the first unread byte. */
  get offset(): number {
    return this.#offset
  }

  /** How many unread bytes are here. */
  get available(): number {
    return this.#end - this.#start
  }

  /** Whether the source has ended; what is available is then all there is. */
  get isDone(): boolean {
    return this.#isDone
  }

  /** All unread bytes that are here; a view. */
  view(): Buffer {
    return this.#bytes.subarray(this.#start, this.#end)
  }

  /** Goes over bytes that are here. */
  skip(count: number): void {
    this.#start += count
    this.#offset += count
  }

  /** Takes bytes that are here; a view. */
  take(count: number): Buffer {
    const bytes = this.#bytes.subarray(this.#start, this.#start + count)
    this.skip(count)
    return bytes
  }

  /** From now on views are good until the next wait only: new bytes overwrite those that were skipped. */
  recycle(): void {
    this.#isRecycling = true
  }

  /** Waits for `count` unread bytes; false when the source ends before. Memory follows what arrives, not `count`. */
  async ensure(count: number): Promise<boolean> {
    while (this.available < count) if (!(await this.more())) return false
    return true
  }

  /** Waits for twice as many unread bytes; false without any. */
  async grow(): Promise<boolean> {
    const { available } = this
    return (await this.ensure(Math.max(1, 2 * available))) || this.available > available
  }

  /** Waits for one more chunk; false at the end. A failure of the source is thrown each time, never forgotten. */
  async more(): Promise<boolean> {
    if (this.#failure) throw this.#failure.reason
    if (this.#isDone) return false
    try {
      const next = await this.#source.next()
      if (next.done !== true) {
        this.#append(next.value)
        return true
      }
    } catch (reason) {
      this.#failure = { reason }
      throw reason
    }
    this.#isDone = true
    return false
  }

  /** The rest, chunk by chunk; closes the source at the end. */
  async *rest(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      do if (this.available > 0) yield this.take(this.available)
      while (await this.more())
    } finally {
      await this.close()
    }
  }

  /** Gives the source up. */
  async close(): Promise<void> {
    this.#isDone = true
    await this.#source.return?.()
  }

  #append(chunk: Uint8Array): void {
    const left = this.available
    if (left === 0 && !this.#isRecycling) {
      this.#bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
      this.#isOwn = false
      this.#start = 0
      this.#end = chunk.length
      return
    }
    if (!this.#isOwn || chunk.length > this.#bytes.length - this.#end) this.#makeRoom(left + chunk.length)
    this.#bytes.set(chunk, this.#end)
    this.#end += chunk.length
  }

  #makeRoom(needed: number): void {
    const fits = this.#isOwn && this.#isRecycling && needed <= this.#bytes.length
    // Room for twice as much: however many chunks follow, each byte is moved a few times only.
    const room = fits ? this.#bytes : Buffer.allocUnsafeSlow(2 * needed)
    this.#bytes.copy(room, 0, this.#start, this.#end)
    this.#bytes = room
    this.#isOwn = true
    this.#end = this.available
    this.#start = 0
  }
}

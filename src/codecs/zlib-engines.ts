import { Buffer } from 'node:buffer'
import zlib from 'node:zlib'
import { FormatError } from '../errors.ts'
import type { BufferDecoder, HadoopCodec } from './codec.ts'
import { decodeFirst, decodeStreams, decodeWhole, type ZlibKind, type ZlibStream } from './zlib-kinds.ts'

/** Unfolds whole buffers on the thread pool. */
export type ZlibEngines = {
  /**
   * @param room memory for the result, where it is large enough
   * @throws Error at damage, at bytes that end too soon or continue past the end, beyond `maxBytes`
   */
  readonly unfold: (bytes: Uint8Array, maxBytes: number, room?: Buffer) => Promise<Buffer>
}

/** What a stream hands over at once. */
const chunkSize = 64 * 1024

/** Streams that wait for their next buffer: as many as the thread pool has threads. */
const maxIdle = 4

/**
 * Streams of one kind, used again and again. A stream for each buffer would leave its memory to the next full collection
 * of garbage, and `zlib.inflate` the result as well: a collection of the young takes every native handle for alive.
 */
export const createZlibEngines = (kind: ZlibKind): ZlibEngines => {
  const idle: Engine[] = []
  const unfoldFirst = async (bytes: Uint8Array, out: Output): Promise<number> => {
    const engine = idle.pop() ?? new Engine(kind.createStream({ chunkSize }), kind.finish)
    const taken = await engine.unfold(bytes, out)
    if (engine.isReady && idle.length < maxIdle) idle.push(engine)
    else engine.close()
    return taken
  }
  return {
    unfold: async (bytes, maxBytes, room) => {
      const out = new Output(room ?? Buffer.allocUnsafeSlow(Math.min(maxBytes, 4 * bytes.length)), maxBytes)
      const taken = await unfoldFirst(bytes, out)
      if (taken < bytes.length) {
        const add = (raw: Buffer): void => out.append(raw)
        await decodeStreams(kind, bytes, taken, add, rest => unfoldFirst(rest, out))
      }
      return out.bytes()
    },
  }
}

/** From this size on a buffer is unfolded by the thread pool; below, the way there costs more than the work. */
const threadBytes = 32 * 1024

const toChunkSize = (bytes: Uint8Array): number => Math.max(1024, bytes.length * 4)

const toError = (format: string, cause: unknown): FormatError => {
  const reason = cause instanceof Error ? cause.message : 'unknown'
  return new FormatError(format, 0, `damaged, or too large: ${reason}`, { cause })
}

/** Decompresses the first bytes of a buffer by one of Node's own functions, here: there are to be few. */
export const decodeStartByZlib =
  (kind: ZlibKind): Required<HadoopCodec>['decodeStart'] =>
  (bytes, maxOutputLength) => {
    try {
      const finishFlush = zlib.constants.Z_SYNC_FLUSH
      return decodeFirst(kind, bytes, { maxOutputLength, chunkSize: toChunkSize(bytes), finishFlush }).raw
    } catch (error) {
      throw toError(kind.format, error)
    }
  }

/** Decompresses buffers by Node's own functions: small ones here, others on the thread pool. */
export const decodeByZlib = (kind: ZlibKind): BufferDecoder => {
  const engines = createZlibEngines(kind)
  return (bytes, maxBytes, room) => {
    if (bytes.length >= threadBytes) {
      return engines.unfold(bytes, maxBytes, room).catch(error => Promise.reject(toError(kind.format, error)))
    }
    try {
      return decodeWhole(kind, bytes, { maxOutputLength: maxBytes, chunkSize: toChunkSize(bytes) })
    } catch (error) {
      throw toError(kind.format, error)
    }
  }
}

/** The output of one buffer, of one stream of it after another. */
class Output {
  readonly #maxBytes: number
  #bytes: Buffer
  #length = 0

  constructor(bytes: Buffer, maxBytes: number) {
    this.#bytes = bytes
    this.#maxBytes = maxBytes
  }

  /** @throws RangeError more than the most */
  append(piece: Uint8Array): void {
    const end = this.#length + piece.length
    if (end > this.#maxBytes) throw new RangeError(`more than ${this.#maxBytes} bytes`)
    if (end > this.#bytes.length) {
      const wider = Buffer.allocUnsafeSlow(Math.min(this.#maxBytes, 2 * end))
      this.#bytes.copy(wider, 0, 0, this.#length)
      this.#bytes = wider
    }
    this.#bytes.set(piece, this.#length)
    this.#length = end
  }

  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }
}

type Job = {
  readonly out: Output
  /** Bytes that the stream had taken before. */
  readonly before: number
  readonly resolve: (taken: number) => void
  readonly reject: (error: Error) => void
}

class Engine {
  readonly #stream: ZlibStream
  readonly #finishFlag: number
  #job: Job | undefined
  #isOver = false

  constructor(stream: ZlibStream, finishFlag: number) {
    this.#stream = stream
    this.#finishFlag = finishFlag
    stream.on('data', (piece: Buffer) => this.#take(piece))
    stream.on('error', error => this.#fail(error))
    // It ends by itself if bytes follow the data.
    stream.on('end', () => {
      this.#isOver = true
      this.#finish()
    })
  }

  /** Whether it can unfold another buffer. */
  get isReady(): boolean {
    return !this.#isOver
  }

  /** Unfolds the stream at the start of a buffer; resolves to the bytes that it took. */
  unfold(bytes: Uint8Array, out: Output): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#job = { out, before: this.#stream.bytesWritten, resolve, reject }
      this.#stream.write(bytes)
      this.#stream.flush(this.#finishFlag, () => this.#finish())
    })
  }

  close(): void {
    this.#isOver = true
    this.#stream.destroy()
  }

  #take(piece: Buffer): void {
    try {
      this.#job?.out.append(piece)
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error('unknown', { cause: error }))
    }
  }

  #finish(): void {
    const job = this.#job
    this.#job = undefined
    if (!job) return
    const taken = this.#stream.bytesWritten - job.before
    if (this.#stream.reset && !this.#isOver) this.#stream.reset()
    else this.#isOver = true
    job.resolve(taken)
  }

  #fail(error: Error): void {
    const job = this.#job
    this.#job = undefined
    this.close()
    job?.reject(error)
  }
}

import { Buffer } from 'node:buffer'
import type { Transform } from 'node:stream'
import zlib, { type Zlib, type ZlibReset } from 'node:zlib'
import { FormatError } from '../errors.ts'
import type { BufferDecoder, HadoopCodec } from './codec.ts'

/** One of Node's decompressors. Not all are said to start anew. */
type ZlibStream = Transform & Zlib & Partial<ZlibReset>

export type CreateZlib = (options: { readonly chunkSize: number }) => ZlibStream

/** Unfolds whole buffers on the thread pool. */
export type ZlibEngines = {
  /**
   * @param room memory for the result, where it is large enough
   * @throws Error at damage, at bytes that end too soon, beyond `maxBytes`
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
 * @param finish how the format's `flush` is told that nothing follows
 */
export const createZlibEngines = (create: CreateZlib, finish: number): ZlibEngines => {
  const idle: Engine[] = []
  return {
    unfold: async (bytes, maxBytes, room) => {
      const engine = idle.pop() ?? new Engine(create({ chunkSize }), finish)
      const result = await engine.unfold(bytes, maxBytes, room)
      if (engine.isReady && idle.length < maxIdle) idle.push(engine)
      else engine.close()
      return result
    },
  }
}

/** From this size on a buffer is unfolded by the thread pool; below, the way there costs more than the work. */
const threadBytes = 32 * 1024

type ZlibOptions = { readonly maxOutputLength: number; readonly chunkSize: number; readonly finishFlush?: number }

type DecodeSync = (bytes: Uint8Array, options: ZlibOptions) => Uint8Array

const toChunkSize = (bytes: Uint8Array): number => Math.max(1024, bytes.length * 4)

const toError = (format: string, cause: unknown): FormatError => {
  const reason = cause instanceof Error ? cause.message : 'unknown'
  return new FormatError(format, 0, `damaged, or too large: ${reason}`, { cause })
}

/** Decompresses the first bytes of a buffer by one of Node's own functions, here: there are to be few. */
export const decodeStartByZlib =
  (format: string, decodeSync: DecodeSync): Required<HadoopCodec>['decodeStart'] =>
  (bytes, maxOutputLength) => {
    try {
      const finishFlush = zlib.constants.Z_SYNC_FLUSH
      return decodeSync(bytes, { maxOutputLength, chunkSize: toChunkSize(bytes), finishFlush })
    } catch (error) {
      throw toError(format, error)
    }
  }

/** Decompresses buffers by Node's own functions: small ones here, others on the thread pool. */
export const decodeByZlib = (
  format: string,
  decodeSync: DecodeSync,
  createStream: CreateZlib,
  finish: number = zlib.constants.Z_FINISH,
): BufferDecoder => {
  const engines = createZlibEngines(createStream, finish)
  return (bytes, maxBytes, room) => {
    if (bytes.length >= threadBytes) {
      return engines.unfold(bytes, maxBytes, room).catch(error => Promise.reject(toError(format, error)))
    }
    try {
      return decodeSync(bytes, { maxOutputLength: maxBytes, chunkSize: toChunkSize(bytes) })
    } catch (error) {
      throw toError(format, error)
    }
  }
}

type Job = {
  readonly maxBytes: number
  readonly resolve: (bytes: Buffer) => void
  readonly reject: (error: Error) => void
  out: Buffer
  length: number
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
    // It ends by itself where something stands behind the data, which is nobody's.
    stream.on('end', () => {
      this.#isOver = true
      this.#finish()
    })
  }

  /** Whether it can unfold another buffer. */
  get isReady(): boolean {
    return !this.#isOver
  }

  unfold(bytes: Uint8Array, maxBytes: number, room?: Buffer): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const out = room ?? Buffer.allocUnsafeSlow(Math.min(maxBytes, 4 * bytes.length))
      this.#job = { maxBytes, resolve, reject, out, length: 0 }
      this.#stream.write(bytes)
      this.#stream.flush(this.#finishFlag, () => this.#finish())
    })
  }

  close(): void {
    this.#isOver = true
    this.#stream.destroy()
  }

  #take(piece: Buffer): void {
    const job = this.#job
    if (!job) return
    const end = job.length + piece.length
    if (end > job.maxBytes) {
      this.#fail(new RangeError(`more than ${job.maxBytes} bytes`))
      return
    }
    if (end > job.out.length) {
      const wider = Buffer.allocUnsafeSlow(Math.min(job.maxBytes, 2 * end))
      job.out.copy(wider, 0, 0, job.length)
      job.out = wider
    }
    job.out.set(piece, job.length)
    job.length = end
  }

  #finish(): void {
    const job = this.#job
    this.#job = undefined
    if (!job) return
    if (this.#stream.reset && !this.#isOver) this.#stream.reset()
    else this.#isOver = true
    job.resolve(job.out.subarray(0, job.length))
  }

  #fail(error: Error): void {
    const job = this.#job
    this.#job = undefined
    this.close()
    job?.reject(error)
  }
}

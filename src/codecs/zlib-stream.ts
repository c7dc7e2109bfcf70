import { Buffer } from 'node:buffer'
import { FormatError } from '../errors.ts'
import type { ByteQueue, QueueSource } from './byte-queue.ts'
import { decompressFrames } from './frames.ts'
import { decodeSmall, type ZlibKind } from './zlib-kinds.ts'

/**
 * A decompressor drops what it has unfolded from the piece in which it meets damage. So pieces are small, and smaller
 * still at the start, where short files have all they have; this also bounds what one piece unfolds into.
 */
const firstPieceBytes = 256
const firstBytes = 16 * 1024
const pieceBytes = 4_096

/** Unfolded bytes that may wait for their reader before the decompressor pauses. */
const maxWaitingBytes = 1024 * 1024

/** The bytes of one stream, as far as they are known to belong to it. */
export type Feed = {
  /** Offset of the next byte, for errors. */
  readonly offset: number
  /** At most `maxBytes`, which are not taken yet; undefined at the end. */
  readonly next: (maxBytes: number) => Promise<Uint8Array | undefined>
  readonly take: (bytes: number) => void
}

/** All bytes of a queue: a stream that ends before leaves the rest there. */
export const feedOf = (queue: ByteQueue): Feed => ({
  get offset() {
    return queue.offset
  },
  next: async maxBytes => ((await queue.ensure(1)) ? queue.view().subarray(0, maxBytes) : undefined),
  take: bytes => queue.skip(bytes),
})

/** Decompresses all streams of a source by one of Node's own decompressors. @throws FormatError as {@link readByZlib} */
export const decompressByZlib = (source: QueueSource, kind: ZlibKind): AsyncGenerator<Uint8Array, void, undefined> =>
  decompressFrames(source, kind.format, queue => readByZlib(queue, kind))

/**
 * Decompresses the stream at the front of a queue, no faster than the result is read, and leaves the rest.
 * @param feed which bytes of the queue may belong to it. @default all
 * @throws FormatError at damage or when the bytes end too soon, after what was unfolded before it
 */
export async function* readByZlib(
  queue: ByteQueue,
  kind: ZlibKind,
  feed: Feed = feedOf(queue),
): AsyncGenerator<Uint8Array, void, undefined> {
  // Most files are one long stream; those of many small streams continue past the first bytes.
  const small = queue.offset < firstBytes ? undefined : decodeSmall(kind, queue.view())
  if (small === undefined) return yield* readByStream(feed, kind)
  queue.skip(small.taken)
  if (small.raw.length > 0) yield small.raw
}

async function* readByStream(feed: Feed, kind: ZlibKind): AsyncGenerator<Uint8Array, void, undefined> {
  const stream = kind.createStream()
  let waiting: Buffer[] = []
  let waitingBytes = 0
  let failure: Error | undefined
  let isEnded = false
  let wake = (): void => {}
  stream.on('data', (chunk: Buffer) => {
    waiting.push(chunk)
    waitingBytes += chunk.length
    if (waitingBytes > maxWaitingBytes) stream.pause()
    wake()
  })
  stream.on('error', error => {
    failure = error
    wake()
  })
  stream.on('end', () => {
    isEnded = true
    wake()
  })

  const take = (): Buffer => {
    const bytes = waiting.length === 1 && waiting[0] ? waiting[0] : Buffer.concat(waiting)
    waiting = []
    waitingBytes = 0
    stream.resume()
    return bytes
  }
  /** Yields the output until `isOver`; each step ends with an event of the stream. */
  async function* drain(isOver: () => boolean, flushBytes: number): AsyncGenerator<Buffer, void, undefined> {
    for (;;) {
      if (waitingBytes > flushBytes) yield take()
      if (failure) {
        if (waitingBytes > 0) yield take()
        const message = `damaged or cut short: ${failure.message}`
        throw new FormatError(kind.format, feed.offset, message, { cause: failure })
      }
      if (isOver()) return
      await new Promise<void>(resolve => {
        wake = resolve
        if (isOver() || failure || waitingBytes > flushBytes) resolve()
      })
    }
  }

  try {
    let isWhole = false
    while (!isWhole) {
      const isStart = feed.offset < firstBytes
      const piece = await feed.next(isStart ? firstPieceBytes : pieceBytes)
      if (piece === undefined) break
      const before = stream.bytesWritten
      let isTaken = false
      stream.write(piece, () => {
        isTaken = true
        wake()
      })
      // Small results wait for one another: their reader works in large steps.
      yield* drain(() => isTaken, isStart ? 0 : 4 * maxPieceResult)
      const taken = stream.bytesWritten - before
      feed.take(taken)
      // It takes no byte after its end, and ends by itself then.
      isWhole = taken < piece.length
    }
    if (!isWhole) stream.end()
    yield* drain(() => isEnded, 0)
    if (waitingBytes > 0) yield take()
  } finally {
    stream.destroy()
  }
}

/** What a decompressor hands out at once. */
const maxPieceResult = 16 * 1024

import { Buffer } from 'node:buffer'
import type { Transform } from 'node:stream'
import { FormatError } from '../errors.ts'
import type { ByteSource } from './byte-queue.ts'

/**
 * A decompressor drops what it has unfolded from the piece in which it meets damage. So pieces are small, and smaller
 * still at the start, where short files have all they have; this also bounds what one piece unfolds into.
 */
const firstPieceBytes = 256
const firstPieces = 64
const pieceBytes = 4_096

/** Unfolded bytes that may wait for their reader before the decompressor pauses. */
const maxWaitingBytes = 1024 * 1024

/**
 * Decompresses by one of Node's own streams; no faster than the result is read.
 * @param offset of the first byte, for errors
 * @throws FormatError `format` at damage or when the bytes end too soon, after what was unfolded before it
 */
export async function* decompressByStream(
  source: ByteSource,
  format: string,
  createStream: () => Transform,
  offset = 0,
): AsyncGenerator<Uint8Array, void, undefined> {
  const stream = createStream()
  let fed = 0
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
  /** Yields what comes out until `isOver`; each step ends with an event of the stream. */
  async function* drain(isOver: () => boolean, flushBytes: number): AsyncGenerator<Buffer, void, undefined> {
    for (;;) {
      if (waitingBytes > flushBytes) yield take()
      if (failure) {
        if (waitingBytes > 0) yield take()
        throw new FormatError(format, offset + fed, `damaged or cut short: ${failure.message}`, { cause: failure })
      }
      if (isOver()) return
      await new Promise<void>(resolve => {
        wake = resolve
        if (isOver() || failure || waitingBytes > flushBytes) resolve()
      })
    }
  }

  try {
    for await (const chunk of source) {
      for (let at = 0; at < chunk.length; ) {
        const size = fed < firstPieceBytes * firstPieces ? firstPieceBytes : pieceBytes
        const piece = chunk.subarray(at, at + size)
        at += piece.length
        let isTaken = false
        stream.write(piece, () => {
          isTaken = true
          wake()
        })
        // Small results wait for one another: their reader works in large steps.
        yield* drain(() => isTaken, fed < firstPieceBytes * firstPieces ? 0 : 4 * maxPieceResult)
        fed += piece.length
      }
    }
    stream.end()
    yield* drain(() => isEnded, 0)
    if (waitingBytes > 0) yield take()
  } finally {
    stream.destroy()
  }
}

/** What a decompressor hands out at once. */
const maxPieceResult = 16 * 1024

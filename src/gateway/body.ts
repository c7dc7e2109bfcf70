/** Bodies of answers: text made piece by piece, and bytes passed on. Both stop their source when the client leaves. */
import { Buffer } from 'node:buffer'
import { ByteStream, iterated, toByteSource } from '../bytes/byte-stream.ts'
import type { Piece } from '../rows/encoders/pieces.ts'
import { nextTurn } from '../runtime/next-turn.ts'
import { startTimeout } from '../runtime/timers.ts'
import { keepTrace } from '../tracing/current-trace.ts'

/** Characters, or bytes, that are joined to one chunk: small pieces cost more to send than to make. */
const chunkSize = 65_536

/** The bytes so far are sent when no more are made for this long. */
const idleMs = 1

/** How a body ended: all of it was taken, its source failed, or the client left. */
export type BodyEnd = { readonly bytes: number; readonly error?: unknown; readonly cancelled?: boolean }

export type BodyOptions = {
  /** Called once. */
  readonly onEnd?: (end: BodyEnd) => void
  /** Stops what the source waits for; called when the body is no longer wanted. */
  readonly stop?: () => void
}

/** The same, with one report of the end: an active read of a cancelled body fails as well. */
const toEnding = ({ onEnd = () => {}, stop = () => {} }: BodyOptions): Required<BodyOptions> => {
  let isEnded = false
  return {
    stop,
    onEnd: end => {
      if (isEnded) return
      isEnded = true
      onEnd(end)
    },
  }
}

/**
 * A body of UTF-8 text. Resolves once its first chunk is ready, so that an error before it still decides the status; a
 * later failure breaks off the stream after everything that was made before it.
 * @throws what `pieces` throws before the first one
 */
export const createTextBody = async (pieces: AsyncIterable<Piece>, options: BodyOptions = {}): Promise<ByteStream> => {
  const { onEnd, stop } = toEnding(options)
  const source = pieces[Symbol.asyncIterator]()
  let pending: Promise<IteratorResult<Piece>> | undefined
  let failure: { readonly error: unknown } | undefined
  let bytes = 0
  let isDone = false

  /** The next chunk: what comes at once, up to a size. Empty at the end. */
  const gather = async (): Promise<Uint8Array> => {
    const chunk = new Chunk()
    while (!isDone && chunk.size < chunkSize) {
      pending ??= source.next()
      try {
        const next = chunk.size === 0 ? await pending : await orIdle(pending)
        if (next === undefined) break
        pending = undefined
        if (next.done) isDone = true
        else chunk.add(next.value)
      } catch (error) {
        isDone = true
        if (chunk.size === 0) throw error
        failure = { error }
      }
    }
    return chunk.toBytes()
  }
  let first: Uint8Array | undefined
  try {
    first = await gather()
  } catch (error) {
    onEnd({ bytes: 0, error })
    throw error
  }
  return new ByteStream({
    read: keepTrace(async () => {
      try {
        if (first === undefined && failure) {
          // What was sent before is to leave the process before the connection is cut.
          await new Promise<void>(resolve => startTimeout(resolve, idleMs))
          throw failure.error
        }
        if (first === undefined) await othersTurn()
        const chunk = first ?? (await gather())
        first = undefined
        bytes += chunk.length
        if (chunk.length > 0) return chunk
        onEnd({ bytes })
        return undefined
      } catch (error) {
        onEnd({ bytes, error })
        throw error
      }
    }),
    cancel: keepTrace(() => {
      onEnd({ bytes, cancelled: true })
      stop()
      // Not awaited: it waits for what the source itself waits for.
      source.return?.().catch(() => {})
    }),
  })
}

/** Pieces that become one chunk. */
class Chunk {
  /** Characters of text, and bytes. */
  size = 0
  #text = ''
  readonly #parts: Uint8Array[] = []

  add(piece: Piece): void {
    this.size += piece.length
    if (typeof piece === 'string') this.#text += piece
    else this.#parts.push(...this.#takeText(), piece)
  }

  toBytes(): Uint8Array {
    const [first = new Uint8Array(0), ...more] = [...this.#parts, ...this.#takeText()]
    return more.length === 0 ? first : Buffer.concat([first, ...more])
  }

  #takeText(): readonly Uint8Array[] {
    if (this.#text === '') return []
    const bytes = encoder.encode(this.#text)
    this.#text = ''
    return [bytes]
  }
}

/** Bytes that are produced on demand. */
export type Bytes = ReadableStream<Uint8Array> | AsyncIterator<Uint8Array, void, undefined>

/**
 * A body of stored bytes, passed on as they arrive. Resolves with its first chunk at hand, as {@link createTextBody}.
 * It fails when there are more or fewer bytes than announced: a client cannot tell a short body from a whole one
 * otherwise.
 * @param expected bytes; undefined where none were announced
 * @throws what the source throws before its first chunk
 */
export const createByteBody = async (
  from: Bytes,
  expected: number | undefined,
  options: BodyOptions = {},
): Promise<ByteStream> => {
  const { onEnd, stop } = toEnding(options)
  const source = from instanceof ReadableStream ? toByteSource(from) : iterated(from)
  let bytes = 0
  /** All that was announced is there: finding the end after it may take another read of the source. */
  let isDone = false
  /** The next chunk; undefined at the end. */
  const take = async (): Promise<Uint8Array | undefined> => {
    try {
      const chunk = await source.read()
      bytes += chunk?.length ?? 0
      if (expected !== undefined && (bytes > expected || (chunk === undefined && bytes !== expected))) {
        throw new LengthError(bytes, expected)
      }
      isDone = chunk === undefined || bytes === expected
      if (isDone) source.cancel()
      return chunk
    } catch (error) {
      onEnd({ bytes, error })
      throw error
    }
  }
  let first: { readonly chunk: Uint8Array | undefined } | undefined = { chunk: await take() }
  return new ByteStream({
    read: keepTrace(async () => {
      const chunk = first ? first.chunk : isDone ? undefined : await take()
      first = undefined
      if (isDone) onEnd({ bytes })
      return chunk
    }),
    cancel: keepTrace(() => {
      onEnd({ bytes, cancelled: true })
      stop()
      source.cancel()
    }),
  })
}

/** The file changed between the answer's head and its body. */
class LengthError extends Error {
  override readonly name = 'LengthError'

  constructor(bytes: number, expected: number) {
    super(`The file has changed meanwhile: ${bytes} bytes came, ${expected} were announced`)
  }
}

const encoder = new TextEncoder()

/**
 * Yields to other requests of the process between two chunks: a source whose bytes are in memory, and a socket that
 * accepts everything, would hold the event loop for as long as a decompressed block lasts. While others have much to do
 * they get several turns for one of ours.
 */
const othersTurn = async (): Promise<void> => {
  for (let turn = 0; turn < maxOthersTurns; turn++) {
    const started = performance.now()
    await nextTurn()
    if (performance.now() - started < quietTurnMs) return
  }
}

const maxOthersTurns = 4

/** A shorter turn of the event loop did no other work. */
const quietTurnMs = 0.1

const orIdle = async <T>(promise: Promise<T>): Promise<T | undefined> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const idle = new Promise<undefined>(resolve => {
    timer = startTimeout(() => resolve(undefined), idleMs)
  })
  try {
    return await Promise.race([promise, idle])
  } finally {
    clearTimeout(timer)
  }
}

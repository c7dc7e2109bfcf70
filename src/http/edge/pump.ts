import type { ServerResponse } from 'node:http'
import { type ByteSource, toByteSource } from '../../bytes/byte-stream.ts'
import { release } from '../../bytes/slabs.ts'
import { nextTurn } from '../../runtime/next-turn.ts'

/** The adapter does not send an answer with this header: it was sent already. */
const alreadySent = new Response(null, { headers: { 'x-hono-already-sent': 'true' } })

/**
 * Writes an answer with a body as fast as the client takes it. A body that breaks midway breaks the connection, so that
 * the client cannot take what it has for the whole: nothing is appended, and no length or last chunk is sent. A client
 * that leaves stops the source.
 * @param onBroken called with the reason when the body broke
 * @param nowMs monotonic
 * @returns the response that makes the adapter skip the answer, which is written
 */
export const pump = async (
  response: Response,
  outgoing: ServerResponse,
  onBroken: (error: unknown) => void,
  nowMs: () => number = () => performance.now(),
): Promise<Response> => {
  if (response.body === null) return response
  const source = toByteSource(response.body)
  const gone = (): void => source.cancel()
  // The client left before the answer was made: nothing reports that later.
  if (outgoing.destroyed) gone()
  else outgoing.once('close', gone)
  // Nothing is sent yet: should this fail, the client gets an error instead.
  const first = await source.read()
  try {
    const second = ahead(source)
    let next: typeof second | undefined = second
    const headers = [...response.headers]
    if (first === undefined || (await isAtEnd(second))) {
      // Whole already, as most answers are: its length goes ahead, and no chunks are needed.
      const length = ['content-length', String(first?.length ?? 0)] as const
      const known = response.headers.has('content-length') ? headers : [...headers, length]
      outgoing.writeHead(response.status, known.flat()).end(first, releaseOf(first))
      return alreadySent
    }
    outgoing.writeHead(response.status, headers.flat())
    let chunk: Uint8Array | undefined = first
    while (chunk !== undefined && !outgoing.destroyed) {
      const started = nowMs()
      if (!outgoing.write(chunk, releaseOf(chunk))) await drained(outgoing)
      const isSlow = nowMs() - started > slowMs
      chunk = await (next ?? source.read())
      next = isSlow || chunk === undefined ? undefined : ahead(source)
    }
    if (!outgoing.destroyed) outgoing.end()
  } catch (error) {
    if (!outgoing.destroyed) onBroken(error)
    // What was written before goes out first: Node holds it back to the end of the turn.
    await nextTurn()
    outgoing.destroy()
  } finally {
    if (outgoing.writableEnded) outgoing.off('close', gone)
  }
  return alreadySent
}

/**
 * Ends the connection without an answer.
 * @returns the response that makes the adapter skip the answer
 */
export const cutOff = (outgoing: ServerResponse): Response => {
  outgoing.destroy()
  return alreadySent
}

/** To be called when the system has these bytes. */
const releaseOf = (bytes: Uint8Array | undefined) => (): void => {
  if (bytes) release(bytes)
}

/** Reads on while a chunk is written. Its failure counts at its turn, or never, when the client is gone by then. */
const ahead = (source: ByteSource): ReturnType<ByteSource['read']> => {
  const read = source.read()
  read.catch(() => {})
  return read
}

/** Whether a read ends the body right away, without waiting for anything: a few turns of the microtask queue. */
const isAtEnd = async (read: Promise<unknown>): Promise<boolean> => {
  let ended = false
  read.then(
    chunk => {
      ended = chunk === undefined
    },
    () => {},
  )
  for (let turn = 0; turn < 4 && !ended; turn++) await Promise.resolve()
  return ended
}

/** A client that takes longer for a chunk does not gain by the next one being at hand; that would only cost memory. */
const slowMs = 50

/** Resolves when more can be written, and also when nothing can be any more. */
const drained = (outgoing: ServerResponse): Promise<void> =>
  new Promise(resolve => {
    const done = (): void => {
      outgoing.off('drain', done).off('close', done)
      resolve()
    }
    outgoing.once('drain', done).once('close', done)
  })

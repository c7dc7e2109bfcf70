// node:http
/**
 * Reads bytes from a data node. Not by `fetch`: a data node closes its connection behind the answer, and when that
 * happens while nobody is reading, the `fetch` of Node 24 fails outside of any promise and ends the process.
 */
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { Readable } from 'node:stream'
import { toAbortError } from '../abortable.ts'
import { FileSystemError } from '../filesystem.ts'
import { toNetworkError, toRemoteError } from './errors.ts'
import { createIdleTimer } from './idle-timer.ts'
import { readError } from './read-limited.ts'

export type DownloadOptions = {
  readonly path: string
  /** How long the data node may take to begin. */
  readonly timeoutMs: number
  /** How long the data node may send nothing while bytes are asked for. */
  readonly idleTimeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/** Asks a data node for bytes. Rejects with `FileSystemError`; the stream may break with one, and never ends short. */
export const download = async (location: URL, options: DownloadOptions): Promise<ReadableStream<Uint8Array>> => {
  const { path, timeoutMs, signal } = options
  const stop = new AbortController()
  const timer = setTimeout(() => stop.abort(), timeoutMs)
  try {
    const message = await ask(location, signal ? AbortSignal.any([signal, stop.signal]) : stop.signal)
    const status = message.statusCode ?? 0
    const { 'content-length': length, 'content-encoding': encoding } = message.headers
    if (status === 200 || status === 206) return toBody(message, toLength(length, encoding), location.host, options)
    throw toRemoteError(status, await readError(new Response(Readable.toWeb(message))), 'open', path)
  } catch (error) {
    if (signal?.aborted) throw toAbortError(signal, path)
    if (error instanceof FileSystemError) throw error
    const cause = stop.signal.aborted
      ? Object.assign(new Error('time-out', { cause: error }), { code: 'ETIMEDOUT' })
      : error
    throw toNetworkError(cause, `data node ${location.host}`, 'open', path)
  } finally {
    clearTimeout(timer)
  }
}

const ask = (location: URL, signal: AbortSignal): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const send = location.protocol === 'https:' ? httpsRequest : httpRequest
    // A connection of its own: the data node closes it anyway.
    const request = send(location, { agent: false, signal, headers: { 'accept-encoding': 'identity' } })
    // Stays after the answer: what happens to the connection then is the body's to tell.
    request.on('error', reject).once('response', resolve).end()
  })

/** An answer of a name node that has the bytes itself; see {@link download}. */
export const toBodyOfResponse = (
  { body, headers }: Response,
  host: string,
  options: Omit<DownloadOptions, 'timeoutMs'>,
): ReadableStream<Uint8Array> => {
  const announced = toLength(headers.get('content-length') ?? undefined, headers.get('content-encoding') ?? undefined)
  return toBody(body ? Readable.fromWeb(body) : Readable.from([]), announced, host, options)
}

const toLength = (length: string | undefined, encoding: string | undefined): number | undefined =>
  length !== undefined && encoding === undefined ? Number(length) : undefined

/** The bytes of an answer, checked against the announced length. */
const toBody = (
  source: Readable,
  announced: number | undefined,
  host: string,
  { path, idleTimeoutMs, signal }: Omit<DownloadOptions, 'timeoutMs'>,
): ReadableStream<Uint8Array> => {
  const iterator: AsyncIterator<Uint8Array> = source[Symbol.asyncIterator]()
  // With nobody reading, a broken connection must not count as an unhandled error.
  source.on('error', () => {})
  let received = 0
  let stalled: FileSystemError | undefined
  const idle = createIdleTimer(idleTimeoutMs, () => {
    const message = `Cannot read "${path}": data node ${host} stalled for ${idleTimeoutMs} ms after ${received} bytes`
    stalled = new FileSystemError('unavailable', path, message)
    source.destroy()
  })
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          idle.wait()
          const next = await iterator.next()
          idle.rest()
          if (stalled) throw stalled
          if (next.done) {
            idle.stop()
            checkLength(received, announced, host, path)
            controller.close()
          } else {
            received += next.value.length
            controller.enqueue(next.value)
          }
        } catch (error) {
          idle.stop()
          controller.error(stalled ?? toStreamError(error, host, path, signal))
        }
      },
      cancel() {
        idle.stop()
        source.destroy()
      },
    },
    { highWaterMark: 0 },
  )
}

const checkLength = (received: number, expected: number | undefined, host: string, path: string): void => {
  if (expected === undefined || received === expected) return
  const message = `Cannot read "${path}": data node ${host} sent ${received} of ${expected} bytes`
  throw new FileSystemError('unavailable', path, message)
}

const toStreamError = (error: unknown, host: string, path: string, signal: AbortSignal | undefined): unknown => {
  if (signal?.aborted) return toAbortError(signal, path)
  return error instanceof FileSystemError ? error : toNetworkError(error, `data node ${host}`, 'read', path)
}

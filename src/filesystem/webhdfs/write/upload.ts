// node:http
/**
 * Sends bytes to a data node. Not by `fetch`: a data node begins its answer with `100 Continue`, asked for or not, and
 * Node's `fetch` takes that for a broken response.
 */
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { iterated } from '../../../bytes/byte-stream.ts'
import { release } from '../../../bytes/slabs.ts'
import { toTraceHeaders } from '../../../tracing/current-trace.ts'
import { throwIfAborted, toAbortError } from '../../abortable.ts'
import { createIdleTimer, type IdleTimer } from '../../cluster/idle-timer.ts'
import { toNetworkError } from '../../cluster/remote-exception.ts'
import { FileSystemError } from '../../filesystem.ts'
import { createInterrupt } from '../../interrupt.ts'
import { toRemoteError } from '../errors.ts'
import { readError } from '../transport/read-limited.ts'

export type NodeUploadOptions = {
  readonly path: string
  /** How long the data node may neither take bytes nor answer. */
  readonly idleTimeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/** How an upload ended: bytes sent, or that no connection was made and the source is untouched. */
export type UploadOutcome = { readonly bytes: number } | { readonly notSent: FileSystemError }

/**
 * Sends a source to a data node and waits until it has closed the file. An abort, an error of the source (passed on as
 * it is) and a data node that stalls end it at once, in each case with the connection closed.
 */
export const uploadToNode = async (
  location: URL,
  source: AsyncIterator<Uint8Array>,
  { path, idleTimeoutMs, signal }: NodeUploadOptions,
): Promise<UploadOutcome> => {
  throwIfAborted(signal, path)
  const peer = `data node ${location.host}`
  const stopped = Promise.withResolvers<never>()
  // Awaited in races only; between them it must not count as unhandled.
  stopped.promise.catch(() => {})
  const send = location.protocol === 'https:' ? httpsRequest : httpRequest
  // A connection of its own: one from a pool may be closed by the data node just as the bytes go out.
  const request = send(location, {
    method: 'PUT',
    agent: false,
    headers: { 'content-type': 'application/octet-stream', ...toTraceHeaders() },
  })
  request.once('error', error => stopped.reject(toNetworkError(error, peer, 'create', path)))
  const idle = createIdleTimer(idleTimeoutMs, () => {
    const message = `Cannot create "${path}": ${peer} stalled for ${idleTimeoutMs} ms`
    stopped.reject(new FileSystemError('unavailable', path, message))
  })
  const onAbort = (): void => stopped.reject(signal ? toAbortError(signal, path) : undefined)
  signal?.addEventListener('abort', onAbort, { once: true })

  let connected = false
  try {
    const answer = whenAnswered(request)
    const work = async (): Promise<UploadOutcome> => {
      idle.wait()
      request.flushHeaders()
      await whenConnected(request, location)
      connected = true
      const bytes = await sendAll(request, source, answer, idle)
      idle.wait()
      const response = await answer
      const text = await readError(iterated(response[Symbol.asyncIterator]()))
      const status = response.statusCode ?? 0
      if (status < 200 || status >= 300) throw toRemoteError(status, text, 'create', path)
      return { bytes }
    }
    return await Promise.race([work(), stopped.promise])
  } catch (error) {
    if (!connected && error instanceof FileSystemError && !signal?.aborted) return { notSent: error }
    throw error
  } finally {
    idle.stop()
    signal?.removeEventListener('abort', onAbort)
    request.on('error', () => {})
    request.destroy()
  }
}

const whenConnected = (request: ClientRequest, { protocol }: URL): Promise<void> =>
  new Promise(done => {
    request.once('socket', socket => socket.once(protocol === 'https:' ? 'secureConnect' : 'connect', () => done()))
  })

const whenAnswered = (request: ClientRequest): Promise<IncomingMessage> =>
  new Promise(done => {
    request.once('response', done)
  })

/** What is handed over before the system has taken it. */
const windowBytes = 512 * 1024

/** Hands the chunks over as fast as the data node takes them; stops early when it answers early. */
const sendAll = async (
  request: ClientRequest,
  source: AsyncIterator<Uint8Array>,
  answer: Promise<IncomingMessage>,
  idle: IdleTimer,
): Promise<number> => {
  const interrupt = createInterrupt(answer)
  let bytes = 0
  for (;;) {
    idle.rest()
    const next = await interrupt.race(source.next())
    if (!('done' in next) || request.destroyed) return bytes
    if (next.done) break
    bytes += next.value.length
    const chunk = next.value
    if (chunk.length === 0 || request.write(chunk, () => release(chunk))) continue
    // What gathers while the system is busy goes out in one piece, and wakes the data node once.
    if (request.writableLength < windowBytes) continue
    idle.wait()
    const drained = new Promise<undefined>(done => request.once('drain', () => done(undefined)))
    if (await interrupt.race(drained)) return bytes
  }
  request.end()
  return bytes
}

import { toAbortError } from '../abortable.ts'
import { FileSystemError } from '../filesystem.ts'
import { maxJsonBytes } from './client.ts'
import { toNetworkError, toRemoteError } from './errors.ts'
import { createIdleTimer } from './idle-timer.ts'
import { readLimited } from './read-limited.ts'

export type DownloadOptions = {
  readonly fetch: typeof fetch
  readonly path: string
  /** How long the data node may take to begin. */
  readonly timeoutMs: number
  /** How long the data node may send nothing while bytes are asked for. */
  readonly idleTimeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/** Asks a data node for bytes. Rejects with `FileSystemError`; the stream may break with one, and never ends short. */
export const download = async (location: URL, options: DownloadOptions): Promise<ReadableStream<Uint8Array>> => {
  const { fetch, path, timeoutMs, signal } = options
  const stop = new AbortController()
  const timer = setTimeout(() => stop.abort(), timeoutMs)
  try {
    const response = await fetch(location, {
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, stop.signal]) : stop.signal,
      headers: { 'accept-encoding': 'identity' },
    })
    if (response.status === 200 || response.status === 206) return toBody(response, location.host, options)
    throw toRemoteError(response.status, await readLimited(response, maxJsonBytes), 'open', path)
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

/** The body of an answer, checked against its `Content-Length`. */
export const toBody = (
  response: Response,
  host: string,
  { path, idleTimeoutMs, signal }: Omit<DownloadOptions, 'fetch' | 'timeoutMs'>,
): ReadableStream<Uint8Array> => {
  const announced = response.headers.get('content-length')
  const expected = announced !== null && !response.headers.has('content-encoding') ? Number(announced) : undefined
  const reader = response.body?.getReader()
  let received = 0
  let stalled: FileSystemError | undefined
  const idle = createIdleTimer(idleTimeoutMs, () => {
    const message = `Cannot read "${path}": data node ${host} stalled for ${idleTimeoutMs} ms after ${received} bytes`
    stalled = new FileSystemError('unavailable', path, message)
    void reader?.cancel(stalled).catch(() => {})
  })
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          idle.wait()
          const next = await reader?.read()
          idle.rest()
          if (stalled) throw stalled
          if (next?.value) {
            received += next.value.length
            controller.enqueue(next.value)
          } else {
            idle.stop()
            checkLength(received, expected, host, path)
            controller.close()
          }
        } catch (error) {
          idle.stop()
          controller.error(toStreamError(error, host, path, signal))
        }
      },
      async cancel(reason) {
        idle.stop()
        await reader?.cancel(reason)
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

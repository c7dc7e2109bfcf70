/** Reads bytes from a data node, or from a name node that has them itself. */
import { ByteStream } from '../../../bytes/byte-stream.ts'
import { throwIfAborted, toAbortError } from '../../abortable.ts'
import { createIdleTimer } from '../../cluster/idle-timer.ts'
import { toNetworkError } from '../../cluster/remote-exception.ts'
import { FileSystemError } from '../../filesystem.ts'
import { toRemoteError } from '../errors.ts'
import { type Reply, toAnnouncedLength } from '../transport/answer.ts'
import { answered } from '../transport/answered.ts'
import { getBytes } from '../transport/get-bytes.ts'
import { readError } from '../transport/read-limited.ts'

export type NodeDownloadOptions = {
  readonly path: string
  /** Bytes that were asked for, where not all are wanted. */
  readonly length?: number | undefined
  /** Bytes that are there as far as is known. */
  readonly expected?: number | undefined
  /** An answer that announces less is rejected. */
  readonly least?: number
  /** How long the data node may take to begin. */
  readonly timeoutMs: number
  /** How long the data node may send nothing while bytes are asked for. */
  readonly idleTimeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/** Asks a data node for bytes. Rejects with `FileSystemError`; the stream may break with one, and never ends short. */
export const downloadFromNode = async (location: URL, options: NodeDownloadOptions): Promise<ByteStream> => {
  const { path, expected, least = 0, timeoutMs, signal } = options
  throwIfAborted(signal, path)
  const peer = `data node ${location.host}`
  return await answered(
    getBytes(location, expected),
    { peer, action: 'open', path, timeoutMs, signal },
    async answer => {
      const { status, body } = answer
      if (status !== 200 && status !== 206) throw toRemoteError(status, await readError(body), 'open', path)
      const announced = toAnnouncedLength(answer) ?? Number.POSITIVE_INFINITY
      if (announced >= least) return toStream(answer, peer, options)
      body.cancel()
      const message = `Cannot open "${path}": ${peer} has ${announced} of ${least} bytes`
      throw new FileSystemError('unavailable', path, message)
    },
  )
}

/** The bytes of an answer, checked against the announced length. @param peer for messages: `data node host:port` */
export const toStream = (
  answer: Reply,
  peer: string,
  { path, idleTimeoutMs, signal }: Pick<NodeDownloadOptions, 'path' | 'idleTimeoutMs' | 'signal'>,
): ByteStream => {
  const { body } = answer
  const announced = toAnnouncedLength(answer)
  let received = 0
  /** Why the bytes end before their time. */
  let broken: FileSystemError | undefined
  const breakOff = (error: FileSystemError): void => {
    broken ??= error
    body.cancel()
  }
  const idle = createIdleTimer(idleTimeoutMs, () => {
    const message = `Cannot read "${path}": ${peer} stalled for ${idleTimeoutMs} ms after ${received} bytes`
    breakOff(new FileSystemError('unavailable', path, message))
  })
  const onAbort = (): void => {
    if (signal) breakOff(toAbortError(signal, path))
  }
  signal?.addEventListener('abort', onAbort, { once: true })
  const finish = (): void => {
    idle.stop()
    signal?.removeEventListener('abort', onAbort)
  }
  return new ByteStream(
    {
      read: async () => {
        try {
          idle.wait()
          const bytes = await body.read()
          idle.rest()
          if (broken) throw broken
          received += bytes?.length ?? 0
          if (bytes !== undefined) return bytes
          checkLength(received, announced, peer, path)
          finish()
          return undefined
        } catch (error) {
          finish()
          throw broken ?? toStreamError(error, peer, path)
        }
      },
      cancel: () => {
        finish()
        body.cancel()
      },
    },
    announced,
  )
}

const checkLength = (received: number, expected: number | undefined, peer: string, path: string): void => {
  if (expected === undefined || received === expected) return
  const message = `Cannot read "${path}": ${peer} sent ${received} of ${expected} bytes`
  throw new FileSystemError('unavailable', path, message)
}

const toStreamError = (error: unknown, peer: string, path: string): unknown =>
  error instanceof FileSystemError ? error : toNetworkError(error, peer, 'read', path)

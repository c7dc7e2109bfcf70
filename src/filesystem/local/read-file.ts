// node:fs
import { constants } from 'node:fs'
import { throwIfAborted, toAbortError } from '../abortable.ts'
import { FileSystemError, type OpenOptions } from '../filesystem.ts'
import { toRange } from '../options.ts'
import { toLocalError } from './errors.ts'
import { type Inside, openInside } from './open-inside.ts'

/** Bytes of one read: large enough that the calls cost little beside the copying, */
const chunkBytes = 256 * 1024
/** and less before so many were read: many clients that take little, and what their kernels hold, cost little. */
const firstChunkBytes = 16 * 1024
const firstBytes = 8 * 1024 * 1024

/** Streams a part of a file; the file is closed at the end, on a failure and on cancel. */
export const readFile = async (
  target: string,
  inside: Inside,
  options: OpenOptions,
): Promise<ReadableStream<Uint8Array>> => {
  // Not blocking: a named pipe in the tree must not hang the caller.
  const file = await openInside(target, constants.O_RDONLY | constants.O_NONBLOCK, inside)
  const { path } = inside
  try {
    const stats = await file.stat()
    if (stats.isDirectory()) throw new FileSystemError('is-directory', path, `Cannot open "${path}": it is a directory`)
    if (!stats.isFile()) throw new FileSystemError('denied', path, `Cannot open "${path}": it is not a regular file`)
    const { start, end } = toRange(options, stats.size)
    // An aborted signal tells nobody any more: a stream that nobody reads would keep the file open.
    throwIfAborted(options.signal, path)
    let at = start
    let onAbort = (): void => {}
    const finish = async (): Promise<void> => {
      options.signal?.removeEventListener('abort', onAbort)
      await file.close()
    }
    return new ReadableStream<Uint8Array>(
      {
        start(controller) {
          onAbort = () => {
            if (options.signal) controller.error(toAbortError(options.signal, path))
            void finish().catch(() => {})
          }
          options.signal?.addEventListener('abort', onAbort, { once: true })
        },
        async pull(controller) {
          try {
            if (at < end) {
              const size = at - start < firstBytes ? firstChunkBytes : chunkBytes
              const buffer = Buffer.allocUnsafeSlow(Math.min(size, end - at))
              const { bytesRead } = await file.read(buffer, 0, buffer.length, at)
              if (options.signal?.aborted) return
              if (bytesRead === 0) {
                const message = `Cannot read "${path}" beyond byte ${at}: it was cut to that length meanwhile`
                throw new FileSystemError('unavailable', path, message)
              }
              at += bytesRead
              controller.enqueue(buffer.subarray(0, bytesRead))
            }
            if (at < end) return
            await finish()
            controller.close()
          } catch (error) {
            if (options.signal?.aborted) return
            await finish().catch(() => {})
            controller.error(toLocalError(error, 'read', path))
          }
        },
        cancel: finish,
      },
      { highWaterMark: 0 },
    )
  } catch (error) {
    await file.close()
    throw error
  }
}

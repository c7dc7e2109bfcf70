// node:fs
import { constants, fstatSync, type Stats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { ByteStream } from '../../bytes/byte-stream.ts'
import { createSlabs } from '../../bytes/slabs.ts'
import { throwIfAborted, toAbortError } from '../abortable.ts'
import { FileSystemError, type OpenOptions } from '../filesystem.ts'
import { toRange } from '../options.ts'
import { toLocalError } from './errors.ts'
import { type Inside, openInside } from './open-inside.ts'

/** Bytes of one read: large enough that the calls cost little beside the copying, */
const chunkBytes = 256 * 1024
/** and less until this many were read: many clients that take little, and what their kernels hold, cost little. */
const firstChunkBytes = 16 * 1024
const firstBytes = 8 * 1024 * 1024

/** A file or directory that is open, and what it is. */
export type Opened = { readonly file: FileHandle; readonly stats: Stats }

export const openForReading = async (target: string, inside: Inside): Promise<Opened> => {
  // Not blocking: a named pipe in the tree must not hang the caller.
  const file = await openInside(target, constants.O_RDONLY | constants.O_NONBLOCK, inside)
  try {
    // What is open is known: this waits for no disk, while another thread would have to be woken for it.
    return { file, stats: fstatSync(file.fd) }
  } catch (error) {
    await file.close()
    throw error
  }
}

/** Streams a part of a file; the file is closed at the end, on a failure and on cancel. */
export const readFile = async (
  { file, stats }: Opened,
  path: string,
  options: OpenOptions,
): Promise<ReadableStream<Uint8Array>> => {
  try {
    if (stats.isDirectory()) throw new FileSystemError('is-directory', path, `Cannot open "${path}": it is a directory`)
    if (!stats.isFile()) throw new FileSystemError('denied', path, `Cannot open "${path}": it is not a regular file`)
    const { start, end } = toRange(options, stats.size)
    // An aborted signal has no further event: a stream that is never read would keep the file open.
    throwIfAborted(options.signal, path)
    let at = start
    let slabs = createSlabs(firstChunkBytes)
    const finish = async (): Promise<void> => {
      options.signal?.removeEventListener('abort', onAbort)
      await file.close()
    }
    const onAbort = (): void => void finish().catch(() => {})
    options.signal?.addEventListener('abort', onAbort, { once: true })
    const readOn = async (): Promise<Uint8Array> => {
      if (at - start === firstBytes) {
        slabs.close()
        slabs = createSlabs(chunkBytes)
      }
      const buffer = slabs.next()
      const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, end - at), at)
      if (bytesRead === 0) {
        const message = `Cannot read "${path}" beyond byte ${at}: it was truncated meanwhile`
        throw new FileSystemError('unavailable', path, message)
      }
      at += bytesRead
      return slabs.filled(bytesRead)
    }
    return new ByteStream(
      {
        read: async () => {
          try {
            throwIfAborted(options.signal, path)
            const bytes = at < end ? await readOn() : undefined
            if (at < end) return bytes
            // Not when the reader leaves early: an active read may still fill them.
            slabs.close()
            void finish().catch(() => {})
            return bytes
          } catch (error) {
            await finish().catch(() => {})
            throw options.signal?.aborted ? toAbortError(options.signal, path) : toLocalError(error, 'read', path)
          }
        },
        cancel: () => void finish().catch(() => {}),
      },
      end - start,
    )
  } catch (error) {
    await file.close()
    throw error
  }
}

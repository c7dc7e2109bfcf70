import { Buffer } from 'node:buffer'
import type { FileSystem, OpenOptions } from '../filesystem/filesystem.ts'

export type SourceOptions = {
  readonly fileSystem: Pick<FileSystem, 'open'>
  readonly path: string
  /** Length of the file as it was listed. */
  readonly size: number
  /** First byte to read. */
  readonly offset: number
  readonly signal?: AbortSignal | undefined
}

/**
 * Bytes that are asked for at first, and then. Bytes on the way when the reader stops were read in vain, so requests
 * are small until it shows that more is wanted; the one after these goes to the end of the file.
 */
const windows = [256 * 1024, 1024 * 1024] as const

/** A run of bytes; to the end of the file without a length. */
export type ByteRun = Required<Pick<OpenOptions, 'offset'>> & Pick<OpenOptions, 'length' | 'expected'>

/** What {@link readSource} requests first of a file of that size, so that it can be requested ahead. */
export const firstRun = (size: number): ByteRun => toRun(0, size, windows[0])

/** Streams a file from an offset on; never ends short but by throwing. */
export async function* readSource(options: SourceOptions): AsyncGenerator<Uint8Array, void, undefined> {
  const { fileSystem, path, size, signal } = options
  let at = options.offset
  for (const window of [...windows, Number.POSITIVE_INFINITY]) {
    // A file of no length may be one that is being written: only asking shows.
    if (at >= size && at > 0) return
    const run = toRun(at, size, window)
    for await (const chunk of await fileSystem.open(path, { ...run, ...(signal ? { signal } : {}) })) {
      at += chunk.length
      yield chunk
    }
    if (run.length === undefined) return
  }
}

const toRun = (offset: number, size: number, window: number): ByteRun =>
  size - offset <= window ? { offset, expected: size - offset } : { offset, length: window }

/** Bytes of a file, fewer where it ends before. */
export const readRange = async (
  options: Pick<SourceOptions, 'fileSystem' | 'path' | 'signal'>,
  offset: number,
  length: number,
): Promise<Uint8Array> => {
  const { fileSystem, path, signal } = options
  const parts: Uint8Array[] = []
  const range = { offset, length, ...(signal ? { signal } : {}) }
  for await (const chunk of await fileSystem.open(path, range)) parts.push(chunk)
  return Buffer.concat(parts)
}

import { Buffer } from 'node:buffer'
import type { FileSystem } from '../filesystem/filesystem.ts'

export type SourceOptions = {
  readonly fileSystem: FileSystem
  readonly path: string
  /** Length of the file as it was listed. */
  readonly size: number
  /** First byte to read. */
  readonly offset: number
  readonly signal?: AbortSignal | undefined
}

/**
 * Bytes that are asked for at first, and then. What is on the way when somebody stops reading was read in vain, so
 * requests are small until it shows that more is wanted; the one after these goes to the end of the file.
 */
const windows = [256 * 1024, 1024 * 1024] as const

/** Streams a file from an offset on; never ends short but by throwing. */
export async function* readSource(options: SourceOptions): AsyncGenerator<Uint8Array, void, undefined> {
  const { fileSystem, path, size, signal } = options
  let at = options.offset
  for (const window of [...windows, Number.POSITIVE_INFINITY]) {
    // A file of no length may be one that is being written: only asking shows.
    if (at >= size && at > 0) return
    const isLast = size - at <= window
    const range = isLast ? { offset: at } : { offset: at, length: window }
    for await (const chunk of await fileSystem.open(path, { ...range, ...(signal ? { signal } : {}) })) {
      at += chunk.length
      yield chunk
    }
    if (isLast) return
  }
}

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

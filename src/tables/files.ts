import { Buffer } from 'node:buffer'
import type { FileSystem, Published, PublishOptions } from '../filesystem/filesystem.ts'
import { TableError } from './table-error.ts'

/** Reads a file of metadata whole. Rejects with `FileSystemError`. @throws TableError it is longer than that */
export const readFileWhole = async (
  fileSystem: FileSystem,
  path: string,
  maxBytes: number,
  signal?: AbortSignal,
): Promise<Buffer> => {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of await fileSystem.open(path, signal ? { signal } : {})) {
    length += piece.length
    if (length > maxBytes) throw new TableError(path, `expected at most ${maxBytes} bytes`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

/** Reads some bytes of a file; fewer where it ends before. Rejects with `FileSystemError`. */
export const readBytesAt = async (
  fileSystem: FileSystem,
  path: string,
  offset: number,
  length: number,
): Promise<Buffer> => {
  const pieces: Uint8Array[] = []
  for await (const piece of await fileSystem.open(path, { offset, length })) pieces.push(piece)
  return Buffer.concat(pieces)
}

/** Writes a file of metadata whole, or not at all. Rejects with `FileSystemError`. */
export const writeFileWhole = (
  fileSystem: FileSystem,
  path: string,
  bytes: Uint8Array,
  options: PublishOptions,
): Promise<Published> => fileSystem.publish(path, inOnePiece(bytes), options)

async function* inOnePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

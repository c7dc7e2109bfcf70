import { Buffer } from 'node:buffer'
import { crc32 } from 'node:zlib'
import { type FileSystem, FileSystemError, type PublishOptions, type Settled } from '../filesystem/filesystem.ts'
import { parentPath } from '../filesystem/path.ts'
import { inOnePiece } from '../filesystem/publish/in-one-piece.ts'
import { temporaryName } from '../filesystem/temporary-name.ts'
import { isSwapped, type LoadedTable } from './catalog.ts'
import { TableError } from './table-error.ts'
import { toTablePath, toUri } from './table-place.ts'

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
  fileSystem: Pick<FileSystem, 'open'>,
  path: string,
  offset: number,
  length: number,
): Promise<Buffer> => {
  const pieces: Uint8Array[] = []
  for await (const piece of await fileSystem.open(path, { offset, length })) pieces.push(piece)
  return Buffer.concat(pieces)
}

/**
 * Writes a file of metadata whole, or not at all: under a temporary name beside it, then by a RENAME. Nothing else is looked at: its
 * name is its writer's alone, or taken by that RENAME.
 * @returns what became of it, as `FileSystem.publish` of an attempt. Rejects with `FileSystemError`: that is not known
 */
export const writeFileWhole = async (
  fileSystem: FileSystem,
  path: string,
  bytes: Uint8Array,
  how: Pick<PublishOptions, 'isUnique'> & { readonly overwrite: boolean },
): Promise<Settled['outcome']> => {
  const temporary = `${parentPath(path)}/${temporaryName()}`
  const attempt = { temporary, length: bytes.length, crc: crc32(bytes), note: async () => {} }
  let isMoved = false
  try {
    const { outcome, failure } = await fileSystem.publish(path, inOnePiece(bytes), { attempt, ...how })
    isMoved = outcome === 'done' && failure === undefined
    return outcome
  } finally {
    if (!isMoved) await fileSystem.delete(temporary).catch(() => {})
  }
}

/** Files below `metadata/` of one try to commit. */
export type CommitFiles = {
  /** Writes a file, whose name is of this try alone. @returns its URI. Rejects with `FileSystemError` */
  readonly write: (name: string, bytes: Buffer) => Promise<string>
  /** Deletes all of them: the commit was refused, so no snapshot refers to them, or will. */
  readonly discard: () => Promise<void>
}

export const createCommitFiles = (
  fileSystem: FileSystem,
  table: Pick<LoadedTable, 'place' | 'version'>,
): CommitFiles => {
  const { place } = table
  const how = { overwrite: true, isUnique: isSwapped(table) }
  const written: string[] = []
  return {
    write: async (name, bytes) => {
      const uri = toUri(place, `metadata/${name}`)
      const path = toTablePath(place, uri)
      written.push(path)
      const outcome = await writeFileWhole(fileSystem, path, bytes, how)
      if (outcome !== 'done') throw new FileSystemError('unavailable', uri, `Cannot write "${uri}": it is gone`)
      return uri
    },
    discard: async () => {
      for (const path of written) await fileSystem.delete(path).catch(() => {})
    },
  }
}

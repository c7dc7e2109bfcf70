// node-only: files
import { closeSync, fdatasyncSync, fsyncSync, openSync, readlinkSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

const pieceBytes = 1 << 20

/** An open file that was deleted; its bytes are there as long as it is open. */
type DeletedFile = { readonly fd: number; readonly path: string; readonly length: number }

/**
 * Recreates a file that was deleted while it was open, with its content, and syncs it and its name; the old descriptor
 * is closed then. @returns the new one, and where it is
 * @throws Error when that cannot be done; the old descriptor stays open
 */
export const restoreFile = (file: DeletedFile): { readonly fd: number; readonly path: string } => {
  const path = placeOf(file)
  const fd = openSync(path, 'ax+')
  try {
    const piece = new Uint8Array(Math.min(pieceBytes, file.length))
    for (let at = 0; at < file.length; ) {
      const bytes = readSync(file.fd, piece, 0, Math.min(piece.length, file.length - at), at)
      if (bytes === 0) throw new Error(`Only ${at} of ${file.length} bytes of the deleted file ${path} can be read`)
      for (let done = 0; done < bytes; ) done += writeSync(fd, piece, done, bytes - done)
      at += bytes
    }
    fdatasyncSync(fd)
    syncDirectory(dirname(path))
  } catch (error) {
    closeSync(fd)
    unlinkSync(path)
    throw error
  }
  closeSync(file.fd)
  return { fd, path }
}

/** Where it was when it was deleted: it may have been renamed since it was made. Linux reports that. */
const placeOf = ({ fd, path }: DeletedFile): string => {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`).replace(/ \(deleted\)$/, '')
  } catch {
    return path
  }
}

const syncDirectory = (path: string): void => {
  const fd = openSync(path, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

// node:fs
import { constants, existsSync, readlinkSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { sep } from 'node:path'
import { FileSystemError } from '../filesystem.ts'

/** Where a file that is opened must lie, and the path that errors speak of. */
export type Inside = { readonly root: string; readonly path: string }

/**
 * Opens a file that `resolveInside` has found, and looks once more where it lies: a directory on the way may have become a
 * link since, and an open file stays what it is. A link in the last place is refused by the operating system. Where there
 * is no `/proc` the first look has to do.
 * @throws FileSystemError `bad-path` when it lies outside of the root
 */
export const openInside = async (
  target: string,
  flags: number,
  { root, path }: Inside,
  mode?: number,
): Promise<FileHandle> => {
  const file = await open(target, flags | constants.O_NOFOLLOW, mode)
  const real = whereIs(file)
  if (real === undefined || real === root || real.startsWith(root === sep ? sep : root + sep)) return file
  await file.close()
  throw new FileSystemError('bad-path', path, `Cannot use path "${path}": a symbolic link leads out of the root`)
}

/** Whether the system reports the path of an open file. */
export const canLookAgain = existsSync('/proc/self/fd')

/** A path that leads to an open file itself where the system has one, else the one that it was opened by. */
export const pathOfOpen = ({ fd }: FileHandle, path: string): string => (canLookAgain ? `/proc/self/fd/${fd}` : path)

/** Undefined if the system does not say. No disk is asked: open files are known to it. */
const whereIs = ({ fd }: FileHandle): string | undefined => {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`)
  } catch {
    return undefined
  }
}

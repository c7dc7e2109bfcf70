import type { FileStatus, FileSystem } from '../filesystem/filesystem.ts'
import { FileSystemError } from '../filesystem/filesystem.ts'
import { baseName } from '../filesystem/path.ts'

/** A file or directory that a walk comes by. */
export type WalkEntry = {
  readonly status: FileStatus
  /** Why a directory below the first could not be listed (to its end). */
  readonly error?: FileSystemError
}

export type WalkOptions = {
  /** Whether to go into directories below the first. */
  readonly recursive: boolean
  /** Whether a directory comes before what is in it; old clients know it behind. @default false */
  readonly directoriesFirst?: boolean
  /** Leaves out what is hidden, with all below it, as reads of a directory do. @default false */
  readonly visibleOnly?: boolean
  /** Leaves out the entries of the first directory up to this name. */
  readonly startAfter?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * What a path holds, in the order of names and depth first: a file is itself, a directory its entries. Holds one open
 * listing for each level, so memory does not grow with the number of entries; the longest path bounds the levels.
 * @throws FileSystemError when the first directory cannot be listed
 */
export async function* walk(
  fileSystem: FileSystem,
  root: FileStatus,
  { recursive, directoriesFirst = false, visibleOnly = false, startAfter, signal }: WalkOptions,
): AsyncGenerator<WalkEntry, void, undefined> {
  if (!root.isDirectory) return yield { status: root }
  const open = (status: FileStatus, after?: string): Level => ({
    status,
    entries: fileSystem
      .listStatus(status.path, { ...(after ? { startAfter: after } : {}), ...(signal ? { signal } : {}) })
      [Symbol.asyncIterator](),
  })
  const levels = [open(root, startAfter)]
  try {
    for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
      const next = await step(level, levels.length > 1)
      if (next instanceof FileSystemError || next === undefined) {
        levels.pop()
        if (next === undefined) {
          if (levels.length > 0 && !directoriesFirst) yield { status: level.status }
        } else yield { status: level.status, error: next }
      } else if (visibleOnly && hiddenName.test(baseName(next.path))) {
        // Not even looked into.
      } else if (next.isDirectory && recursive) {
        if (directoriesFirst) yield { status: next }
        levels.push(open(next))
      } else yield { status: next }
    }
  } finally {
    for (const { entries } of levels) entries.return?.().catch(() => {})
  }
}

/**
 * Whether rows and bytes of `root` leave out a path below it, as Hadoop does: `_SUCCESS`, `.part.crc`, all that is in
 * `_tmp`. Only names below `root` count, so that `/events/_tmp` itself can be read.
 */
export const isHidden = ({ path }: FileStatus, root: FileStatus): boolean =>
  path
    .slice(root.path.length)
    .split('/')
    .some(name => hiddenName.test(name))

const hiddenName = /^[_.]/

type Level = { readonly status: FileStatus; readonly entries: AsyncIterator<FileStatus> }

/** The next entry; undefined at the end, or the failure of a level that is not the first. */
const step = async ({ entries }: Level, isBelow: boolean): Promise<FileStatus | FileSystemError | undefined> => {
  try {
    const next = await entries.next()
    return next.done ? undefined : next.value
  } catch (error) {
    if (isBelow && error instanceof FileSystemError) return error
    throw error
  }
}

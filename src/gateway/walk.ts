import type { SluiceError } from '../errors.ts'
import type { FileStatus, FileSystem, PartialListing } from '../filesystem/filesystem.ts'
import { FileSystemError } from '../filesystem/filesystem.ts'
import { baseName } from '../filesystem/path.ts'
import type { FileOfTable } from './tables/table-files.ts'

/** A file or directory visited by a walk. */
export type WalkEntry = {
  readonly status: FileStatus
  /** Why a directory below the first could not be listed (to its end), or a file of a table not be found. */
  readonly error?: SluiceError
  /** Where the file is one of a table, and is read as such. */
  readonly table?: FileOfTable
}

export type WalkOptions = {
  /** Whether to go into directories below the first. */
  readonly recursive: boolean
  /** Whether a directory comes before what is in it; old clients expect it after. @default false */
  readonly directoriesFirst?: boolean
  /** Leaves out what is hidden, with all below it, as reads of a directory do. @default false */
  readonly visibleOnly?: boolean
  /** Leaves out the entries of the first directory up to this name. */
  readonly startAfter?: string | undefined
  /** The replacement of the entries of a directory below the first. @default its entries */
  readonly instead?: (directory: FileStatus) => Promise<AsyncIterable<readonly WalkEntry[]> | undefined>
  readonly signal?: AbortSignal | undefined
}

/**
 * What a path holds, in the order of names and depth first and in parts, none of them empty: a file is itself, a
 * directory its entries. Holds one open listing for each level, so memory does not grow with the number of entries; the
 * longest path bounds the levels.
 * @throws FileSystemError when the first directory cannot be listed
 */
export async function* walk(
  fileSystem: FileSystem,
  root: FileStatus,
  {
    recursive,
    directoriesFirst = false,
    visibleOnly = false,
    startAfter,
    instead = async () => undefined,
    signal,
  }: WalkOptions,
): AsyncGenerator<readonly WalkEntry[], void, undefined> {
  if (!root.isDirectory) return yield [{ status: root }]
  const open = (status: FileStatus, after?: string): Level => ({
    status,
    parts: fileSystem
      .listStatus(status.path, { ...(after ? { startAfter: after } : {}), ...(signal ? { signal } : {}) })
      [Symbol.asyncIterator](),
    part: [],
    taken: 0,
  })
  const levels = [open(root, startAfter)]
  try {
    for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
      const found: WalkEntry[] = []
      let below: FileStatus | undefined
      while (below === undefined) {
        const status = level.part[level.taken++]
        if (status === undefined) break
        // What is hidden is not even looked into.
        if (visibleOnly && hiddenName.test(baseName(status.path))) continue
        if (status.isDirectory && recursive) below = status
        if (below === undefined || directoriesFirst) found.push({ status })
      }
      if (found.length > 0) yield found
      if (below) {
        const other = await instead(below)
        if (other === undefined) levels.push(open(below))
        else {
          yield* other
          if (!directoriesFirst) yield [{ status: below }]
        }
      } else {
        const end = await refill(level, levels.length > 1)
        if (end === undefined) continue
        levels.pop()
        if (end instanceof FileSystemError) yield [{ status: level.status, error: end }]
        else if (levels.length > 0 && !directoriesFirst) yield [{ status: level.status }]
      }
    }
  } finally {
    for (const { parts } of levels) parts.return?.().catch(() => {})
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

type Level = {
  readonly status: FileStatus
  readonly parts: AsyncIterator<PartialListing>
  part: PartialListing
  /** Entries of the part that were walked by. */
  taken: number
}

/** Asks for the next part. @returns whether that was the end, or the failure of a level that is not the first */
const refill = async (level: Level, isBelow: boolean): Promise<'end' | FileSystemError | undefined> => {
  try {
    const next = await level.parts.next()
    if (next.done) return 'end'
    level.part = next.value
    level.taken = 0
    return undefined
  } catch (error) {
    if (isBelow && error instanceof FileSystemError) return error
    throw error
  }
}

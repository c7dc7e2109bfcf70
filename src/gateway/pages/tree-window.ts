import { FormatError, SluiceError } from '../../errors.ts'
import { type FileStatus, type FileSystem, FileSystemError } from '../../filesystem/filesystem.ts'
import { compareNames } from '../../filesystem/path.ts'
import type { MarkMemory } from '../mark-memory.ts'
import { walk } from '../walk.ts'
import type { WantedColumns } from '../wanted-columns.ts'
import { type OpenFileRows, type RowWindow, readWindow } from './read-window.ts'
import { maxColumns } from './rows-page.ts'

/** Files that one page looks into, for a tree of very many small ones; its "next" goes on from there. */
export const maxTreeFiles = 200

export type TreeRequest = {
  readonly root: FileStatus
  /** Rows counted over all files, both included. */
  readonly first: number
  readonly last: number
  /** From a link: goes on behind this file (relative path), before which there are so many rows. */
  readonly startAfter?: string | undefined
  readonly rowsBefore: number
  readonly columns: WantedColumns
  readonly signal: AbortSignal
}

/** The rows of one file within the page, or why there are none. */
export type TreeFile = {
  readonly status: FileStatus
  /** Rows counted from the top of this file. */
  readonly window?: RowWindow
  readonly error?: Error
}

/** A page of the rows below a directory. */
export type TreeWindow = {
  /** Files that have rows on the page, or something wrong with them. */
  readonly files: readonly TreeFile[]
  readonly rows: number
  /** Where the next page begins; undefined at the end. */
  readonly next?: { readonly first: number; readonly startAfter: string | undefined; readonly rowsBefore: number }
}

/** Reads rows across the files below a directory, depth first by name, without hidden files; stops after the last. */
export const readTreeWindow = async (
  {
    fileSystem,
    openRows,
    memory,
  }: { readonly fileSystem: FileSystem; readonly openRows: OpenFileRows; readonly memory: MarkMemory },
  { root, first, last, startAfter, rowsBefore, columns, signal }: TreeRequest,
): Promise<TreeWindow> => {
  const toRelative = ({ path }: FileStatus): string => path.slice(root.path === '/' ? 1 : root.path.length + 1)
  const files: TreeFile[] = []
  let before = rowsBefore
  let previous = startAfter
  let rows = 0
  let looked = 0
  for await (const part of walk(fileSystem, root, { recursive: true, visibleOnly: true, signal })) {
    for (const { status, error } of part) {
      if (error !== undefined) files.push({ status, error })
      if (status.isDirectory) continue
      if (startAfter !== undefined && comparePaths(toRelative(status), startAfter) <= 0) continue
      if (looked === maxTreeFiles)
        return { files, rows, next: { first: first + rows, startAfter: previous, rowsBefore: before } }
      looked += 1
      const request = {
        status,
        first: Math.max(0, first - before),
        last: last - before,
        columns,
        mostColumns: maxColumns,
        signal,
      }
      const read = await tryWindow(openRows, memory, request)
      if (read instanceof Error) files.push({ status, error: read })
      else {
        rows += read.rows.length
        if (read.rows.length > 0 || read.damage !== undefined) files.push({ status, window: read })
        // The next page begins in this file, which is reached again by the one before it.
        if (!read.isEnd) return { files, rows, next: { first: last + 1, startAfter: previous, rowsBefore: before } }
        before += read.seen
      }
      previous = toRelative(status)
      if (before > last) return { files, rows, next: { first: last + 1, startAfter: previous, rowsBefore: before } }
    }
  }
  return { files, rows }
}

/** The order of a walk: name by name. So a page goes on in its place although the file before it is gone. */
const comparePaths = (left: string, right: string): number => {
  const [a, b] = [left.split('/'), right.split('/')]
  const at = a.findIndex((name, index) => name !== b[index])
  return at < 0 ? a.length - b.length : compareNames(a[at] ?? '', b[at] ?? '')
}

/** One bad file must not cost the others their page; a cluster that is unavailable does. */
const tryWindow = async (
  open: OpenFileRows,
  memory: MarkMemory,
  request: Parameters<typeof readWindow>[2],
): Promise<RowWindow | Error> => {
  try {
    return await readWindow(open, memory, request)
  } catch (error) {
    const isAway = error instanceof FileSystemError && error.code === 'unavailable'
    if (!isAway && (error instanceof FormatError || error instanceof SluiceError)) return error
    throw error
  }
}

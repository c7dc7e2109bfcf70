import { FormatError, SluiceError } from '../../../errors.ts'
import { type FileStatus, FileSystemError } from '../../../filesystem/filesystem.ts'
import type { MarkMemory } from '../../rows/mark-memory.ts'
import { isNoTable } from '../../rows/row-files.ts'
import type { WantedColumns } from '../../rows/wanted-columns.ts'
import type { WantedWhere } from '../../rows/wanted-where.ts'
import { openTableFile } from '../../tables/open-table-file.ts'
import type { FilesAndTables } from '../../tables/table-directories.ts'
import { type Found, findRows, type SearchBudget } from '../find/find-rows.ts'
import { type OpenFileRows, type PageWindow, readWindow } from '../find/read-window.ts'
import { isBinary } from '../find/readable.ts'
import { maxColumns } from '../rows/rows-page.ts'
import { filesNewestFirst } from './newest-first.ts'

/** Files that one page of all rows looks into, for a tree of very many empty ones. Looking for rows has its own bounds. */
export const maxTreeFiles = 200

export type TreeRequest = {
  readonly root: FileStatus
  /** Rows counted over all files, the newest one first; both included. */
  readonly first: number
  readonly last: number
  /** From a link: continues after this file (relative path), which this many rows precede. */
  readonly startAfter?: string | undefined
  readonly rowsBefore: number
  readonly columns: WantedColumns
  readonly where: WantedWhere
  /** Rows that match, at most; and what looking for them may take. */
  readonly most: number
  readonly budget: SearchBudget
  readonly signal: AbortSignal
}

/** The rows of one file within the page, or the reason without rows. */
export type TreeFile = {
  readonly status: FileStatus
  readonly window?: PageWindow
  /** Whether its rows are shown as its table has them: the file itself may call columns otherwise, or have others. */
  readonly isOfTable?: boolean
  /** Of each row, within the file. */
  readonly numbers: readonly number[]
  /** Of each row on the page, where rows of several files are sorted as one. @default one after another */
  readonly places?: readonly number[]
  readonly error?: Error
  /** Whether it is something else than a table, and left out. */
  readonly isNoTable?: boolean
}

/** A page of the rows below a directory. */
export type TreeWindow = {
  /** Files that have rows on the page, or something wrong with them. */
  readonly files: readonly TreeFile[]
  readonly rows: number
  /** Number of the row after the last one that was looked at. */
  readonly end: number
  /** Bytes that were read to look for rows, and whether that was too much. */
  readonly bytes: number
  readonly isCut: boolean
  /** Where the next page begins; undefined at the end. */
  readonly next?: { readonly first: number; readonly startAfter: string | undefined; readonly rowsBefore: number }
}

export type TreeContext = FilesAndTables & {
  readonly openRows: OpenFileRows
  readonly memory: MarkMemory
  /** ms, of any clock. */
  readonly now: () => number
}

/** Reads rows across the files below a directory, the newest file first, without hidden files; stops after the last. */
export const readTreeWindow = async (context: TreeContext, request: TreeRequest): Promise<TreeWindow> => {
  const { root, first, last, startAfter, rowsBefore, where, most, budget, signal } = request
  const startedAt = context.now()
  const files: TreeFile[] = []
  let before = rowsBefore
  // Where the next page begins to walk: the rows of files skipped after it count again.
  let previous = { file: startAfter, rows: rowsBefore }
  let rows = 0
  let looked = 0
  let bytes = 0
  const finish = (end: number, hasMore: boolean, isCut = false): TreeWindow => ({
    files,
    rows,
    end,
    bytes,
    isCut,
    ...(hasMore ? { next: { first: end, startAfter: previous.file, rowsBefore: previous.rows } } : {}),
  })
  const entries = filesNewestFirst(context, root, { after: startAfter, where, signal })
  for await (const { status, error, table } of entries) {
    if (error !== undefined) {
      files.push({ status, error, numbers: [] })
      continue
    }
    before += table?.passed ?? 0
    const leftMs = budget.ms - (context.now() - startedAt)
    const isOver = where !== undefined && looked > 0 && (leftMs <= 0 || bytes >= budget.bytes)
    if ((where === undefined && looked === maxTreeFiles) || isOver) return finish(Math.max(first, before), true, isOver)
    looked += 1
    const left = { most: most - rows, budget: { ms: leftMs, bytes: budget.bytes - bytes } }
    const own = { ...request, ...left, status, first: Math.max(0, first - before), last: last - before }
    const read = await tryRead({ ...context, openRows: openTableFile(context.openRows, table) }, own)
    if (read instanceof Error) files.push({ status, error: read, numbers: [], isNoTable: isNoTable(read) })
    else if (isBinary(read.window) || isNoTable(read.window.damage))
      files.push({ status, numbers: [], isNoTable: true })
    else {
      const { window, numbers, found } = read
      rows += window.rows.length
      bytes += found?.bytes ?? 0
      if (window.rows.length > 0 || window.damage !== undefined)
        files.push({ status, window, numbers, isOfTable: table !== undefined })
      // The next page begins in this file, which is reached again by the one before it.
      if (found?.goOn !== undefined) return finish(before + found.goOn, true, found.isCut)
      if (found === undefined && !window.isEnd) return finish(last + 1, true)
      before += window.seen
    }
    previous = { file: status.path.slice(root.path === '/' ? 1 : root.path.length + 1), rows: before }
    if (before > last) return finish(last + 1, true)
  }
  return finish(before, false)
}

type FileRead = { readonly window: PageWindow; readonly numbers: readonly number[]; readonly found?: Found }

/** One bad file must not cost the others their page; a cluster that is unavailable does. */
const tryRead = async (
  { openRows, memory, fileSystem, now }: TreeContext,
  { where, ...request }: TreeRequest & { readonly status: FileStatus },
): Promise<FileRead | Error> => {
  try {
    const { status, first, last, columns, signal } = request
    const wanted = { status, first, last, columns, mostColumns: maxColumns, signal }
    if (where === undefined) {
      const window = await readWindow(openRows, memory, wanted)
      return { window, numbers: window.rows.map((_, index) => window.first + index) }
    }
    const { most, budget } = request
    const window = await findRows(openRows, memory, fileSystem, { ...wanted, where, most, budget, now })
    return { window, numbers: window.numbers, found: window.found }
  } catch (error) {
    return toTreeFault(error)
  }
}

/** The error of one file of many. @throws errors that do not concern one file alone */
export const toTreeFault = (error: unknown): FormatError | SluiceError => {
  const isAway = error instanceof FileSystemError && error.code === 'unavailable'
  if (!isAway && (error instanceof FormatError || error instanceof SluiceError)) return error
  throw error
}

import type { FileStatus } from '../../../filesystem/filesystem.ts'
import { isNoTable } from '../../rows/row-files.ts'
import type { SortRequest } from '../find/find-sorted.ts'
import { createSorting, maxSortedRows, type ReadFile, type Sorted, toSortedWindow } from '../find/find-sorted.ts'
import { filesNewestFirst } from './newest-first.ts'
import { type TreeContext, type TreeFile, type TreeWindow, toTreeFault } from './tree-window.ts'

/** The rows at some places of the order of all rows below a directory that were looked at. */
export type SortedTree = TreeWindow & { readonly sorted: Sorted }

/**
 * Sorts the rows of the files below a directory as one, the newest file first, or as many as the budget allows.
 * @returns undefined where no row has the column
 */
export const readSortedTree = async (
  context: TreeContext,
  root: FileStatus,
  request: Omit<SortRequest, 'status' | 'now'>,
): Promise<SortedTree | undefined> => {
  const { fileSystem, openRows, memory, now } = context
  const { first, where, signal } = request
  const sorting = createSorting({ open: openRows, memory, fileSystem }, { ...request, now })
  const files: TreeFile[] = []
  const reads = new Map<string, ReadFile & { readonly isOfTable: boolean }>()
  for await (const { status, error, table } of filesNewestFirst(context, root, { where, signal })) {
    if (error !== undefined) {
      files.push({ status, error, numbers: [] })
      continue
    }
    if (sorting.isOver()) {
      sorting.cut()
      break
    }
    try {
      const read = await sorting.read(status, false, table)
      if (read.isBinary) files.push({ status, numbers: [], isNoTable: true })
      else reads.set(status.path, { ...read, isOfTable: table !== undefined })
    } catch (error) {
      const fault = toTreeFault(error)
      files.push({ status, error: fault, numbers: [], isNoTable: isNoTable(fault) })
    }
  }
  const sorted = sorting.sorted()
  if (!sorted) return undefined
  const page = sorting.page()
  for (const read of reads.values()) {
    const places = [...page.keys()].filter(place => page[place]?.status === read.status)
    const own = page.filter(({ status }) => status === read.status)
    if (own.length === 0 && read.damage === undefined) continue
    const window = toSortedWindow(read, own)
    if (isNoTable(window.damage)) files.push({ status: read.status, numbers: [], isNoTable: true })
    else files.push({ status: read.status, window, numbers: window.numbers, places, isOfTable: read.isOfTable })
  }
  const end = first + page.length
  const hasMore = end < Math.min(sorted.rows, maxSortedRows)
  return {
    files,
    rows: page.length,
    end,
    bytes: 0,
    isCut: sorted.isCut,
    sorted,
    ...(hasMore ? { next: { first: end, startAfter: undefined, rowsBefore: 0 } } : {}),
  }
}

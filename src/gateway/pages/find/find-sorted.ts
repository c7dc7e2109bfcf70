import type { FormatError } from '../../../errors.ts'
import type { FileStatus, FileSystem } from '../../../filesystem/filesystem.ts'
import type { Mark, Reading } from '../../../rows/reading.ts'
import type { Row } from '../../../rows/row.ts'
import type { Where } from '../../../rows/where/where.ts'
import type { MarkMemory } from '../../rows/mark-memory.ts'
import { openTableFile } from '../../tables/open-table-file.ts'
import type { FileOfTable } from '../../tables/table-files.ts'
import { type SearchBudget, toCounting } from './find-rows.ts'
import { keepRow, weighRow } from './keep-row.ts'
import { type LookContext, lookThrough } from './look-through.ts'
import { type OpenFileRows, type PageWindow, toReadingFacts, type WindowRequest } from './read-window.ts'
import { isBinary } from './readable.ts'
import { createTopRows } from './top-rows.ts'

/** Places that can be paged to: this many rows are kept in memory, twice; beyond them a filter helps. */
export const maxSortedRows = 1_000

/** Bytes of rows that may be kept; sorting ends there, and says how far it got. */
const defaultKeptBytes = 256 * 1024 * 1024

/** Like a window, but `first` and `last` count places in the order. */
export type SortRequest = Omit<WindowRequest, 'at' | 'mostColumns'> & {
  readonly mostColumns: number
  readonly by: string
  readonly order: 'asc' | 'desc'
  /** @default all rows */
  readonly where?: Where | undefined
  readonly budget: SearchBudget
  /** Bytes of rows that may be kept. @default 256 MiB */
  readonly keptBytes?: number
  /** ms, of any clock. */
  readonly now: () => number
}

/** Rows at some places of the order of all rows that were looked at. */
export type SortedWindow = PageWindow & {
  /** The number of each row within the file. */
  readonly numbers: readonly number[]
  readonly sorted: Sorted
  /** A column that is asked about and no row has, as a sentence. */
  readonly unknown: string | undefined
}

/** The parts of a sorted page. */
export type Sorted = {
  /** Rows that were sorted: those that match, of those looked at. */
  readonly rows: number
  /** Rows that were looked at. */
  readonly looked: number
  /** Whether time, bytes or memory ended it before the file did. */
  readonly isCut: boolean
}

/**
 * Sorts all rows of a file by a column, or as many as the budget allows, and gives those at the wanted places.
 * @returns undefined where no row that matches has the column
 * @throws what `readWindow` throws, and `bad-parameter` for a column of `where` that the file does not have
 */
export const findSorted = async (
  open: OpenFileRows,
  memory: MarkMemory,
  fileSystem: Pick<FileSystem, 'open'>,
  request: SortRequest,
): Promise<SortedWindow | undefined> => {
  const { status, first, last, where } = request
  const sorting = createSorting({ open, memory, fileSystem }, request)
  const read = await sorting.read(status, true)
  const sorted = sorting.sorted()
  if (!sorted) return undefined
  const page = sorting.page()
  return {
    ...toSortedWindow(read, page),
    sorted,
    unknown: where?.fields.problem,
    first,
    seen: sorted.looked,
    isEnd: last + 1 >= Math.min(sorted.rows, maxSortedRows),
  }
}

/** Rows of a file on a page of sorted rows, and their numbers within the file. */
export const toSortedWindow = ({ reading, next, damage }: ReadFile, page: readonly Kept[]) => ({
  rows: page.map(({ row }) => row),
  numbers: page.map(({ number }) => number),
  first: 0,
  ...toReadingFacts(reading),
  seen: 0,
  isEnd: true,
  next,
  damage,
})

/** How a file was read whose rows are sorted. */
export type ReadFile = {
  readonly status: FileStatus
  readonly reading: Reading | undefined
  readonly next: Mark | undefined
  readonly damage: FormatError | undefined
  /** Whether it is neither text nor anything else that has rows. */
  readonly isBinary: boolean
}

/** Sorts the rows of one file after another. */
export const createSorting = ({ open, memory, fileSystem }: LookContext, request: Omit<SortRequest, 'status'>) => {
  const { first, last, columns, mostColumns, by, order, where, budget, now, signal } = request
  const { keptBytes = defaultKeptBytes } = request
  const startedAt = now()
  const top = createTopRows<Kept>({ order, most: Math.min(last + 1, maxSortedRows), weigh: ({ row }) => weighRow(row) })
  const toValue = createPicker(by)
  const counted = toCounting(fileSystem, count => {
    bytes += count
  })
  let [bytes, rows, looked] = [0, 0, 0]
  let isCut = false
  const isOver = (): boolean => now() - startedAt >= budget.ms || bytes >= budget.bytes || top.bytes() >= keptBytes

  /** Takes the rows of a file. @param isNamed whether it has to have the columns of `where` */
  const read = async (status: FileStatus, isNamed: boolean, table?: FileOfTable): Promise<ReadFile> => {
    const before = looked
    const { reading, next, ended, damage } = await lookThrough(
      { open: openTableFile(open, table), memory, fileSystem: counted },
      {
        status,
        wanted: { columns, mostColumns, where },
        where,
        isNamed,
        accepts: (opened, found) => isNamed || !isBinary({ ...opened, rows: found.slice(0, sampleRows) }),
        see: (row, number) => {
          if (where && !where.matches(row)) return false
          rows += 1
          top.offer(toValue.of(row), () => ({ status, row: keepRow(row), number }))
          return false
        },
        onRun: seen => {
          looked = before + seen
        },
        isOver,
        signal,
      },
    )
    if (ended === 'over') isCut = true
    return { status, reading, next, damage, isBinary: ended === 'refused' }
  }
  return {
    read,
    isOver,
    /** Says that there are files which were not read. */
    cut: (): void => {
      isCut = true
    },
    /** The outcome; undefined where no row that matches has the column. */
    sorted: (): Sorted | undefined => (toValue.isKnown() ? { rows, looked, isCut } : undefined),
    /** The rows at the wanted places. */
    page: (): readonly Kept[] => top.sorted().slice(first, last + 1),
  }
}

/** Rows that show whether a file is text. */
const sampleRows = 100

/** A row that is kept, and its file. */
export type Kept = { readonly status: FileStatus; readonly row: Row; readonly number: number }

/** Picks the value of a column; rows of one shape share their names. */
const createPicker = (by: string) => {
  let names: readonly string[] | undefined
  let place = -1
  let isKnown = false
  return {
    of: (row: Row): Row['values'][number] | undefined => {
      if (row.names !== names) {
        names = row.names
        place = names.indexOf(by)
        isKnown ||= place >= 0
      }
      return place < 0 ? undefined : row.values[place]
    },
    isKnown: () => isKnown,
  }
}

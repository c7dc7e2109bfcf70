import { FormatError } from '../../../errors.ts'
import type { FileStatus, FileSystem } from '../../../filesystem/filesystem.ts'
import type { Mark, Reading, Wanted } from '../../../rows/reading.ts'
import type { Row } from '../../../rows/row.ts'
import type { MarkMemory } from '../../rows/mark-memory.ts'
import type { WantedColumns } from '../../rows/wanted-columns.ts'

/** Opens a file as rows, with what the gateway was set up with. */
export type OpenFileRows = (options: {
  readonly status: FileStatus
  readonly from?: Mark | undefined
  readonly wanted?: Wanted
  readonly signal: AbortSignal
  /** Has the file. @default the one of the gateway */
  readonly fileSystem?: Pick<FileSystem, 'open'>
}) => Promise<Reading>

export type WindowRequest = {
  readonly status: FileStatus
  /** Rows from 0, both included. */
  readonly first: number
  readonly last: number
  /** From a link, and so unverified. */
  readonly at?: Mark | undefined
  /** A format that can find them in the file reads no others. @default all */
  readonly columns?: WantedColumns
  /** As `columns`: at most this many. */
  readonly mostColumns?: number
  readonly signal: AbortSignal
}

/** Some rows of a file, as a page shows them. */
export type PageWindow = Pick<Reading, 'columns' | 'hasNumberedRest' | 'parquet' | 'dialect' | 'encoding'> & {
  readonly rows: readonly Row[]
  /** Number of the first row; the wanted one, unless there are no rows so far on. */
  readonly first: number
  readonly serializer: string
  readonly codec: string
  /** Rows that were seen to exist, counted from the top; all of them when `isEnd`. */
  readonly seen: number
  /** Whether the file ends (or is damaged) before or right after these rows. */
  readonly isEnd: boolean
  /** Where to read on for the rows after these. */
  readonly next: Mark | undefined
  /** Why the rows end before the file does. */
  readonly damage: FormatError | undefined
}

/**
 * Reads the wanted rows from the nearest known place and stops after them. Damage ends the window instead of failing
 * it; a file that cannot be opened as rows gives a window without any.
 * @throws FileSystemError, and `unreadable` and the like for what cannot be shown as rows
 */
export const readWindow = async (
  open: OpenFileRows,
  memory: MarkMemory,
  request: WindowRequest,
): Promise<PageWindow> => {
  const { status, first, last, signal } = request
  const { from, isFromLink } = toStart(memory, request)
  const rows: Row[] = []
  let next = from
  let seen = from?.row ?? 0
  let reading: Reading | undefined
  const finish = (isEnd: boolean, damage?: FormatError): PageWindow => ({
    rows,
    first: rows.length > 0 ? first : Math.min(first, seen),
    ...toReadingFacts(reading),
    seen,
    isEnd,
    next,
    damage,
  })
  try {
    const { columns, mostColumns } = request
    // One row more than wanted shows whether there is a next page.
    const wanted = { columns, first, last: last + 1, ...(mostColumns === undefined ? {} : { mostColumns }) }
    reading = await open({ status, from, wanted, signal })
    for await (const batch of reading.batches) {
      const end = batch.first + batch.rows.length
      if (batch.first <= last) {
        for (const row of batch.rows.slice(Math.max(0, first - batch.first), last + 1 - batch.first)) rows.push(row)
      }
      if (batch.mark !== undefined && batch.mark.row <= last + 1) next = batch.mark
      if (batch.mark !== undefined && !isFromLink) memory.add(status, batch.mark)
      seen = Math.max(seen, end)
      if (seen > last + 1) return finish(false)
    }
    return finish(true)
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    // A place from a link may be nonsense: the beginning never is.
    if (isFromLink && rows.length === 0) return readWindow(open, memory, { ...request, at: undefined })
    return finish(true, error)
  }
}

/** The nearest known place before the first row. @returns with whether it is from a link, and so perhaps nonsense */
export const toStart = (
  memory: MarkMemory,
  { status, first, at }: Pick<WindowRequest, 'status' | 'first' | 'at'>,
): { readonly from: Mark | undefined; readonly isFromLink: boolean } => {
  const known = memory.find(status, first)
  const isNearer = at !== undefined && at.row <= first && at.offset <= status.length && at.row > (known?.row ?? 0)
  return { from: isNearer ? at : known, isFromLink: isNearer }
}

/** What a window shows of how its file is read; undefined if it could not be opened. */
export const toReadingFacts = (
  reading: Reading | undefined,
): Pick<PageWindow, 'serializer' | 'codec' | 'columns' | 'hasNumberedRest' | 'parquet' | 'dialect' | 'encoding'> => ({
  serializer: reading?.serializer ?? '',
  codec: reading?.codec ?? 'none',
  ...(reading?.columns ? { columns: reading.columns } : {}),
  ...(reading?.hasNumberedRest ? { hasNumberedRest: true } : {}),
  ...(reading?.parquet ? { parquet: reading.parquet } : {}),
  ...(reading?.dialect ? { dialect: reading.dialect } : {}),
  ...(reading?.encoding ? { encoding: reading.encoding } : {}),
})

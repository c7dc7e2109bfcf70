import { FormatError, SluiceError } from '../../errors.ts'
import { FileSystemError } from '../../filesystem/filesystem.ts'
import type { Mark, Reading } from '../../rows/reading.ts'
import type { Rows } from '../../rows/row.ts'
import { filterRows } from '../../rows/where/filter-rows.ts'
import { nextTurn } from '../../runtime/next-turn.ts'
import type { ReadContext } from '../context.ts'
import type { ReadyEntry } from '../open-ahead.ts'
import { checkRows } from '../tables/open-table-file.ts'
import type { WalkEntry } from '../walk.ts'
import type { RowWindow } from './range.ts'
import { type TextForm, toFormKey } from './text-form.ts'
import { checkColumns, createColumnCut, type WantedColumns } from './wanted-columns.ts'
import { checkOpened, checkWhere, type WantedWhere } from './wanted-where.ts'

/** Some rows of a file, and how it is read. */
export type WantedRows = {
  readonly reading: Reading
  /**
   * The rows within the window that match; leaves the file as soon as the last wanted row has passed. During a search a
   * run without matches is yielded empty, to show progress.
   */
  readonly rows: AsyncIterable<Rows>
  /** How many rows were looked at so far, and how many of them match; undefined where all are wanted. */
  readonly search: Search | undefined
}

/** How far it is with looking for rows. */
export type Search = {
  readonly searched: number
  readonly matched: number
  /** Columns that are asked about, and that none of these rows has. */
  readonly unknownColumns: readonly string[]
}

/** Opens a file for the rows that a window wants next, at the last place before them that is known. */
export const openWanted = async (
  { openRowFile, marks }: Pick<ReadContext, 'openRowFile' | 'marks'>,
  { status, fileSystem, table }: ReadyEntry,
  window: RowWindow,
  options: {
    readonly raw: boolean
    readonly nulls: boolean
    readonly form: TextForm
    readonly columns: WantedColumns
    readonly where: WantedWhere
    /** Whether the file was asked for by its name: then it has to have the columns. */
    readonly isNamed: boolean
    readonly signal: AbortSignal
  },
): Promise<WantedRows> => {
  const { raw, nulls, form, columns, where, isNamed, signal } = options
  const key = raw ? `raw ${form.encoding ?? ''}` : toFormKey(form)
  const from = marks.find(status, window.ahead, key)
  const wanted = { columns, where, first: window.ahead, last: window.upTo - 1, projection: table?.projection }
  const reading = await openRowFile(status, {
    raw,
    nulls,
    ...form,
    signal,
    from,
    wanted,
    ...(fileSystem ? { fileSystem } : {}),
  })
  if (table) await checkOpened(reading, () => checkRows(status, table, reading))
  if (isNamed) {
    await checkOpened(reading, () => {
      checkColumns(columns, reading)
      checkWhere(where, reading)
    })
  }
  const add = (mark: Mark): void => marks.add(status, mark, key)
  const search = where && {
    searched: 0,
    matched: 0,
    get unknownColumns() {
      return where.fields.missing
    },
  }
  const cut = createColumnCut(columns)
  return { reading, rows: takeWanted(reading, { cut, where, search, window, from, add }), search }
}

/** Skips a file of a table whose rows all precede the window. @returns whether it was skipped */
export const passTableFile = ({ table, error }: WalkEntry, window: RowWindow): boolean => {
  if (table === undefined) return false
  window.pass(table.passed)
  if (error !== undefined) return false
  if (window.ahead < table.rows) return false
  window.pass(table.rows)
  return true
}

type TakeOptions = {
  readonly cut: (rows: Rows) => Rows
  readonly where: WantedWhere
  readonly search: { searched: number; matched: number } | undefined
  readonly window: RowWindow
  readonly from: Mark | undefined
  readonly add: (mark: Mark) => void
}

async function* takeWanted(
  { batches }: Reading,
  { cut, where, search = { searched: 0, matched: 0 }, window, from, add }: TakeOptions,
): AsyncGenerator<Rows, void, undefined> {
  let isFirst = true
  let next = 0
  for await (const { rows, first, mark } of batches) {
    // Skipped rows count; a file that cannot be read from a place begins at the top all the same.
    search.searched += window.pass(Math.max(0, first - next))
    isFirst = false
    next = first + rows.length
    if (mark) add(mark)
    const wanted = window.take(rows)
    const found = where ? await filterRows(wanted, where) : wanted
    search.searched += wanted.length
    search.matched += found.length
    if (found.length > 0 || (where && wanted.length > 0)) yield cut(found)
    if (window.isDone) return
    // Bytes at hand may yield no row for long, which would hold up other work.
    if (where && found.length === 0) await nextTurn()
  }
  if (isFirst && from) window.pass(from.row)
}

/**
 * What a client learns about a file that could not be read; nothing of an unknown error, which may contain anything.
 */
export const toFailureText = (error: unknown): string =>
  error instanceof SluiceError || error instanceof FormatError ? error.message : 'The file cannot be read as rows'

/** Whether an error says that a file's content is at fault, and not the way to it. */
export const isDamage = (error: unknown): boolean => !(error instanceof FileSystemError)

/** Whether a file is known for what it is, and not as rows: an image, an archive. */
export const isNoTable = (error: unknown): boolean => error instanceof FormatError && error.format === 'file'

/** Whether the bytes of a file are damaged, or expand to too much. */
export const isDamagedFile = (error: unknown): error is FormatError | SluiceError =>
  error instanceof FormatError || (error instanceof SluiceError && error.code === 'unreadable')

/** Whether a file that was listed is there no longer. */
export const isVanished = (error: unknown): boolean => error instanceof FileSystemError && error.code === 'not-found'

/** How a file was read, for `X-Row-Serializer`: `text`, or `text, gzip`. */
export const describeReading = ({ serializer, codec }: Reading): string =>
  codec === 'none' ? serializer : `${serializer}, ${codec}`

import { SluiceError } from '../../../errors.ts'
import { checkColumns, type KnownColumns, parseColumns, type WantedColumns } from '../../rows/wanted-columns.ts'
import { parseWhereParam } from '../../rows/wanted-where.ts'
import { findRows, searchBudget } from '../find/find-rows.ts'
import { findSorted } from '../find/find-sorted.ts'
import { type PageWindow, readWindow } from '../find/read-window.ts'
import { isBinary } from '../find/readable.ts'
import { parseRowOrder } from '../find/sort-rows.ts'
import { defaultPageRows, maxColumns, type RowsView } from '../rows/rows-page.ts'
import type { ViewOptions, ViewRequest } from './view.ts'
import { isBadParameter, toMark, toPageRange, toSearchRange } from './view-params.ts'

/**
 * The parts of the query for rows that count. A filter that cannot be used, and columns that the file does not have,
 * are left out, with the reason.
 */
export type RowsQuestion = {
  /** As it was typed: each way to read parses it, since what was parsed remembers which columns were seen. */
  readonly where: string | undefined
  readonly columns: WantedColumns
  /** Why `where`, or `columns`, does not count. */
  readonly fault?: SluiceError
  readonly refusal?: SluiceError
}

/** Rows of a file for one page: sorted, found, or in their order. */
export type ShownRows = Pick<RowsView, 'first' | 'width' | 'at' | 'numbers' | 'sorted' | 'search'> & {
  /** With a column that is asked about and no row has, as a sentence. */
  readonly window: PageWindow & { readonly unknown?: string | undefined }
}

/**
 * Reads the rows of a page, and once more without what the file does not have of the question.
 * @returns with the question as it was answered
 * @throws what `readWindow` throws
 */
export const readShown = async (
  options: ViewOptions,
  asked: ViewRequest,
  question: RowsQuestion,
): Promise<ShownRows & RowsQuestion> => {
  let shown: ShownRows
  try {
    shown = (await sort(options, asked, question)) ?? (await read(options, asked, question))
  } catch (error) {
    if (question.where === undefined || !isBadParameter(error)) throw error
    return readShown(options, asked, { ...question, where: undefined, fault: error })
  }
  const refusal = toRefusal(question.columns, shown.window)
  return refusal ? readShown(options, asked, { ...question, columns: undefined, refusal }) : { ...shown, ...question }
}

/** Sorts all rows by the named column; undefined if no row has it, and for bytes that are not text. */
const sort = async (
  { openRows, memory, fileSystem, now }: ViewOptions,
  { params, status, signal }: ViewRequest,
  { columns, ...question }: RowsQuestion,
): Promise<ShownRows | undefined> => {
  const { by, order } = parseRowOrder(params)
  if (by === undefined || parseColumns(params.columns)?.includes(by) === false) return undefined
  const { first, last, width } = toPageRange(params.range)
  const where = parseWhereParam(question.where)
  const request = { status, first, last, by, order, columns, mostColumns: maxColumns, where }
  const window = await findSorted(openRows, memory, fileSystem, { ...request, budget: searchBudget, now, signal })
  if (window === undefined || (params.show !== 'rows' && isBinary(window))) return undefined
  return { window, first, width, at: undefined, numbers: window.numbers, sorted: window.sorted }
}

/** Searches for matching rows, or reads all in their order without a filter. */
const read = async (
  { openRows, memory, fileSystem, now }: ViewOptions,
  { params, status, signal }: ViewRequest,
  { columns, ...question }: RowsQuestion,
): Promise<ShownRows> => {
  const where = parseWhereParam(question.where)
  const { first, last, width } = where ? toSearchRange(params.range) : toPageRange(params.range)
  const from = toMark(params.at)
  const request = { status, first, last, at: from, columns, mostColumns: maxColumns, signal }
  if (where === undefined) {
    const window = await readWindow(openRows, memory, request)
    const at = from ?? memory.find(status, first)
    return { window, first: window.rows.length > 0 ? window.first : first, width, at }
  }
  const search = { ...request, where, most: defaultPageRows, budget: searchBudget, now }
  const window = await findRows(openRows, memory, fileSystem, search)
  const { found, numbers } = window
  return { window, first, width, at: from ?? memory.find(status, first), search: { found, last }, numbers }
}

/** Why a file cannot have the columns, perhaps. */
const toRefusal = (columns: WantedColumns, window: KnownColumns): SluiceError | undefined => {
  try {
    checkColumns(columns, window)
    return undefined
  } catch (error) {
    if (error instanceof SluiceError) return error
    throw error
  }
}

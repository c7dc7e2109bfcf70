import { SluiceError } from '../../../errors.ts'
import type { Mark } from '../../../rows/reading.ts'
import { parseRange } from '../../rows/range.ts'
import { toFormQuery } from '../../rows/text-form.ts'
import { parseColumns } from '../../rows/wanted-columns.ts'
import { parseWhereParam, type WantedWhere } from '../../rows/wanted-where.ts'
import { parseRowOrder } from '../find/sort-rows.ts'
import type { Filter } from '../rows/filter-box.ts'
import { defaultPageRows, maxPageRows } from '../rows/rows-page.ts'
import { createViewLinks, type ViewLinks } from '../rows/view-links.ts'
import type { ViewRequest } from './view.ts'

/** Which rows, or places in an order, make a page. */
export type PageRange = { readonly first: number; readonly last: number; readonly width: number }

/** The rows of one page: what `range` says, and never more than a page holds. */
export const toPageRange = (range: string | undefined): PageRange => {
  const { first, last } = range ? parseRange(range) : { first: 0, last: defaultPageRows - 1 }
  const width = Math.min(last - first + 1, maxPageRows)
  return { first, last: first + width - 1, width }
}

/** The rows that are looked through for those of one page: all that `range` says. */
export const toSearchRange = (range: string | undefined): PageRange => ({
  ...parseRange(range),
  width: defaultPageRows,
})

/** The place that `at` says. The contract has checked its form. */
export const toMark = (at: string | undefined): Mark | undefined => {
  const [row, offset] = at ? at.split('-').map(Number) : []
  return row === undefined || offset === undefined ? undefined : { row, offset }
}

/** What `where` says, or what is wrong with it. */
export const tryWhere = (text: string | undefined): { readonly where?: WantedWhere; readonly fault?: SluiceError } => {
  try {
    return { where: parseWhereParam(text) }
  } catch (error) {
    if (isBadParameter(error)) return { fault: error }
    throw error
  }
}

/** Whether what was asked for is at fault, and not the file. */
export const isBadParameter = (error: unknown): error is SluiceError =>
  error instanceof SluiceError && error.code === 'bad-parameter'

/** What was typed into the box of the filter, with what is wrong with it. */
export const toFilter = (
  text = '',
  {
    fault,
    found,
    unknown,
  }: {
    readonly fault: SluiceError | undefined
    /** Rows that it found. */
    readonly found: number
    /** A column that none of those looked at had: the reason where nothing was found. */
    readonly unknown: string | undefined
  },
): Filter => {
  if (fault) return { text, fault: fault.message.replace(/^Parameter "where": /, '') }
  return found === 0 ? { text, fault: unknown } : { text, note: unknown }
}

/** The links of a page. @param hasColumns whether the chosen columns are those that are shown */
export const toLinks = (
  { params, status: { path, isDirectory } }: Pick<ViewRequest, 'params' | 'status'>,
  hasColumns = true,
): ViewLinks =>
  createViewLinks({
    path,
    recursive: isDirectory,
    where: params.where ?? '',
    columns: hasColumns ? parseColumns(params.columns) : undefined,
    order: parseRowOrder(params),
    form: toFormQuery(params),
  })

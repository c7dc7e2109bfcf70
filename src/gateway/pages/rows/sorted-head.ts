import { html } from 'hono/html'
import type { Markup } from '../../../contract/markdown.ts'
import { toCounted, toSizeText } from '../elements/format.ts'
import type { Query } from '../elements/links.ts'
import { toShortened, toVisibleText } from '../elements/visible-text.ts'
import { searchBudget } from '../find/find-rows.ts'
import type { Sorted } from '../find/find-sorted.ts'
import { type RowOrder, toOrderQuery } from '../find/sort-rows.ts'

export type ColumnHead = {
  readonly label: Markup | string
  readonly style?: string | undefined
  /** How the rows that are shown are sorted by it; undefined where they are not. */
  readonly current: RowOrder['order'] | undefined
  /** Leads to them sorted by it, and once they are, the other way round. */
  readonly link: string
}

/** The head of a column that can be sorted by. */
export const toColumnHead = ({ label, style, current, link }: ColumnHead): Markup => {
  const mark = current === undefined ? '↕' : current === 'asc' ? '↑' : '↓'
  const sorted = current === undefined ? '' : html` aria-sort="${current === 'asc' ? 'ascending' : 'descending'}"`
  return html`<th scope="col"${style === undefined ? '' : html` class="${style}"`}${sorted}><a href="${link}">${label}<span class="arrow" aria-hidden="true">${mark}</span></a></th>`
}

export type SortedHead = {
  /** The column; undefined for the numbers of rows. */
  readonly by: string | undefined
  readonly label: Markup
  readonly style?: string | undefined
  /** As it is now. */
  readonly order: RowOrder
}

/** The head of a column of rows, which sorts them. */
export const toSortedHead = (
  { by, label, style, order: { by: current, order } }: SortedHead,
  toLink: (query: Query) => string,
): Markup => {
  const isCurrent = by === current
  const next = toOrderQuery({ by, order: isCurrent && order === 'asc' ? 'desc' : 'asc' })
  return toColumnHead({ label, style, current: isCurrent ? order : undefined, link: toLink(next) })
}

/**
 * Says how the rows are sorted, and which.
 * @param names of the columns that the rows of the page alone can be sorted by
 * @param plain leads to the unsorted rows
 * @param sorted how far all rows were sorted; undefined where those of the page were
 */
export const toOrderNote = (
  { by, order }: RowOrder,
  names: readonly string[],
  plain: string,
  sorted?: Sorted,
): Markup | string => {
  if (by === undefined && order === 'asc') return ''
  const back = html`<a href="${plain}">As in the file</a>`
  if (by === undefined) return html`<p class="dim order">The newest row first: only the rows of this page. ${back}</p>`
  const name = html`<strong>${toVisibleText(toShortened(by, 80))}</strong>`
  if (!sorted && !names.includes(by))
    return html`<p class="dim order">Not sorted: there is no column ${name} here. ${back}</p>`
  const direction = order === 'asc' ? 'ascending' : 'descending'
  return html`<p class="dim order">Sorted by ${name}, ${direction}${sorted ? toExtent(sorted) : ': only the rows of this page.'} ${back}</p>`
}

/** Sorting that ended early says where, and why. */
const toExtent = ({ looked, isCut }: Sorted): string =>
  isCut
    ? `: only the first ${toCounted(looked, 'row')} were looked at. A page may take ${searchBudget.ms / 1_000} s and read ${toSizeText(searchBudget.bytes)}.`
    : '.'

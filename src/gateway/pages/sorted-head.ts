import { html } from 'hono/html'
import type { Markup } from '../../contract/markdown.ts'
import type { Query } from './links.ts'
import { type RowOrder, toOrderQuery } from './sort-rows.ts'
import { toShortened, toVisibleText } from './visible-text.ts'

export type SortedHead = {
  /** The column; undefined for the numbers of rows. */
  readonly by: string | undefined
  readonly label: Markup
  readonly style?: string | undefined
  /** Of the rows that are shown. */
  readonly order: RowOrder
}

/** The head of a column, which sorts the rows of the page by it, and once they are, the other way round. */
export const toSortedHead = (
  { by, label, style, order: { by: current, order } }: SortedHead,
  toLink: (query: Query) => string,
): Markup => {
  const isCurrent = by === current
  const next = toOrderQuery({ by, order: isCurrent && order === 'asc' ? 'desc' : 'asc' })
  const [direction, arrow] = order === 'asc' ? ['ascending', '↑'] : ['descending', '↓']
  return html`<th scope="col"${style === undefined ? '' : html` class="${style}"`}${isCurrent ? html` aria-sort="${direction}"` : ''}><a href="${toLink(next)}">${label}<span class="arrow" aria-hidden="true">${isCurrent ? arrow : '↕'}</span></a></th>`
}

/**
 * Says how the rows are sorted, and that these alone are.
 * @param names of the columns that are shown
 * @param plain leads to them as they come
 */
export const toOrderNote = ({ by, order }: RowOrder, names: readonly string[], plain: string): Markup | string => {
  if (by === undefined && order === 'asc') return ''
  const back = html`<a href="${plain}">As in the file</a>`
  if (by === undefined) return html`<p class="dim order">The newest row first: only the rows of this page. ${back}</p>`
  const name = html`<strong>${toVisibleText(toShortened(by, 80))}</strong>`
  if (!names.includes(by)) return html`<p class="dim order">Not sorted: there is no column ${name} here. ${back}</p>`
  const direction = order === 'asc' ? 'ascending' : 'descending'
  return html`<p class="dim order">Sorted by ${name}, ${direction}: only the rows of this page. ${back}</p>`
}

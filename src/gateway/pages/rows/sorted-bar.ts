import { html } from 'hono/html'
import type { Markup } from '../../../contract/markdown.ts'
import { toCounted, toCountText } from '../elements/format.ts'
import { toStep } from '../elements/marks.ts'
import { maxSortedRows, type Sorted } from '../find/find-sorted.ts'
import type { ViewLinks } from './view-links.ts'

export type SortedBarView = {
  readonly links: ViewLinks
  readonly sorted: Sorted
  /** The first place in the order, how many make a page, and how many rows are on it. */
  readonly first: number
  readonly width: number
  readonly rows: number
  /** Whether the rows end before the file does. */
  readonly isDamaged: boolean
}

/** Which places of all sorted rows these are, and the way to others. */
export const toSortedBar = (view: SortedBarView, place: 'top' | 'bottom'): Markup => {
  const { links, sorted, first, width, rows } = view
  const end = Math.min(sorted.rows, maxSortedRows)
  const before = Math.max(0, first - width)
  return html`<div class="range ${place}">
<p>${toPlaces(view)}${first + rows === maxSortedRows && sorted.rows > maxSortedRows ? '. Places end here; a filter leads further' : ''}</p>
<nav aria-label="Rows, ${place}">
${toStep('Previous', first === 0 ? undefined : links.page({ range: `${before}-${first - 1}` }))}
${toStep('Next', first + width >= end ? undefined : links.page({ range: `${first + width}-${first + 2 * width - 1}` }))}
</nav></div>`
}

const toPlaces = ({ links, sorted, first, rows, isDamaged }: SortedBarView): Markup => {
  const soFar = sorted.isCut ? ' looked at so far' : isDamaged ? ' before the damage' : ''
  const found = sorted.rows < sorted.looked ? ' found' : ''
  const of = `of ${soFar === '' ? '' : 'the '}${toCounted(sorted.rows, 'row')}${found}${soFar}`
  if (rows === 0)
    return html`No rows at place ${toCountText(first + 1)} ${of}. <a href="${links.page()}">Show the first ones</a>`
  return first === 0
    ? html`Sorted: the first <strong>${toCountText(rows)}</strong> ${of}`
    : html`Sorted: places <strong>${toCountText(first + 1)}</strong>–<strong>${toCountText(first + rows)}</strong> ${of}`
}

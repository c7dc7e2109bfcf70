import { html } from 'hono/html'
import type { Markup } from '../../../contract/markdown.ts'
import { toCounted, toCountText, toSizeText } from '../elements/format.ts'
import type { Found } from '../find/find-rows.ts'

export type FoundBarView = {
  readonly found: Found
  readonly matched: number
  /** Numbers of the first row that was looked at, and of the one after the last. */
  readonly from: number
  readonly to: number
  /** Looks for more. */
  readonly goOn: string | undefined
  /** Looks from the top. */
  readonly fromTop: string | undefined
}

/** How far a file was looked through, and the way on. */
export const toFoundBar = (view: FoundBarView, place: 'top' | 'bottom'): Markup => {
  const { found, matched, from, to, goOn, fromTop } = view
  const looked =
    to > from
      ? html`in rows <strong>${toCountText(from)}</strong>–<strong>${toCountText(to - 1)}</strong>`
      : html`from row ${toCountText(from)} on`
  // The script continues by itself after time or bytes ran out: it adds to these figures.
  const figures =
    place === 'top'
      ? html` data-found="${matched}" data-from="${from}" data-to="${to}" data-bytes="${found.bytes}"${found.isCut && goOn !== undefined ? html` data-cut` : ''}`
      : ''
  return html`<div class="range ${place}"${figures}>
<p>Found <strong>${toCounted(matched, 'row')}</strong> ${looked}${goOn === undefined ? ', the end' : ''}. Read ${toSizeText(found.bytes)}${found.isCut ? ', and stopped there' : ''}.</p>
<nav aria-label="Rows, ${place}">
${fromTop === undefined ? '' : html`<a class="button" href="${fromTop}">From the top</a>`}
${goOn === undefined ? '' : html`<a class="button" rel="next" href="${goOn}">Continue</a>`}
</nav>
</div>`
}

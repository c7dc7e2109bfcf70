import { html } from 'hono/html'
import type { Markup } from '../../../contract/markdown.ts'
import type { TypeColumns } from '../../context.ts'
import { toCounted, toCountText } from '../elements/format.ts'
import { toVisibleText } from '../elements/visible-text.ts'

/** Characters of a type that are shown: a struct names all of its members. */
const maxTypeChars = 1_000

/** The columns that the Parquet files of an event type have: folded. */
export const toTypePanel = ({ columns, columnCount }: TypeColumns): Markup => html`<details class="parquet">
<summary>Columns of this event type: ${toCountText(columnCount)}</summary>
<div class="scroll" tabindex="0" role="region" aria-label="Columns of this event type"><table>
<thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col" class="num">Values in _extra</th></tr></thead>
<tbody>${columns.map(toRow)}</tbody>
</table></div>
${columnCount > columns.length ? html`<p class="dim">… and ${toCounted(columnCount - columns.length, 'more column')}.</p>` : ''}
<p class="dim">A column never changes its type: what it cannot hold stands as JSON in _extra; counted since the start of the server.</p>
</details>`

const toRow = ({ name, type, misfits }: TypeColumns['columns'][number]): Markup => {
  const isCut = type.length > maxTypeChars
  return html`<tr><th scope="row">${toVisibleText(name)}</th><td>${toVisibleText(isCut ? type.slice(0, maxTypeChars) : type)}${isCut ? html`<span class="dim">…</span>` : ''}</td><td class="num">${misfits === 0 ? html`<span class="dim">–</span>` : toCountText(misfits)}</td></tr>
`
}

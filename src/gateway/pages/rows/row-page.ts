import { html } from 'hono/html'
import type { Markup } from '../../../contract/markdown.ts'
import type { FileStatus } from '../../../filesystem/filesystem.ts'
import { baseName } from '../../../filesystem/path.ts'
import { stringifyJson } from '../../../formats/json.ts'
import { fromMembers } from '../../../formats/members.ts'
import type { Mark } from '../../../rows/reading.ts'
import type { Row } from '../../../rows/row.ts'
import { toCountText } from '../elements/format.ts'
import { toDataLink } from '../elements/links.ts'
import { toStep } from '../elements/marks.ts'
import { toNotice } from '../elements/notice.ts'
import { toVisibleText } from '../elements/visible-text.ts'
import type { PageWindow } from '../find/read-window.ts'
import { defaultPageRows, toAt, toReadAs } from './rows-page.ts'
import { toRowTree } from './value-tree.ts'
import type { ViewLinks } from './view-links.ts'

/** Longest JSON of a row that its page shows, in characters. */
const maxJsonChars = 100_000

export type RowView = {
  readonly status: FileStatus
  readonly row: number
  readonly window: PageWindow
  readonly at: Mark | undefined
  /** Of the table that it leads back to. */
  readonly links: ViewLinks
}

/** The content of the page of one row: all of it, one value below the other. */
export const toRowPage = ({ status, row, window, at, links }: RowView): Markup => {
  const { path } = status
  const [found] = window.rows
  const start = Math.floor(row / defaultPageRows) * defaultPageRows
  const { where, by } = links.query()
  const isInOrder = where === undefined && by === undefined
  const table = links.page(isInOrder ? { range: `${start}-${start + defaultPageRows - 1}`, at: toAt(at) } : {})
  return html`<div class="head"><h1>Row ${toCountText(row)} <small>of ${toVisibleText(baseName(path))}</small></h1>
<nav class="buttons" aria-label="Rows">
${toStep('Previous', row === 0 ? undefined : links.page({ row: row - 1, at: toAt(at) }))}
${toStep('Next', window.isEnd ? undefined : links.page({ row: row + 1, at: toAt(window.next) }))}
<a class="button" href="${table}#row-${row}">All rows</a>
</nav></div>
${found === undefined ? toMissing(row, window, links) : toFound(found, row, window, path)}`
}

const toFound = (
  found: Row,
  row: number,
  window: PageWindow,
  path: string,
): Markup => html`<p class="dim">Read as ${toReadAs(window)}.</p>
<div class="sheet">${toRowTree(found)}</div>
${toJson(found, toDataLink('json', path, { range: `${row}-${row}`, pretty: true, nulls: true }))}`

const toMissing = (row: number, { seen, damage }: PageWindow, links: ViewLinks): Markup =>
  damage === undefined
    ? html`<div class="empty"><p class="heading">There is no row ${toCountText(row)}.</p><p>The file has ${toCountText(seen)} rows, counted from 0. <a href="${links.page()}">Show the first ones</a></p></div>`
    : toNotice(
        'bad',
        `Row ${toCountText(row)} cannot be read.`,
        html`<p><code>${toVisibleText(damage.message)}</code></p>`,
      )

const toJson = (row: Row, link: string): Markup => {
  const text = toRowJson(row)
  return text === undefined
    ? html`<p class="dim">This row is too large to be shown as JSON here: <a href="${link}">get it as JSON</a>.</p>`
    : html`<details class="json"><summary>As JSON</summary><pre tabindex="0"><code>${toVisibleJson(text)}</code></pre></details>`
}

const toRowJson = ({ names, values }: Row): string | undefined => {
  const object = fromMembers(names.map((name, index) => [name, values[index] ?? null]))
  const text = stringifyJson(object, { indent: 2 })
  return text.length > maxJsonChars ? undefined : text
}

const toVisibleJson = (text: string): Markup[] =>
  text.split('\n').map((line, index) => html`${index === 0 ? '' : '\n'}${toVisibleText(line)}`)

import { html } from 'hono/html'
import type { Markup } from '../../contract/markdown.ts'
import { isNumber, type Value } from '../../formats/number.ts'
import type { Mark } from '../../rows/reading.ts'
import type { Row } from '../../rows/row.ts'
import { type FileHead, toFileHead } from './file-head.ts'
import { toCounted, toCountText } from './format.ts'
import { toBrowseLink, toDataLink } from './links.ts'
import { toStep } from './marks.ts'
import { toNotice } from './notice.ts'
import type { RowWindow } from './read-window.ts'
import { toCell } from './value-text.ts'
import { toShortened, toVisibleText } from './visible-text.ts'

/** Rows on one page at most, and where the request does not say. */
export const maxPageRows = 500
export const defaultPageRows = 100

/** Columns of the table; rows with more show the rest in their own page. */
const maxColumns = 60

export type RowsView = Omit<FileHead, 'view' | 'readAs'> & {
  readonly window: RowWindow
  /** As on the page: the wanted rows and how many make a page. */
  readonly first: number
  readonly width: number
  /** Place that this page was read from, for the links to its rows. */
  readonly at: Mark | undefined
}

/** The content of a file's page: its rows as a table, and how to get to others. */
export const toRowsPage = (view: RowsView): Markup => {
  const { window, status } = view
  return html`${toFileHead({ ...view, view: 'rows', readAs: toReadAs(window) })}
${window.damage === undefined ? '' : toDamage(view, window.damage.message)}
${window.rows.length === 0 ? '' : html`${toRangeBar(view, 'top')}${toRowTable(view)}`}
${window.rows.length === 0 && window.damage === undefined ? toNoRows(view) : ''}
${window.rows.length === 0 ? '' : toRangeBar(view, 'bottom')}
${
  window.rows.length > 0
    ? html`<p class="dim after">These rows as <a href="${toDataLink('json', status.path, { range: toRange(view), pretty: true })}">JSON</a> or <a href="${toBrowseLink(status.path, { raw: 'false', range: toRange(view) })}">plain text</a>.</p>`
    : ''
}`
}

/** `smile`, or `text in gzip`. */
export const toReadAs = ({ serializer, codec }: Pick<RowWindow, 'serializer' | 'codec'>): string | undefined =>
  serializer === '' ? undefined : codec === 'none' ? serializer : `${serializer} in ${codec}`

/** A place in a link. */
export const toAt = (mark: Mark | undefined): string | undefined =>
  mark === undefined ? undefined : `${mark.row}-${mark.offset}`

const toRange = ({ first, window }: RowsView): string => `${first}-${first + window.rows.length - 1}`

const toRangeBar = (view: RowsView, place: 'top' | 'bottom'): Markup => {
  const { status, window, first, width } = view
  const last = first + window.rows.length - 1
  const before = Math.max(0, first - width)
  const total = window.isEnd && window.damage === undefined ? ` of ${toCountText(window.seen)}` : ''
  return html`<div class="range ${place}">
<p>Rows <strong>${toCountText(first)}</strong>–<strong>${toCountText(last)}</strong>${total}</p>
<nav aria-label="Rows, ${place}">
${toStep('Previous', first === 0 ? undefined : toBrowseLink(status.path, { range: `${before}-${first - 1}` }))}
${toStep('Next', window.isEnd ? undefined : toBrowseLink(status.path, { range: `${last + 1}-${last + width}`, at: toAt(window.next) }))}
</nav>
${
  place === 'bottom'
    ? ''
    : html`<form class="jump" method="get" action="/rest/1.0/hdfs"><input type="hidden" name="path" value="${status.path}"><input type="hidden" name="show" value="rows">
<label for="jump">Go to row</label><input id="jump" name="row" inputmode="numeric" pattern="[0-9]{1,15}" required autocomplete="off" size="8"><button>Go</button></form>`
}
</div>`
}

/** Rows of one file as a table; `first` is the number of the first one, and each leads to its own page. */
export const toRowTable = ({
  status,
  window,
  first,
  at,
}: Pick<RowsView, 'status' | 'window' | 'first' | 'at'>): Markup => {
  const names = toColumns(window)
  const shown = names.slice(0, maxColumns)
  const cells = window.rows.map(row => toCells(row, shown))
  const isNumeric = shown.map((_, column) => isNumericColumn(cells, column))
  return html`${
    names.length > shown.length
      ? toNotice(
          'note',
          `${toCounted(names.length, 'column')}; the first ${maxColumns} are shown.`,
          html`<p>Open a row to see all of it.</p>`,
        )
      : ''
  }<div class="scroll rows" tabindex="0" role="region" aria-label="Rows">
<table>
<caption class="sr">Rows ${first} to ${first + window.rows.length - 1} of ${status.path}</caption>
<thead><tr><th scope="col" class="nr"><span class="sr">Row</span>#</th>${shown.map(
    (name, column) =>
      html`<th scope="col"${isNumeric[column] ? html` class="num"` : ''}>${toVisibleText(toShortened(name, 80))}</th>`,
  )}</tr></thead>
<tbody>${cells.map(
    (
      values,
      index,
    ) => html`<tr id="row-${first + index}"><th scope="row" class="nr"><a href="${toBrowseLink(status.path, { row: first + index, at: toAt(at) })}" aria-label="Open row ${first + index}">${first + index}</a></th>${values.map(
      (value, column) => html`<td${isNumeric[column] ? html` class="num"` : ''}>${toCell(value)}</td>`,
    )}</tr>
`,
  )}</tbody>
</table></div>`
}

/** The names known before, then those of the rows in the order they turn up. */
const toColumns = ({ rows, columns = [] }: RowWindow): readonly string[] => {
  const names = new Set(columns)
  let known: readonly string[] | undefined
  for (const row of rows) {
    // Rows of one shape share their names.
    if (row.names === known) continue
    known = row.names
    for (const name of known) names.add(name)
  }
  return [...names]
}

const toCells = ({ names, values }: Row, shown: readonly string[]): readonly (Value | undefined)[] => {
  if (names.length === shown.length && names.every((name, index) => name === shown[index])) return values
  const byName = new Map(names.map((name, index) => [name, values[index]]))
  return shown.map(name => byName.get(name))
}

/** How numbers look in text files. */
const plainNumber = /^[+-]?\d{1,15}(\.\d{1,15})?$/

const isNumericColumn = (cells: readonly (readonly (Value | undefined)[])[], column: number): boolean => {
  const values = cells.map(row => row[column]).filter(value => value !== undefined && value !== null)
  return (
    values.length > 0 &&
    values.every(value => isNumber(value) || (typeof value === 'string' && plainNumber.test(value)))
  )
}

const toNoRows = ({ status, window, first }: RowsView): Markup => {
  if (status.length === 0) {
    return html`<div class="empty"><p class="heading">This file is empty.</p><p>It has no bytes, and so no rows.</p></div>`
  }
  if (window.seen === 0) {
    return html`<div class="empty"><p class="heading">There are no rows in this file.</p><p><a href="${toBrowseLink(status.path, { show: 'bytes' })}">Look at its bytes</a></p></div>`
  }
  return html`<div class="empty"><p class="heading">There is no row ${toCountText(first)}.</p>
<p>The file has ${toCounted(window.seen, 'row')}, counted from 0. <a href="${toBrowseLink(status.path)}">Show the first ones</a></p></div>`
}

const toDamage = ({ status, window }: RowsView, message: string): Markup =>
  toNotice(
    'bad',
    window.seen === 0
      ? 'This file cannot be read as rows.'
      : `The file is damaged after row ${toCountText(window.seen - 1)}.`,
    html`<p><code>${toVisibleText(toShortened(message, 1_000))}</code></p>
<p>${window.seen === 0 ? '' : 'The rows before the damage are complete. '}<a href="${toDataLink('binary', status.path)}" download>Download it as stored</a> or <a href="${toBrowseLink(status.path, { show: 'bytes' })}">look at its bytes</a>.</p>`,
  )

import { html } from 'hono/html'
import type { Markup } from '../../../contract/markdown.ts'
import { isNumber, type Value } from '../../../formats/number.ts'
import type { Mark } from '../../../rows/reading.ts'
import type { Row } from '../../../rows/row.ts'
import type { WantedColumns } from '../../rows/wanted-columns.ts'
import { toCounted, toCountText } from '../elements/format.ts'
import { browsePath, type Query, toFileLink, toHiddenFields } from '../elements/links.ts'
import { toStep } from '../elements/marks.ts'
import { toNotice } from '../elements/notice.ts'
import { toShortened, toVisibleText } from '../elements/visible-text.ts'
import { lastRow } from '../find/count-rows.ts'
import type { FoundWindow } from '../find/find-rows.ts'
import type { Sorted } from '../find/find-sorted.ts'
import type { PageWindow } from '../find/read-window.ts'
import { type RowOrder, sortRows } from '../find/sort-rows.ts'
import { toColumnChooser } from './column-chooser.ts'
import { type FileHead, toFileHead } from './file-head.ts'
import { type Filter, toFilterBox } from './filter-box.ts'
import { toFoundBar } from './found-bar.ts'
import { toParquetPanel } from './parquet-panel.ts'
import { toSortedBar } from './sorted-bar.ts'
import { toOrderNote, toSortedHead } from './sorted-head.ts'
import { toTextFormMenu, toTextFormText } from './text-form-menu.ts'
import { toCell } from './value-text.ts'
import { unsorted } from './view-links.ts'

/** Rows on one page at most, and where the request does not say. */
export const maxPageRows = 500
export const defaultPageRows = 100

/** Columns of the table; rows with more show the rest in their own page. */
export const maxColumns = 60

export type RowsView = Omit<FileHead, 'view' | 'readAs'> & {
  readonly window: PageWindow
  /** As on the page: the wanted rows and how many make a page. */
  readonly first: number
  readonly width: number
  /** Place that this page was read from, for the links to its rows. */
  readonly at: Mark | undefined
  readonly columns: WantedColumns
  readonly filter: Filter
  readonly order: RowOrder
  /** After a search: how, and the last one that was wanted. */
  readonly search?: (Pick<FoundWindow, 'found'> & { readonly last: number }) | undefined
  /** Where all rows were sorted: `first` and `width` are places in their order. */
  readonly sorted?: Sorted | undefined
  /** Of each row within the file. @default from `first` on */
  readonly numbers?: readonly number[]
  /** Why it is not what was asked for. */
  readonly notice?: Markup | undefined
}

/** The content of a file's page: its rows as a table, and how to get to others. */
export const toRowsPage = (view: RowsView): Markup => {
  const { window, links } = view
  return html`${toFileHead({ ...view, view: 'rows', readAs: toReadAs(window) })}
${toFilterBox({ links, known: toNames(window), filter: view.filter })}
${window.parquet === undefined ? '' : toParquetPanel(window.parquet)}
${view.notice ?? ''}
${toColumnChooser({ links, known: toNames(window), wanted: view.columns, place: toPlace(view) })}
${toTextFormMenu(links, window)}
${window.damage === undefined ? '' : toDamage(view, window.damage.message)}
${window.rows.length > 0 || view.search || view.sorted ? toBar(view, 'top') : ''}
${window.rows.length === 0 ? '' : toOrderNote(view.order, [], links.page({ ...(view.sorted ? {} : toPlace(view)), ...unsorted }), view.sorted)}
${window.rows.length === 0 ? '' : toRowTable(view)}
${window.rows.length === 0 && window.damage === undefined && !view.search && !view.sorted ? toNoRows(view) : ''}
${window.rows.length === 0 ? '' : toBar(view, 'bottom')}
${
  window.rows.length > 0 && !view.sorted
    ? html`<p class="dim after">These rows as <a href="${links.data('json', { range: toRange(view), pretty: true })}">JSON</a> or <a href="${links.page({ raw: 'false', range: toRange(view) })}">plain text</a>.</p>`
    : ''
}`
}

/** `smile`, or `text in gzip`. */
export const toReadAs = (
  window: Pick<PageWindow, 'serializer' | 'codec' | 'dialect' | 'encoding'>,
): string | undefined => {
  const { serializer, codec } = window
  if (serializer === '') return undefined
  const how = toTextFormText(window)
  return `${serializer}${codec === 'none' ? '' : ` in ${codec}`}${how === '' ? '' : ` (${how})`}`
}

/** A place in a link. */
export const toAt = (mark: Mark | undefined): string | undefined =>
  mark === undefined ? undefined : `${mark.row}-${mark.offset}`

/** Which rows these are, for a form that shows the same ones otherwise. */
const toPlace = ({ first, width, at, window, search, sorted }: RowsView): Query => {
  if (sorted) return { range: `${first}-${first + width - 1}` }
  if (search) return { range: toSearchRange(first, search.last), at: toAt(at) }
  return window.rows.length === 0 ? {} : { range: `${first}-${first + width - 1}`, at: toAt(at) }
}

/** Rows that are looked at; undefined for all. */
const toSearchRange = (first: number, last: number): string | undefined =>
  first === 0 && last >= lastRow ? undefined : `${first}-${Math.min(last, lastRow)}`

const toRange = ({ first, window, search }: RowsView): string =>
  `${first}-${search ? Math.max(first, window.seen - 1) : first + window.rows.length - 1}`

const toBar = (view: RowsView, place: 'top' | 'bottom'): Markup => {
  const { links, window, search, first } = view
  if (view.sorted)
    return toSortedBar(
      { ...view, rows: window.rows.length, isDamaged: window.damage !== undefined, sorted: view.sorted },
      place,
    )
  if (!search) return toRangeBar(view, place)
  const { found, last } = search
  const { goOn } = found
  const range = goOn === undefined ? undefined : toSearchRange(goOn, last)
  return toFoundBar(
    {
      found,
      matched: window.rows.length,
      from: first,
      to: window.seen,
      goOn: range && links.page({ range, at: toAt(window.next) }),
      fromTop: first === 0 ? undefined : links.page(),
    },
    place,
  )
}

const toRangeBar = (view: RowsView, place: 'top' | 'bottom'): Markup => {
  const { links, window, first, width } = view
  const last = first + window.rows.length - 1
  const before = Math.max(0, first - width)
  const known = window.parquet?.rows ?? (window.isEnd && window.damage === undefined ? window.seen : undefined)
  const total = known === undefined ? '' : ` of ${toCountText(known)}`
  return html`<div class="range ${place}">
<p>Rows <strong>${toCountText(first)}</strong>–<strong>${toCountText(last)}</strong>${total}</p>
<nav aria-label="Rows, ${place}">
${toStep('Previous', first === 0 ? undefined : links.page({ range: `${before}-${first - 1}` }))}
${toStep('Next', window.isEnd ? undefined : links.page({ range: `${last + 1}-${last + width}`, at: toAt(window.next) }))}
${window.isEnd ? '' : html`<a class="button" href="${links.page({ show: 'newest' })}">Last</a>`}
</nav>
${
  place === 'bottom'
    ? ''
    : html`<form class="jump" method="get" action="${browsePath}">${toHiddenFields(links.query({ show: 'rows' }))}
<label for="jump">Go to row</label><input id="jump" name="row" inputmode="numeric" pattern="[0-9]{1,15}" required autocomplete="off" size="8"><button>Go</button></form>`
}
</div>`
}

/** The columns of the table. */
const toShown = ({ columns, window }: RowsView): readonly string[] => (columns ?? toNames(window)).slice(0, maxColumns)

/** Rows of one file as a table; each leads to its own page, and the head of each column sorts them. */
const toRowTable = (view: RowsView): Markup => {
  const { status, links, window, first, at, columns, order, numbers, sorted } = view
  const toNumber = (index: number): number => numbers?.[index] ?? first + index
  const names = columns ?? toNames(window)
  const shown = toShown(view)
  const cells = window.rows.map(row => toCells(row, shown))
  const isNumeric = shown.map((_, column) => isNumericColumn(cells, column))
  // A column that sorts has sorted all rows of the file; their numbers alone turn only the page.
  const places = sortRows(cells, undefined, order.by === undefined ? order.order : 'asc')
  const toHead = (by: string | undefined, more: { readonly label: Markup; readonly style?: string }): Markup =>
    toSortedHead({ by, order, ...more }, query =>
      links.page({ ...(by === undefined && !sorted ? toPlace(view) : {}), ...query }),
    )
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
<caption class="sr">${sorted ? 'Sorted rows' : `Rows ${toNumber(0)} to ${toNumber(window.rows.length - 1)}`} of ${status.path}</caption>
<thead><tr>${toHead(undefined, { label: html`<span class="sr">Row</span>#`, style: 'nr' })}${shown.map((name, column) =>
    toHead(name, { label: toVisibleText(toShortened(name, 80)), ...(isNumeric[column] ? { style: 'num' } : {}) }),
  )}</tr></thead>
<tbody>${places.map(
    index => html`<tr id="row-${toNumber(index)}"><th scope="row" class="nr"><a href="${links.page({ row: toNumber(index), at: toAt(at) })}" aria-label="Open row ${toNumber(index)}">${toNumber(index)}</a></th>${cells[
      index
    ]?.map((value, column) => html`<td${isNumeric[column] ? html` class="num"` : ''}>${toCell(value)}</td>`)}</tr>
`,
  )}</tbody>
</table></div>`
}

/** Names of columns: those known before, then those of the rows in the order they turn up. */
export const toNames = ({ rows, columns = [] }: PageWindow): readonly string[] => {
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

/** Values of a row in the order of the columns. */
export const toCells = ({ names, values }: Row, shown: readonly string[]): readonly (Value | undefined)[] => {
  if (names.length === shown.length && names.every((name, index) => name === shown[index])) return values
  const byName = new Map(names.map((name, index) => [name, values[index]]))
  return shown.map(name => byName.get(name))
}

/** How numbers look in text files. */
const plainNumber = /^[+-]?\d{1,15}(\.\d{1,15})?$/

/** Whether all values of a column are numbers. */
export const isNumericColumn = (cells: readonly (readonly (Value | undefined)[])[], column: number): boolean => {
  const values = cells.map(row => row[column]).filter(value => value !== undefined && value !== null)
  return (
    values.length > 0 &&
    values.every(value => isNumber(value) || (typeof value === 'string' && plainNumber.test(value)))
  )
}

const toNoRows = ({ status, links, window, first }: RowsView): Markup => {
  if (status.length === 0) {
    return html`<div class="empty"><p class="heading">This file is empty.</p><p>It has no bytes, and so no rows.</p></div>`
  }
  if (window.seen === 0) {
    return html`<div class="empty"><p class="heading">There are no rows in this file.</p><p><a href="${links.page({ show: 'bytes' })}">Look at its bytes</a></p></div>`
  }
  return html`<div class="empty"><p class="heading">There are no rows from ${toCountText(first)} on.</p>
<p>The file has ${toCounted(window.seen, 'row')}, counted from 0. <a href="${links.page()}">Show the first ones</a></p></div>`
}

const toDamage = ({ status, links, window }: RowsView, message: string): Markup =>
  toNotice(
    'bad',
    window.seen === 0
      ? 'This file cannot be read as rows.'
      : `The file is damaged after row ${toCountText(window.seen - 1)}.`,
    html`<p><code>${toVisibleText(toShortened(message, 1_000))}</code></p>
<p>${window.seen === 0 ? '' : 'The rows before the damage are complete. '}<a href="${toFileLink(status.path)}" download>Download it as stored</a> or <a href="${links.page({ show: 'bytes' })}">look at its bytes</a>.</p>`,
  )

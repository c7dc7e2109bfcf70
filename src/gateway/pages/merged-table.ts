import { html } from 'hono/html'
import type { Markup } from '../../contract/markdown.ts'
import type { FileStatus } from '../../filesystem/filesystem.ts'
import type { WantedColumns } from '../wanted-columns.ts'
import { toCounted } from './format.ts'
import { type Query, toBrowseLink } from './links.ts'
import { toNotice } from './notice.ts'
import { isNumericColumn, maxColumns, toCells, toColumnsParam, toNames } from './rows-page.ts'
import { type RowOrder, sortRows } from './sort-rows.ts'
import { toSortedHead } from './sorted-head.ts'
import type { TreeWindow } from './tree-window.ts'
import { toCell } from './value-text.ts'
import { toShortened, toVisibleText } from './visible-text.ts'

type MergedView = {
  readonly root: FileStatus
  readonly window: TreeWindow
  readonly columns: WantedColumns
  readonly order: RowOrder
}

/**
 * Rows of several files as one table: of each its file and its number there, which lead to both.
 * @param toLink to the same rows, sorted
 */
export const toMergedTable = (
  { root, window, columns, order }: MergedView,
  toLink: (query: Query) => string,
): Markup => {
  const parts = window.files.flatMap(file => (file.window === undefined ? [] : [{ ...file, window: file.window }]))
  const names = columns ?? [...new Set(parts.flatMap(part => toNames(part.window)))]
  const shown = names.slice(0, maxColumns)
  const rows = parts.flatMap(({ status, window: { rows }, numbers }) =>
    rows.map((row, index) => ({ path: status.path, number: numbers[index] ?? 0, cells: toCells(row, shown) })),
  )
  const cells = rows.map(row => row.cells)
  const isNumeric = shown.map((_, column) => isNumericColumn(cells, column))
  const sorted =
    order.by === undefined
      ? rows
      : sortRows(cells, shown.indexOf(order.by), order.order).flatMap(index => rows[index] ?? [])
  const toRelative = (path: string): string => path.slice(root.path === '/' ? 1 : root.path.length + 1)
  return html`${
    names.length > shown.length
      ? toNotice('note', `${toCounted(names.length, 'column')}; the first ${maxColumns} are shown.`)
      : ''
  }<div class="scroll rows" tabindex="0" role="region" aria-label="Rows">
<table>
<caption class="sr">Rows of the files below ${root.path}, the newest file first</caption>
<thead><tr><th scope="col" class="nr"><span class="sr">Row</span>#</th>${shown.map((by, column) =>
    toSortedHead(
      { by, order, label: toVisibleText(toShortened(by, 80)), style: isNumeric[column] ? 'num' : undefined },
      toLink,
    ),
  )}<th scope="col">File</th></tr></thead>
<tbody>${sorted.map(
    ({ path, number, cells }) =>
      html`<tr><th scope="row" class="nr"><a href="${toBrowseLink(path, { row: number, columns: toColumnsParam(columns) })}" aria-label="Open row ${number} of ${toRelative(path)}">${number}</a></th>${cells.map(
        (value, column) => html`<td${isNumeric[column] ? html` class="num"` : ''}>${toCell(value)}</td>`,
      )}<td class="file"><a href="${toBrowseLink(path)}" title="${path}">${toVisibleText(toRelative(path))}</a></td></tr>
`,
  )}</tbody>
</table></div>`
}

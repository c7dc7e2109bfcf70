import { html } from 'hono/html'
import type { Markup } from '../../../contract/markdown.ts'
import type { FileStatus } from '../../../filesystem/filesystem.ts'
import type { WantedColumns } from '../../rows/wanted-columns.ts'
import { toCounted } from '../elements/format.ts'
import { type Query, toBrowseLink } from '../elements/links.ts'
import { toNotice } from '../elements/notice.ts'
import { toShortened, toVisibleText } from '../elements/visible-text.ts'
import type { Sorted } from '../find/find-sorted.ts'
import type { RowOrder } from '../find/sort-rows.ts'
import { isNumericColumn, maxColumns, toCells, toNames } from '../rows/rows-page.ts'
import { toSortedHead } from '../rows/sorted-head.ts'
import { toCell } from '../rows/value-text.ts'
import type { ViewLinks } from '../rows/view-links.ts'
import type { TreeWindow } from './tree-window.ts'

type MergedView = {
  readonly root: FileStatus
  readonly links: ViewLinks
  readonly window: TreeWindow & { readonly sorted?: Sorted }
  readonly columns: WantedColumns
  readonly order: RowOrder
}

/**
 * Rows of several files as one table: of each its file and its number there, which lead to both. Those of a table lead to the
 * file as stored, without the question: columns of that may have other names.
 * @param toLink to the same rows, sorted
 */
export const toMergedTable = (
  { root, links, window, columns, order }: MergedView,
  toLink: (query: Query) => string,
): Markup => {
  const parts = window.files.flatMap(file => (file.window === undefined ? [] : [{ ...file, window: file.window }]))
  const names = columns ?? [...new Set(parts.flatMap(part => toNames(part.window)))]
  const shown = names.slice(0, maxColumns)
  const rows = parts
    .flatMap(({ status, window: { rows }, numbers, places = [], isOfTable = false }) =>
      rows.map((row, index) => ({
        path: status.path,
        asStored: isOfTable ? ' as stored' : '',
        toFile: isOfTable
          ? (query?: Query) => toBrowseLink(status.path, query)
          : (query?: Query) => links.file(status.path, query),
        number: numbers[index] ?? 0,
        place: places[index] ?? 0,
        cells: toCells(row, shown),
      })),
    )
    // Without places all stay where they are.
    .toSorted((a, b) => a.place - b.place)
  const cells = rows.map(row => row.cells)
  const isNumeric = shown.map((_, column) => isNumericColumn(cells, column))
  const toRelative = (path: string): string => path.slice(root.path === '/' ? 1 : root.path.length + 1)
  return html`${
    names.length > shown.length
      ? toNotice('note', `${toCounted(names.length, 'column')}; the first ${maxColumns} are shown.`)
      : ''
  }${
    parts.some(({ isOfTable }) => isOfTable)
      ? html`<p class="dim">Rows are shown as the table has them. Their links open the files as stored, where columns may have other names.</p>`
      : ''
  }<div class="scroll rows" tabindex="0" role="region" aria-label="Rows">
<table>
<caption class="sr">${window.sorted ? 'Sorted rows' : 'Rows'} of the files below ${root.path}${window.sorted ? '' : ', the newest file first'}</caption>
<thead><tr><th scope="col" class="nr"><span class="sr">Row</span>#</th>${shown.map((by, column) =>
    toSortedHead(
      { by, order, label: toVisibleText(toShortened(by, 80)), style: isNumeric[column] ? 'num' : undefined },
      toLink,
    ),
  )}<th scope="col">File</th></tr></thead>
<tbody>${rows.map(
    ({ path, asStored, toFile, number, cells }) =>
      html`<tr><th scope="row" class="nr"><a href="${toFile({ row: number })}" aria-label="Open row ${number} of ${toRelative(path)}${asStored}">${number}</a></th>${cells.map(
        (value, column) => html`<td${isNumeric[column] ? html` class="num"` : ''}>${toCell(value)}</td>`,
      )}<td class="file"><a href="${toFile()}" title="${path}${asStored}">${toVisibleText(toRelative(path))}</a></td></tr>
`,
  )}</tbody>
</table></div>`
}

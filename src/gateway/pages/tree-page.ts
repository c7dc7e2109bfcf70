import { html } from 'hono/html'
import type { Markup } from '../../contract/markdown.ts'
import type { FileStatus } from '../../filesystem/filesystem.ts'
import { baseName } from '../../filesystem/path.ts'
import type { WantedColumns } from '../wanted-columns.ts'
import { toColumnChooser } from './column-chooser.ts'
import { type Filter, toFilterBox } from './filter-box.ts'
import { toCounted, toCountText } from './format.ts'
import { toFoundBar } from './found-bar.ts'
import { icons } from './icons.ts'
import { csvTitle, type Query, toBrowseLink, toDataLink } from './links.ts'
import { toStep } from './marks.ts'
import { toMergedTable } from './merged-table.ts'
import { toNotice } from './notice.ts'
import { maxColumns, toColumnsParam, toNames } from './rows-page.ts'
import { type RowOrder, toOrderQuery } from './sort-rows.ts'
import { toOrderNote } from './sorted-head.ts'
import type { TreeFile, TreeWindow } from './tree-window.ts'
import { toShortened, toVisibleText } from './visible-text.ts'

/** Files that are named when something is wrong with many. */
const maxNamed = 20

export type TreeView = {
  readonly root: FileStatus
  readonly window: TreeWindow
  /** As on the page: the first row, counted over all files, and how many make a page. */
  readonly first: number
  readonly width: number
  readonly columns: WantedColumns
  readonly filter: Filter
  /** Of the rows of the page, and how it is reached again. */
  readonly order: RowOrder
  readonly place: Query
  /** Whether rows were looked for. */
  readonly isSearch: boolean
  /** Why it is not what was asked for. */
  readonly notice?: Markup | undefined
}

/** The content of the page that shows the rows of all files below a directory as one table, the newest file first. */
export const toTreePage = (view: TreeView): Markup => {
  const { root, window, filter, isSearch } = view
  const columns = toColumnsParam(view.columns)
  const where = isSearch ? filter.text : undefined
  const order = toSorting(view)
  const toHere = (query: Query): string =>
    toBrowseLink(root.path, { recursive: true, columns, ...view.place, ...query })
  const known = [...new Set(window.files.flatMap(file => (file.window ? toNames(file.window) : [])))]
  const name = root.path === '/' ? 'all files' : toVisibleText(baseName(root.path))
  return html`<div class="head"><h1>Rows below ${name}</h1>
<div class="downloads" role="group" aria-label="Downloads">
<a class="button" href="${toDataLink('text', root.path, { recursive: true, header: true, columns, where, safe: true })}" title="${csvTitle}" download>${icons.down}<span>CSV</span></a>
<a class="button" href="${toDataLink('json', root.path, { recursive: true, columns, where, nulls: true })}" download>${icons.down}<span>JSON</span></a>
<a class="button" href="${toBrowseLink(root.path)}">Listing</a>
</div></div>
${toFilterBox({ path: root.path, known, filter, rest: { recursive: true, columns, ...order } })}
${toColumnChooser({ path: root.path, known, wanted: view.columns, rest: { recursive: true, where, ...order } })}
${view.notice ?? ''}
${toProblems(window.files, root.path)}
${toBar(view, 'top')}
${window.rows > 0 && view.order.by !== undefined ? toOrderNote(view.order, (view.columns ?? known).slice(0, maxColumns), toHere({})) : ''}
${window.rows > 0 ? toMergedTable(view, toHere) : ''}
${window.rows === 0 && !isSearch ? html`<div class="empty">${icons.folder}<p class="heading">There are no ${view.first === 0 ? '' : 'further '}rows below this directory.</p></div>` : ''}
${window.rows > 0 ? toBar(view, 'bottom') : ''}`
}

/** How the rows are sorted, where they are: the newest file comes first in any case. */
const toSorting = ({ order }: TreeView): Query => (order.by === undefined ? {} : toOrderQuery(order))

const toBar = (view: TreeView, place: 'top' | 'bottom'): Markup | string => {
  const { root, window, first, width, columns: wanted, filter, isSearch } = view
  const { next, rows } = window
  if (!isSearch && rows === 0 && next === undefined && first === 0) return ''
  const columns = toColumnsParam(wanted)
  const order = toSorting(view)
  const link = (query: Query): string => toBrowseLink(root.path, { recursive: true, columns, ...query, ...order })
  const at = next && { startAfter: next.startAfter, at: next.startAfter && `${next.rowsBefore}-0` }
  if (isSearch) {
    const where = filter.text
    const range = next && `${next.first}-${lastShown}`
    return toFoundBar(
      {
        found: { goOn: next?.first, bytes: window.bytes, isCut: window.isCut },
        matched: rows,
        from: first,
        to: window.end,
        goOn: next && link({ where, range, ...at }),
        fromTop: first === 0 ? undefined : link({ where }),
      },
      place,
    )
  }
  const before = Math.max(0, first - width)
  return html`<div class="range ${place}"><p>${rows === 0 ? '' : html`Rows <strong>${toCountText(first)}</strong>–<strong>${toCountText(first + rows - 1)}</strong>, the newest file first`}</p>
<nav aria-label="Rows, ${place}">
${toStep('Previous', first === 0 ? undefined : link({ range: `${before}-${first - 1}` }))}
${toStep('Next', next && link({ range: `${next.first}-${next.first + width - 1}`, ...at }))}
</nav></div>`
}

/** Where looking for rows ends in a link: nowhere. */
const lastShown = 999_999_999_999_999

/** What is wrong with files, in one notice. */
const toProblems = (files: readonly TreeFile[], root: string): Markup | string => {
  const bad = files.flatMap(({ status, error, window }) => {
    const problem = error ?? window?.damage
    return problem === undefined ? [] : [{ status, problem, isDamaged: error === undefined }]
  })
  if (bad.length === 0) return ''
  return toNotice(
    'bad',
    `${toCounted(bad.length, 'path')} could not be read to the end; the rest is shown.`,
    html`<ul>${bad
      .slice(0, maxNamed)
      .map(
        ({ status, problem, isDamaged }) =>
          html`<li><a href="${toBrowseLink(status.path)}">${toVisibleText(status.path.slice(root === '/' ? 1 : root.length + 1) || '/')}</a>${isDamaged ? ' is damaged' : ''}: <code>${toVisibleText(toShortened(problem.message, 300))}</code></li>`,
      )}</ul>${bad.length > maxNamed ? html`<p>… and ${toCountText(bad.length - maxNamed)} more.</p>` : ''}`,
  )
}

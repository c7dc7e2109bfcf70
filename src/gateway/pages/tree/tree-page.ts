import { html } from 'hono/html'
import type { Markup } from '../../../contract/markdown.ts'
import type { FileStatus } from '../../../filesystem/filesystem.ts'
import { baseName } from '../../../filesystem/path.ts'
import type { WantedColumns } from '../../rows/wanted-columns.ts'
import { toCounted, toCountText } from '../elements/format.ts'
import { icons } from '../elements/icons.ts'
import { csvTitle, type Query, toBrowseLink } from '../elements/links.ts'
import { toStep } from '../elements/marks.ts'
import { toNotice } from '../elements/notice.ts'
import { toShortened, toVisibleText } from '../elements/visible-text.ts'
import type { Sorted } from '../find/find-sorted.ts'
import type { RowOrder } from '../find/sort-rows.ts'
import { toColumnChooser } from '../rows/column-chooser.ts'
import { type Filter, toFilterBox } from '../rows/filter-box.ts'
import { toFoundBar } from '../rows/found-bar.ts'
import { maxColumns, toNames } from '../rows/rows-page.ts'
import { toSortedBar } from '../rows/sorted-bar.ts'
import { toOrderNote } from '../rows/sorted-head.ts'
import { unsorted, type ViewLinks } from '../rows/view-links.ts'
import { toMergedTable } from './merged-table.ts'
import type { TreeFile, TreeWindow } from './tree-window.ts'

/** Files that are named when something is wrong with many. */
const maxNamed = 20

export type TreeView = {
  readonly root: FileStatus
  readonly links: ViewLinks
  /** Where all rows were sorted, `first` and `width` are places in their order. */
  readonly window: TreeWindow & { readonly sorted?: Sorted }
  /** As on the page: the first row, counted over all files, and how many make a page. */
  readonly first: number
  readonly width: number
  readonly columns: WantedColumns
  readonly filter: Filter
  /** Of the rows of the page, and how it is reached again. */
  readonly order: RowOrder
  readonly place: Query
  /** Whether this is a search. */
  readonly isSearch: boolean
  /** Why it is not what was asked for. */
  readonly notice?: Markup | undefined
}

/** The content of the page that shows the rows of all files below a directory as one table, the newest file first. */
export const toTreePage = (view: TreeView): Markup => {
  const { root, links, window, filter, isSearch } = view
  // Sorting begins with the first places.
  const toSorted = (query: Query): string => links.page(query)
  const known = [...new Set(window.files.flatMap(file => (file.window ? toNames(file.window) : [])))]
  const name = root.path === '/' ? 'all files' : toVisibleText(baseName(root.path))
  return html`<div class="head"><h1>Rows below ${name}</h1>
<div class="downloads" role="group" aria-label="Downloads">
<a class="button" href="${links.data('text')}" title="${csvTitle}" download>${icons.down}<span>CSV</span></a>
<a class="button" href="${links.data('json')}" download>${icons.down}<span>JSON</span></a>
<a class="button" href="${toBrowseLink(root.path)}">Listing</a>
</div></div>
${toFilterBox({ links, known, filter })}
${toColumnChooser({ links, known, wanted: view.columns, place: {} })}
${view.notice ?? ''}
${toProblems(window.files, root.path, links)}
${toOthers(window.files, root.path)}
${toBar(view, 'top')}
${window.rows > 0 && view.order.by !== undefined ? toOrderNote(view.order, (view.columns ?? known).slice(0, maxColumns), links.page(unsorted), window.sorted) : ''}
${window.rows > 0 ? toMergedTable(view, toSorted) : ''}
${window.rows === 0 && !isSearch && !window.sorted ? html`<div class="empty">${icons.folder}<p class="heading">There are no ${view.first === 0 ? '' : 'further '}rows below this directory.</p></div>` : ''}
${window.rows > 0 ? toBar(view, 'bottom') : ''}`
}

const toBar = (view: TreeView, place: 'top' | 'bottom'): Markup | string => {
  const { links, window, first, width, isSearch } = view
  const { next, rows, sorted } = window
  if (sorted) return toSortedBar({ links, sorted, first, width, rows, isDamaged: false }, place)
  if (!isSearch && rows === 0 && next === undefined && first === 0) return ''
  const at = next && { startAfter: next.startAfter, at: next.startAfter && `${next.rowsBefore}-0` }
  if (isSearch) {
    const range = next && `${next.first}-${lastShown}`
    return toFoundBar(
      {
        found: { goOn: next?.first, bytes: window.bytes, isCut: window.isCut },
        matched: rows,
        from: first,
        to: window.end,
        goOn: next && links.page({ range, ...at }),
        fromTop: first === 0 ? undefined : links.page(),
      },
      place,
    )
  }
  const before = Math.max(0, first - width)
  return html`<div class="range ${place}"><p>${rows === 0 ? '' : html`Rows <strong>${toCountText(first)}</strong>–<strong>${toCountText(first + rows - 1)}</strong>, the newest file first`}</p>
<nav aria-label="Rows, ${place}">
${toStep('Previous', first === 0 ? undefined : links.page({ range: `${before}-${first - 1}` }))}
${toStep('Next', next && links.page({ range: `${next.first}-${next.first + width - 1}`, ...at }))}
</nav></div>`
}

/** Where looking for rows ends in a link: nowhere. */
const lastShown = 999_999_999_999_999

/** Images, archives and the like, in one notice. */
const toOthers = (files: readonly TreeFile[], root: string): Markup | string => {
  const others = files.filter(({ isNoTable }) => isNoTable)
  if (others.length === 0) return ''
  const names = others.slice(0, maxNamed).map(({ status: { path } }, index) => {
    const name = path.slice(root === '/' ? 1 : root.length + 1)
    return html`${index === 0 ? '' : ', '}<a href="${toBrowseLink(path)}">${toVisibleText(name)}</a>`
  })
  const more = others.length > maxNamed ? ` and ${toCountText(others.length - maxNamed)} more` : ''
  const are = others.length === 1 ? 'is not a table, and is' : 'are not tables, and are'
  return toNotice('note', `${toCounted(others.length, 'file')} ${are} left out.`, html`<p>${names}${more}</p>`)
}

/** What is wrong with files, in one notice. */
const toProblems = (files: readonly TreeFile[], root: string, links: ViewLinks): Markup | string => {
  const bad = files.flatMap(({ status, error, window, isNoTable }) => {
    if (isNoTable) return []
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
          html`<li><a href="${status.isDirectory ? toBrowseLink(status.path) : links.file(status.path)}">${toVisibleText(status.path.slice(root === '/' ? 1 : root.length + 1) || '/')}</a>${isDamaged ? ' is damaged' : ''}: <code>${toVisibleText(toShortened(problem.message, 300))}</code></li>`,
      )}</ul>${bad.length > maxNamed ? html`<p>… and ${toCountText(bad.length - maxNamed)} more.</p>` : ''}`,
  )
}

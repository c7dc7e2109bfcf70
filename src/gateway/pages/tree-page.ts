import { html } from 'hono/html'
import type { Markup } from '../../contract/markdown.ts'
import type { FileStatus } from '../../filesystem/filesystem.ts'
import { baseName } from '../../filesystem/path.ts'
import type { WantedColumns } from '../wanted-columns.ts'
import { toColumnChooser } from './column-chooser.ts'
import { toCountText } from './format.ts'
import { icons } from './icons.ts'
import { type Query, toBrowseLink, toDataLink } from './links.ts'
import { toStep } from './marks.ts'
import { toNotice } from './notice.ts'
import { toColumnsParam, toNames, toReadAs, toRowTable } from './rows-page.ts'
import type { TreeFile, TreeWindow } from './tree-window.ts'
import { toShortened, toVisibleText } from './visible-text.ts'

export type TreeView = {
  readonly root: FileStatus
  readonly window: TreeWindow
  /** As on the page: the first row, counted over all files, and how many make a page. */
  readonly first: number
  readonly width: number
  readonly columns: WantedColumns
}

/** The content of the page that shows the rows of all files below a directory, file after file. */
export const toTreePage = (view: TreeView): Markup => {
  const { root, window } = view
  const columns = toColumnsParam(view.columns)
  const known = window.files.flatMap(file => (file.window ? toNames(file.window) : []))
  const name = root.path === '/' ? 'all files' : toVisibleText(baseName(root.path))
  return html`<div class="head"><h1>Rows below ${name}</h1>
<div class="downloads" role="group" aria-label="Downloads">
<a class="button" href="${toDataLink('text', root.path, { recursive: true, header: true, columns })}" download>${icons.down}<span>CSV</span></a>
<a class="button" href="${toDataLink('json', root.path, { recursive: true, columns })}" download>${icons.down}<span>JSON</span></a>
<a class="button" href="${toBrowseLink(root.path)}">Listing</a>
</div></div>
${toColumnChooser({ path: root.path, known, wanted: view.columns, rest: { recursive: true } })}
${toBar(view, 'top')}
${window.files.map(file => toFile(file, root.path, view.columns))}
${window.files.length === 0 ? html`<div class="empty">${icons.folder}<p class="heading">There are no ${view.first === 0 ? '' : 'further '}rows below this directory.</p></div>` : ''}
${window.rows > 0 ? toBar(view, 'bottom') : ''}`
}

const toBar = ({ root, window, first, width, columns: wanted }: TreeView, place: 'top' | 'bottom'): Markup | string => {
  const { next, rows } = window
  if (rows === 0 && next === undefined && first === 0) return ''
  const columns = toColumnsParam(wanted)
  const before = Math.max(0, first - width)
  const link = (range: string, query: Query = {}): string =>
    toBrowseLink(root.path, { recursive: true, range, ...query, columns })
  const at = next?.startAfter === undefined ? undefined : `${next.rowsBefore}-0`
  return html`<div class="range ${place}"><p>${rows === 0 ? '' : html`Rows <strong>${toCountText(first)}</strong>–<strong>${toCountText(first + rows - 1)}</strong>`}</p>
<nav aria-label="Rows, ${place}">
${toStep('Previous', first === 0 ? undefined : link(`${before}-${first - 1}`))}
${toStep('Next', next && link(`${next.first}-${next.first + width - 1}`, { startAfter: next.startAfter, at }))}
</nav></div>`
}

const toFile = ({ status, window, error }: TreeFile, root: string, columns: WantedColumns): Markup => {
  const relative = status.path.slice(root === '/' ? 1 : root.length + 1)
  const problem = error ?? window?.damage
  return html`<section class="part"><h2><a href="${toBrowseLink(status.path, { columns: toColumnsParam(columns) })}">${toVisibleText(relative)}</a>${window === undefined ? '' : html` <small>${toReadAs(window)}</small>`}</h2>
${problem === undefined ? '' : toNotice('bad', error === undefined ? 'The file is damaged after these rows.' : 'This file cannot be read.', html`<p><code>${toVisibleText(toShortened(problem.message, 1_000))}</code></p>`)}
${window === undefined || window.rows.length === 0 ? '' : toRowTable({ status, window, first: window.first, at: undefined, columns })}
</section>`
}

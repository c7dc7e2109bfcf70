import { html } from 'hono/html'
import type { Markup } from '../../../contract/markdown.ts'
import type { FileStatus } from '../../../filesystem/filesystem.ts'
import { baseName, parentPath } from '../../../filesystem/path.ts'
import type { EventDirectory, TypeColumns } from '../../context.ts'
import { toCounted, toCountText, toPermissionText } from '../elements/format.ts'
import { icons } from '../elements/icons.ts'
import { csvTitle, type Query, toBrowseLink, toDataLink } from '../elements/links.ts'
import { toOwnerMark, toSizeMark, toTimeMark } from '../elements/marks.ts'
import { toNotice } from '../elements/notice.ts'
import type { Server } from '../elements/snippets.ts'
import { toUsePanel } from '../elements/use-panel.ts'
import { toVisibleText } from '../elements/visible-text.ts'
import { toDirectoryPanel } from '../forms/directory-panel.ts'
import { toSelectBox, toSelectionBar } from '../forms/selection.ts'
import { toUploadPanel } from '../forms/upload-panel.ts'
import { toColumnHead } from '../rows/sorted-head.ts'
import { type TablePanelView, toTablePanel } from '../table/table-panel.ts'
import { type Listing, maxScannedEntries, maxSortedEntries } from './list-entries.ts'
import { toTypePanel } from './type-panel.ts'
import { toWaitingNote } from './waiting-note.ts'

/** The parts of a directory's page. */
export type ListingView = {
  readonly path: string
  readonly listing: Listing
  /** Where directories lead to that hold one directory and nothing else, by their paths. */
  readonly through: ReadonlyMap<string, string>
  /** As asked for; the listing may have another order. */
  readonly asked: {
    readonly sort: Listing['sort']
    readonly filter?: string | undefined
    readonly limit?: number | undefined
  }
  readonly isFirst: boolean
  readonly mayWrite: boolean
  readonly server: Server
  readonly events?: EventDirectory | undefined
  /** Where the directory is an Iceberg table. */
  readonly table?: TablePanelView['facts'] | undefined
  readonly nowMs: number
  /** What a form has just done. */
  readonly notice?: Markup | undefined
}

/** The content of a directory's page: tools, the table, and the link to the next page. */
export const toListingPage = (view: ListingView): Markup => {
  const { path, listing, asked, mayWrite, notice, events, table } = view
  const isFiltered = asked.filter !== undefined && asked.filter !== ''
  return html`<div class="head">
<h1>${path === '/' ? 'Files' : html`${toVisibleText(baseName(path))}${events?.name === undefined || events.name === baseName(path) ? '' : html` <small>${toVisibleText(events.name)}</small>`}`}</h1>
${listing.entries.length === 0 ? '' : html`<a class="button" href="${toBrowseLink(path, { show: 'newest' })}">Newest rows</a>`}
${toFilterForm(view)}
</div>
${notice ?? ''}
${mayWrite ? html`<div class="make">${toUploadPanel(path)}${toDirectoryPanel(path)}</div>` : ''}
${events?.waiting === undefined ? '' : toWaitingNote(events.waiting, path)}
${table ? toTablePanel({ ...view, facts: table }) : ''}
${events?.columns === undefined || (table && !hasMisfits(events.columns)) ? '' : toTypePanel(events.columns)}
${
  asked.sort === listing.sort
    ? ''
    : toNotice(
        'note',
        `Sorted by name: more than ${toCountText(maxSortedEntries)} entries cannot be sorted by ${asked.sort === 'size' ? 'size' : 'time'}.`,
        html`<p>A filter that leaves fewer entries makes it possible.</p>`,
      )
}
${
  listing.stopped
    ? toNotice(
        'note',
        `Searched ${toCountText(maxScannedEntries)} names so far.`,
        html`<p>The next page goes on from there.</p>`,
      )
    : ''
}
${listing.entries.length === 0 ? toEmpty(view, isFiltered) : html`${toEntryTable(view)}${toSelectionBar(path, mayWrite)}`}
${toPager(view)}
${path === '/' ? '' : toDirectoryTools(view)}
${toUsePanel({ ...view, isDirectory: true })}`
}

/** What the columns of the table do not say. */
const hasMisfits = ({ columns }: TypeColumns): boolean => columns.some(({ misfits }) => misfits > 0)

const toFilterForm = ({
  path,
  asked,
  listing,
}: ListingView): Markup => html`<form class="filter" role="search" method="get" action="/rest/1.0/hdfs">
<input type="hidden" name="path" value="${path}">
${listing.sort === 'name' ? '' : html`<input type="hidden" name="sort" value="${listing.sort}"><input type="hidden" name="order" value="${listing.order}">`}
${asked.limit === undefined ? '' : html`<input type="hidden" name="limit" value="${asked.limit}">`}
<label class="sr" for="filter">Filter by name</label>
<input id="filter" type="search" name="filter" value="${asked.filter ?? ''}" placeholder="Filter by name" maxlength="255" autocomplete="off" spellcheck="false">
<button>Filter</button>
</form>`

const columns = [
  { key: 'name', label: 'Name', first: 'asc' },
  { key: 'size', label: 'Size', first: 'desc' },
  { key: 'modified', label: 'Modified', first: 'desc' },
] as const

const toEntryTable = (
  view: ListingView,
): Markup => html`<div class="scroll listing" tabindex="0" role="region" aria-label="Entries">
<table class="entries">
<caption class="sr">Entries of ${view.path}, sorted by ${view.listing.sort}</caption>
<thead><tr>
${columns.map(column => toEntryHead(view, column))}
<th scope="col">Owner</th><th scope="col">Permission</th><th scope="col" class="num">Replication</th>
</tr></thead>
<tbody>
${view.path === '/' ? '' : toParentRow(view.path)}
${view.listing.entries.map(entry => toEntryRow(entry, view))}
</tbody>
</table></div>`

const toEntryHead = (
  { path, listing, asked }: ListingView,
  { key, label, first }: (typeof columns)[number],
): Markup => {
  const isCurrent = listing.sort === key
  const order = isCurrent ? (listing.order === 'asc' ? 'desc' : 'asc') : first
  const query: Query = {
    sort: key,
    order: order === 'asc' ? undefined : order,
    filter: asked.filter,
    limit: asked.limit,
  }
  return toColumnHead({
    label,
    style: key === 'size' ? 'num' : undefined,
    current: isCurrent ? listing.order : undefined,
    link: toBrowseLink(path, query),
  })
}

const toParentRow = (path: string): Markup =>
  html`<tr class="parent"><td class="name"><a href="${toBrowseLink(parentPath(path))}">${icons.up}<span>..<span class="sr"> (the directory above)</span></span></a></td><td></td><td></td><td></td><td></td><td></td></tr>`

const toEntryRow = (entry: FileStatus, { through, nowMs, events }: ListingView): Markup => {
  const { path, isDirectory, length, modificationTime, owner, group, permission, replication } = entry
  const end = through.get(path) ?? path
  const stored = end.slice(path.length - baseName(path).length)
  const name = isDirectory && events?.hasTypes === true ? toTypeName(stored) : stored
  const isOwn = events?.hasTypes === true && /^[_.]/.test(stored)
  return html`<tr><td class="name">${toSelectBox(baseName(path))}<a href="${toBrowseLink(end)}">${isDirectory ? icons.folder : icons.file}<span>${toVisibleText(name)}${name === stored ? '' : html` <small class="dim">${toVisibleText(stored)}</small>`}${isOwn ? html` <small class="dim">not an event type</small>` : ''}${isDirectory ? html`<span class="sr"> (directory)</span>` : ''}</span></a></td>
<td class="num size">${isDirectory ? html`<span class="dim">–</span>` : toSizeMark(length)}</td>
<td class="when">${toTimeMark(modificationTime, nowMs)}</td>
<td class="who" title="owner ${owner}, group ${group}">${toOwnerMark(entry)}</td>
<td class="mode"><code>${toPermissionText(permission, isDirectory)}</code></td>
<td class="num copies">${isDirectory ? html`<span class="dim">–</span>` : replication}</td></tr>
`
}

/**
 * The name of a type as sent, and the rest of the entry's name; a name that contains a slash then is not a type's, and
 * stays.
 */
const toTypeName = (stored: string): string => {
  const [first = '', ...below] = stored.split('/')
  try {
    const name = decodeURIComponent(first)
    return /[/\\]/.test(name) ? stored : [name, ...below].join('/')
  } catch {
    return stored
  }
}

const toEmpty = ({ path, mayWrite, isFirst }: ListingView, isFiltered: boolean): Markup => {
  if (isFiltered) {
    return html`<div class="empty"><p class="heading">No name matches the filter.</p><p><a href="${toBrowseLink(path)}">Show all entries</a></p></div>`
  }
  if (!isFirst) {
    return html`<div class="empty"><p class="heading">There are no further entries.</p><p><a href="${toBrowseLink(path)}">Back to the beginning</a></p></div>`
  }
  return html`<div class="empty">${icons.folder}<p class="heading">This directory is empty.</p>
${mayWrite ? html`<p>Upload a file with the button above, or drop one anywhere on this page.</p>` : ''}</div>`
}

/** What links to other parts of the listing keep. */
const toKept = ({ listing: { sort, order }, asked: { filter, limit } }: ListingView): Query => ({
  sort: sort === 'name' ? undefined : sort,
  order: order === 'asc' ? undefined : order,
  filter,
  limit,
})

const toPager = (view: ListingView): Markup => {
  const { path, listing, isFirst } = view
  const { total, skipped, entries, next, previous } = listing
  const base = toKept(view)
  const from = skipped === undefined ? undefined : skipped + 1
  const count =
    total === undefined
      ? `${toCounted(entries.length, 'entry', 'entries')} on this page`
      : from === undefined || entries.length === total.entries
        ? toCounted(total.entries, 'entry', 'entries')
        : `${toCountText(from)}–${toCountText(from + entries.length - 1)} of ${toCounted(total.entries, 'entry', 'entries')}`
  return html`<div class="pager"><p class="dim">${entries.length === 0 ? '' : count}${total !== undefined && total.bytes > 0 ? html`, ${toSizeMark(total.bytes)}` : ''}</p>
<nav aria-label="Pages">
${isFirst ? '' : html`<a class="button" href="${toBrowseLink(path, base)}">First page</a>`}
${previous === undefined ? '' : html`<a class="button" rel="prev" href="${toBrowseLink(path, { ...base, page: previous.page === 1 ? undefined : previous.page })}">Previous</a>`}
${next === undefined ? '' : html`<a class="button" rel="next" href="${toBrowseLink(path, { ...base, page: next.page, startAfter: next.startAfter })}">Next page</a>`}
</nav></div>`
}

const toDirectoryTools = (view: ListingView): Markup => {
  const { path, mayWrite } = view
  return html`<section class="tools" aria-label="This directory">
<p>Everything in this directory:
<a href="${toBrowseLink(path, { recursive: true })}">rows of all files</a>
<a href="${toDataLink('text', path, { recursive: true, header: true, safe: true })}" title="${csvTitle}" download>CSV</a>
<a href="${toDataLink('json', path, { pretty: true, content: 'false' })}">listing as JSON</a>
<a href="${toDataLink('binary', path, { archive: 'zip' })}" download>zip</a>
<a href="${toBrowseLink(path, { ...toKept(view), show: 'size' })}">size with all below</a>
${mayWrite ? html`<a href="${toBrowseLink(path, { show: 'rename' })}">Rename or move…</a> <a class="danger" href="${toBrowseLink(path, { show: 'delete' })}">Delete…</a>` : ''}</p>
</section>`
}

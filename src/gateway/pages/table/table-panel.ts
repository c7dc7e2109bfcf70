import { html } from 'hono/html'
import type { Markup } from '../../../contract/markdown.ts'
import type { TableField } from '../../../tables/schema.ts'
import type { PartitionsView, PartitionView } from '../../../tables/view/partitions.ts'
import {
  changedAt,
  describePartitions,
  describeType,
  type SnapshotView,
  toHistory,
} from '../../../tables/view/table-view.ts'
import { toCounted, toCountText } from '../elements/format.ts'
import { toBrowseLink, toCatalogLink } from '../elements/links.ts'
import { toSizeMark, toTimeMark } from '../elements/marks.ts'
import { toNotice } from '../elements/notice.ts'
import type { Server } from '../elements/snippets.ts'
import { toProofHint } from '../elements/use-panel.ts'
import { toShortened, toVisibleText } from '../elements/visible-text.ts'
import type { TableFacts } from './table-facts.ts'
import { toTableQueries } from './table-queries.ts'

/** Columns, and snapshots, that are shown. */
const maxFields = 1_000
const maxSnapshots = 100

/** Characters of a type, comment and the like. */
const maxChars = 1_000

export type TablePanelView = {
  readonly path: string
  readonly facts: TableFacts | { readonly fault: Error }
  readonly server: Server
  readonly nowMs: number
}

/** What a directory is as an Iceberg table: its figures, and, folded, columns, snapshots, partitions and queries. */
export const toTablePanel = ({ path, facts, server, nowMs }: TablePanelView): Markup => {
  if ('fault' in facts) {
    const { message } = facts.fault
    return toNotice(
      'bad',
      'This Iceberg table cannot be read.',
      html`<p><code>${toVisibleText(toShortened(message, maxChars))}</code></p><p>The files in its directory are listed below.</p>`,
    )
  }
  const { table, figures, partitions } = facts
  const { metadata } = table
  const bytes = partitions?.isWhole ? partitions.total.bytes : figures.bytes
  const by = describePartitions(table)
  return html`<section class="table" aria-label="Iceberg table">
<dl class="facts">
<div><dt>Iceberg table</dt><dd><a href="${toBrowseLink(path, { recursive: true })}">${toCounted(figures.rows, 'row')}</a></dd></div>
<div><dt>Data files</dt><dd>${toCountText(figures.files)}</dd></div>
${bytes === null ? '' : html`<div><dt>Size</dt><dd>${toSizeMark(bytes)}</dd></div>`}
<div><dt>Changed</dt><dd>${toTimeMark(changedAt(metadata), nowMs)}</dd></div>
<div><dt>Partitioned by</dt><dd>${by === '' ? html`<span class="dim">nothing</span>` : html`<code>${toVisibleText(toShortened(by, maxChars))}</code>`}</dd></div>
</dl>
${figures.deletes === 0 ? '' : toNotice('note', 'Rows of this table were deleted by files of deletions, which are not applied here: its rows cannot be shown.', html`<p>Query it with a program below, or rewrite its files: <code>rewrite_data_files</code> of Spark does.</p>`)}
${toFields(metadata.schema.fields)}
${toSnapshots(toHistory(metadata), nowMs)}
${partitions === undefined ? '' : toPartitions(partitions)}
${toQueries(path, server)}
</section>`
}

const toScroll = (label: string, head: Markup, rows: readonly Markup[]): Markup =>
  html`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table>
<thead><tr>${head}</tr></thead>
<tbody>${rows}</tbody>
</table></div>`

const toRest = (count: number, shown: number, one: string): Markup | string =>
  count > shown ? html`<p class="dim">… and ${toCounted(count - shown, `more ${one}`)}.</p>` : ''

const none = html`<span class="dim">–</span>`

const toText = (text: string): Markup => html`${toVisibleText(toShortened(text, maxChars))}`

const toFields = (fields: readonly TableField[]): Markup => {
  const hasDocs = fields.some(({ doc }) => doc)
  const rows = fields.slice(0, maxFields).map(
    ({ name, type, isRequired, doc }) =>
      html`<tr><th scope="row">${toText(name)}</th><td>${toText(describeType(type))}</td><td>${isRequired ? 'no' : 'yes'}</td>${hasDocs ? html`<td>${doc ? toText(doc) : none}</td>` : ''}</tr>
`,
  )
  const head = html`<th scope="col">Name</th><th scope="col">Type</th><th scope="col">Nullable</th>${hasDocs ? html`<th scope="col">Comment</th>` : ''}`
  return html`<details class="parquet"><summary>Columns (${toCountText(fields.length)})</summary>
${toScroll('Columns', head, rows)}
${toRest(fields.length, rows.length, 'column')}</details>`
}

const toCountOrNone = (count: number | null): Markup => (count === null ? none : html`${toCountText(count)}`)

const toSnapshots = (snapshots: readonly SnapshotView[], nowMs: number): Markup | string => {
  if (snapshots.length === 0) return html`<p class="dim">No snapshot: nothing was written to it.</p>`
  const rows = snapshots.slice(0, maxSnapshots).map(
    ({ id, time, operation, writer, addedRows, deletedRows, rows, isCurrent }) =>
      html`<tr><th scope="row">${toTimeMark(time, nowMs)}${isCurrent ? html` <span class="dim">current</span>` : ''}</th><td>${operation === '' ? none : toText(operation)}</td><td class="num">${toCountOrNone(addedRows)}</td><td class="num">${toCountOrNone(deletedRows)}</td><td class="num">${toCountOrNone(rows)}</td><td>${writer === '' ? none : toText(writer)}</td><td><code>${String(id)}</code></td></tr>
`,
  )
  const head = html`<th scope="col">Time</th><th scope="col">Operation</th><th scope="col" class="num">Rows added</th><th scope="col" class="num">Deleted</th><th scope="col" class="num">Total</th><th scope="col">Written by</th><th scope="col">Id</th>`
  return html`<details class="parquet"><summary>Snapshots (${toCountText(snapshots.length)})</summary>
${toScroll('Snapshots', head, rows)}
${toRest(snapshots.length, rows.length, 'snapshot')}</details>`
}

const toPartitions = ({ shown, count, total, isWhole }: PartitionsView): Markup => {
  const toRow = ({ name, files, rows, bytes }: PartitionView): Markup =>
    html`<tr><th scope="row">${name === '' ? none : toText(name)}</th><td class="num">${toCountText(rows)}</td><td class="num">${toCountText(files)}</td><td class="num">${toSizeMark(bytes)}</td></tr>
`
  const head = html`<th scope="col">Partition</th><th scope="col" class="num">Rows</th><th scope="col" class="num">Files</th><th scope="col" class="num">Size</th>`
  return html`<details class="parquet"><summary>Partitions (${toCountText(count)}${isWhole ? '' : ' or more'})</summary>
${isWhole ? '' : html`<p class="dim">The newest ${toCounted(total.files, 'file')} were counted.</p>`}
${toScroll('Partitions', head, shown.map(toRow))}
${toRest(count, shown.length, 'partition')}</details>`
}

const toQueries = (path: string, server: Server): Markup | string => {
  const queries = toTableQueries(path, server)
  if (queries.length === 0) return ''
  return html`<details class="use"><summary>Query with DuckDB, pyiceberg, Spark or Trino</summary>
${queries.map(({ name, code }) => html`<section><h2>${name}</h2><pre tabindex="0"><code>${code}</code></pre></section>`)}
<p class="dim">DuckDB and pyiceberg reach nothing but this server; Spark and Trino read the files from the cluster. The catalog also has <a href="${toCatalogLink(path)}">the metadata as JSON</a>.</p>
${toProofHint(server.proof)}</details>`
}

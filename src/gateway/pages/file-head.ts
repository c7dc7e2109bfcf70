import { html } from 'hono/html'
import type { Markup } from '../../contract/markdown.ts'
import type { FileStatus } from '../../filesystem/filesystem.ts'
import { baseName } from '../../filesystem/path.ts'
import { formatNames } from '../../formats/name-list.ts'
import type { WantedColumns } from '../wanted-columns.ts'
import { toExactSize, toPermissionText, toSizeText } from './format.ts'
import { icons } from './icons.ts'
import { csvTitle, toBrowseLink, toDataLink } from './links.ts'
import { toOwnerMark, toTimeMark } from './marks.ts'
import type { Server } from './snippets.ts'
import { toUsePanel } from './use-panel.ts'
import { toVisibleText } from './visible-text.ts'

/** What stands at the top of every page about a file. */
export type FileHead = {
  readonly status: FileStatus
  readonly nowMs: number
  readonly mayWrite: boolean
  readonly server: Server
  /** How it is read: `text`, `smile (gzip)`; absent where it is not read as rows. */
  readonly readAs?: string | undefined
  /** Columns that were chosen, which CSV and JSON have alone. */
  readonly columns?: WantedColumns
  /** Which of the views is shown. */
  readonly view: 'rows' | 'bytes'
}

/** Name, facts, downloads and views of a file. */
export const toFileHead = ({ status, nowMs, mayWrite, server, readAs, columns, view }: FileHead): Markup => {
  const chosen = columns && formatNames(columns)
  const { path, length, modificationTime, permission, replication, blockSize } = status
  return html`<div class="head">
<h1>${toVisibleText(baseName(path))}</h1>
<div class="downloads" role="group" aria-label="Downloads">
<a class="button primary" href="${toDataLink('binary', path)}" download>${icons.down}<span>Download</span></a>
<a class="button" href="${toDataLink('text', path, { header: true, columns: chosen, safe: true })}" title="${csvTitle}" download="${baseName(path)}.csv">CSV</a>
<a class="button" href="${toDataLink('json', path, { columns: chosen, nulls: true })}" download="${baseName(path)}.json">JSON</a>
</div>
</div>
<dl class="facts">
<div><dt>Size</dt><dd title="${toExactSize(length)}">${toSizeText(length)}</dd></div>
<div><dt>Modified</dt><dd>${toTimeMark(modificationTime, nowMs)}</dd></div>
<div><dt>Owner</dt><dd>${toOwnerMark(status)}</dd></div>
<div><dt>Permission</dt><dd><code>${toPermissionText(permission, false)}</code></dd></div>
<div><dt>Replication</dt><dd>${replication}</dd></div>
<div><dt>Block</dt><dd title="${toExactSize(blockSize)}">${toSizeText(blockSize)}</dd></div>
${readAs === undefined ? '' : html`<div><dt>Read as</dt><dd>${readAs}</dd></div>`}
</dl>
${toUsePanel({ server, path, isDirectory: false })}
<nav class="tabs" aria-label="Views">
<a href="${toBrowseLink(path, { show: view === 'bytes' ? 'rows' : undefined })}"${view === 'rows' ? html` aria-current="page"` : ''}>Rows</a>
<a href="${toBrowseLink(path, { show: 'bytes' })}"${view === 'bytes' ? html` aria-current="page"` : ''}>Bytes</a>
<a href="${toBrowseLink(path, { raw: 'false', range: '0-999', columns: chosen })}">Raw</a>
${mayWrite ? html`<a class="aside" href="${toBrowseLink(path, { show: 'rename' })}">Rename or move…</a>` : ''}
${mayWrite ? html`<a class="danger" href="${toBrowseLink(path, { show: 'delete' })}">Delete…</a>` : ''}
</nav>`
}

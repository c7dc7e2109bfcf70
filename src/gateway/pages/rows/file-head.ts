import { html } from 'hono/html'
import type { Markup } from '../../../contract/markdown.ts'
import type { FileStatus } from '../../../filesystem/filesystem.ts'
import { baseName } from '../../../filesystem/path.ts'
import { toExactSize, toPermissionText, toSizeText } from '../elements/format.ts'
import { icons } from '../elements/icons.ts'
import { csvTitle, toBrowseLink, toFileLink } from '../elements/links.ts'
import { toOwnerMark, toTimeMark } from '../elements/marks.ts'
import type { Server } from '../elements/snippets.ts'
import { toUsePanel } from '../elements/use-panel.ts'
import { toVisibleText } from '../elements/visible-text.ts'
import type { ViewLinks } from './view-links.ts'

/** The top of every page about a file. */
export type FileHead = {
  readonly status: FileStatus
  readonly nowMs: number
  readonly mayWrite: boolean
  readonly server: Server
  /** How it is read: `text`, `smile (gzip)`; absent where it is not read as rows. */
  readonly readAs?: string | undefined
  readonly links: ViewLinks
  /** Which of the views is shown. */
  readonly view: 'rows' | 'bytes'
}

/** Name, facts, downloads and views of a file. */
export const toFileHead = ({ status, nowMs, mayWrite, server, readAs, links, view }: FileHead): Markup => {
  const { path, length, modificationTime, permission, replication, blockSize } = status
  return html`<div class="head">
<h1>${toVisibleText(baseName(path))}</h1>
<div class="downloads" role="group" aria-label="Downloads">
<a class="button primary" href="${toFileLink(path)}" download>${icons.down}<span>Download</span></a>
<a class="button" href="${links.data('text')}" title="${csvTitle}" download="${baseName(path)}.csv">CSV</a>
<a class="button" href="${links.data('json')}" download="${baseName(path)}.json">JSON</a>
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
<a href="${links.page({ show: view === 'bytes' ? 'rows' : undefined })}"${view === 'rows' ? html` aria-current="page"` : ''}>Rows</a>
<a href="${links.page({ show: 'bytes' })}"${view === 'bytes' ? html` aria-current="page"` : ''}>Bytes</a>
<a href="${links.page({ raw: 'false', range: links.query()['where'] === undefined ? '0-999' : undefined })}">Raw</a>
${mayWrite ? html`<a class="aside" href="${toBrowseLink(path, { show: 'rename' })}">Rename or move…</a>` : ''}
${mayWrite ? html`<a class="danger" href="${toBrowseLink(path, { show: 'delete' })}">Delete…</a>` : ''}
</nav>`
}

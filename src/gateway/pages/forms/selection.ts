import { html } from 'hono/html'
import type { Markup } from '../../../contract/markdown.ts'
import type { FileStatus, FileSystem } from '../../../filesystem/filesystem.ts'
import { findStatus } from '../../../filesystem/find-status.ts'
import { baseName, childPath } from '../../../filesystem/path.ts'
import type { TrashPlace } from '../../trash/trash-place.ts'
import { checkName } from '../../write/upload-file.ts'
import { toCounted, toCountText } from '../elements/format.ts'
import { icons } from '../elements/icons.ts'
import { toBrowseLink } from '../elements/links.ts'
import { toSizeMark } from '../elements/marks.ts'
import { toVisibleText } from '../elements/visible-text.ts'
import { toOutcome } from './delete-page.ts'

/** Entries that the page names; the others are counted. */
const maxNamed = 100

/** The box that chooses an entry; forms change line breaks, so names with them get no box. */
export const toSelectBox = (name: string): Markup | string =>
  /[\r\n]/.test(name)
    ? ''
    : html`<input type="checkbox" name="select" value="${name}" form="selected" aria-label="Select ${name}">`

/** What can be done with chosen entries: a form that asks, and so needs no script. The style shows it when there are some. */
export const toSelectionBar = (
  path: string,
  mayWrite: boolean,
): Markup => html`<form id="selected" method="get" action="/rest/1.0/binary">
<input type="hidden" name="path" value="${path}">
<span class="count">Selected:</span>
<button name="archive" value="tar">Download tar</button>
<button name="archive" value="zip">Download zip</button>
${mayWrite ? html`<button class="danger" name="show" value="delete-selected" formaction="/rest/1.0/hdfs">Delete…</button>` : ''}
<button type="reset">Select none</button>
</form>`

/** Chosen entries of a directory, as far as they are named. */
export type Selection = {
  readonly path: string
  readonly names: readonly string[]
  /** Of the first; without those that are gone. */
  readonly found: readonly FileStatus[]
}

/** Looks up chosen entries. @throws SluiceError `bad-path` for an invalid name */
export const findSelection = async (
  fileSystem: FileSystem,
  path: string,
  select: readonly string[],
): Promise<Selection> => {
  const names = [...new Set(select.map(checkName))]
  const found: FileStatus[] = []
  for (const name of names.slice(0, maxNamed)) {
    const status = await findStatus(fileSystem, childPath(path, name))
    if (status) found.push(status)
  }
  return { path, names, found }
}

/** Asks before chosen entries are deleted. @param place where the first would go; undefined where nothing is kept */
export const toDeleteSelectionPage = ({ path, names, found }: Selection, place: TrashPlace | undefined): Markup => {
  const isKept = typeof place === 'object'
  const more = names.length - Math.min(names.length, maxNamed)
  const deleteForGood = toBrowseLink(path, { action: 'delete-selected', skipTrash: place !== undefined })
  const counted = toCounted(names.length, 'entry', 'entries')
  if (found.length === 0) {
    return html`<div class="ask"><h1>Nothing is selected</h1><p>Select entries of the directory, or what was selected is gone.</p><p class="actions"><a class="button" href="${toBrowseLink(path)}">Back to the directory</a></p></div>`
  }
  return html`<div class="ask">
<h1>Delete ${counted}?</h1>
<p class="path">in <code>${toVisibleText(path)}</code></p>
<ul class="chosen">${found.map(toChosen)}</ul>
${more > 0 ? html`<p>And ${toCountText(more)} more.</p>` : ''}
<p>${toOutcome(place)}</p>
<form method="post" action="${isKept ? toBrowseLink(path, { action: 'delete-selected' }) : deleteForGood}">
${names.map(name => html`<input type="hidden" name="select" value="${name}">`)}
${isKept ? '' : html`<p><label class="check"><input type="checkbox" required> Yes, delete them, and everything in the directories</label></p>`}
<p class="actions"><button class="danger">${isKept ? 'Move to trash' : 'Delete'}</button>
${isKept ? html`<button formaction="${deleteForGood}">Delete for good</button>` : ''}
<a class="button" href="${toBrowseLink(path)}">Keep them</a></p>
</form>
</div>`
}

const toChosen = ({ path, isDirectory, length }: FileStatus): Markup =>
  html`<li>${isDirectory ? icons.folder : icons.file}<span>${toVisibleText(baseName(path))}</span> <span class="dim">${isDirectory ? 'with everything in it' : toSizeMark(length)}</span></li>`

import { html } from 'hono/html'
import type { Markup } from '../../../contract/markdown.ts'
import type { FileStatus, FileSystem } from '../../../filesystem/filesystem.ts'
import { baseName } from '../../../filesystem/path.ts'
import type { TrashPlace } from '../../trash/trash-place.ts'
import { toCounted, toCountText } from '../elements/format.ts'
import { toBrowseLink } from '../elements/links.ts'
import { toSizeMark, toTimeMark } from '../elements/marks.ts'
import { toVisibleText } from '../elements/visible-text.ts'

/** Entries counted before a directory is deleted; beyond, "more than" says enough. */
const maxCounted = 1_000

/** What a directory directly holds. */
export type Contents = { readonly entries: number; readonly isWhole: boolean }

/** Counts the entries of a directory, up to {@link maxCounted}. */
export const countContents = async (fileSystem: FileSystem, path: string, signal: AbortSignal): Promise<Contents> => {
  let entries = 0
  for await (const { length } of fileSystem.listStatus(path, { signal })) {
    entries += length
    if (entries > maxCounted) return { entries: maxCounted, isWhole: false }
  }
  return { entries, isWhole: true }
}

/**
 * Asks before something is deleted.
 * @param contents that of a directory
 * @param place where it would go; undefined where nothing is kept
 */
export const toDeletePage = (
  status: FileStatus,
  contents: Contents | undefined,
  place: TrashPlace | undefined,
  nowMs: number,
): Markup => {
  const { path, length, modificationTime, isDirectory } = status
  const isFull = contents !== undefined && contents.entries > 0
  const count =
    contents?.isWhole === false
      ? `more than ${toCountText(maxCounted)} entries`
      : toCounted(contents?.entries ?? 0, 'entry', 'entries')
  const isKept = typeof place === 'object'
  const action = { action: 'delete', recursive: isFull }
  const deleteForGood = toBrowseLink(path, { ...action, skipTrash: place !== undefined })
  return html`<div class="ask">
<h1>Delete ${toVisibleText(baseName(path))}?</h1>
<p class="path"><code>${toVisibleText(path)}</code></p>
${
  isDirectory
    ? html`<p>A directory ${isFull ? html`with <strong>${count}</strong>. Everything in it, at every depth, is deleted with it.` : 'that is empty.'}</p>`
    : html`<p>A file of ${toSizeMark(length)}, modified ${toTimeMark(modificationTime, nowMs)}.</p>`
}
<p>${toOutcome(place)}</p>
<form method="post" action="${isKept ? toBrowseLink(path, action) : deleteForGood}">
${isFull && !isKept ? html`<p><label class="check"><input type="checkbox" required> Yes, delete the directory and everything in it</label></p>` : ''}
<p class="actions"><button class="danger">${isKept ? 'Move to trash' : 'Delete'}</button>
${isKept ? html`<button formaction="${deleteForGood}">Delete for good</button>` : ''}
<a class="button" href="${toBrowseLink(path)}">Keep it</a></p>
</form>
</div>`
}

/** Says what happens to deleted files. */
export const toOutcome = (place: TrashPlace | undefined): Markup | string => {
  if (typeof place === 'object') {
    return html`It goes to the trash, <code>${toVisibleText(place.directory)}</code>, and can be brought back until that is emptied.`
  }
  if (place === 'in-trash') return 'It is in the trash already: deleted now, it cannot be brought back.'
  if (place === 'holds-trash') return 'The trash is in it, so it is deleted for good: it cannot be brought back.'
  return 'There is no trash: it cannot be brought back.'
}

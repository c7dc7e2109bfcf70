import { html } from 'hono/html'
import type { Markup } from '../../contract/markdown.ts'
import type { FileStatus, FileSystem } from '../../filesystem/filesystem.ts'
import { baseName } from '../../filesystem/path.ts'
import { toCounted, toCountText } from './format.ts'
import { toBrowseLink } from './links.ts'
import { toSizeMark, toTimeMark } from './marks.ts'
import { toVisibleText } from './visible-text.ts'

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

/** Asks before something is deleted; `contents` is that of a directory. */
export const toDeletePage = (status: FileStatus, contents: Contents | undefined, nowMs: number): Markup => {
  const { path, length, modificationTime, isDirectory } = status
  const isFull = contents !== undefined && contents.entries > 0
  const count =
    contents?.isWhole === false
      ? `more than ${toCountText(maxCounted)} entries`
      : toCounted(contents?.entries ?? 0, 'entry', 'entries')
  const action = toBrowseLink(path, { action: 'delete', recursive: isFull })
  return html`<div class="ask">
<h1>Delete ${toVisibleText(baseName(path))}?</h1>
<p class="path"><code>${toVisibleText(path)}</code></p>
${
  isDirectory
    ? html`<p>A directory ${isFull ? html`with <strong>${count}</strong>. Everything in it, at every depth, is deleted with it.` : 'that is empty.'}</p>`
    : html`<p>A file of ${toSizeMark(length)}, modified ${toTimeMark(modificationTime, nowMs)}.</p>`
}
<p>There is no trash: it cannot be brought back.</p>
<form method="post" action="${action}">
${isFull ? html`<p><label class="check"><input type="checkbox" required> Yes, delete the directory and everything in it</label></p>` : ''}
<p class="actions"><button class="danger">Delete</button> <a class="button" href="${toBrowseLink(path)}">Keep it</a></p>
</form>
</div>`
}

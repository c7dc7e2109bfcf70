import { html } from 'hono/html'
import type { Markup } from '../../../contract/markdown.ts'
import { type Typed, toFieldFault, untouched } from '../elements/field-fault.ts'
import { icons } from '../elements/icons.ts'
import { toBrowseLink } from '../elements/links.ts'

/**
 * The form that uploads into a directory, folded. Without a script it posts one file; the script adds several files,
 * drag and drop and progress, and reads the target from `data-directory`.
 */
export const toUploadPanel = (
  directory: string,
): Markup => html`<details class="fold upload" data-directory="${directory}">
<summary class="button">${icons.upload}<span>Upload</span></summary>
${toUploadForm(directory, untouched)}
<ul class="transfers" aria-live="polite"></ul>
</details>`

/** The form that uploads one file. */
export const toUploadForm = (directory: string, typed: Typed): Markup => {
  const { attributes, text } = toFieldFault('file', 'file', typed)
  return html`<form method="post" enctype="multipart/form-data" action="${toBrowseLink(directory, { action: 'upload' })}">
<label for="file">File to put into this directory</label>
<input id="file" type="file" name="file" required${attributes}>
${text}${typed.fault === undefined ? '' : html`<p class="dim">Choose the file again: a browser does not keep it.</p>`}
<p class="actions"><button class="primary">Upload</button>
<button formaction="${toBrowseLink(directory, { action: 'upload', overwrite: true })}">Upload, replacing a file of that name</button></p>
</form>`
}

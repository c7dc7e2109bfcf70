import { html } from 'hono/html'
import type { Markup } from '../../../contract/markdown.ts'
import { type Typed, toFieldFault, untouched } from '../elements/field-fault.ts'
import { icons } from '../elements/icons.ts'
import { toBrowseLink } from '../elements/links.ts'

/** The form that makes a directory, folded. */
export const toDirectoryPanel = (directory: string): Markup => html`<details class="fold">
<summary class="button">${icons.folder}<span>New directory</span></summary>
${toDirectoryForm(directory, untouched)}
</details>`

/** The form that makes a directory. */
export const toDirectoryForm = (directory: string, typed: Typed): Markup => {
  const { attributes, text } = toFieldFault('new-directory', 'name', typed)
  return html`<form method="post" action="${toBrowseLink(directory, { action: 'mkdir' })}">
<label for="new-directory">Name of the new directory</label>
<input id="new-directory" name="name" value="${typed.values.name ?? ''}" required maxlength="255" autocomplete="off" spellcheck="false"${attributes}>
${text}
<p class="actions"><button class="primary">Create</button></p>
</form>`
}

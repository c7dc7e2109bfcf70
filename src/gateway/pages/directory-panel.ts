import { html } from 'hono/html'
import type { Markup } from '../../contract/markdown.ts'
import { icons } from './icons.ts'
import { toBrowseLink } from './links.ts'

/** The form that makes a directory. */
export const toDirectoryPanel = (directory: string): Markup => html`<details class="fold">
<summary class="button">${icons.folder}<span>New directory</span></summary>
<form method="post" action="${toBrowseLink(directory, { action: 'mkdir' })}">
<label for="new-directory">Name of the new directory</label>
<input id="new-directory" name="name" required maxlength="255" autocomplete="off" spellcheck="false">
<p class="actions"><button class="primary">Create</button></p>
</form>
</details>`

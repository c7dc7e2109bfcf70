import { html } from 'hono/html'
import type { Markup } from '../../../contract/markdown.ts'
import { toBrowseLink } from '../elements/links.ts'

type MovedOne = {
  readonly trashed: string
  /** Where it was. */
  readonly directory: string
  readonly name: string
}

/**
 * Moves what a form has just deleted back out of the trash: a rename, which replaces nothing. Forms cannot carry names with
 * line breaks: those stay.
 */
export const toUndoForm = (from: MovedOne): Markup | string =>
  /[\r\n]/.test(from.directory + from.name)
    ? ''
    : html`<form method="post" action="${toBrowseLink(from.trashed, { action: 'rename' })}">
<input type="hidden" name="directory" value="${from.directory}"><input type="hidden" name="name" value="${from.name}">
<p class="actions"><button>Undo</button></p>
</form>`

/** Moves several back as one. @param undo what the form that deleted them has given */
export const toUndoAllForm = (directory: string, undo: string, trashed: string): Markup =>
  html`<form method="post" action="${toBrowseLink(directory, { action: 'undo' })}">
<input type="hidden" name="undo" value="${undo}">
<p class="actions"><button>Undo</button> <a class="button" href="${toBrowseLink(trashed)}">Look into the trash</a></p>
</form>`

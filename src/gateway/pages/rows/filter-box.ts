import { html } from 'hono/html'
import type { Markup } from '../../../contract/markdown.ts'
import { browsePath, toHiddenFields } from '../elements/links.ts'
import { toShortened, toVisibleText } from '../elements/visible-text.ts'
import type { ViewLinks } from './view-links.ts'

/** What was asked for by `where`. */
export type Filter = {
  /** As it was written; empty where all rows are wanted. */
  readonly text: string
  /** Why it cannot be used, or finds nothing. */
  readonly fault?: string | undefined
  /** What may be wrong with it all the same. */
  readonly note?: string | undefined
}

export type FilterBoxView = {
  readonly links: ViewLinks
  /** Names that are known of the rows, in their order. */
  readonly known: readonly string[]
  readonly filter: Filter
}

/** Names that a browser offers: a longer list does not help. */
const maxOffered = 200

/** The form that filters rows by their contents, and the error of the filter that was typed. */
export const toFilterBox = ({ links, known, filter }: FilterBoxView): Markup => {
  const { text, fault, note } = filter
  const describedBy = fault === undefined ? 'where-hint' : 'where-fault where-hint'
  return html`<form class="where" role="search" aria-label="Rows" method="get" action="${browsePath}">
${toHiddenFields(links.query({ where: undefined }))}
<label class="sr" for="where">Only rows where</label>
<input id="where" type="search" name="where" value="${text}" list="where-fields" placeholder="Only rows where…" maxlength="4096" autocomplete="off" autocapitalize="off" spellcheck="false" aria-describedby="${describedBy}"${fault === undefined ? '' : html` aria-invalid="true"`}>
<datalist id="where-fields">${known.slice(0, maxOffered).map(name => html`<option value="${toFieldText(name)} "></option>`)}</datalist>
<button>Filter</button>${text === '' ? '' : html`<a class="button" href="${links.page({ where: undefined })}">Show all</a>`}
${fault === undefined ? '' : html`<p id="where-fault" class="fault" role="alert">${toVisibleText(toShortened(fault, 300))}</p>`}
${note === undefined || fault !== undefined ? '' : html`<p class="note" role="status">${toVisibleText(toShortened(note, 300))}</p>`}
<p id="where-hint" class="dim">${toHint(known)}</p>
</form>`
}

/** A name as the language has it. */
const toFieldText = (name: string): string =>
  /^[^\s'"()=<>!~.]+$/.test(name) && !/^not$/i.test(name) ? name : `"${name.replaceAll('"', '""')}"`

const toHint = ([first = 'status']: readonly string[]): Markup => {
  const field = toShortened(toFieldText(first), 40)
  return html`For example <code>${toVisibleText(field)} = "a"</code>, <code>${toVisibleText(field)} ~ "some text"</code> (contains), <code>time &gt;= 2024-05-01 and a.b in (1, 2)</code>; a word alone is looked for in all columns`
}

import { html } from 'hono/html'
import type { Markup } from '../../../contract/markdown.ts'
import { formatNames } from '../../../formats/name-list.ts'
import type { WantedColumns } from '../../rows/wanted-columns.ts'
import { toCountText } from '../elements/format.ts'
import { browsePath, type Query, toHiddenFields } from '../elements/links.ts'
import { toShortened, toVisibleText } from '../elements/visible-text.ts'
import type { ViewLinks } from './view-links.ts'

export type ChooserView = {
  readonly links: ViewLinks
  /** Names that are known of the rows, in their order. */
  readonly known: readonly string[]
  readonly wanted: WantedColumns
  /** Which rows are shown. */
  readonly place: Query
}

/** This many boxes are manageable, and their names fit into the address; otherwise names are typed. */
const maxBoxes = 200
const maxAddressChars = 4_000

const maxNameChars = 80

/** The form that chooses columns, folded; nothing where there is nothing to choose from. */
export const toColumnChooser = (view: ChooserView): Markup | string => {
  const { links, wanted, place } = view
  const names = [...new Set([...view.known, ...(wanted ?? [])])]
  if (names.length < 2 && wanted === undefined) return ''
  const others = { ...place, columns: undefined }
  return html`<details class="choose">
<summary>${wanted === undefined ? `Choose columns (${toCountText(names.length)})` : `Columns: ${toCountText(wanted.length)} of ${toCountText(names.length)}`}</summary>
<form method="get" action="${browsePath}">
${toHiddenFields(links.query(others))}
${fits(names) ? toBoxes(names, wanted) : toField(wanted)}
<p class="actions"><button>Show these columns</button>${wanted === undefined ? '' : html`<a class="button" href="${links.page(others)}">Show all</a>`}</p>
</form>
</details>`
}

const fits = (names: readonly string[]): boolean =>
  names.length <= maxBoxes &&
  encodeURIComponent(
    names
      .map(name => formatNames([name]))
      .join('&columns=')
      .toWellFormed(),
  ).length <= maxAddressChars

const toBoxes = (names: readonly string[], wanted: WantedColumns): Markup =>
  html`<fieldset><legend class="sr">Columns</legend>${names.map(
    name =>
      html`<label class="check"><input type="checkbox" name="columns" value="${formatNames([name])}"${wanted?.includes(name) ? html` checked` : ''}><span>${name === '' ? html`<span class="dim">(no name)</span>` : toVisibleText(toShortened(name, maxNameChars))}</span></label>
`,
  )}</fieldset>`

const toField = (wanted: WantedColumns): Markup =>
  html`<label for="columns">Names, with commas between them</label>
<input id="columns" name="columns" value="${formatNames(wanted ?? [])}" placeholder="user,time" autocomplete="off" spellcheck="false" required>`
